/* ANCHOR: includes */
#include "11-stepped/stop_probe_cases.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "00-ground/clock.h"
/* ANCHOR_END: includes */

/* ANCHOR: before */
static void start(struct play *play) {
    server_launch(&play->server, play->probe->command);
    play->began = clock_now();
    server_await(&play->server);
}

struct probe_client *play_client(struct play *play) {
    struct probe_client *client = &play->clients[play->count++];
    client_open(client, play->server.port, START_MS);
    return client;
}

bool play_await_place(const struct probe_client *client, enum client_place place) {
    uint64_t deadline = clock_now() + NS_PER_S;
    enum client_place now = client_place(client);
    if (now == CLIENT_UNKNOWN)
        nap_ms(100);
    while (now != CLIENT_UNKNOWN && now < place && clock_now() < deadline) {
        nap_ms(1);
        now = client_place(client);
    }
    return now == CLIENT_UNKNOWN || now >= place;
}

bool play_answered(struct play *play, struct probe_client *client) {
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    while (client->saw == SAW_NOTHING && clock_now() < deadline) {
        server_check(&play->server);
        client_look(client);
        nap_ms(1);
    }
    return client->saw == SAW_ANSWER;
}
/* ANCHOR_END: before */

/* ANCHOR: stop */
void play_stop(struct play *play) {
    server_terminate(&play->server);
    play->told = clock_now();
    server_resume(&play->server);
}
/* ANCHOR_END: stop */

/* ANCHOR: watch */
bool play_goes_on(struct play *play) {
    bool pending = false;
    server_check(&play->server);
    for (size_t i = 0; i < play->count; i++) {
        client_look(&play->clients[i]);
        pending |= play->clients[i].saw == SAW_NOTHING;
    }
    if (play->server.ended && !pending)
        return false;
    nap_ms(1);
    return clock_now() - play->told < play->probe->limit_ms * NS_PER_MS;
}

/* An orderly end of a connection that was idle is ok even where the request was read. A
 * server that drops what it has read can't be told from one that has ended the connection
 * first and then reads on for its client's end, as RFC 9112, section 9.6, asks of it: the
 * client sees the end and no reset, and the bytes are gone from the socket, of either. */
static enum probe_verdict verdict_on(const struct play *play,
                                     const struct probe_client *client) {
    if (!client->asked)
        return PROBE_OK; /* it asked for nothing, and whether the stop ends is asked below */
    if (client->saw == SAW_NOTHING)
        return PROBE_HUNG;
    if (client->saw == SAW_CLOSED && play->may_close)
        return PROBE_OK;
    return client->saw == SAW_ANSWER && client->answer.status < 500 ? PROBE_OK
                                                                    : PROBE_DROPPED;
}

void play_to_end(struct play *play) {
    while (play_goes_on(play))
        continue;
    for (size_t i = 0; i < play->count; i++) {
        const struct probe_client *client = &play->clients[i];
        size_t length = strlen(play->row->saw);
        client_look(&play->clients[i]); /* for a reset that came later */
        snprintf(play->row->saw + length, sizeof play->row->saw - length, "%s%s",
                 length ? "; " : "", client_says(client));
        play_judge(play, verdict_on(play, client));
    }
    play_judge_end(play);
}
/* ANCHOR_END: watch */

/* ANCHOR: judge */
void play_judge(struct play *play, enum probe_verdict verdict) {
    if (verdict > play->row->verdict)
        play->row->verdict = verdict;
}

/* 0, or what SIGTERM does to a program that has no handler; 128 + 15 is how a shell or a
 * program that copies one says the same. */
static bool is_clean(int status) {
    return WIFSIGNALED(status)
               ? WTERMSIG(status) == SIGTERM
               : WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 128 + SIGTERM;
}

void play_judge_end(struct play *play) {
    struct probe_row *row = play->row;
    const struct probe_server *server = &play->server;
    bool fault = WIFSIGNALED(server->status) || !play->any_status;
    row->ended = server->ended;
    row->status = server->status;
    if (!server->ended)
        play_judge(play, PROBE_HUNG);
    else if (fault && !is_clean(server->status))
        play_judge(play, PROBE_FAILED);
    else
        play_judge(play, PROBE_OK);
    if (server->ended)
        row->seconds = (double)(server->ended_at - play->told) / (double)NS_PER_S;
}

void play_skip(struct play *play, const char *reason) {
    play->row->verdict = PROBE_SKIPPED;
    snprintf(play->row->saw, sizeof play->row->saw, "%s", reason);
}
/* ANCHOR_END: judge */

/* ANCHOR: play */
void probe_play(const struct probe *probe, enum probe_case which,
                struct probe_row *row) {
    static const struct {
        const char *name;
        void (*play)(struct play *play);
    } cases[PROBE_CASES] = {
        [IN_FLIGHT] = {"in flight", case_in_flight},
        [TWO_IN_FLIGHT] = {"two in flight", case_two_in_flight},
        [UNREAD_BYTES] = {"unread bytes", case_unread},
        [BACKLOG] = {"backlog", case_backlog},
        [IDLE_RACE] = {"idle race", case_idle_race},
        [SILENT] = {"silent connection", case_silent},
        [POOLED] = {"pooled client", case_pooled},
        [STREAM] = {"stream", case_stream},
        [SECOND_SIGNAL] = {"second signal", case_second_signal},
        [START_UP] = {"start-up", case_start_up},
    };
    struct play play = {.probe = probe, .row = row};
    *row = (struct probe_row){.name = cases[which].name};
    start(&play);
    cases[which].play(&play);
    for (size_t k = 0; k < play.count; k++)
        client_close(&play.clients[k]);
    server_end(&play.server);
}
/* ANCHOR_END: play */
