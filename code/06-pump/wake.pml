/* Is a wake ever lost? The model of bell.c: bell_ring() and bell_answer(), with a queue
 * (channel.c) that is filled before the ring and read after the answer.
 *
 * How to read Promela. A proctype is a thread. Each statement is one step, and between
 * two steps any other thread may take any number of its own; `atomic { ... }` makes one
 * step of several. A condition that stands alone waits until it holds. In `if` and `do`
 * each `::` is an alternative: one that can go on is taken, and if several can, the
 * checker tries each. It tries every order of all steps. A thread that waits for ever is
 * an "invalid end state", which is what a lost wake comes to.
 *
 * A step here is one access to what the threads share: a push or pop, the exchange of
 * `pending`, a read(2) or write(2) of the descriptor. The sleep is level-triggered: it
 * ends while the descriptor is readable, whenever that began.
 *
 * All threads here see all steps in one order. C11 promises less, and bell.c needs no
 * more: both sides change `pending` by an exchange, and exchanges of one variable do have
 * one order. A ring before the answer is seen by it, with what was queued before; a ring
 * after it finds the flag down, and wakes. A plain store in bell_answer() could take
 * effect after the queue was read: that is FLAG_CLEARED_AFTER. A plain load in
 * bell_ring() could be done before the push is seen: that is RUNG_BEFORE_PUSH.
 *
 * WRONG: FLAG_CLEARED_AFTER    the flag is lowered after the queue was read
 * WRONG: CLEAR_AFTER_FLAG      the descriptor is cleared after the flag was lowered
 * WRONG: CLEAR_AFTER_QUEUE     the descriptor is cleared last of all
 * WRONG: RUNG_BEFORE_PUSH      the sender rings, then pushes
 * WRONG: SKIP_IF_NOT_ASLEEP    instead of `pending`, the sleeper says that it is asleep
 * RIGHT: LOOKS_AGAIN           it says so, too, then looks again before it sleeps
 * RIGHT: LOADED_THEN_STORED    no exchange, if all see all steps in one order
 *
 * By hand: spin -run -DFLAG_CLEARED_AFTER wake.pml && spin -t -T wake.pml */

#define SENDERS 2
#define MOST    2 /* notices of each; it may stop before */

show byte queued;     /* notices in the queue */
show bool readable;   /* the descriptor is */
show bool pending;    /* the flag */
show bool asleep;     /* the flag of those who hadn't a better idea */
byte senders_left = SENDERS;

inline push() {
    atomic { queued++; printf("> sender %d: pushes a notice\n", _pid) }
}

inline wake() {
    atomic { readable = true; printf("> sender %d: writes to the descriptor\n", _pid) }
}

inline ring() {
#if defined(SKIP_IF_NOT_ASLEEP) || defined(LOOKS_AGAIN)
    if
    :: atomic { asleep -> printf("> sender %d: reads that the sleeper is asleep\n", _pid) }; wake()
    :: atomic { !asleep -> printf("> sender %d: reads that the sleeper is awake, doesn't wake it\n", _pid) }
    fi
#else
    if
    :: atomic { pending -> printf("> sender %d: finds pending raised, doesn't wake\n", _pid) }
#ifdef LOADED_THEN_STORED
    :: atomic { !pending -> printf("> sender %d: finds pending down\n", _pid) };
       atomic { pending = true; printf("> sender %d: raises pending\n", _pid) };
       wake()
#else
    :: atomic { !pending -> pending = true; printf("> sender %d: raises pending\n", _pid) };
       wake()
#endif
    fi
#endif
}

active [SENDERS] proctype sender() {
    byte left = MOST;
    do
    :: left > 0 ->
        left--;
#ifdef RUNG_BEFORE_PUSH
        ring(); push()
#else
        push(); ring()
#endif
    :: senders_left--; break
    od
}

/* Nothing is queued and nobody will queue anything: then alone may it sleep for ever. */
inline sleep() {
    if
    :: atomic { readable -> printf("> sleeper: wakes up\n") }
    :: senders_left == 0 && queued == 0 && !readable -> goto done
    fi
}

inline clear() {
    atomic { readable = false; printf("> sleeper: clears the descriptor\n") }
}

inline lower() {
    atomic { pending = false; printf("> sleeper: lowers pending\n") }
}

inline read_queue() {
    do
    :: atomic { queued > 0 -> queued--; printf("> sleeper: pops a notice\n") }
    :: atomic { queued == 0 -> printf("> sleeper: finds the queue empty\n"); break }
    od
}

active proctype sleeper() {
    do
    ::
#if defined(FLAG_CLEARED_AFTER)
        sleep(); clear(); read_queue(); lower()
#elif defined(CLEAR_AFTER_FLAG)
        sleep(); lower(); clear(); read_queue()
#elif defined(CLEAR_AFTER_QUEUE)
        sleep(); lower(); read_queue(); clear()
#elif defined(SKIP_IF_NOT_ASLEEP) || defined(LOOKS_AGAIN)
        read_queue();
        atomic { asleep = true; printf("> sleeper: says that it is asleep\n") };
#ifdef LOOKS_AGAIN
        if
        :: queued > 0
        :: queued == 0 -> sleep(); clear()
        fi;
#else
        sleep(); clear();
#endif
        atomic { asleep = false; printf("> sleeper: says that it is awake\n") }
#else
        sleep(); clear(); lower(); read_queue()
#endif
    od;
done:
    assert(queued == 0)
}
