#include "03-request/characters.h"
#include "03-request/request.h"

/* RFC 3986, section 3.2.2: the characters of a registered name and of an IPv4 address. */
static bool is_name(char c) {
    return is_letter(c) || is_digit(c) || (c != '\0' && strchr("-._~!$&'()*+,;=%", c));
}

/* What may stand between the brackets of an IPv6 address or of one yet to come. */
static bool is_address(char c) {
    return is_letter(c) || is_digit(c) || (c != '\0' && strchr("-._~!$&'()*+,;=:", c));
}

bool text_is_host(struct text text) {
    const char *at = text.at, *end = text.at + text.length;
    if (at < end && *at == '[') {
        for (at++; at < end && is_address(*at); at++)
            ;
        if (at == end || *at++ != ']')
            return false;
    } else
        while (at < end && is_name(*at))
            at++;
    if (at < end && *at++ != ':')
        return false;
    while (at < end && is_digit(*at))
        at++;
    return at == end;
}

/* Takes "http://host:port" off the front: an absolute form (RFC 9112, section 3.2.2).
 * What is left is a path, a query or nothing. */
static bool take_authority(struct text *target) {
    static const char scheme[] = "http://";
    const size_t length = sizeof scheme - 1;
    if (target->length < length ||
        !text_is_any_case((struct text){target->at, length}, scheme))
        return false;
    struct text authority = {target->at + length, 0};
    const char *end = target->at + target->length, *at = authority.at;
    while (at < end && *at != '/' && *at != '?')
        at++;
    authority.length = (size_t)(at - authority.at);
    *target = (struct text){at, (size_t)(end - at)};
    return authority.length > 0 && authority.at[0] != ':' && text_is_host(authority);
}

bool request_split_target(struct request *request) {
    struct text rest = request->target;
    if (text_is(rest, "*") && text_is(request->method, "OPTIONS")) {
        request->path = rest;
        request->query = text_of("");
        return true;
    }
    bool absolute = rest.at[0] != '/';
    if (absolute && !take_authority(&rest))
        return false;
    request->path = text_next(&rest, '?');
    request->query = rest;
    if (request->path.length == 0) /* only an absolute form can leave it out */
        request->path = text_of(
            text_is(request->method, "OPTIONS") && rest.length == 0 ? "*" : "/");
    return true;
}
