#include "07-measure/load_target.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/error.h"
#include "03-request/text.h"

static const char scheme[] = "http://";

struct url {
    char authority[256], host[256], port[8]; /* "[::1]:80", "::1", "80" */
    const char *path;                        /* begins with / or ?, or is empty */
};

/* RFC 9110, section 4.2.1. What follows a # isn't sent, so it is refused, and so is a
 * space or a line's end, with which a path could write fields. */
static bool read_url(const char *text, struct url *url) {
    if (strncmp(text, scheme, sizeof scheme - 1) != 0)
        return false;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f || *at == '#' || *at == '@')
            return false;
    text += sizeof scheme - 1;
    size_t length = strcspn(text, "/?");
    if (length == 0 || length >= sizeof url->authority)
        return false;
    snprintf(url->authority, sizeof url->authority, "%.*s", (int)length, text);
    url->path = text + length;
    bool brackets = text[0] == '[';
    const char *host = url->authority + (brackets ? 1 : 0);
    size_t host_length = strcspn(host, brackets ? "]" : ":");
    snprintf(url->host, sizeof url->host, "%.*s", (int)host_length, host);
    const char *rest = host + host_length;
    if (brackets && *rest++ != ']')
        return false;
    uint64_t port = 80;
    if (*rest && (*rest != ':' || !text_number(text_of(rest + 1), 65535, &port)))
        return false;
    snprintf(url->port, sizeof url->port, "%u", (unsigned)port);
    return host_length > 0 && port > 0;
}

/* Its address of IPv4, which our servers listen on, or of any kind if it has none. */
static void look_up(const struct url *url, struct target *target) {
    struct addrinfo hints = {
        .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found;
    int failed = getaddrinfo(url->host, url->port, &hints, &found);
    hints.ai_family = AF_UNSPEC;
    if (failed)
        failed = getaddrinfo(url->host, url->port, &hints, &found);
    if (failed)
        die_of_usage("%s: %s; give a name or an address", url->host,
                     gai_strerror(failed));
    memcpy(&target->address, found->ai_addr, found->ai_addrlen);
    target->address_length = found->ai_addrlen;
    freeaddrinfo(found);
}

struct target target_of(const char *url_text, const char *method, uint64_t body_bytes) {
    struct target target = {.to_head = !strcmp(method, "HEAD")};
    struct url url;
    bool post = !strcmp(method, "POST");
    if (!post && !target.to_head && strcmp(method, "GET") != 0)
        die_of_usage("--method is GET, HEAD or POST, not '%s'", method);
    if (!post && body_bytes > 0)
        die_of_usage("--body-bytes is for --method POST");
    if (!read_url(url_text, &url))
        die_of_usage("not a URL like http://127.0.0.1:8080/path: '%s'", url_text);
    look_up(&url, &target);
    char length_field[64] = "";
    if (post)
        snprintf(length_field, sizeof length_field, "Content-Length: %llu\r\n",
                 (unsigned long long)body_bytes);
    size_t room = strlen(url_text) + sizeof url.authority + 256;
    char *request = malloc(room + body_bytes);
    if (!request)
        die("no memory for a body of %llu bytes", (unsigned long long)body_bytes);
    int head =
        snprintf(request, room, "%s %s%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method,
                 *url.path == '/' ? "" : "/", url.path, url.authority, length_field);
    memset(request + head, 'x', body_bytes);
    target.request = request;
    target.length = (size_t)head + body_bytes;
    return target;
}
