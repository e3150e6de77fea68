/* ANCHOR: top */
/* Notices: what the native loop has to say to an application that runs elsewhere. A
 * notice names a slot; what it is about lies in that slot. */
#ifndef PASS_NOTICE_H
#define PASS_NOTICE_H

#include <stdint.h>

#include "00-ground/stats.h"
#include "03-request/application.h"
/* ANCHOR_END: top */

/* ANCHOR: notice */
enum notice_kind {
    NOTICE_BEGIN,
    NOTICE_BODY,
    NOTICE_ROOM,
    NOTICE_DISCONNECT,
    NOTICE_KINDS
};

struct notice {
    enum notice_kind kind;
    uint32_t slot, tag;
};

/* How many notices of one slot can be on their way. The application may have ended an
 * exchange before it was told of body, room and disconnect; then begin and disconnect of
 * the slot's next exchange may stand behind these three. More can't: that exchange has
 * asked for neither body nor room, and can't end, before its begin is delivered. */
enum { NOTICES_PER_SLOT = 5 };
/* ANCHOR_END: notice */

/* ANCHOR: deliver */
/* On the application's thread: tells `application` what the notice says of `exchange`,
 * the one in the notice's slot. A notice about an exchange that has ended meanwhile is
 * dropped and counted as stale. */
void notice_deliver(struct notice notice, struct exchange *exchange,
                    const struct application *application, struct counters *counters);

#endif
/* ANCHOR_END: deliver */
