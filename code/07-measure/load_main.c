/* Puts a load on an HTTP server, and says what it answered and when.
 *   build/load http://127.0.0.1:8080/                a closed loop of 16 connections
 *   build/load --rate 1000 http://127.0.0.1:8080/    an open loop, 1,000 requests/s
 * Exit status 0: every answer was good. 1: an error, a timeout, or a status that isn't
 * 2xx. 2: a wrong option, or a server that refuses connections. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "07-measure/load.h"
#include "07-measure/load_report.h"
#include "07-measure/load_target.h"

enum { OTHER_DESCRIPTORS = 32 }; /* beside the connections */

static void raise_descriptor_limit(uint64_t connections) {
    struct rlimit limit;
    rlim_t wanted = connections + OTHER_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    if (wanted > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) != 0)
        die_of_usage("--connections %llu: this system allows %llu descriptors; raise "
                     "that by ulimit -Hn, or ask for fewer",
                     (unsigned long long)connections,
                     (unsigned long long)limit.rlim_max);
}

static void write_raw(FILE *out, const char *name, const struct samples *samples) {
    samples_write(samples, out);
    if (ferror(out) || fclose(out) != 0)
        die("can't write %s: %s", name, strerror(errno));
}

int main(int argc, char **argv) {
    uint64_t connections = 16, ms = 0, warmup_ms = 200, rate = 0, requests = 0;
    uint64_t timeout_ms = 5000, body_bytes = 0;
    const char *raw = NULL, *method = "GET", *backend = NULL, *url = NULL;
    bool spin = false, json = false;
    const struct option_row options[] = {
        {"--connections", OPTION_NUMBER, &connections, 1, 60000, "connections"},
        {"--ms", OPTION_NUMBER, &ms, 0, 3600000,
         "milliseconds to measure; 0: 1,000, or with --requests up to 60,000"},
        {"--warmup-ms", OPTION_NUMBER, &warmup_ms, 0, 3600000,
         "milliseconds before, which aren't measured"},
        {"--rate", OPTION_NUMBER, &rate, 0, 1000000,
         "requests per second, due whatever comes back; 0: a closed loop"},
        {"--spin", OPTION_FLAG, &spin, 0, 0,
         "never sleep, so that the server needn't wake us"},
        {"--requests", OPTION_NUMBER, &requests, 0, SAMPLES_MOST,
         "measured requests at most; 0: no bound but the time"},
        {"--timeout-ms", OPTION_NUMBER, &timeout_ms, 1, 3600000,
         "milliseconds in which an answer has to be there"},
        {"--raw", OPTION_TEXT, &raw, 0, 0,
         "file for every latency, in ns, a line each"},
        {"--json", OPTION_FLAG, &json, 0, 0, "print a line of JSON and no table"},
        {"--method", OPTION_TEXT, &method, 0, 0, "GET, HEAD or POST"},
        {"--body-bytes", OPTION_NUMBER, &body_bytes, 0, BODY_BYTES_MOST,
         "bytes of the body of a POST"},
        {"--backend", OPTION_TEXT, &backend, 0, 0, "epoll, kqueue or poll"},
    };
    if (argc > 1 && strstr(argv[argc - 1], "://"))
        url = argv[--argc];
    options_read(argc, argv,
                 "Puts a load on an HTTP server. The last word is the URL: "
                 "http://HOST:PORT/path",
                 options, sizeof options / sizeof *options);
    if (!url)
        die_of_usage("the last word has to be a URL: http://HOST:PORT/path");
    signal(SIGPIPE, SIG_IGN);
    struct target target = target_of(url, method, body_bytes);
    raise_descriptor_limit(connections);
    target.backend = backend_open(backend);
    if (!target.backend)
        backend_refused(backend);
    FILE *raw_file = raw ? fopen(raw, "w") : NULL;
    if (raw && !raw_file)
        die_of_usage("--raw %s: %s", raw, strerror(errno));

    if (!ms)
        ms = requests ? 60000 : 1000;
    const struct load_plan plan = {.connections = (uint32_t)connections,
                                   .rate = rate,
                                   .warmup_ns = warmup_ms * NS_PER_MS,
                                   .measure_ns = ms * NS_PER_MS,
                                   .requests = requests,
                                   .timeout_ns = timeout_ms * NS_PER_MS,
                                   .spin = spin,
                                   .may_repeat = strcmp(method, "POST") != 0};
    struct load_result result;
    load_run(&plan, &target, &result);
    backend_close(target.backend);
    free(target.request);
    if (raw)
        write_raw(raw_file, raw, &result.latencies); /* as they came, not yet sorted */
    (json ? load_print_json : load_print_table)(&plan, &result);
    output_flushed();
    samples_free(&result.latencies);
    return result.errors || result.timeouts || result.non_2xx ? 1 : 0;
}
