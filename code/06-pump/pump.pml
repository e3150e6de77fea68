/* Does the pump come to an end, with every request answered? The model of pump.c and of
 * what it plugs together: the pass (loop_pass() in 04-pass/pass.c), the outbox
 * (04-pass/outbox.c), the executor's iteration, two bells, and the stop. wake.pml says
 * how to read it.
 *
 * Two clients ask, each for its next answer once it has the last. The application gives
 * the whole answer at once, or a part now and the end in a later iteration. The signal
 * comes at any time, or when all have been answered: if a request were lost in the
 * channel or an answer in the outbox, it would never come, and all would wait for ever.
 *
 * The connection's number stands for its exchange, `ended` for the exchange's fields, and
 * the descriptor of a bell and its flag are as in wake.pml. Closed sockets end a client.
 *
 * A step is one access to what the threads share. What a wait found ready is what the
 * thread looks at, though more may come meanwhile. The order that all see here is the
 * one that C11 gives: a flag of the outbox is raised by a release and lowered by an
 * acquiring exchange, and behind it stands a bell (see wake.pml) that takes in the rest.
 * Under LOCKED a lock is held outside the waits, as at a gate (04-pass/gate.c, lock.c).
 *
 * RIGHT: LOCKED               two threads that hold a lock except when they wait
 * WRONG: LOCK_KEPT_IN_WAIT    the native loop keeps that lock in its wait
 * WRONG: LOWERED_AFTER_LOOK   the sweep lowers a slot's flag after it has looked
 * WRONG: STOPPED_AFTER_RING   the executor is rung before `stopped` is stored
 * WRONG: NOT_JOINED           the wakes are closed before the thread is joined
 *
 * By hand: spin -run -DNOT_JOINED pump.pml && spin -t -T pump.pml */

#define CLIENTS 2

mtype = { native_loop, executor_loop };
#define LOOP     0 /* whose bell it is */
#define EXECUTOR 1

bool arrived[CLIENTS];  /* the socket is readable */
bool answered[CLIENTS]; /* the client has its answer */
bool sockets_closed;
byte clients_left = CLIENTS;
show bool signalled;

chan submits = [CLIENTS] of { byte };
bool waiting[CLIENTS], ended[CLIENTS]; /* the outbox; the exchange */
bool pending[2], readable[2];          /* the bells */
show bool stopped;
bool wakes_closed, thread_ended;
show bool held; /* the lock */

#if defined(LOCKED) || defined(LOCK_KEPT_IN_WAIT)
#define TAKE   atomic { !held -> held = true };
#define LET_GO held = false;
#else
#define TAKE
#define LET_GO
#endif

inline ring(me, bell) {
    if
    :: atomic { pending[bell] -> printf("> %e: finds the bell rung already\n", me) }
    :: atomic { !pending[bell] -> pending[bell] = true };
       atomic { assert(!wakes_closed); readable[bell] = true;
                printf("> %e: rings, the other wakes up\n", me) }
    fi
}

inline answer_bell(me, bell) {
    readable[bell] = false;
    atomic { pending[bell] = false; printf("> %e: has answered its bell\n", me) }
}

active [CLIENTS] proctype client() {
    byte left = 2 - _pid; /* two requests, or one; it may leave before */
    do
    :: left > 0 && !sockets_closed ->
        left--;
        atomic { arrived[_pid] = true; printf("> client %d: asks\n", _pid) };
        if
        :: atomic { answered[_pid] -> answered[_pid] = false }
        :: sockets_closed
        fi
    :: clients_left--; break
    od
}

active proctype signal() {
    if
    :: skip -> clients_left == 0 /* decides to wait for all of them */
    :: skip
    fi;
    atomic { signalled = true; printf("> signal: says stop\n") }
}

/* One slot's turn in the sweep: is its answer complete? */
inline look(c) {
    if
    :: atomic { ended[c] -> ended[c] = false; answered[c] = true;
                printf("> native_loop: sends the end of answer %d\n", c) }
    :: atomic { !ended[c] -> printf("> native_loop: sends a part of answer %d\n", c) }
    fi
}

inline sweep(c) {
    if
    :: !waiting[c]
#ifdef LOWERED_AFTER_LOOK
    :: waiting[c] -> look(c); waiting[c] = false
#else
    :: atomic { waiting[c] -> waiting[c] = false }; look(c)
#endif
    fi
}

inline read(c) {
    if
    :: atomic { reads[c] -> arrived[c] = false; reads[c] = false; submits!c;
                printf("> native_loop: reads request %d, submits it\n", c) };
       notices = true
    :: else
    fi
}

active proctype native() {
    bool woken, stops, notices, reads[CLIENTS];
    TAKE
    do
    :: !stops ->
#ifndef LOCK_KEPT_IN_WAIT
        LET_GO
#endif
        atomic {
            readable[LOOP] || arrived[0] || arrived[1] || signalled ->
            woken = readable[LOOP]; stops = signalled;
            reads[0] = arrived[0]; reads[1] = arrived[1];
        };
#ifndef LOCK_KEPT_IN_WAIT
        TAKE
#endif
        if
        :: woken -> woken = false; answer_bell(native_loop, LOOP)
        :: else
        fi;
        read(0); read(1);
        if
        :: notices -> notices = false; ring(native_loop, EXECUTOR)
        :: else
        fi;
        sweep(0); sweep(1)
    :: else -> break
    od;
    sockets_closed = true;
#ifdef STOPPED_AFTER_RING
    ring(native_loop, EXECUTOR);
    atomic { stopped = true; printf("> native_loop: stores `stopped`\n") };
#else
    atomic { stopped = true; printf("> native_loop: stores `stopped`\n") };
    ring(native_loop, EXECUTOR);
#endif
    LET_GO
    thread_ended = true
}

inline put(c) {
    atomic { waiting[c] = true; printf("> executor_loop: puts slot %d into the outbox\n", c) };
    ring(executor_loop, LOOP)
}

active proctype executor() {
    chan ready = [2 * CLIENTS] of { byte, bool }; /* a slot; begun already? */
    bool woken, stopping, begun;
    byte c, n;
    TAKE
    do
    :: !stopping ->
        LET_GO
        c = 0;
        atomic { readable[EXECUTOR] || len(ready) > 0 ->
                 woken = readable[EXECUTOR]; n = len(ready) };
        TAKE
        do
        :: atomic {
               n > 0 -> n--; ready?c, begun;
               if
               :: ended[c] = true
               :: !begun -> ready!c, true /* a part; the end comes later */
               fi;
               begun = false
           };
           put(c)
        :: else -> break
        od;
        if
        :: woken -> woken = false;
            answer_bell(executor_loop, EXECUTOR);
            do
            :: atomic { submits?c -> ready!c, false; printf("> executor_loop: pops request %d\n", c) }
            :: empty(submits) -> break
            od;
            stopping = stopped
        :: else
        fi
    :: else -> break
    od;
#ifndef NOT_JOINED
    thread_ended;
#endif
    atomic { wakes_closed = true; printf("> executor_loop: closes the wakes\n") }
}
