/* Streams, from outside: on both topologies, and on every mechanism that each can have. */
#include "09-traps/test_reader.h"

#include <sys/socket.h>

#include "02-readiness/test_support_backend.h"
#include "03-request/test_sequences.h"
#include "03-request/test_support_memory.h"

TestSuite(serving, .timeout = 300);

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static void streams_whole(struct served *served) {
    int client = client_of(served);
    ask(client, "/stream?chunks=3&ms=1&bytes=20&word=hello");
    read_stream(client, 20, 60, "hello");
    ask(client, "/stream"); /* on the same connection */
    read_stream(client, 1024, 1024, "stream");
    ask(client, "/stream?chunks=1&bytes=1&word=x");
    read_stream(client, 1, 1, "x");
    ask(client, "/stream?chunks=200&ms=0&bytes=100");
    read_stream(client, 100, 20000, "stream");
    served->answered += 4;
    get(served, client, "/", 200, "hello\n");
    close(client);
}

/* Each chunk is many times what an output holds. */
static void streams_what_is_larger_than_its_output(struct served *served) {
    int client = client_of(served);
    ask(client, "/stream?chunks=4&ms=0&bytes=1000000&word=seven77");
    read_stream(client, 1000000, 4000000, "seven77");
    served->answered++;
    get(served, client, "/", 200, "hello\n");
    close(client);
}

static void answers_a_head_and_old_clients(struct served *served) {
    int client = client_of(served);
    char text[512];
    struct response response;
    send_text(client, "HEAD /stream?chunks=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    read_response_to_head(client, &response);
    cr_assert_eq(response.status, 200);
    get(served, client, "/", 200, "hello\n");
    send_text(client, "GET /stream?chunks=2&bytes=6&word=hello HTTP/1.0\r\n\r\n");
    read_to_end(client, text, sizeof text);
    served->answered += 2;
    const char *body = strstr(text, "\r\n\r\n");
    cr_assert_not_null(body);
    cr_assert_str_eq(body, "\r\n\r\nhello\nhello\n");
    close(client);
}

static void refuses_what_is_no_stream(struct served *served) {
    static const char *const queries[] = {
        "chunks=-1",     "chunks=1000001", "chunks=",           "ms=60001", "ms=x",
        "bytes=1048577", "bytes=0",        "chunks=1&bytes=1k", "word=",
    };
    int client = client_of(served);
    for (size_t i = 0; i < COUNT(queries); i++) {
        char target[64];
        snprintf(target, sizeof target, "/stream?%s", queries[i]);
        get(served, client, target, 400, NULL);
    }
    char target[96] = "/stream?word=";
    memset(target + strlen(target), 'w', 65);
    get(served, client, target, 400, NULL);
    get(served, client, "/streams", 404, NULL);
    send_text(client, "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    expect(served, client, 405, NULL);
    close(client);
}

/* He reads a little now and then. Others are served, nobody spins, no memory grows. */
static void waits_for_a_slow_reader(struct served *served) {
    enum { READS = 40, EACH = 10240 };
    static char piece[EACH];
    int slow = connect_narrowly(served->program.port), other = client_of(served);
    send_text(slow, "GET /stream?chunks=0&bytes=50000&word=slowly HTTP/1.1\r\n"
                    "Host: a\r\n\r\n");
    served->perhaps++;
    read_stream_head(slow);
    get(served, other, "/", 200, "hello\n");
    expect_sleep(served); /* for his output is full */
    unsigned long before = memory_kb(served->program.pid);
    for (int i = 0; i < READS; i++) {
        read_bytes(slow, piece, sizeof piece);
        get(served, other, "/", 200, "hello\n");
    }
    unsigned long after = memory_kb(served->program.pid);
    cr_assert_leq(after, before + 256, "from %lu to %lu KiB", before, after);
    reset(slow);
    get(served, other, "/slow?ms=1", 200, NULL);
    expect_sleep(served);
    close(other);
}

/* He sleeps at first, and then gets every byte in its order. */
static void waits_long_and_loses_nothing(struct served *served) {
    enum { BYTES = 300000, CHUNKS = 20 };
    int slow = connect_narrowly(served->program.port), other = client_of(served);
    send_text(slow, "GET /stream?chunks=20&bytes=300000&word=slowly HTTP/1.1\r\n"
                    "Host: a\r\n\r\n");
    get(served, other, "/", 200, "hello\n");
    expect_sleep(served);
    read_stream(slow, BYTES, (size_t)BYTES * CHUNKS, "slowly");
    served->answered++;
    close(slow);
    close(other);
}

/* He may still read, but that can't be known. What he gets has no last chunk. */
static void cuts_who_sends_no_more(struct served *served) {
    static char text[256];
    int client = client_of(served);
    ask(client, "/stream?chunks=0&ms=60000&bytes=6&word=hello");
    read_stream_head(client);
    cr_assert_eq(read_chunk(client, text, sizeof text), 6);
    cr_assert_eq(shutdown(client, SHUT_WR), 0);
    served->answered++;
    expect_end(client);
}

static void stops_in_the_middle(struct served *served) {
    char text[64];
    int between = client_of(served), full = connect_narrowly(served->program.port);
    ask(between, "/stream?chunks=0&ms=60000&bytes=6");
    ask(full, "/stream?chunks=0&bytes=1000000");
    served->perhaps += 2;
    read_stream_head(between);
    read_chunk(between, text, sizeof text);
    read_stream_head(full);
    expect_sleep(served); /* both stay open, and the server is told to stop */
}

static void check_streams(const char *program, const char *backend) {
    static const struct check all[] = {
        {"streams whole", streams_whole},
        {"streams what is larger than its output",
         streams_what_is_larger_than_its_output},
        {"answers a head, and old clients", answers_a_head_and_old_clients},
        {"refuses what is no stream", refuses_what_is_no_stream},
        {"waits for a slow reader", waits_for_a_slow_reader},
        {"waits long and loses nothing", waits_long_and_loses_nothing},
        {"cuts who sends no more", cuts_who_sends_no_more},
        {"stops in the middle", stops_in_the_middle},
    };
    run_checks(program, backend, NULL, all, COUNT(all));
}

static void leaves_by_a_close(int client) {
    close(client); /* he has read all there was, so a FIN goes out and no reset */
}

/* Every slot's client leaves between two chunks of a stream without end, the next of
 * which is a minute away: each must be heard of at once, or the next has no slot. */
static void hears_of_who_leaves(const char *name, const char *backend,
                                void (*leave)(int client)) {
    static int clients[ALL_SLOTS];
    static char piece[16];
    struct program program;
    allow_all_slots();
    program_start(&program, name, "--backend", backend, "--stats", NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ALL_SLOTS; i++) {
            clients[i] = connect_to(program.port);
            ask(clients[i], "/stream?chunks=0&ms=60000&bytes=6&word=hello");
        }
        for (int i = 0; i < ALL_SLOTS; i++) {
            read_stream_head(clients[i]);
            cr_assert_eq(read_chunk(clients[i], piece, sizeof piece), 6);
        }
        for (int i = 0; i < ALL_SLOTS; i++)
            leave(clients[i]);
    }
    for (int i = 0; i < ALL_SLOTS; i++) {
        static struct response response;
        int client = connect_to(program.port);
        ask(client, "/");
        read_response(client, &response);
        cr_assert_str_eq(response.body, "hello\n");
        close(client);
    }
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

static void closed(const char *program, const char *backend) {
    hears_of_who_leaves(program, backend, leaves_by_a_close);
}

static void were_reset(const char *program, const char *backend) {
    hears_of_who_leaves(program, backend, reset);
}

#define PUMPED(check)                                                                  \
    static void pumped_##check(const char *program, const char *backend) {             \
        program_option("--topology=pump");                                             \
        check(program, backend);                                                       \
    }

PUMPED(check_streams)
PUMPED(closed)
PUMPED(were_reset)

SERVING_NESTED("09-traps", inverted, check_streams)
SERVING_NESTED("09-traps", inverted_closed, closed)
SERVING_NESTED("09-traps", inverted_reset, were_reset)
SERVING("09-traps", pumped, pumped_check_streams)
SERVING("09-traps", pumped_closed, pumped_closed)
SERVING("09-traps", pumped_reset, pumped_were_reset)
