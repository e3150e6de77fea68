/* Does every byte of a request's body reach the application, once, in order, and then the
 * end? The model of the exchange's way in: exchange_read() in exchange.c, and
 * conn_took_input(), conn_advance_body() and conn_has_body() in conn.c, in the order of
 * transport_move(). 06-pump/wake.pml says how to read it. `waiting` is the slot's flag in
 * the outbox (04-pass/outbox.c), which goes down before the slot is looked at; that no wake
 * behind it is lost is shown in 06-pump/pump.pml.
 *
 * The loop adds to a buffer that is smaller than the body, and the application takes out.
 * When it has taken all it sees, it sets wants_body, calls ready(), and waits for body().
 * Only while wants_body is set, and if nothing was added since the application looked, may
 * the loop begin the buffer anew.
 *
 * The end of the body comes with its last byte, or, if it is sent in chunks, by itself.
 *
 * A step is one access to what the two share. The bytes go with `body_filled`, which is
 * stored with release and loaded with acquire: who sees the number, sees the bytes.
 * `body_ended` likewise: who sees it, sees the last `body_filled`. `taken` and the buffer
 * belong to the loop while wants_body is set, and both ways of that flag are a release and
 * an acquire: so the relaxed stores in conn_has_body() are seen by who sees the flag down.
 * A loop that adds a byte, then reads an old wants_body, is told by ready() to look again.
 *
 * An application that has been told to wait reads again from body(): then one call of it at
 * most is on its way. One that reads at other times, too, gets the right bytes and can be
 * called twice for them, so exchange.h forbids it; two things are wrong for it alone.
 *
 * RIGHT: READS_UNCALLED        the application reads before it is called, too
 * WRONG: FILLED_FIRST          exchange_read() reads body_filled before body_ended
 * WRONG: BEGUN_ANEW_UNASKED    the loop begins anew whenever wants_body is set
 * WRONG: READY_BEFORE_WANTS    the application calls ready(), then sets wants_body
 * WRONG: END_NOT_TOLD          an end without another byte is no reason to call body()
 * WRONG: LOWERED_FIRST         the loop lowers wants_body first; who reads uncalled sees it
 * WRONG: READ_WHILE_WANTED     who reads uncalled doesn't look at wants_body
 *
 * By hand: spin -run -DFILLED_FIRST body.pml && spin -t -T body.pml */

#define LENGTH 5 /* bytes of the body */
#define ROOM   2 /* bytes that the buffer holds */
#define INPUT  2 /* bytes that the loop may have read before there is room for them */
#define EARLY  2 /* how often the application reads without being called, if it does */

#if defined(LOWERED_FIRST) || defined(READ_WHILE_WANTED)
#define READS_UNCALLED
#endif

byte body[ROOM];
show byte body_filled;
show bool body_ended;
show bool wants_body;
show byte taken;
show byte received; /* by the application; byte n of the body has the value n */
bool ended;         /* the exchange, by the application */
bool waiting;       /* the slot is in the outbox */
byte notices;       /* that body() is to be called, on their way */

inline ready() {
    atomic { waiting = true; printf("> application: calls ready()\n") }
}

inline want_body() {
    atomic { wants_body = true; printf("> application: sets wants_body\n") }
}

inline read_ended() {
    atomic { e = body_ended; printf("> application: reads body_ended, %d\n", e) }
}

inline read_filled() {
    atomic { f = body_filled; printf("> application: reads body_filled, %d\n", f) }
}

/* memcpy() and `taken += n`: what there is, or less if its own buffer is smaller. */
inline take() {
    atomic {
        n = f - taken;
        if
        :: skip
        :: n > 1 -> n--
        fi;
        printf("> application: takes %d bytes\n", n);
        do
        :: n > 0 -> assert(body[taken] == received); taken++; received++; n--
        :: else -> break
        od
    }
}

active proctype application() {
    byte f, n, early = EARLY;
    bool e;
reads: /* exchange_read() */
#if defined(READS_UNCALLED) && !defined(READ_WHILE_WANTED)
    if
    :: atomic { wants_body -> printf("> application: reads, but has asked\n"); goto waits }
    :: !wants_body
    fi;
#endif
#ifdef FILLED_FIRST
    read_filled(); read_ended();
#else
    read_ended(); read_filled();
#endif
    if
    :: f > taken -> take(); goto reads
    :: f <= taken && e -> goto finished
    :: f <= taken && !e
    fi;
#ifdef READY_BEFORE_WANTS
    ready(); want_body();
#else
    want_body(); ready();
#endif
waits:
    if
    :: atomic { notices > 0 -> notices--; printf("> application: body() is called\n") }
#ifdef READS_UNCALLED
    :: atomic { early > 0 -> early--; printf("> application: isn't called, but reads\n") }
#endif
    fi;
    goto reads;
finished:
    atomic { printf("> application: takes that for the end\n"); assert(received == LENGTH) };
    atomic { ended = true; printf("> application: ends the exchange\n") };
    ready()
}

/* What has come in goes into the buffer, as far as there is room. */
inline conn_advance_body() {
    n = (came < ROOM - body_filled -> came : ROOM - body_filled); /* the smaller */
    came = came - n;
    f = body_filled;
    do
    :: n > 0 -> body[f] = next; f++; next++; n--
    :: else -> break
    od;
    atomic { body_filled = f; printf("> loop: has %d bytes in the buffer\n", f) };
    if
    :: next == LENGTH && last_came && !body_ended ->
        atomic { body_ended = true; printf("> loop: sets body_ended\n") }
    :: else
    fi
}

inline lower() {
    atomic { wants_body = false; printf("> loop: lowers wants_body\n") }
}

/* The C asks so for as long as the answer is yes. */
inline conn_has_body() {
    do
    :: ended -> goto finished
    :: atomic { !ended && !wants_body -> printf("> loop: reads wants_body, 0\n"); break }
    :: !ended && wants_body ->
#ifdef LOWERED_FIRST
        lower();
#endif
        if
#ifdef BEGUN_ANEW_UNASKED
        :: true ->
#else
        :: taken == body_filled ->
#endif
            atomic { taken = 0; printf("> loop: begins the buffer anew\n") };
            body_filled = 0;
            conn_advance_body()
        :: else
        fi;
        if
#ifdef END_NOT_TOLD
        :: taken == body_filled ->
#else
        :: taken == body_filled && !body_ended ->
#endif
#ifdef LOWERED_FIRST
            wants_body = true;
#endif
            break
        :: else
        fi;
#ifndef LOWERED_FIRST
        lower();
#endif
#ifndef READS_UNCALLED
        assert(notices == 0);
#endif
        atomic { notices++; printf("> loop: sends word that there is more\n") }
    od
}

active proctype loop() {
    byte left = LENGTH; /* bytes that the client hasn't sent, or nobody has read */
    byte came;          /* bytes that were read and have no room yet */
    byte next;          /* the number of the first of them */
    byte f, n;
    bool last_came, chunked;
    if
    :: chunked = true
    :: chunked = false
    fi;
    do
    :: atomic { waiting -> waiting = false; printf("> loop: looks at the slot\n") };
       conn_has_body()
    :: came < INPUT && !last_came ->
        if
        :: left == 0 -> n = 0 /* the last chunk, which has no byte */
        :: left > 0 -> n = 1
        :: left > 1 && came + 1 < INPUT -> n = 2
        fi;
        last_came = (n == left && (n == 0 || !chunked));
        atomic {
            if
            :: n > 0 -> printf("> loop: reads %d bytes of the socket\n", n)
            :: else -> printf("> loop: reads the last chunk\n")
            fi;
            came = came + n; left = left - n; n = 0
        };
        conn_advance_body();
        conn_has_body()
    od;
finished:
    printf("> loop: has finished the exchange\n")
}
