/* Is a slot ever left in the list, or lost from it? The model of outbox_list.c: one
 * thread puts, one flushes, and a bell (code/06-pump/bell.c) stands behind each put.
 * code/06-pump/wake.pml says how to read it.
 *
 * What a putter has written for a slot is `unseen` until a delivery looks at it. At the
 * end, when no more is put and the last bell has been answered, nothing may be. The ring
 * has as many places as there are slots, as in the program.
 *
 * A step is one access to what the threads share. All threads see all steps in one order
 * here. C11 promises less, and outbox_list.c needs no more: who finds a flag up has
 * changed it by an exchange, and the exchange that lowers it comes later in the one order
 * that exchanges of one variable have, and so sees what he had written before. A place of
 * the ring is read after the count that was stored behind it, with acquire and release;
 * and it is written again only by somebody whose exchange has read a flag that was
 * lowered after the place was read.
 *
 * WRONG: LOWERED_AFTER_LOOK  the flag goes down when the slot has been looked at
 * WRONG: RAISED_LAST         the flag is looked at, and raised when the slot is in the list
 * WRONG: COUNTED_FIRST       the count is raised before the slot is in its place
 * WRONG: NO_FLAG             each put adds the slot, whether it is in the list or not
 *
 * By hand: spin -run -DNO_FLAG list.pml && spin -t -T list.pml */

#define SLOTS 2
#define PUTS  4 /* at most */

show bool unseen[SLOTS];
show bool waiting[SLOTS]; /* the flags */
byte places[SLOTS];
show byte count;          /* of what was ever put */
bool rung, all_put;

inline add(slot) {
#ifdef COUNTED_FIRST
    atomic { count++; printf("> putter: counts slot %d\n", slot) };
    atomic { places[(count - 1) % SLOTS] = slot; printf("> putter: slot %d gets its place\n", slot) }
#else
    atomic { places[count % SLOTS] = slot; printf("> putter: slot %d gets its place\n", slot) };
    atomic { count++; printf("> putter: counts slot %d\n", slot) }
#endif
}

inline put(slot) {
#if defined(NO_FLAG)
    add(slot)
#elif defined(RAISED_LAST)
    if
    :: waiting[slot]
    :: !waiting[slot] -> add(slot);
       atomic { waiting[slot] = true; printf("> putter: raises the flag of slot %d\n", slot) }
    fi
#else
    if
    :: atomic { waiting[slot] -> printf("> putter: finds the flag of slot %d up\n", slot) }
    :: atomic { !waiting[slot] -> waiting[slot] = true;
                printf("> putter: raises the flag of slot %d\n", slot) };
       add(slot)
    fi
#endif
}

active proctype putter() {
    byte left = PUTS, which;
    do
    :: left > 0 ->
        left--;
        if
        :: which = 0
        :: which = 1
        fi;
        atomic { unseen[which] = true; printf("> putter: writes an answer into slot %d\n", which) };
        put(which);
        rung = true
    :: all_put = true; break
    od
}

inline lower(slot) {
    atomic { waiting[slot] = false; printf("> flusher: lowers the flag of slot %d\n", slot) }
}

inline look(slot) {
    atomic { unseen[slot] = false; printf("> flusher: looks at slot %d\n", slot) }
}

active proctype flusher() {
    byte upto, flushed, slot;
    do
    :: rung ->
        rung = false;
        upto = count;
        do
        :: flushed != upto ->
            slot = places[flushed % SLOTS];
            flushed++;
#ifdef LOWERED_AFTER_LOOK
            look(slot); lower(slot)
#else
            lower(slot); look(slot)
#endif
        :: else -> break
        od
    :: all_put && !rung -> break
    od;
    assert(!unseen[0] && !unseen[1])
}
