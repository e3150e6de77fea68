#include "03-request/test_support_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/test_support.h"

/* Whole rounds of 16. Under a sanitizer there is no memory to compare, and the requests
 * are there for the sanitizer alone: more of the same would tell it nothing. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { CLIENTS = 16, WARM_UP = 1008, MEASURED = 0 };
#else
enum { CLIENTS = 16, WARM_UP = 1008, MEASURED = 10000 };
#endif

static struct program server;
static int clients[CLIENTS];

static unsigned long kb_of(pid_t pid, const char *file, const char *field) {
    char path[64], line[256];
    unsigned long kb = 0;
    size_t length = strlen(field);
    if (MEASURED == 0)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    FILE *from = fopen(path, "re");
    if (!from)
        return 0;
    while (kb == 0 && fgets(line, sizeof line, from))
        if (!strncmp(line, field, length))
            kb = strtoul(line + length, NULL, 10);
    fclose(from);
    return kb;
}

unsigned long memory_kb(pid_t pid) {
    return kb_of(pid, "smaps_rollup", "Rss:");
}

unsigned long memory_peak_kb(pid_t pid) {
    return kb_of(pid, "status", "VmHWM:");
}

static void ask(int times) {
    static struct response response;
    for (int round = 0; round < times / CLIENTS; round++) {
        for (int i = 0; i < CLIENTS; i++)
            send_text(clients[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        for (int i = 0; i < CLIENTS; i++) {
            read_response(clients[i], &response);
            cr_assert_eq(response.status, 200);
        }
    }
}

void check_memory(const char *program) {
    program_start(&server, program, NULL);
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = connect_to(server.port);
    ask(WARM_UP);
    unsigned long before = memory_kb(server.pid);
    ask(MEASURED);
    unsigned long after = memory_kb(server.pid);
    for (int i = 0; i < CLIENTS; i++)
        close(clients[i]);
    program_stop(&server);
    cr_assert_eq(after, before, "%s grew from %lu to %lu KiB over %d requests", program,
                 before, after, MEASURED);
}
