/* A server for the tests of the probe, that stops in the manner it is told. */
#ifndef STEPPED_TEST_SUPPORT_STOP_PROBE_H
#define STEPPED_TEST_SUPPORT_STOP_PROBE_H

#include <stdint.h>

/* Serves hello at /, /slow after 1.2 s, and /stream without an end, on `port`, and exits 0
 * after SIGTERM when it has answered all that was sent before, for `how` "good". Else
 *     dead               it doesn't start
 *     deaf               SIGTERM does nothing
 *     deaf-at-first      ... as long as it starts
 *     deaf-to-the-second ... the second time
 *     resetting          resets all connections
 *     half-closing       ends what it sends, then closes, and reads nothing
 *     lingering          ... and reads what has come
 *     half, error        answers without the last byte, or 503
 *     curt               closes instead of answering, once it has read
 *     cut                closes streams without their last chunk
 *     backlog-dropping   accepts no more
 *     clinging           waits for clients who say nothing
 *     terse, unannounced never says Connection: close, and closes, or doesn't
 *     faulty             exits 3
 *     forking            leaves a child that SIGTERM doesn't end
 * Writes a + into the descriptor that FAKE_TELLS names, once it listens. */
_Noreturn void fake_serve(const char *how, uint64_t port);

#endif
