/* ANCHOR: begin */
#include "04-pass/notice.h"

#include "00-ground/trace.h"

static void begin(struct notice notice, struct exchange *exchange,
                  const struct application *application) {
    uint64_t began = trace_begin();
    exchange->with_application = true;
    application->begin(application->self, exchange);
    trace_end(began, "application", notice.slot, notice.tag);
}
/* ANCHOR_END: begin */

/* ANCHOR: deliver */
void notice_deliver(struct notice notice, struct exchange *exchange,
                    const struct application *application, struct counters *counters) {
    if (notice.kind == NOTICE_BEGIN) {
        begin(notice, exchange, application);
        return;
    }
    /* Only while the exchange is with us may its other fields be read. */
    if (!exchange->with_application || exchange->tag != notice.tag)
        counters->stale_events++;
    else if (notice.kind == NOTICE_BODY)
        application->body(application->self, exchange);
    else if (notice.kind == NOTICE_ROOM)
        application->on_room(application->self, exchange);
    else
        application->disconnect(application->self, exchange);
}
/* ANCHOR_END: deliver */
