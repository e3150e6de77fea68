/* Claims and records as files, which each test writes into a folder of its own. */
#ifndef MEASURE_TEST_CLAIMS_H
#define MEASURE_TEST_CLAIMS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROW(id, rule)                                                                  \
    "{\"id\":\"" id "\",\"says\":\"it pays two\",\"note\":2,\"unit\":\"wakes\","       \
    "\"kind\":\"count\",\"how\":\"by "                                                 \
    "counting\",\"needs\":null,\"measure\":\"paid\"," rule "}"
#define RULE "\"reproduced\":{\"from\":1.9,\"to\":2},\"same_direction\":{\"above\":0.5}"
#define GOOD "[" ROW("W2", RULE) "]"
#define RECORD(room, measures)                                                         \
    "{\"room\":\"" room                                                                \
    "\",\"date\":\"2026-01-01T00:00:00Z\",\"command\":\"make exp-06\","                \
    "\"commit\":\"abc\",\"machine\":{\"cpu\":\"A "                                     \
    "CPU\",\"cores\":2,\"kernel\":\"Linux 6\","                                        \
    "\"hypervisor\":\"none\",\"clocksource\":\"tsc\",\"compiler\":\"gcc 12\","         \
    "\"flags\":\"-O2\"},\"versions\":{},\"runs\":[],\"measures\":{" measures "}}"
#define PAID(value) "\"paid\":{\"value\":" value ",\"unit\":\"wakes\"}"

static char top[] = "/tmp/test_ledger.XXXXXX", path[512];

/* Writes `text` to `name` below the test's folder, making the folders on the way. */
static inline void put(const char *name, const char *text) {
    snprintf(path, sizeof path, "%s/%s", top, name);
    for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static inline void make_folder(void) {
    cr_assert(mkdtemp(top));
    put("experiments/06-pump/claims.json", GOOD);
}

static inline void remove_folder(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", top);
    cr_expect_eq(system(command), 0);
}

#endif
