/* Is every byte of an answer sent, once, in order? The model of the exchange's way back:
 * exchange_chunk() and exchange_end() in exchange.c, conn_sent(), conn_has_room() and
 * conn_output() in conn_output.c, in the order of transport_move(). 06-pump/wake.pml says
 * how to read it; that no wake is lost is shown there, so `told` stands for outbox and
 * bell.
 *
 * The application fills an output that is smaller than its answer. When it is full, it
 * sets wants_room, calls ready(), and touches nothing until on_room. The loop sends as
 * much as the socket takes. Only while wants_room is set may it begin the output anew.
 *
 * A step is one access to `filled`, `wants_room` or `ended`, and bytes go with `filled`,
 * which is stored with release and loaded with acquire: who sees the number, sees the
 * bytes. `ended` likewise: who sees it, sees the last `filled`. So the order in which all
 * see the steps here is the one that C11 promises, for this one writer and one reader.
 * The loop's relaxed stores in conn_has_room() are seen by way of the notice.
 *
 * WRONG: FILLED_FIRST          conn_sent() reads `filled` before `ended`
 * WRONG: ROOM_FILLED_FIRST     conn_has_room() reads `filled` before `wants_room`
 * WRONG: READY_BEFORE_WANTS    the application calls ready(), then sets wants_room
 * WRONG: NOT_READY             a full output is no reason to call ready()
 * WRONG: DOESNT_WAIT           the application goes on when wants_room falls, or sooner
 * RIGHT: WANTS_LOWERED_FIRST   the loop lowers wants_room before it begins the output anew
 *
 * By hand: spin -run -DFILLED_FIRST ended.pml && spin -t -T ended.pml */

#define LENGTH 4 /* bytes of the answer */
#define OUTPUT 2 /* bytes that the output holds */

byte output[OUTPUT];
show byte filled; /* bytes in it */
show bool wants_room;
show bool ended;
show byte sent;     /* of them; the loop's own */
show byte received; /* by the client; byte n of the answer has the value n */
bool told, on_room; /* ready() was called; the notice is on its way */

inline ready() {
    atomic { told = true; printf("> application: calls ready()\n") }
}

inline want_room() {
    atomic { wants_room = true; printf("> application: sets wants_room\n") }
}

active proctype application() {
    byte written, at, n, taken;
    do
    :: written < LENGTH ->
        if /* a chunk of one byte or of two */
        :: n = 1
        :: written + 1 < LENGTH -> n = 2
        fi;
        at = filled;
        taken = (n < OUTPUT - at -> n : OUTPUT - at); /* the smaller */
        atomic {
            if
            :: taken > 0 -> output[at] = written; output[at + taken - 1] = written + taken - 1
            :: else
            fi;
            filled = at + taken; written = written + taken;
            printf("> application: chunk(%d bytes) takes %d\n", n, taken)
        };
        if
        :: taken == n -> ready()
        :: taken < n ->
#if defined(READY_BEFORE_WANTS)
            ready(); want_room();
#elif defined(NOT_READY)
            want_room();
#else
            want_room(); ready();
#endif
#ifndef DOESNT_WAIT
            atomic { on_room -> on_room = false; printf("> application: hears of room\n") }
#endif
        fi
    :: else -> break
    od;
    atomic { ended = true; printf("> application: sets ended\n") };
    ready()
}

inline read_filled() {
    atomic { f = filled; printf("> loop: reads filled, %d\n", f) }
}

inline read_ended() {
    atomic { e = ended; printf("> loop: reads ended, %d\n", e) }
}

inline conn_sent() {
#ifdef FILLED_FIRST
    read_filled(); read_ended();
#else
    read_ended(); read_filled();
#endif
    if
    :: e && sent == f -> /* the answer is complete, and the slot somebody else's */
        assert(received == LENGTH);
        goto finished
    :: else
    fi
}

inline read_wants() {
    atomic { w = wants_room; printf("> loop: reads wants_room, %d\n", w) }
}

inline conn_has_room() {
#ifdef ROOM_FILLED_FIRST
    read_filled(); read_wants();
#else
    read_wants(); read_filled();
#endif
    if
    :: w && sent >= f ->
        sent = 0;
#ifdef WANTS_LOWERED_FIRST
        wants_room = false;
        filled = 0;
#else
        filled = 0;
        wants_room = false;
#endif
        atomic { on_room = true; printf("> loop: begins the output anew, says so\n") }
    :: else
    fi
}

active proctype loop() {
    byte f;
    bool e, w, watched; /* the socket is watched until it can be written to */
    do
    :: atomic { told || watched -> told = false };
        do
        :: read_filled();
            if /* the socket takes a byte, or is full */
            :: atomic { sent < f -> assert(output[sent] == received); sent++; received++;
                        printf("> loop: sends byte %d\n", received) };
               conn_sent()
            :: sent < f -> break
            :: sent >= f -> break
            fi
        od;
        conn_sent();
        conn_has_room();
        watched = sent < filled
    od;
finished:
    printf("> loop: has finished the exchange\n")
}
