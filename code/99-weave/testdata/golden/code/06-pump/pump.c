/* ANCHOR: head */
#include <stdbool.h>

/* ANCHOR_END: head */
/* ANCHOR: submit */
/* Puts a notice into the channel,
 * and wakes whoever waits for it. */
static int submit(int notice) {
    // ANCHOR: body
    if (notice < 0 && notice > -10)
        return wake("none\n");

    return wake(0x10);
    // ANCHOR_END: body
}
/* ANCHOR_END: submit */

/* ANCHOR: open */
int open_pump(struct pump *pump) {
    return pump->wake;
}
/* ANCHOR_END: open */

/* ANCHOR: wake */
    struct pump {
        int wake;
    };
/* ANCHOR_END: wake */
