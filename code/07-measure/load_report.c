#include "07-measure/load_report.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    const char *name, *meaning;
    unsigned permille;
} percentiles[] = {
    {"p50", "half of the answers came within", 500},
    {"p90", "nine of ten", 900},
    {"p99", "99 of 100", 990},
    {"p999", "999 of 1,000", 999},
    {"max", "all", 1000},
};
enum { PERCENTILES = sizeof percentiles / sizeof percentiles[0] };

bool load_client_bound(const struct load_result *result) {
    return result->client_busy > 0.9;
}

static double per_second(const struct load_result *result) {
    return result->seconds > 0 ? (double)result->latencies.count / result->seconds : 0;
}

static void print_us(const char *name, const char *meaning, const double *ns) {
    if (ns)
        printf("%-12s %12.1f us, %s\n", name, *ns / 1000, meaning);
    else
        printf("%-12s %12s us, %s\n", name, "-", meaning);
}

void load_print_table(const struct load_plan *plan, struct load_result *result) {
    struct samples *latencies = &result->latencies;
    bool any = latencies->count > 0;
    if (plan->rate)
        printf("open loop: %" PRIu64 " requests/s over %u connections\n", plan->rate,
               plan->connections);
    else
        printf("closed loop: %u connections, each asks when it has its answer\n",
               plan->connections);
    printf("%-12s %12zu answers in %.3f s (and %" PRIu64 " before, to warm up)\n",
           "requests", latencies->count, result->seconds, result->warmup_requests);
    printf("%-12s %12.1f requests/s\n", "throughput", per_second(result));
    printf("%-12s %12" PRIu64 " bytes read\n", "bytes", result->bytes);
    double ns = any ? samples_mean(latencies) : 0;
    print_us("mean", "from when a request was due to its answer's last byte",
             any ? &ns : NULL);
    samples_sort(latencies);
    for (int i = 0; i < PERCENTILES; i++) {
        if (any)
            ns = (double)samples_percentile(latencies, percentiles[i].permille);
        print_us(percentiles[i].name, percentiles[i].meaning, any ? &ns : NULL);
    }
    printf("%-12s %12" PRIu64 " requests failed\n", "errors", result->errors);
    printf("%-12s %12" PRIu64 " requests got no answer within %" PRIu64 " ms\n",
           "timeouts", result->timeouts, plan->timeout_ns / 1000000);
    printf("%-12s %12" PRIu64 " answers with another status than 2xx\n", "non-2xx",
           result->non_2xx);
    printf("%-12s %12" PRIu64 " connections opened again\n", "reconnects",
           result->reconnects);
    printf("%-12s %12.2f cores used by the client, %.2f without empty polls\n",
           "client", result->client_cpu, result->client_busy);
    if (load_client_bound(result))
        puts("client-bound: the client had no time to ask more, so the throughput is "
             "its own");
}

void load_print_json(const struct load_plan *plan, struct load_result *result) {
    struct samples *latencies = &result->latencies;
    printf("{\"requests\":%zu,\"seconds\":%.6f,\"per_second\":%.1f,", latencies->count,
           result->seconds, per_second(result));
    printf("\"errors\":%" PRIu64 ",\"reconnects\":%" PRIu64 ",\"non_2xx\":%" PRIu64
           ",\"timeouts\":%" PRIu64 ",\"bytes\":%" PRIu64 ",",
           result->errors, result->reconnects, result->non_2xx, result->timeouts,
           result->bytes);
    printf("\"client_cpu\":%.4f,\"client_busy\":%.4f,\"client_bound\":%s,",
           result->client_cpu, result->client_busy,
           load_client_bound(result) ? "true" : "false");
    if (latencies->count)
        printf("\"latency_ns\":{\"mean\":%.1f", samples_mean(latencies));
    else
        printf("\"latency_ns\":{\"mean\":null");
    samples_sort(latencies);
    for (int i = 0; i < PERCENTILES; i++)
        if (latencies->count)
            printf(",\"%s\":%" PRIu64, percentiles[i].name,
                   samples_percentile(latencies, percentiles[i].permille));
        else
            printf(",\"%s\":null", percentiles[i].name);
    printf("},\"rate\":%" PRIu64 ",\"connections\":%u,\"warmup_requests\":%" PRIu64
           "}\n",
           plan->rate, plan->connections, result->warmup_requests);
}
