#include "07-measure/test_support_ab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char top[] = "/tmp/test_ab.XXXXXX";
struct program ab;
struct ab_arms arms;

const char *ab_at(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

void ab_put(const char *name, const char *text) {
    FILE *file = fopen(ab_at(name), "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    cr_assert(chmod(ab_at(name), 0755) == 0);
}

void ab_get(const char *name, char *text, size_t size) {
    FILE *file = fopen(ab_at(name), "r");
    cr_assert(file, "there is no %s", name);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

void ab_set_up(void) {
    cr_assert(mkdtemp(top));
    ab_put("server", "#!/bin/sh\n"
                     "echo $$ >>${0%/*}/pids\n"
                     "echo \"listening on http://127.0.0.1:$1\"\n"
                     "exec sleep 60\n");
    ab_put(
        "client",
        "#!/bin/sh\n"
        "cd ${0%/*}\n"
        "[ ! -f pause ] || sleep 0.1\n"
        "echo \"$*\" >>calls\n"
        "for url; do :; done\n"
        "port=${url##*:} port=${port%%/*} n=1\n"
        "[ ! -f at.$port ] || read n <at.$port\n"
        "echo $((n + 1)) >at.$port\n"
        "value=$(sed -n ${n}p numbers.$port) bound=false\n"
        "[ \"$value\" ] || value=1000\n"
        "case $value in none) echo '{\"requests\":0,\"seconds\":1,\"per_second\":0,"
        "\"errors\":0,\"reconnects\":0,\"non_2xx\":0,\"timeouts\":16,\"client_cpu\":0,"
        "\"client_bound\":false,\"latency_ns\":{\"p50\":null}}'; exit 1;;\n"
        "fail) echo it broke >&2; exit 1;; bound*)\n"
        "  value=${value#bound} bound=true;; esac\n"
        "errors=0\n"
        "case $value in bad*) value=${value#bad} errors=2;; esac\n"
        "echo \"{\\\"requests\\\":$value,\\\"seconds\\\":1,\\\"per_second\\\":\"\\\n"
        "\"$value,\\\"errors\\\":$errors,\\\"reconnects\\\":3,\\\"non_2xx\\\":0,\"\\\n"
        "\"\\\"timeouts\\\":0,\\\"client_cpu\\\":0.5,\\\"client_bound\\\":$bound,\"\\\n"
        "\"\\\"latency_ns\\\":{\\\"p50\\\":1000,\\\"p90\\\":2000,\\\"p99\\\":3000}}\"\n"
        "[ $errors = 0 ]\n");
    snprintf(arms.client, sizeof arms.client, "--client=%s", ab_at("client"));
    snprintf(arms.quick, sizeof arms.quick, "quick=%s 1001", ab_at("server"));
    snprintf(arms.slow, sizeof arms.slow, "slow=%s 1002", ab_at("server"));
    snprintf(arms.record, sizeof arms.record, "--record=%s", ab_at("record"));
    snprintf(arms.control, sizeof arms.control, "--control=%s 1003", ab_at("server"));
}

void ab_tear_down(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", top);
    cr_expect_eq(system(command), 0);
}

void ab_run_arms(const char *one, const char *other, const char *w1, const char *w2,
                 const char *w3) {
    program_run(&ab, "ab", "--arm", one, "--arm", other, arms.client, arms.control,
                "--warmup-ms", "0", "--ms", "10", "--allow-different-answers",
                "--steal-percent", "100", w1, w2, w3, NULL);
}
