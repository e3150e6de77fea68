/* What the cases share: a server, up to two clients of it, and the row they fill. */
#ifndef STEPPED_STOP_PROBE_CASES_H
#define STEPPED_STOP_PROBE_CASES_H

#include "11-stepped/stop_probe.h"
#include "11-stepped/stop_probe_client.h"
#include "11-stepped/stop_probe_server.h"

struct play {
    const struct probe *probe;
    struct probe_row *row;
    struct probe_server server;
    struct probe_client clients[2];
    size_t count;    /* of clients */
    uint64_t began;  /* when the server was started */
    uint64_t told;   /* when it had SIGTERM */
    bool may_close;  /* without an answer: the client may ask again */
    bool any_status; /* however it exits is fine */
};

/* One more client, connected. */
struct probe_client *play_client(struct play *play);

/* Waits until the server's kernel says that it has come to `place` or further. False
 * after a second. (Where the system can't say: 100 ms, and true.) */
bool play_await_place(const struct probe_client *client, enum client_place place);

/* Waits for the client's answer, before the signal. */
bool play_answered(struct play *play, struct probe_client *client);

/* The server is halted and asleep: it has SIGTERM, and wakes up. */
void play_stop(struct play *play);

/* One look at all clients and at the server; false when there is no more to see: each
 * client has seen something and the server has ended, or the time is over. */
bool play_goes_on(struct play *play);

/* Goes on to the end, and judges. */
void play_to_end(struct play *play);

/* The worst that has happened is at least this bad. */
void play_judge(struct play *play, enum probe_verdict verdict);

/* Judges the server's own end: in time, and not as by a fault. */
void play_judge_end(struct play *play);

/* The case can't be played, for this reason. */
void play_skip(struct play *play, const char *reason);

/* Each is a case. It finds a server that answers, fills in `saw`, and judges. */
void case_in_flight(struct play *play);
void case_two_in_flight(struct play *play);
void case_unread(struct play *play);
void case_backlog(struct play *play);
void case_idle_race(struct play *play);
void case_silent(struct play *play);
void case_pooled(struct play *play);
void case_stream(struct play *play);
void case_second_signal(struct play *play);
void case_start_up(struct play *play);

#endif
