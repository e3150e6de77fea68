#include "07-measure/ab_run.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
    START_MS = 10000, /* until a server says where it listens */
    STOP_MS = 10000,  /* from SIGTERM to its end */
    SPARE_MS = 30000, /* that a client may take longer than it was told to measure */
};

/* Writes the reason, shows what the child said on standard error, and ends it. */
static bool fail(struct child *child, const struct ab_arm *arm, const char *what,
                 char why[AB_WHY]) {
    child_kill(child);
    snprintf(why, AB_WHY, "%s: %s", arm->name, what);
    fputs(child->err.text, stderr);
    return false;
}

/* --- The server ---------------------------------------------------------------------- */

int ab_server_start(struct child *server, const struct ab_arm *arm, char why[AB_WHY]) {
    static const char *const any_port[] = {"--port", "0", NULL};
    int port = 0;
    child_start(server, arm->command, any_port, PLACE_SERVER);
    if (child_line(server, START_MS) &&
        sscanf(server->out.text, "listening on http://127.0.0.1:%d\n", &port) == 1 &&
        port > 0 && port <= 65535)
        return port;
    fail(server, arm, "the server didn't say where it listens", why);
    return -1;
}

bool ab_server_stop(struct child *server, const struct ab_arm *arm, char why[AB_WHY]) {
    if (child_ended(server, 0))
        return fail(server, arm, "the server ended before it was told to", why);
    kill(server->pid, SIGTERM);
    if (!child_ended(server, STOP_MS))
        return fail(server, arm, "the server didn't end after SIGTERM", why);
    bool asked = WIFSIGNALED(server->status) && WTERMSIG(server->status) == SIGTERM;
    if (!asked && server->status != 0) /* not every server has a handler */
        return fail(server, arm, "the server ended with an error", why);
    return true;
}

/* --- The client ---------------------------------------------------------------------- */

/* Takes its numbers out of the object. False with what is wrong; latencies are read last,
 * for who got no answer has none. */
static bool take_numbers(json_t *json, struct ab_run *run, char *wrong, size_t size) {
    double errors, non_2xx, timeouts;
    int bound;
    json_error_t error = {.text = ""};
    if (json_unpack_ex(json, &error, 0, "{s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:b}",
                       "requests", &run->requests, "seconds", &run->seconds,
                       "per_second", &run->per_second, "errors", &errors, "reconnects",
                       &run->reconnects, "non_2xx", &non_2xx, "timeouts", &timeouts,
                       "client_cpu", &run->client_cpu, "client_bound", &bound) != 0)
        snprintf(wrong, size, "the client's line can't be read: %s", error.text);
    else if (errors > 0 || non_2xx > 0 || timeouts > 0)
        snprintf(wrong, size, "%.0f errors, %.0f answers other than 2xx, %.0f timeouts",
                 errors, non_2xx, timeouts);
    else if (run->requests < 1 || run->seconds <= 0 || run->per_second <= 0)
        snprintf(wrong, size, "the client got no answer");
    else if (json_unpack_ex(json, &error, 0, "{s:{s:F,s:F,s:F}}", "latency_ns", "p50",
                            &run->p50, "p90", &run->p90, "p99", &run->p99) != 0)
        snprintf(wrong, size, "the client's line can't be read: %s", error.text);
    else {
        run->client_bound = bound;
        run->p50 /= 1e3; /* ns to µs */
        run->p90 /= 1e3;
        run->p99 /= 1e3;
        return true;
    }
    return false;
}

static bool read_client(const char *line, struct ab_run *run, char *wrong,
                        size_t size) {
    json_error_t error;
    json_t *json = json_loads(line, 0, &error);
    if (!json)
        snprintf(wrong, size, "the client's line can't be read: %s", error.text);
    bool read = json && take_numbers(json, run, wrong, size);
    json_decref(json);
    return read;
}

static bool client(const struct ab_settings *settings, const struct ab_arm *arm,
                   int port, uint64_t ms, struct ab_run *run, char why[AB_WHY]) {
    static struct child load;
    char connections[24], time[24], url[AB_PATH + 64], wrong[200];
    snprintf(connections, sizeof connections, "%" PRIu64, settings->connections);
    snprintf(time, sizeof time, "%" PRIu64, ms);
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", port, settings->path);
    const char *const more[] = {
        "--connections", connections, "--ms", time, "--warmup-ms", "0",
        "--json",        url,         NULL};
    child_start(&load, settings->client, more, PLACE_CLIENT);
    if (!child_ended(&load, ms + SPARE_MS))
        return fail(&load, arm, "the client didn't end", why);
    if (load.out.length == 0)
        return fail(&load, arm, "the client said nothing", why);
    if (!read_client(load.out.text, run, wrong, sizeof wrong))
        return fail(&load, arm, wrong, why);
    return load.status == 0 || fail(&load, arm, "the client ended with an error", why);
}

/* --- The run ------------------------------------------------------------------------- */

/* Ticks that the hypervisor kept from our CPUs, and all ticks, since the machine began:
 * the first line of /proc/stat (proc(5)). False where there is none, or nothing in it. */
static bool stolen_ticks(double *stolen, double *all) {
    double ticks[8]; /* user nice system idle iowait irq softirq steal */
    FILE *file = fopen("/proc/stat", "re");
    bool read = file && fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0],
                               &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
                               &ticks[6], &ticks[7]) == 8;
    if (file)
        fclose(file);
    *stolen = read ? ticks[7] : 0;
    *all = 0;
    for (int i = 0; read && i < 8; i++)
        *all += ticks[i];
    return *all > 0;
}

static bool measure(const struct ab_settings *settings, const struct ab_arm *arm,
                    int port, const struct child *server, struct ab_run *run,
                    char why[AB_WHY]) {
    double stolen[2], all[2];
    if (settings->warmup_ms > 0 &&
        !client(settings, arm, port, settings->warmup_ms, run, why))
        return false;
    bool steals = stolen_ticks(&stolen[0], &all[0]);
    double before = child_cpu_us(server);
    if (!client(settings, arm, port, settings->ms, run, why))
        return false;
    run->cpu_us = child_cpu_us(server) - before;
    steals = stolen_ticks(&stolen[1], &all[1]) && steals && all[1] > all[0];
    run->steal = steals ? 100 * (stolen[1] - stolen[0]) / (all[1] - all[0]) : NAN;
    return true;
}

bool ab_run(const struct ab_settings *settings, int arm, struct ab_run *run,
            char why[AB_WHY]) {
    static struct child server;
    const struct ab_arm *program = &settings->arms[arm];
    *run = (struct ab_run){.arm = arm};
    int port = ab_server_start(&server, program, why);
    if (port < 0)
        return false;
    if (!measure(settings, program, port, &server, run, why)) {
        child_kill(&server);
        fputs(server.err.text, stderr);
        return false;
    }
    return ab_server_stop(&server, program, why);
}
