/* ANCHOR: top */
#include "03-request/exchange.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *status_reason(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    default:
        return "Other";
    }
}

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

size_t write_head(char *output, size_t room, int status, const char *type,
                  uint64_t length, bool keep_alive, bool http10, bool date) {
    const char *connection = !keep_alive ? "Connection: close\r\n"
                             : http10    ? "Connection: keep-alive\r\n"
                                         : "";
    int n =
        snprintf(output, room,
                 "HTTP/1.1 %d %s\r\n"
                 "Content-Length: %" PRIu64 "\r\n"
                 "Content-Type: %s\r\n"
                 "%s%s%s\r\n",
                 status, status_reason(status), length, type, connection,
                 status == 405 ? "Allow: GET, HEAD\r\n" : "", date ? date_now() : "");
    assert(n > 0 && (size_t)n < room);
    return (size_t)n;
}
/* ANCHOR_END: top */

/* ANCHOR: start */
void exchange_start(struct exchange *exchange, int status, const char *type,
                    uint64_t length) {
    assert(!exchange->started);
    exchange->started = true;
    exchange->promised = length;
    size_t n = write_head(exchange->output, OUTPUT_MOST, status, type, length,
                          exchange->keep_alive, exchange->http10, exchange->date);
    atomic_store_explicit(&exchange->filled, n, memory_order_release);
}
/* ANCHOR_END: start */

/* ANCHOR: chunk */
size_t exchange_chunk(struct exchange *exchange, const char *bytes, size_t n,
                      bool more) {
    assert(exchange->started && n <= exchange->promised);
    size_t filled = atomic_load_explicit(&exchange->filled, memory_order_acquire);
    size_t room = OUTPUT_MOST - filled, taken = n;
    if (!exchange->head_only) {
        taken = n < room ? n : room;
        memcpy(exchange->output + filled, bytes, taken);
        atomic_store_explicit(&exchange->filled, filled + taken, memory_order_release);
    }
    exchange->promised -= taken;
    if (taken < n)
        atomic_store_explicit(&exchange->wants_room, true, memory_order_release);
    if (more || taken < n)
        exchange->ready(exchange->ready_argument, exchange->slot);
    return taken;
}
/* ANCHOR_END: chunk */

/* ANCHOR: end */
void exchange_end(struct exchange *exchange) {
    static const char sorry[] = "the application gave no answer\n";
    if (!exchange->started) {
        exchange_start(exchange, 500, "text/plain", sizeof sorry - 1);
        exchange_chunk(exchange, sorry, sizeof sorry - 1, false);
    }
    exchange->cut_short = exchange->promised > 0;
    exchange->with_application = false;
    /* Once `ended` is set the loop may give the slot to somebody else, so what is
     * needed after it is read before it. */
    void (*ready)(void *, uint32_t) = exchange->ready;
    void *argument = exchange->ready_argument;
    uint32_t slot = exchange->slot;
    atomic_store_explicit(&exchange->ended, true, memory_order_release);
    ready(argument, slot);
}
/* ANCHOR_END: end */

/* ANCHOR: answer */
void exchange_answer(struct exchange *exchange, int status, const char *type,
                     const char *body, size_t n) {
    assert(n <= OUTPUT_MOST / 2);
    exchange_start(exchange, status, type, n);
    exchange_chunk(exchange, body, n, false);
    exchange_end(exchange);
}
/* ANCHOR_END: answer */
