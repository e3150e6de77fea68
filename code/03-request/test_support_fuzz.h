/* The life of one connection, told by a string of bytes, for a fuzzer to find the
 * bytes. The program is network, loop, client and application at once, as in
 * test_support_conn.h, but all of them do what the bytes say:
 *
 *     f 3f 20t f\n        the network's steps, up to the first end of line
 *     R s 100c l\n        the application's steps, up to the second
 *     GET / HTTP/1.1...   what the client sends; 0xff k c stands for 2^k bytes c
 *                         and c^1, in an order that no shift maps to itself
 *
 * A step is a letter, perhaps with a number N before it; other bytes mean nothing.
 *     f  N bytes of the client's arrive (all of them)   e  the client sends no more
 *     b  the socket breaks                              a  a waiting application goes on
 *     t  N ms pass (up to the deadline, which comes)    m  the loop looks again
 *     w  the socket takes N more bytes, then no more until the next w (any number)
 *     h  the system says that it holds N bytes of what was sent (that it can't tell)
 * and of the application, which answers a request when it comes and goes on with the
 * next step at the next request:
 *     R  reads the body to its end         r  reads N bytes, once, or what there is
 *     s  starts an answer of N bytes (of unknown length)
 *     S  the next start has the status N   F  the next start has the odd field N
 *     c  gives N bytes                     l  gives N bytes, the last (all), and ends
 *     e  ends                              .  waits for an a
 * When its steps are used up it reads each body and answers with two bytes. At the end
 * the application ends everything, and time passes until the connection is over. */
#ifndef REQUEST_TEST_SUPPORT_FUZZ_H
#define REQUEST_TEST_SUPPORT_FUZZ_H

#include "03-request/conn.h"

/* Plays the story; a rule that is broken is told on standard error and aborts. The name
 * and the type are libFuzzer's. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What follows is for the fuzzer's own files. */

enum {
    STORY_MOST = 65536,    /* bytes of a story */
    SENT_MOST = 2097152,   /* bytes of a client */
    REQUESTS_MOST = 4096,  /* of a client; each has more than 16 bytes */
    ANSWERS_MOST = 1048576 /* bytes that an application gives in all */
};

/* A request that was begun, as the client wrote it, and what was answered. */
struct told {
    size_t at, head_end; /* in what the client sent */
    bool head, http10, expects;
    bool body_whole;     /* the client sent it to its end */
    size_t end;          /* where its next request begins, if it did */
    size_t body_length;  /* in story.body */
    bool has_body, came; /* a byte of the body was there before the answer */
    size_t read;         /* of that, by the application */
    uint64_t sum;        /* of the request as the connection took it apart */
    bool started, ended, told_disconnect;
    int status;
    uint64_t length; /* of the answer, or LENGTH_UNKNOWN */
    size_t given;    /* bytes of it that were taken */
    bool last;       /* the application said that there is no more */
    size_t got_end;  /* what the client had got when the answer was sent */
};

/* A place in a line of steps. */
struct steps {
    const uint8_t *at, *end;
    bool numbered;
    size_t number;
};

struct story {
    struct conn *conn;
    struct http http;
    struct counters counters;
    uint64_t now;
    bool plain; /* the application answers with what it was asked, at once */

    const char *sent; /* by the client */
    size_t length, arrived, taken;
    bool client_ended, broken, closed, over;
    size_t gulp, takes; /* the socket takes so many bytes at each move, and in all */
    size_t held;        /* what the system says that it holds of the output */
    char *got;          /* by the client */
    size_t got_length, got_capacity;
    int half_closes;
    uint64_t half_closed_at;

    struct steps steps; /* of the application */
    struct exchange *open;
    struct told *told; /* of the latest request */
    size_t begins, answers;
    bool ready, full, wants_body, waits, hurries, lasts;
    int status, odd;                /* of the next start */
    size_t last_left, given_in_all; /* last_left: once it `lasts` */
    const char *body;               /* of the latest request */
    struct told all[REQUESTS_MOST];
};

/* Says what is wrong, and aborts. */
_Noreturn void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The next step's letter, or 0 when there is none. */
char next_step(struct steps *steps);

/* test_support_fuzz_loop.c: one turn of the transport; turns for as long as the socket is
 * ready, until the connection sleeps as it should; time up to `until`. */
void story_move(struct story *story, bool readable);
void story_settle(struct story *story);
void story_pass(struct story *story, uint64_t until);

/* test_support_fuzz_app.c: what a loop tells the application, and "go on". */
void story_begin(struct story *story, struct exchange *exchange);
void story_body(struct story *story);
void story_room(struct story *story);
void story_disconnect(struct story *story);
void story_work(struct story *story);
char story_byte(size_t request, size_t at); /* of its answer */

/* test_support_fuzz_reader.c, which knows HTTP but nothing of the connection's code.
 * The first fills in `told` and `story->body` from what the client sent at `told->at`. */
void read_request(struct story *story, struct told *told);
void judge_answers(const struct story *story);

#endif
