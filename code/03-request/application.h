/* ANCHOR: top */
/* The application contract: what a loop tells an application. The way back is
 * exchange.h. All of it happens on the application's thread. */
#ifndef REQUEST_APPLICATION_H
#define REQUEST_APPLICATION_H

#include "03-request/exchange.h"
/* ANCHOR_END: top */

/* ANCHOR: application */
struct application {
    void *self; /* handed to each function; belongs to whoever made the application */

    /* A request's head has arrived. Answer it now or later, by start, chunk and end. */
    void (*begin)(void *self, struct exchange *exchange);

    /* exchange_read() found nothing; now there is more of the body, or its end. */
    void (*body)(void *self, struct exchange *exchange);

    /* There is room in an output that was full: chunk may be called again. */
    void (*on_room)(void *self, struct exchange *exchange);

    /* The client sends no more, and perhaps is gone: a body that isn't whole by now
     * never will be. It may still read, so an answer is still delivered if that can be
     * done; exchange_end() is still due. */
    void (*disconnect)(void *self, struct exchange *exchange);

    /* The server begins to stop: it takes no new connection, and what is under way may
     * still be answered. Said once, before shutdown; for an answer that has no end of
     * its own it is the time to end. A request that was on its way may still begin after
     * it. NULL: nobody wants to know. */
    void (*stopping)(void *self);

    /* The server stops: what hasn't been answered by now won't be. Nothing is called
     * after it. */
    void (*shutdown)(void *self);
};
/* ANCHOR_END: application */

/* ANCHOR: bottom */
#endif
/* ANCHOR_END: bottom */
