/* Ends in which everybody is answered: what a drain must not overlook. SIGSTOP holds a
 * server still while something is put in its way, so that nothing here depends on who is
 * faster. */
#ifndef DRAIN_TEST_ENDS_WHOLE_H
#define DRAIN_TEST_ENDS_WHOLE_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "10-drain/test_end.h"

/* Two requests in flight are both answered, in their own time. */
static inline void end_in_flight(const char *name, const char *backend) {
    struct end end;
    int clients[2];
    end_start(&end, name, backend);
    for (int i = 0; i < 2; i++)
        send_text(clients[i] = end_client(&end), END_GET("/slow?ms=600"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    for (int i = 0; i < 2; i++) {
        end_expect(clients[i], "slept 600 ms\n", true);
        end_expect_close(clients[i]);
    }
    end_wait_whole(&end);
    cr_assert_eq(end.in_flight, 2);
    cr_assert_lt(end.ms, 3000, "it waited for its budget: %u ms", end.ms);
}

/* Is there still somebody who lets a client in? */
static inline bool end_knocks(const struct end *end) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)end->program.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    int result = connect(client, (struct sockaddr *)&address, sizeof address);
    /* Who comes between the last accept and the close is let in, and reset. */
    bool in = result == 0 || errno == ECONNRESET;
    cr_assert(in || errno == ECONNREFUSED, "%s", strerror(errno));
    close(client);
    return in;
}

/* Beside an answer that is long in coming, who has said nothing is closed at once, new or
 * kept, and nobody else is let in. */
static inline void end_silent(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), kept = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    send_text(kept, END_GET("/"));
    end_expect(kept, "hello\n", false);
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(kept);
    end_expect_close(silent);
    while (end_knocks(&end)) /* the backlog may have been open until now */
        continue;
    cr_assert_not(readable_within(slow, 0), "all this while somebody was served");
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert_eq(end.cut, 1);
}

/* A request lies unread on an idle connection when the signal comes. */
static inline void end_unread(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int kept = end_client(&end);
    send_text(kept, END_GET("/"));
    end_expect(kept, "hello\n", false);
    program_halt(&end.program);
    send_text(kept, END_GET("/slow?ms=50"));
    end_signal(&end, SIGTERM);
    program_resume(&end.program);
    end_expect(kept, "slept 50 ms\n", true);
    end_expect_close(kept);
    end_wait_whole(&end);
}

/* Requests wait in the backlog, more than a batch of them. */
static inline void end_backlog(const char *name, const char *backend) {
    enum { CLIENTS = 300 };
    struct end end;
    int clients[CLIENTS];
    end_start(&end, name, backend);
    end_settle(&end);
    program_halt(&end.program);
    for (int i = 0; i < CLIENTS; i++)
        send_text(clients[i] = end_client(&end), END_GET("/"));
    end_signal(&end, SIGTERM);
    program_resume(&end.program);
    for (int i = 0; i < CLIENTS; i++) {
        cr_assert(end_answered(clients[i]));
        end_expect_close(clients[i]);
    }
    end_wait_whole(&end);
}

/* Pipelined requests are all answered, and the last says that it is. */
static inline void end_pipelined(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=300") END_GET("/slow?ms=10") END_GET("/"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(client, "slept 300 ms\n", false);
    end_expect(client, "slept 10 ms\n", false);
    end_expect(client, "hello\n", true);
    end_expect_close(client);
    end_wait_whole(&end);
}

/* A head of which a part has come is waited for, and so is a body. */
static inline void end_halves(const char *name, const char *backend) {
    struct end end;
    static struct response response;
    end_start(&end, name, backend);
    int head = end_client(&end), body = end_client(&end), silent = end_client(&end);
    send_text(head, "GET / HTTP/1.1\r\nHo");
    send_text(body, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* it has begun to stop */
    send_text(head, "st: x\r\n\r\n");
    send_text(body, "def");
    end_expect(head, "hello\n", true);
    read_response(body, &response);
    cr_assert_str_eq(response.body, "abcdef");
    cr_assert(end_last(&response));
    close(head);
    close(body);
    end_wait_whole(&end);
}

/* A client that asks again and again hears once that it should stop. */
static inline void end_pooled(const char *name, const char *backend) {
    struct end end;
    static struct response response;
    end_start(&end, name, backend);
    int client = end_client(&end), closes = 0;
    program_halt(&end.program);
    send_text(client, END_GET("/slow?ms=20"));
    end_signal(&end, SIGTERM);
    program_resume(&end.program);
    do {
        read_response(client, &response);
        closes += end_last(&response);
        send(client, END_GET("/"), strlen(END_GET("/")), MSG_NOSIGNAL);
    } while (!end_last(&response));
    cr_assert_eq(closes, 1);
    end_expect_close(client); /* what it sent behind that is dropped, without a reset */
    end_wait_whole(&end);
}

/* What a client sends behind his last request doesn't take his answer from him. */
static inline void end_lingers(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=100"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    cr_assert(readable_within(client, WAIT_MS));
    send_text(client, "and more");
    end_expect(client, "slept 100 ms\n", true);
    end_expect_close(client);
    end_wait_whole(&end);
}

/* Who has his answer and never stops sending doesn't hold the end up. */
static inline void end_trickles(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int linger = end_client(&end), skip = end_client(&end), gone = 0;
    send_text(linger, END_GET("/slow?ms=100"));
    send_text(skip, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nx");
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(linger, "slept 100 ms\n", true);
    while (gone < 2) {
        gone = (send(linger, "x", 1, MSG_NOSIGNAL) < 0) +
               (send(skip, "x", 1, MSG_NOSIGNAL) < 0);
        usleep(20000);
    }
    end_wait_whole(&end);
    cr_assert_lt(end.ms, 3000, "it waited for its budget: %u ms", end.ms);
    close(linger);
    close(skip);
}

/* An answer that lies in the kernel, since its client reads slowly, is his also when he
 * asks again after the end has begun: a reset would take it from him. */
static inline void end_slow_reader(const char *name, const char *backend) {
    static char answer[400000];
    static const char last_chunk[] = "0\r\n\r\n";
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/stream?bytes=300000"));
    for (int i = 0; i < 20; i++) /* by then the kernel has all of it */
        end_settle(&end);
    cr_assert(readable_within(slow, WAIT_MS));
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* and so the other would be */
    send_text(slow, END_GET("/"));
    size_t n = read_to_end(slow, answer, sizeof answer);
    cr_assert_gt(n, 300000, "%zu bytes", n);
    cr_assert_not_null(strstr(answer + 300000, last_chunk), "it was cut");
    close(slow);
    end_wait_whole(&end);
}

#endif
