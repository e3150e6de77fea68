/* http-parser tells what it finds by calls. Here they fill the request that the other
 * parsers fill, with pieces of the input. */
#include "12-levers/bench.h"

#ifdef HAVE_HTTP_PARSER
#include <http_parser.h>
#include <string.h>

struct finding {
    struct request *request;
    enum { NOTHING, NAME, VALUE } last; /* what the last piece belonged to */
    bool whole;
};

static struct http_parser parser;
static bool between; /* it stands between two requests of one connection */

/* A text may come in more pieces than one, but they lie one behind the other. */
static void add(struct text *text, bool more, const char *at, size_t length) {
    if (more)
        text->length += length;
    else
        *text = (struct text){at, length};
}

static int on_target(http_parser *of, const char *at, size_t length) {
    struct finding *finding = of->data;
    struct text *target = &finding->request->target;
    add(target, target->length > 0, at, length);
    return 0;
}

static int on_name(http_parser *of, const char *at, size_t length) {
    struct finding *finding = of->data;
    struct request *request = finding->request;
    bool more = finding->last == NAME;
    if (!more && request->field_count == FIELDS_MOST)
        return 1;
    if (!more)
        request->fields[request->field_count++].value = (struct text){at, 0};
    add(&request->fields[request->field_count - 1].name, more, at, length);
    finding->last = NAME;
    return 0;
}

static int on_value(http_parser *of, const char *at, size_t length) {
    struct finding *finding = of->data;
    struct request *request = finding->request;
    add(&request->fields[request->field_count - 1].value, finding->last == VALUE, at,
        length);
    finding->last = VALUE;
    return 0;
}

/* The head is all that is asked for: 1 says that no body follows. */
static int on_head_end(http_parser *of) {
    struct finding *finding = of->data;
    struct request *request = finding->request;
    const char *name = http_method_str((enum http_method)of->method);
    request->method = text_of(name);
    request->major = of->http_major;
    request->minor = of->http_minor;
    finding->whole = true;
    return 1;
}

static int parse_library(const char *bytes, size_t length, size_t seen,
                         struct request *request) {
    static const http_parser_settings settings = {.on_url = on_target,
                                                  .on_header_field = on_name,
                                                  .on_header_value = on_value,
                                                  .on_headers_complete = on_head_end};
    struct finding finding = {.request = request};
    (void)seen;
    request->target.length = 0;
    request->field_count = 0;
    if (!between)
        http_parser_init(&parser, HTTP_REQUEST);
    parser.data = &finding;
    size_t used = http_parser_execute(&parser, &settings, bytes, length);
    bool good = HTTP_PARSER_ERRNO(&parser) == HPE_OK;
    between = good && finding.whole && used == length && !parser.upgrade &&
              http_should_keep_alive(&parser);
    if (!good)
        return PARSE_BAD;
    return finding.whole ? (int)used : PARSE_PARTIAL;
}

parse_function *bench_library(void) {
    return parse_library;
}
#else
parse_function *bench_library(void) {
    return NULL;
}
#endif
