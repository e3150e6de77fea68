#include "07-measure/load_asker.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/descriptor.h"
#include "00-ground/error.h"
#include "02-readiness/slots.h"

enum { READ_MOST = 65536 };

struct asker asker_new(uint32_t number) {
    return (struct asker){.fd = -1, .number = number};
}

bool asker_current(const struct asker *asker, watch_token token) {
    return asker->fd >= 0 && asker->tag == token_tag(token);
}

static void watch_for(struct asker *asker, struct target *target, int interest) {
    if (backend_update(target->backend, asker->fd, asker->interest, interest,
                       token_of(asker->number, asker->tag)) != 0)
        die("can't watch a connection: %s", strerror(errno));
    asker->interest = interest;
}

void asker_close(struct asker *asker, struct target *target) {
    if (asker->fd < 0)
        return;
    watch_for(asker, target, 0);
    close(asker->fd);
    asker->fd = -1;
    asker->tag++;
}

/* Closes it and returns `result`, with errno as it was. */
static enum asker_result close_with(struct asker *asker, struct target *target,
                                    enum asker_result result) {
    int saved = errno;
    asker_close(asker, target);
    errno = saved;
    return result;
}

enum asker_result asker_open(struct asker *asker, struct target *target) {
    target->opened++;
    asker->connected = asker->used = false;
    asker->interest = 0;
    asker->fd = socket(target->address.ss_family, SOCK_STREAM, 0);
    int on = 1;
    if (asker->fd < 0)
        return ASKER_REFUSED;
    setsockopt(asker->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (descriptor_prepare(asker->fd) != 0)
        return close_with(asker, target, ASKER_REFUSED);
    if (connect(asker->fd, (const struct sockaddr *)&target->address,
                target->address_length) == 0)
        asker->connected = true;
    else if (errno != EINPROGRESS && errno != EINTR)
        return close_with(asker, target, ASKER_REFUSED);
    watch_for(asker, target, asker->connected ? READABLE : WRITABLE);
    return ASKER_WAITS;
}

/* A write that fails is the last: what became of the connection, or an answer that came
 * before the request was whole, is for the read to find. */
static void send_more(struct asker *asker, struct target *target) {
    ssize_t n =
        write(asker->fd, target->request + asker->sent, target->length - asker->sent);
    if (n > 0)
        asker->sent += (size_t)n;
    bool goes_on = n >= 0 || errno == EAGAIN || errno == EINTR;
    bool more = goes_on && asker->sent < target->length;
    watch_for(asker, target, more ? READABLE | WRITABLE : READABLE);
}

enum asker_result asker_ask(struct asker *asker, struct target *target) {
    asker->asked = true;
    asker->sent = 0;
    answer_begin(&asker->answer, target->to_head);
    if (asker->fd < 0 && asker_open(asker, target) == ASKER_REFUSED) {
        asker->asked = false;
        return ASKER_REFUSED;
    }
    if (asker->connected)
        send_more(asker, target);
    return ASKER_WAITS;
}

/* The answer is whole. May the connection be used again? */
static enum asker_result answered(struct asker *asker, struct target *target) {
    asker->used = true;
    if (!asker->answer.keep_alive || asker->sent < target->length)
        asker_close(asker, target);
    return ASKER_ANSWERED;
}

static enum asker_result read_answer(struct asker *asker, struct target *target) {
    static char bytes[READ_MOST];
    ssize_t n = read(asker->fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return ASKER_WAITS;
    bool asked = asker->asked;
    size_t used = 0;
    enum answer_result result = ANSWER_BAD;
    if (asked && n > 0)
        result = answer_take(&asker->answer, bytes, (size_t)n, &used);
    else if (asked && n == 0)
        result = answer_ended(&asker->answer);
    if (result == ANSWER_PARTIAL)
        return ASKER_WAITS;
    asker->asked = false;
    if (result == ANSWER_WHOLE && (n == 0 || used == (size_t)n))
        return answered(asker, target);
    asker_close(asker, target);
    if (n <= 0 && (!asked || (asker->used && asker->answer.bytes == 0)))
        return ASKER_LEFT; /* a server that has bytes to read yet leaves by a reset */
    return ASKER_FAILED;
}

enum asker_result asker_move(struct asker *asker, struct target *target, int ready) {
    if (!asker->connected) {
        int reason = 0;
        socklen_t length = sizeof reason;
        getsockopt(asker->fd, SOL_SOCKET, SO_ERROR, &reason, &length);
        asker->connected = !reason || reason == ECONNRESET; /* taken, and then reset */
        if (reason) {
            asker->asked = false;
            errno = reason;
            return close_with(asker, target,
                              asker->connected ? ASKER_FAILED : ASKER_REFUSED);
        }
        watch_for(asker, target, READABLE);
        if (asker->asked)
            send_more(asker, target);
        return ASKER_WAITS;
    }
    if (ready & WRITABLE && asker->interest & WRITABLE)
        send_more(asker, target);
    return ready & (READABLE | HANGUP) ? read_answer(asker, target) : ASKER_WAITS;
}
