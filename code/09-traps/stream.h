/* ANCHOR: top */
/* /stream: an answer in pieces, for a client who reads as fast or as slowly as he
 * likes. All other paths go on to another application.
 *
 *     /stream?chunks=N    N chunks (0 to 1,000,000; 0: without end; else 1)
 *            &ms=N        so many ms from one to the next (0 to 60,000; else 0)
 *            &bytes=N     so large (1 to 1,048,576; else 1,024)
 *            &word=TEXT   filled with lines that say this (1 to 64 bytes; else "stream")
 *
 * A stream keeps nothing but its place: who doesn't read costs no memory beyond his
 * slot's output. It is cut when its client sends no more, for a reader who has left can't
 * be told from one who has only closed his side; a last chunk says that it is whole. */
#ifndef TRAPS_STREAM_H
#define TRAPS_STREAM_H

#include "02-readiness/slots.h"
#include "03-request/application.h"
#include "05-executor/executor.h"
/* ANCHOR_END: top */

/* ANCHOR: chunk_call */
/* How a piece gets into an output: exchange_chunk() itself, or something that takes its
 * place. */
typedef size_t chunk_call(struct exchange *exchange, const char *bytes, size_t n,
                          bool more);
/* ANCHOR_END: chunk_call */

/* ANCHOR: struct */
struct stream {
    const struct executor *executor;
    const struct application *rest; /* has the other paths */
    chunk_call *chunk;
    bool stopping; /* whoever has no end of his own should come to one */
    struct stream_task {
        struct stream *stream;
        struct exchange *exchange; /* NULL: the slot's request is for `rest` */
        timer_handle timer;        /* to the next chunk, or 0 */
        struct text word;          /* lies in the request, which stays to the end */
        uint64_t chunks;           /* still to come after this one */
        bool endless;
        uint64_t ms;
        uint64_t bytes, left; /* of each chunk; of this one, still to be given */
    } tasks[SLOTS];
    char piece[OUTPUT_MOST];        /* made anew for each call of chunk */
    struct application application; /* hand this to a server */
};

/* What is passed in has to outlive the stream. */
void stream_init(struct stream *stream, const struct executor *executor,
                 const struct application *rest, chunk_call *chunk);

/* Takes the slot's stream off its work, if there is one: no chunk of it follows. Its
 * exchange is still to be ended. */
void stream_halt(struct stream *stream, uint32_t slot);

#endif
/* ANCHOR_END: struct */
