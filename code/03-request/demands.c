/* ANCHOR: method */
#include "03-request/characters.h"
#include "03-request/request.h"

/* RFC 9110, section 9.1, and PATCH of RFC 5789. CONNECT isn't among them: nobody here is
 * a proxy. */
static bool is_known_method(struct text method) {
    static const char *const known[] = {"GET",    "HEAD",    "POST",  "PUT",
                                        "DELETE", "OPTIONS", "TRACE", "PATCH"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (text_is(method, known[i]))
            return true;
    return false;
}
/* ANCHOR_END: method */

/* ANCHOR: framing */
/* What the fields say about the body's end, and about whom the request is for. */
struct framing {
    int hosts, lengths, codings; /* how many fields of each name */
    bool bad;                    /* a value that can't be read, or in two ways */
    bool chunked;                /* the last coding is chunked */
    bool unknown_coding;
    uint64_t length; /* Content-Length; UINT64_MAX if it is no less */
};

/* Codings are applied in the order in which they are listed. Only chunked is known here,
 * and it must be the last and come once (RFC 9112, section 6.1). */
static void read_codings(struct framing *framing, struct text list) {
    framing->bad |= list.length && list.at[list.length - 1] == ',';
    do {
        struct text coding = text_trim(text_next(&list, ','));
        if (coding.length == 0 || framing->chunked)
            framing->bad = true;
        framing->chunked = text_is_any_case(coding, "chunked");
        framing->unknown_coding |= !framing->chunked;
    } while (list.length);
}

static void read_length(struct framing *framing, struct text value) {
    for (size_t i = 0; i < value.length; i++)
        framing->bad |= !is_digit(value.at[i]);
    framing->bad |= value.length == 0;
    if (!text_number(value, INT64_MAX, &framing->length))
        framing->length = UINT64_MAX;
}
/* ANCHOR_END: framing */

/* ANCHOR: contradictions */
static struct framing read_framing(const struct request *request) {
    struct framing framing = {0};
    for (int i = 0; i < request->field_count; i++) {
        const struct field *field = &request->fields[i];
        if (text_is_any_case(field->name, "Host")) {
            framing.hosts++;
            framing.bad |= !text_is_host(field->value);
        } else if (text_is_any_case(field->name, "Content-Length")) {
            framing.lengths++;
            read_length(&framing, field->value);
        } else if (text_is_any_case(field->name, "Transfer-Encoding")) {
            framing.codings++;
            read_codings(&framing, field->value);
        }
    }
    bool http10 = request->minor == 0;
    framing.bad |= framing.hosts > 1 || (!http10 && framing.hosts == 0); /* 3.2 */
    framing.bad |= framing.lengths > 1;                                  /* 6.3 */
    framing.bad |= framing.codings && (framing.lengths || http10);       /* 6.1 */
    framing.bad |= framing.codings && !framing.chunked;                  /* 6.3 */
    return framing;
}
/* ANCHOR_END: contradictions */

/* ANCHOR: wishes */
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

/* Sets whether the client waits to be asked for the body; false if it expects anything
 * else (RFC 9110, section 10.1.1). One of HTTP/1.0 can't expect. */
static bool read_expectation(const struct request *request, bool *expects_continue) {
    for (int i = 0; i < request->field_count; i++) {
        if (request->minor == 0 || !text_is_any_case(request->fields[i].name, "Expect"))
            continue;
        if (!text_is_any_case(request->fields[i].value, "100-continue"))
            return false;
        *expects_continue = true;
    }
    return true;
}
/* ANCHOR_END: wishes */

/* ANCHOR: demands */
struct demands request_demands(struct request *request) {
    struct demands demands = {0};
    struct framing framing = read_framing(request);
    demands.head_only = text_is(request->method, "HEAD");
    demands.keep_alive = wants_keep_alive(request);
    demands.length = framing.length;
    if (framing.codings)
        demands.body = BODY_CHUNKED;
    else if (framing.length > 0)
        demands.body = BODY_LENGTH;
    bool expectation_known = read_expectation(request, &demands.expects_continue);
    demands.expects_continue &= demands.body != BODY_NONE;

    if (request->major != 1)
        demands.refuse_with = 505;
    else if (framing.bad)
        demands.refuse_with = 400;
    else if (request->target.length > TARGET_MOST)
        demands.refuse_with = 414;
    else if (!is_known_method(request->method) || framing.unknown_coding)
        demands.refuse_with = 501;
    else if (!request_split_target(request))
        demands.refuse_with = 400;
    else if (framing.length > BODY_MOST)
        demands.refuse_with = 413;
    else if (!expectation_known)
        demands.refuse_with = 417;
    return demands;
}
/* ANCHOR_END: demands */
