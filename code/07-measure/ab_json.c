#include "07-measure/ab_json.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

json_t *ab_json_number(double value) {
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *sum_of(uint64_t sum) {
    return json_sprintf("%016llx", (unsigned long long)sum);
}

/* The arms, the control, the client. */
static json_t *programs(const struct ab_settings *settings) {
    json_t *sums = json_array();
    for (int i = 0; i <= settings->arm_count; i++)
        json_array_append_new(sums, sum_of(settings->arms[i].sum));
    json_array_append_new(sums, sum_of(settings->client_sum));
    return sums;
}

json_t *ab_json_settings(const struct ab_settings *settings) {
    json_t *arms = json_array();
    for (int i = 0; i < settings->arm_count; i++)
        json_array_append_new(arms,
                              json_pack("{s:s,s:s}", "name", settings->arms[i].name,
                                        "command", settings->arms[i].command));
    json_t *json = json_pack("{s:o,s:s,s:s,s:s,s:s,s:o}", "arms", arms, "control",
                             settings->arms[settings->arm_count].command, "client",
                             settings->client, "path", settings->path, "place",
                             settings->place, "programs", programs(settings));
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"connections", settings->connections},
                   {"warmup_ms", settings->warmup_ms},
                   {"ms", settings->ms},
                   {"blocks", settings->blocks},
                   {"tries", settings->tries},
                   {"control_percent", settings->control_percent},
                   {"steal_percent", settings->steal_percent}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(json, numbers[i].name,
                            json_integer((json_int_t)numbers[i].value));
    json_object_set_new(json, "different_answers",
                        json_boolean(settings->different_answers));
    return json;
}

/* A run's plain numbers, under the names that they have in JSON. */
static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"requests", offsetof(struct ab_run, requests)},
    {"seconds", offsetof(struct ab_run, seconds)},
    {"per_second", offsetof(struct ab_run, per_second)},
    {"reconnects", offsetof(struct ab_run, reconnects)},
    {"cpu_us", offsetof(struct ab_run, cpu_us)},
    {"p50_us", offsetof(struct ab_run, p50)},
    {"p90_us", offsetof(struct ab_run, p90)},
    {"p99_us", offsetof(struct ab_run, p99)},
    {"client_cpu", offsetof(struct ab_run, client_cpu)},
    {"steal_percent", offsetof(struct ab_run, steal)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

json_t *ab_json_run(const struct ab_settings *settings, int block, int turn,
                    const struct ab_run *run) {
    json_t *json =
        json_pack("{s:i,s:i,s:s,s:b}", "block", block, "turn", turn, "arm",
                  settings->arms[run->arm].name, "client_bound", run->client_bound);
    for (int i = 0; i < FIELDS; i++) {
        double value = *(const double *)((const char *)run + fields[i].offset);
        json_object_set_new(json, fields[i].name, ab_json_number(value));
    }
    return json;
}

bool ab_read_run(const struct ab_settings *settings, json_t *json, struct ab_run *run) {
    const char *name;
    int bound;
    if (json_unpack(json, "{s:s,s:b}", "arm", &name, "client_bound", &bound) != 0)
        return false;
    *run = (struct ab_run){.arm = -1, .client_bound = bound};
    for (int i = 0; i <= settings->arm_count; i++)
        if (!strcmp(settings->arms[i].name, name))
            run->arm = i;
    for (int i = 0; i < FIELDS; i++) {
        json_t *value = json_object_get(json, fields[i].name);
        if (!json_is_number(value) && !json_is_null(value))
            return false;
        *(double *)((char *)run + fields[i].offset) =
            json_is_null(value) ? NAN : json_number_value(value);
    }
    return run->arm >= 0;
}

json_t *ab_json_block(int number, const struct ab_block *block) {
    return json_pack("{s:i,s:b,s:b,s:s}", "block", number, "kept", block->kept,
                     "failed", block->failed, "why", block->why);
}

bool ab_read_block(json_t *json, struct ab_block *block) {
    const char *why;
    int kept, failed;
    if (json_unpack(json, "{s:b,s:b,s:s}", "kept", &kept, "failed", &failed, "why",
                    &why) != 0)
        return false;
    block->kept = kept;
    block->failed = failed;
    snprintf(block->why, sizeof block->why, "%s", why);
    return true;
}
