/* A server for the tests of the stress client, that stops in the manner it is told. */
#ifndef STEPPED_TEST_SUPPORT_STRESS_H
#define STEPPED_TEST_SUPPORT_STRESS_H

/* Serves /echo and /slow on a free port, and for `how` "good" does all that a client may
 * ask of a server that is told to stop. Past a budget of one second it cuts, and says so.
 * "chunking" does the same in chunks. Else
 *     losing      closes at SIGTERM what is in flight
 *     halving     ends the answers after SIGTERM in the middle
 *     resetting   resets at SIGTERM what is in flight
 *     brusque     resets at SIGTERM what is idle
 *     unread      sleeps between its reads, and makes none after SIGTERM
 *     deaf        goes on after SIGTERM as before
 *     clinging    waits for idle clients to leave
 *     freezing    does nothing for 3.5 s after SIGTERM, then goes on as it should
 *     swapping    answers every 50th request with the words of another
 *     garbling    makes every 50th answer one of no protocol
 *     talkative   gives an answer twice if no request lies behind it
 *     leaking     keeps every 10th descriptor
 *     growing     keeps 4 kB of memory for each request
 *     miscounting says of each cut request that there were two
 *     silent      cuts, says nothing and exits 0
 *     crashing    aborts when all is done
 *     bookless    counts each request twice */
_Noreturn void stress_fake_serve(const char *how);

#endif
