/* ANCHOR: reason */
#include "03-request/head.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *status_reason(int status) {
    static const struct {
        int status;
        const char *reason;
    } known[] = {
        {200, "OK"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {417, "Expectation Failed"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].status == status)
            return known[i].reason;
    return "";
}

bool status_has_body(int status) {
    return status != 204 && status != 304;
}
/* ANCHOR_END: reason */

/* ANCHOR: date */
/* The date in the form of RFC 9110, section 5.6.7, made anew once a second. The names
 * are spelled out because strftime() would take them from the locale. */
static const char *date_now(void) {
    static _Thread_local time_t made_for = -1;
    static _Thread_local char text[64];
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t now = time(NULL);
    struct tm t;
    if (now != made_for && gmtime_r(&now, &t)) {
        snprintf(text, sizeof text, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                 days[t.tm_wday], t.tm_mday, months[t.tm_mon], t.tm_year + 1900,
                 t.tm_hour, t.tm_min, t.tm_sec);
        made_for = now;
    }
    return text;
}
/* ANCHOR_END: date */

/* ANCHOR: put */
/* What is being written. Past its end nothing is, but `length` goes on counting. */
struct writing {
    char *output;
    size_t room, length;
};

static void put(struct writing *writing, const char *bytes, size_t n) {
    if (writing->length + n <= writing->room)
        memcpy(writing->output + writing->length, bytes, n);
    writing->length += n;
}

static void put_text(struct writing *writing, const char *text) {
    put(writing, text, strlen(text));
}

static void put_number(struct writing *writing, uint64_t number) {
    char digits[20]; /* of the largest */
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put(writing, digits + at, sizeof digits - at);
}
/* ANCHOR_END: put */

/* ANCHOR: fields */
static bool is_ours(struct text name) {
    static const char *const ours[] = {"Connection", "Content-Length", "Date",
                                       "Transfer-Encoding"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (text_is_any_case(name, ours[i]))
            return true;
    return false;
}

static bool put_field(struct writing *writing, const struct field *field) {
    if (!text_is_token(field->name) || !text_is_field_value(field->value) ||
        is_ours(field->name))
        return false;
    put(writing, field->name.at, field->name.length);
    put(writing, ": ", 2);
    put(writing, field->value.at, field->value.length);
    put(writing, "\r\n", 2);
    return true;
}

/* How the client finds the body's end (RFC 9112, section 6.3). One of HTTP/1.0 knows
 * no chunks: its body ends with the connection. */
static void put_length(struct writing *writing, const struct head *head) {
    if (!status_has_body(head->status))
        return;
    if (head->length != LENGTH_UNKNOWN) {
        put_text(writing, "Content-Length: ");
        put_number(writing, head->length);
        put_text(writing, "\r\n");
    } else if (!head->http10)
        put_text(writing, "Transfer-Encoding: chunked\r\n");
}
/* ANCHOR_END: fields */

/* ANCHOR: write */
size_t head_write(const struct head *head, char *output, size_t room) {
    struct writing writing = {output, room, 0};
    errno = EINVAL;
    if (head->status < 200 || head->status > 599)
        return 0;
    put_text(&writing, "HTTP/1.1 ");
    put_number(&writing, (uint64_t)head->status);
    put_text(&writing, " ");
    put_text(&writing, status_reason(head->status));
    put_text(&writing, "\r\n");
    put_length(&writing, head);
    for (int i = 0; i < head->count; i++)
        if (!put_field(&writing, &head->fields[i]))
            return 0;
    if (!head->keep_alive)
        put_text(&writing, "Connection: close\r\n");
    else if (head->http10)
        put_text(&writing, "Connection: keep-alive\r\n");
    if (head->date)
        put_text(&writing, date_now());
    put_text(&writing, "\r\n");
    errno = EMSGSIZE;
    return writing.length <= room ? writing.length : 0;
}
/* ANCHOR_END: write */
