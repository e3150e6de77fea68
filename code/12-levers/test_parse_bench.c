/* The program that times parsers: its inputs, and what it prints. The times themselves
 * are the machine's affair. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/test_support.h"
#include "12-levers/bench.h"

TestSuite(parse_bench, .timeout = 300);

Test(parse_bench, its_heads_are_what_their_names_say) {
    struct bench_input inputs[BENCH_INPUTS];
    static struct request request;
    static const int fields[BENCH_INPUTS] = {1, 20, 50};
    bench_inputs(inputs);
    for (int i = 0; i < BENCH_INPUTS; i++) {
        int head = parse_plain(inputs[i].bytes, inputs[i].length, 0, &request);
        cr_assert_eq(head, (int)inputs[i].length, "%s: %d", inputs[i].name, head);
        cr_assert_eq(request_demands(&request).refuse_with, 0, "%s", inputs[i].name);
        cr_assert(i == 2 ? request.field_count > fields[i]
                         : request.field_count == fields[i],
                  "%s has %d fields", inputs[i].name, request.field_count);
    }
    cr_assert_eq(inputs[2].length, (size_t)10 * 1024);
}

Test(parse_bench, every_way_takes_every_head_and_takes_time) {
    struct bench_input inputs[BENCH_INPUTS];
    struct bench_way ways[BENCH_WAYS];
    bench_inputs(inputs);
    bench_ways(ways);
    for (int i = 0; i < BENCH_INPUTS; i++)
        for (int w = 0; w < BENCH_WAYS; w++)
            if (ways[w].parse)
                cr_assert_gt(bench_time(&ways[w], &inputs[i], 10000), 0, "%s of %s",
                             ways[w].name, inputs[i].name);
            else
                cr_assert_not_null(ways[w].missing, "%s", ways[w].name);
}

static int lines_with(const char *text, const char *words) {
    int count = 0;
    for (; (text = strstr(text, words)); text++)
        count++;
    return count;
}

Test(parse_bench, prints_a_row_for_each_way_in_use) {
    static struct program ran;
    program_run(&ran, "parse-bench", "--rounds", "6", NULL);
    cr_assert_eq(ran.status, 0, "%s", ran.errors);
    cr_assert_eq(lines_with(ran.output, "\nplain  "), BENCH_INPUTS, "%s", ran.output);
    cr_assert_eq(lines_with(ran.output, "\nfast  "), BENCH_INPUTS, "%s", ran.output);
    cr_assert_eq(lines_with(ran.output, "\nhttp-parser  "), BENCH_INPUTS, "%s",
                 ran.output);
    cr_assert_eq(lines_with(ran.output, "memchr"), 0, "%s", ran.output);
    if (!bench_library())
        cr_assert(strstr(ran.output, "libhttp-parser-dev"), "%s", ran.output);
}

Test(parse_bench, prints_json_of_a_path_of_the_user_s) {
    static struct program ran;
    program_run(&ran, "parse-bench", "--json", "--rounds", "6", "--path", "/work?us=7",
                NULL);
    cr_assert_eq(ran.status, 0, "%s", ran.errors);
    cr_assert_eq(
        lines_with(ran.output, "{\"input\": \"path\", \"bytes\": 49, \"way\": \""),
        BENCH_WAYS, "%s", ran.output);
    cr_assert_gt(lines_with(ran.output, "\"of_plain\": {\"value\": "), 5, "%s",
                 ran.output);
}

Test(parse_bench, refuses_a_path_that_is_none) {
    static struct program ran;
    static const char *const paths[] = {"/a b", "a", ""};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        program_run(&ran, "parse-bench", "--path", paths[i], NULL);
        cr_assert_eq(ran.status, 2, "%s", paths[i]);
        cr_assert(strstr(ran.errors, "nobody could ask for '"), "%s", ran.errors);
    }
}
