/* ANCHOR: includes */
#include "11-stepped/stop_probe_cases.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "00-ground/clock.h"

static const char no_slow_path[] = "no --slow-path was given";
/* ANCHOR_END: includes */

/* ANCHOR: in_flight */
static void in_flight(struct play *play, size_t requests) {
    if (!play->probe->slow_path) {
        play_skip(play, no_slow_path);
        return;
    }
    for (size_t i = 0; i < requests; i++)
        client_ask(play_client(play), play->probe->slow_path);
    for (size_t i = 0; i < requests; i++)
        play->clients[i].was_read = play_await_place(&play->clients[i], CLIENT_READ);
    nap_ms(100); /* from the server's hands into the application's */
    server_halt(&play->server);
    for (size_t i = 0; i < requests; i++) {
        client_look(&play->clients[i]);
        if (play->clients[i].saw != SAW_NOTHING) {
            play_skip(play, "the slow path was answered before the signal");
            return;
        }
    }
    play_stop(play);
    play_to_end(play);
}

void case_in_flight(struct play *play) {
    in_flight(play, 1);
}

void case_two_in_flight(struct play *play) {
    in_flight(play, 2);
}
/* ANCHOR_END: in_flight */

/* ANCHOR: backlog */
void case_backlog(struct play *play) {
    server_halt(&play->server);
    client_ask(play_client(play), "/");
    play_stop(play);
    play_to_end(play);
}
/* ANCHOR_END: backlog */

/* ANCHOR: accepted */
void case_unread(struct play *play) {
    struct probe_client *client = play_client(play);
    if (!play_await_place(client, CLIENT_UNREAD)) {
        play_skip(play, "it accepts nobody who says nothing");
        return;
    }
    server_halt(&play->server);
    client_ask(client, "/");
    play_stop(play);
    play_to_end(play);
}

void case_silent(struct play *play) {
    play_await_place(play_client(play), CLIENT_UNREAD);
    server_halt(&play->server);
    play_stop(play);
    play_to_end(play);
}
/* ANCHOR_END: accepted */

/* ANCHOR: idle_race */
/* A client whose connection the server keeps, and which has been answered `times`. */
static struct probe_client *kept_client(struct play *play, int times) {
    struct probe_client *client = play_client(play);
    for (int i = 0; i < times; i++) {
        client_ask(client, "/");
        if (!play_answered(play, client) || !client->answer.keep_alive) {
            play_skip(play, "it doesn't keep connections");
            return NULL;
        }
        nap_ms(10);
    }
    return client;
}

void case_idle_race(struct play *play) {
    struct probe_client *client = kept_client(play, 1);
    if (!client)
        return;
    play->may_close = true;
    server_halt(&play->server);
    client_ask(client, "/");
    play_stop(play);
    play_to_end(play);
}
/* ANCHOR_END: idle_race */

/* ANCHOR: pooled */
/* It asks again 10 ms after each answer, until one says that it was the last. */
void case_pooled(struct play *play) {
    struct probe_client *client = kept_client(play, 3);
    int answers = 0, announced = 0;
    if (!client)
        return;
    server_halt(&play->server);
    client_ask(client, "/");
    play_stop(play);
    while (play_goes_on(play) || (play->server.ended && client->saw == SAW_ANSWER)) {
        if (client->saw != SAW_ANSWER)
            continue;
        answers++;
        announced += !client->answer.keep_alive;
        if (client->answer.keep_alive)
            nap_ms(10);
        client_rest(client);
        if (announced == 0 && client->saw == SAW_NOTHING)
            client_ask(client, "/");
    }
    client_look(client);
    snprintf(play->row->saw, sizeof play->row->saw,
             "%d answered, %d of them as the last; then %s", answers, announced,
             client_says(client));
    if (client->saw == SAW_NOTHING)
        play_judge(play, PROBE_HUNG);
    else if (client->asked)
        play_judge(play, PROBE_DROPPED);
    else if (announced != 1 || client->saw != SAW_CLOSED)
        play_judge(play, PROBE_FAILED);
    play_judge_end(play);
}
/* ANCHOR_END: pooled */

/* ANCHOR: stream */
void case_stream(struct play *play) {
    if (!play->probe->stream_path) {
        play_skip(play, "no --stream-path was given");
        return;
    }
    struct probe_client *client = play_client(play);
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    client_ask(client, play->probe->stream_path);
    while (client->saw == SAW_NOTHING && client->answer.body == 0 &&
           clock_now() < deadline) {
        nap_ms(1);
        client_look(client);
    }
    if (client->saw != SAW_NOTHING || client->answer.body == 0) {
        play_skip(play, "nothing came of the stream, or it ended before the signal");
        return;
    }
    server_halt(&play->server);
    play_stop(play);
    play_to_end(play);
}
/* ANCHOR_END: stream */

/* ANCHOR: second */
/* The second signal comes when the first has been taken and a slow request is in flight;
 * "at once" is half of what such a request takes. */
void case_second_signal(struct play *play) {
    if (!play->probe->slow_path) {
        play_skip(play, no_slow_path);
        return;
    }
    struct probe_client measured;
    uint64_t asked = clock_now();
    client_open(&measured, play->server.port, START_MS);
    client_ask(&measured, play->probe->slow_path);
    bool answered = play_answered(play, &measured);
    uint64_t slow = clock_now() - asked;
    client_close(&measured);
    if (!answered || slow < 500 * NS_PER_MS) {
        play_skip(play, "the slow path isn't answered, or in less than 0.5 s");
        return;
    }
    struct probe_client *client = play_client(play);
    client_ask(client, play->probe->slow_path);
    client->was_read = play_await_place(client, CLIENT_READ);
    server_halt(&play->server);
    play_stop(play);
    server_await_taken(&play->server);
    nap_ms(100);
    server_check(&play->server);
    if (play->server.ended) {
        play_skip(play, "it had ended at the first");
        return;
    }
    server_terminate(&play->server);
    play->told = clock_now();
    while (play_goes_on(play))
        continue;
    play->any_status = true;
    play_judge_end(play);
    bool at_once = play->server.ended && play->server.ended_at - play->told < slow / 2;
    if (!at_once)
        play_judge(play, PROBE_HUNG);
    snprintf(play->row->saw, sizeof play->row->saw, "%s; the request in flight: %s",
             at_once ? "ended at once" : "went on as before", client_says(client));
}
/* ANCHOR_END: second */

/* ANCHOR: start_up */
/* A fresh server for each of the moments between its exec and its first answer. */
void case_start_up(struct play *play) {
    enum { MOMENTS = 8 };
    double longest = 0;
    int clean = 0, by_signal = 0;
    uint64_t takes = clock_now() - play->began;
    for (unsigned i = 0; i < MOMENTS; i++) {
        server_end(&play->server);
        server_launch(&play->server, play->probe->command);
        uint64_t moment = clock_now() + takes * i / MOMENTS;
        while (clock_now() < moment)
            nap_ms(moment - clock_now() > 2 * NS_PER_MS ? 1 : 0);
        server_terminate(&play->server);
        play->told = clock_now();
        while (play_goes_on(play))
            continue;
        play_judge_end(play);
        if (play->row->verdict > PROBE_OK)
            break;
        clean += WIFEXITED(play->server.status);
        by_signal += WIFSIGNALED(play->server.status);
        longest = play->row->seconds > longest ? play->row->seconds : longest;
    }
    play->row->seconds = play->row->verdict > PROBE_OK ? play->row->seconds : longest;
    snprintf(play->row->saw, sizeof play->row->saw,
             "of %d moments: %d exits, %d ends by the signal", MOMENTS, clean,
             by_signal);
}
/* ANCHOR_END: start_up */
