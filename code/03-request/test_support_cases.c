#include "03-request/test_support_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_support_checks.h"

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

enum { CASES_MOST = 100 };

/* A byte of the third column, of which `*at` is moved past its last character. */
static char take_byte(const char **at) {
    static const char letters[] = "rnt\\0", bytes[] = "\r\n\t\\";
    char c = *(*at)++, hex[3] = {0};
    if (c != '\\')
        return c;
    c = *(*at)++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter)
        return bytes[letter - letters]; /* the last one is its NUL */
    memcpy(hex, *at, strnlen(*at, 2));
    cr_assert(c == 'x' && strspn(hex, "0123456789abcdefABCDEF") == 2,
              "an escape that nobody knows: \\%c%s", c, hex);
    *at += 2;
    return (char)strtol(hex, NULL, 16);
}

static bool always_closes(int status) {
    return status == 400 || status == 408 || status == 413 || status == 414 ||
           status == 431;
}

static void read_statuses(struct http_case *row, const char *text) {
    char *end;
    do {
        cr_assert_lt(row->count, CASE_ANSWERS, "%s", row->name);
        int status = (int)strtol(text, &end, 10);
        cr_assert(status >= 200 && status < 600 && !row->closes, "%s", row->name);
        row->statuses[row->count++] = status;
        row->closes = always_closes(status);
        text = end + 1;
    } while (*end == ',');
    if (strcmp(end, "+close") == 0)
        row->closes = true;
    else
        cr_assert_eq(*end, '\0', "%s: %s", row->name, end);
}

static void read_row(struct http_case *row, char *line) {
    const char *name = strsep(&line, "\t"), *statuses = strsep(&line, "\t");
    cr_assert(statuses && line && strlen(name) < sizeof row->name, "%s", name);
    *row = (struct http_case){0};
    strcpy(row->name, name);
    read_statuses(row, statuses);
    for (const char *at = line; *at;) {
        cr_assert_lt(row->length, sizeof row->bytes, "%s", name);
        row->bytes[row->length++] = take_byte(&at);
    }
}

const struct http_case *cases_read(size_t *count) {
    static struct http_case rows[CASES_MOST];
    static size_t have;
    static char line[4 * sizeof rows->bytes];
    static const char path[] = "code/03-request/http.tsv";
    FILE *file = have > 0 ? NULL : fopen(path, "r");
    cr_assert(have > 0 || file, "can't read %s", path);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        cr_assert_lt(have, (size_t)CASES_MOST);
        if (line[0] && line[0] != '#')
            read_row(&rows[have++], line);
    }
    if (file)
        fclose(file);
    cr_assert_gt(have, 0u);
    *count = have;
    return rows;
}

static bool begins_with(const struct http_case *row, const char *text) {
    return strncmp(row->bytes, text, strlen(text)) == 0;
}

bool case_is_slow(const struct http_case *row) {
    return begins_with(row, "GET /slow");
}

/* What the client asked for: whatever is pipelined behind the first request of a row
 * asks for /. */
static const char *body_of(const struct http_case *row, int answer) {
    if (answer == 0 && begins_with(row, "POST /echo"))
        return "hello";
    return answer == 0 && case_is_slow(row) ? "slept 200 ms\n" : "hello\n";
}

void case_read_answers(const struct http_case *row, int fd) {
    static struct response response;
    for (int i = 0; i < row->count; i++) {
        bool head_only = i == 0 && begins_with(row, "HEAD ");
        bool last = row->closes && i == row->count - 1;
        (head_only ? read_response_to_head : read_response)(fd, &response);
        cr_assert_eq(response.status, row->statuses[i], "%s, answer %d: %s", row->name,
                     i + 1, response.head);
        if (response.status == 200 && !head_only)
            cr_assert_str_eq(response.body, body_of(row, i), "%s, answer %d", row->name,
                             i + 1);
        cr_assert_eq(strstr(response.head, "\r\nConnection: close\r\n") != NULL, last,
                     "%s, answer %d: %s", row->name, i + 1, response.head);
    }
}

/* Sends the row's bytes, cut in two after `cut` of them. */
static int send_row(struct served *served, const struct http_case *row, size_t cut,
                    int other) {
    int client = client_of(served);
    send_bytes(client, row->bytes, cut);
    if (cut < row->length) {
        get(served, other, "/", 200, "hello\n"); /* the first piece is read by now */
        send_bytes(client, row->bytes + cut, row->length - cut);
    }
    return client;
}

/* After the answers the connection has to be over, or as good as before. */
static void expect_row(struct served *served, const struct http_case *row, int client) {
    case_read_answers(row, client);
    for (int i = 0; i < row->count; i++)
        if (row->statuses[i] == 200)
            served->answered++;
        else
            served->perhaps++; /* a good head whose body was refused */
    if (row->closes) {
        expect_end(client);
    } else {
        get(served, client, "/", 200, "hello\n");
        close(client);
    }
}

/* Each row in one piece and in two. Where it is cut differs from row to row; a test of
 * the connection alone cuts them at every place. */
static void play_all(struct served *served, bool slow) {
    size_t count;
    const struct http_case *rows = cases_read(&count);
    int other = client_of(served);
    for (size_t i = 0; i < count; i++)
        if (case_is_slow(&rows[i]) == slow) {
            size_t cut = 1 + 37 * i % (rows[i].length - 1);
            int whole = send_row(served, &rows[i], rows[i].length, other);
            int in_two = send_row(served, &rows[i], cut, other);
            expect_row(served, &rows[i], whole);
            expect_row(served, &rows[i], in_two);
        }
    close(other);
}

void plays_the_table(struct served *served) {
    play_all(served, false);
}

void plays_the_slow_rows(struct served *served) {
    play_all(served, true);
}
