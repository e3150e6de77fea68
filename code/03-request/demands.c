#include "03-request/request.h"

#include <string.h>

/* RFC 9110, section 9.1, and PATCH of RFC 5789: known, but not served here. */
static bool is_known_method(struct text method) {
    static const char *const known[] = {"POST",    "PUT",   "DELETE", "OPTIONS",
                                        "CONNECT", "TRACE", "PATCH"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (text_is(method, known[i]))
            return true;
    return false;
}

/* The characters of a host and a port (RFC 3986, section 3.2.2). */
static bool is_host(struct text value) {
    for (size_t i = 0; i < value.length; i++) {
        char c = value.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && (c == '\0' || !strchr("-._~!$&'()*+;=:[]%", c)))
            return false;
    }
    return true;
}

struct framing {
    int hosts, lengths, codings;
    bool contradiction;
    uint64_t length; /* Content-Length, when there is one */
};

static struct framing read_framing(const struct request *request) {
    struct framing framing = {0};
    for (int i = 0; i < request->field_count; i++) {
        const struct field *field = &request->fields[i];
        if (text_is_any_case(field->name, "Host")) {
            framing.hosts++;
            if (!is_host(field->value))
                framing.contradiction = true;
        } else if (text_is_any_case(field->name, "Content-Length")) {
            framing.lengths++;
            if (!text_number(field->value, INT64_MAX, &framing.length))
                framing.contradiction = true;
        } else if (text_is_any_case(field->name, "Transfer-Encoding"))
            framing.codings++;
    }
    bool needs_host = request->minor > 0;
    if (framing.hosts > 1 || (needs_host && framing.hosts == 0))
        framing.contradiction = true; /* RFC 9112, section 3.2 */
    if (framing.lengths > 1 || (framing.codings && framing.lengths) ||
        (framing.codings && request->minor == 0))
        framing.contradiction = true; /* RFC 9112, sections 6.1 and 6.3 */
    return framing;
}

static bool wants_keep_alive(const struct request *request) {
    bool keep_alive = request->minor > 0;
    for (int i = 0; i < request->field_count; i++) {
        if (!text_is_any_case(request->fields[i].name, "Connection"))
            continue;
        if (text_lists(request->fields[i].value, "close"))
            return false;
        if (text_lists(request->fields[i].value, "keep-alive"))
            keep_alive = true;
    }
    return keep_alive;
}

struct demands request_demands(const struct request *request) {
    struct demands demands = {0};
    struct framing framing = read_framing(request);
    bool get = text_is(request->method, "GET");
    demands.head_only = text_is(request->method, "HEAD");
    demands.keep_alive = wants_keep_alive(request);
    if (request->major != 1 || framing.contradiction)
        demands.refuse_with = 400;
    else if (is_known_method(request->method))
        demands.refuse_with = 405;
    else if (!get && !demands.head_only)
        demands.refuse_with = 501;
    else if (framing.codings || framing.length > 0)
        demands.refuse_with = 501;
    else if (request->path.at[0] != '/')
        demands.refuse_with = 400;
    return demands;
}
