/* The smallest application: answers hello at once. */
#ifndef REQUEST_HELLO_H
#define REQUEST_HELLO_H

#include "03-request/application.h"

/* GET / says hello, any other path is 404. Needs no memory. */
extern const struct application hello_application;

/* The same two answers, for applications that have other paths too. */
void answer_hello(struct exchange *exchange);
void answer_not_found(struct exchange *exchange);

#endif
