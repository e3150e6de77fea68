/* The smallest application: answers hello at once, and gives a body back. */
#ifndef REQUEST_HELLO_H
#define REQUEST_HELLO_H

#include "03-request/application.h"

/* GET / says hello, POST or PUT /echo answers with what it was sent, any other path is
 * 404, any other method 405. */
extern const struct application hello_application;

/* The same short answers, for applications that have other paths too. */
void answer_hello(struct exchange *exchange);
void answer_not_found(struct exchange *exchange);

/* Is the method GET or HEAD? If not, answers 405. */
bool only_get(struct exchange *exchange);

/* 405 with the field that says what is allowed: "GET, HEAD", say. */
void answer_not_allowed(struct exchange *exchange, const char *allowed);

#endif
