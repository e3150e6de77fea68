#include "11-stepped/stop_probe.h"

#include <stdio.h>
#include <sys/wait.h>

static const char *const verdicts[] = {"skipped", "ok", "failed", "dropped", "hung"};

void probe_print_head(void) {
    printf("%-18s %-8s %8s  %-9s %s\n", "case", "verdict", "seconds", "exit", "saw");
}

void probe_print_row(const struct probe_row *row) {
    char seconds[24] = "-", end[24] = "-";
    if (row->ended) {
        snprintf(seconds, sizeof seconds, "%.3f", row->seconds);
        if (WIFSIGNALED(row->status))
            snprintf(end, sizeof end, "signal %d", WTERMSIG(row->status));
        else
            snprintf(end, sizeof end, "%d", WEXITSTATUS(row->status));
    }
    printf("%-18s %-8s %8s  %-9s %s\n", row->name, verdicts[row->verdict], seconds, end,
           row->saw);
}

/* No text here is another's, so there is nothing to escape. */
void probe_print_json(const struct probe_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct probe_row *row = &rows[i];
        bool signalled = row->ended && WIFSIGNALED(row->status);
        printf("%s{\"case\":\"%s\",\"saw\":\"%s\",\"verdict\":\"%s\",\"seconds\":",
               i ? ",\n " : "[", row->name, row->saw, verdicts[row->verdict]);
        printf(row->ended ? "%.3f" : "null", row->seconds);
        printf(",\"%s\":", signalled ? "signal" : "status");
        if (row->ended)
            printf("%d}", signalled ? WTERMSIG(row->status) : WEXITSTATUS(row->status));
        else
            printf("null}");
    }
    puts("]");
}
