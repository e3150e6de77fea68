#include <stdio.h>
#include <string.h>

#include "12-levers/bench.h"

static const char wrk[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

#define BROWSER                                                                        \
    "GET /articles/2026/event-loops?utm_source=newsletter&page=2 HTTP/1.1\r\n"         \
    "Host: www.example.com\r\n"                                                        \
    "Connection: keep-alive\r\n"                                                       \
    "Cache-Control: max-age=0\r\n"                                                     \
    "sec-ch-ua: \"Chromium\";v=\"142\", \"Not_A Brand\";v=\"99\"\r\n"                  \
    "sec-ch-ua-mobile: ?0\r\n"                                                         \
    "sec-ch-ua-platform: \"Linux\"\r\n"                                                \
    "DNT: 1\r\n"                                                                       \
    "Upgrade-Insecure-Requests: 1\r\n"                                                 \
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like "     \
    "Gecko) Chrome/142.0.0.0 Safari/537.36\r\n"                                        \
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,"        \
    "image/webp,image/apng,*/*;q=0.8\r\n"                                              \
    "Sec-Fetch-Site: same-origin\r\n"                                                  \
    "Sec-Fetch-Mode: navigate\r\n"                                                     \
    "Sec-Fetch-User: ?1\r\n"                                                           \
    "Sec-Fetch-Dest: document\r\n"                                                     \
    "Referer: https://www.example.com/articles/2026/\r\n"                              \
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"                                     \
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"                                     \
    "If-None-Match: W/\"5f2c-18f0a3b1c40\"\r\n"                                        \
    "If-Modified-Since: Tue, 01 Dec 2026 09:30:00 GMT\r\n"                             \
    "Cookie: session=8c1f0e5b2a774d8e9b3f; theme=dark; consent=1\r\n"

static const char browser[] = BROWSER "\r\n";

/* The browser's fields, and others of A_LINE bytes until it is large. */
static const char *large(void) {
    enum { A_LINE = 250, LONGEST = 2 * A_LINE };
    static char bytes[BENCH_LARGE + 1] = BROWSER;
    static const char letters[] = "how much of a head is in its values? most of it; ";
    size_t at = strlen(BROWSER);
    for (int n = 0; at < BENCH_LARGE - 2; n++) {
        size_t left = BENCH_LARGE - 2 - at;
        size_t line = left < LONGEST ? left : A_LINE; /* the last one is longer */
        size_t end = at + line - 2;
        at += (size_t)snprintf(bytes + at, sizeof bytes - at, "X-Note-%02d: ", n);
        for (size_t i = 0; at < end; i++)
            bytes[at++] = letters[i % (sizeof letters - 1)];
        bytes[at - 1] = '.'; /* no space, which would be cut off */
        bytes[at++] = '\r';
        bytes[at++] = '\n';
    }
    bytes[at++] = '\r';
    bytes[at] = '\n';
    return bytes;
}

void bench_inputs(struct bench_input inputs[BENCH_INPUTS]) {
    inputs[0] = (struct bench_input){"wrk", "wrk's request", wrk, sizeof wrk - 1};
    inputs[1] = (struct bench_input){"browser", "a browser's, with 20 fields", browser,
                                     sizeof browser - 1};
    inputs[2] = (struct bench_input){"large", "a head of 10 KB", large(), BENCH_LARGE};
}
