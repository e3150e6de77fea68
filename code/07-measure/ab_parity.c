#include "07-measure/ab_parity.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "07-measure/ab_run.h"
#include "07-measure/answer.h"

enum {
    ANSWER = 1 << 20, /* bytes of an answer */
    FIELDS = 64,
    ANSWER_S = 10, /* seconds that a read may take, and about that all of them */
};

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

bool parity_form(char *answer) {
    char *copy = strdup(answer), *end = copy ? strstr(copy, "\r\n\r\n") : NULL;
    char *fields[FIELDS];
    size_t count = 0;
    bool whole = false;
    if (end) {
        end[2] = '\0'; /* the head is lines now, and the body lies behind it */
        char *line = strstr(copy, "\r\n") + 2;
        char *to = answer + (line - copy);
        for (char *next; *line && count < FIELDS; line = next + 2) {
            next = strstr(line, "\r\n");
            *next = '\0';
            fields[count++] = line;
            for (char *c = line; *c && *c != ':'; c++)
                *c = (char)tolower((unsigned char)*c);
        }
        whole = *line == '\0';
        qsort(fields, count, sizeof *fields, by_name);
        for (size_t i = 0; i < count; i++)
            if (strncmp(fields[i], "date:", 5) != 0)
                to += sprintf(to, "%s\r\n", fields[i]);
        strcpy(to, end + 4);
    }
    free(copy);
    return whole;
}

/* Reads one answer to its end; false if there is none, or if it is too long. */
static bool read_answer(int fd, char *answer) {
    struct answer reader;
    enum answer_result result = ANSWER_PARTIAL;
    size_t have = 0;
    uint64_t deadline = clock_now() + ANSWER_S * NS_PER_S;
    answer_begin(&reader, false);
    while (result == ANSWER_PARTIAL) {
        size_t used;
        if (have == ANSWER - 1 || clock_now() > deadline)
            return false;
        ssize_t n = read(fd, answer + have, ANSWER - 1 - have);
        if (n < 0)
            return false;
        if (n == 0) {
            result = answer_ended(&reader);
            break;
        }
        result = answer_take(&reader, answer + have, (size_t)n, &used);
        have += used;
    }
    answer[have] = '\0';
    return result == ANSWER_WHOLE && strlen(answer) == have;
}

/* Asks once, as the client does that will measure. */
static bool ask(int port, const char *path, char *answer) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval bound = {.tv_sec = ANSWER_S};
    char request[AB_PATH + 128];
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool asked = fd >= 0 && length < (int)sizeof request &&
                 setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) == 0 &&
                 connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                 write(fd, request, (size_t)length) == length &&
                 read_answer(fd, answer);
    if (fd >= 0)
        close(fd);
    return asked;
}

/* Where the two differ, as the line of each. */
static void tell(const struct ab_arm *first, const char *one,
                 const struct ab_arm *second, const char *other, char why[AB_WHY]) {
    size_t at = 0;
    for (size_t i = 0; one[i] && one[i] == other[i]; i++)
        if (one[i] == '\n')
            at = i + 1;
    int lengths[2] = {(int)strcspn(one + at, "\r\n"), (int)strcspn(other + at, "\r\n")};
    for (int i = 0; i < 2; i++)
        lengths[i] = lengths[i] < 50 ? lengths[i] : 50;
    snprintf(why, AB_WHY,
             "%s answers '%.*s' where %s answers '%.*s'; --allow-different-answers "
             "compares them all the same",
             first->name, lengths[0], one + at, second->name, lengths[1], other + at);
}

static bool fetch(const struct ab_settings *settings, int arm, char *answer,
                  char why[AB_WHY]) {
    static struct child server;
    const struct ab_arm *program = &settings->arms[arm];
    int port = ab_server_start(&server, program, why);
    if (port < 0)
        return false;
    bool asked = ask(port, settings->path, answer) && parity_form(answer);
    if (!ab_server_stop(&server, program, why))
        return false;
    if (!asked)
        snprintf(why, AB_WHY,
                 "%s doesn't answer %.100s as HTTP, with text of less than 1 MiB; "
                 "--allow-different-answers asks nobody",
                 program->name, settings->path);
    return asked;
}

bool ab_parity(const struct ab_settings *settings, char why[AB_WHY]) {
    static char answers[2][ANSWER];
    if (!fetch(settings, 0, answers[0], why))
        return false;
    for (int arm = 1; arm < settings->arm_count; arm++) {
        if (!fetch(settings, arm, answers[1], why))
            return false;
        if (strcmp(answers[0], answers[1]) != 0) {
            tell(&settings->arms[0], answers[0], &settings->arms[arm], answers[1], why);
            return false;
        }
    }
    return true;
}
