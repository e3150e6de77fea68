/* Tells any HTTP server to stop, in ten orders of events, and says what its clients saw.
 * It halts the server meanwhile, so that all orders but the last are certain.
 *
 * Try it:
 *     build/stop-probe --slow-path '/slow?ms=1000' -- build/08-inversion --port 0
 *     build/stop-probe -- python3 -m http.server --bind 127.0.0.1 {port}
 * A server that puts itself into the background escapes it. */
#include <signal.h>
#include <string.h>

#include "00-ground/error.h"
#include "00-ground/options.h"
#include "11-stepped/stop_probe.h"
#include "11-stepped/stop_probe_keeper.h"

int main(int argc, char **argv) {
    struct probe probe = {.limit_ms = 3000};
    bool json = false, all_ok = true;
    const struct option_row options[] = {
        {"--slow-path", OPTION_TEXT, &probe.slow_path, 0, 0,
         "is answered after a second or so"},
        {"--stream-path", OPTION_TEXT, &probe.stream_path, 0, 0,
         "is answered without an end"},
        {"--limit-ms", OPTION_NUMBER, &probe.limit_ms, 100, 60000,
         "a server has so long to stop"},
        {"--json", OPTION_FLAG, &json, 0, 0, "print the rows as JSON"},
    };
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    options_read(
        own, argv,
        "stop-probe [OPTIONS] -- COMMAND... starts an HTTP server, once for each "
        "case,\nand tells it to stop. {port} in the command is a free port; "
        "without it the server\nprints 'listening on http://127.0.0.1:PORT' "
        "first.",
        options, sizeof options / sizeof *options);
    if (own + 1 >= argc)
        die_of_usage("which server? stop-probe [OPTIONS] -- COMMAND...");
    probe.command = argv + own + 1;
    signal(SIGPIPE, SIG_IGN);
    keeper_start();
    struct probe_row rows[PROBE_CASES];
    for (int i = 0; i < PROBE_CASES; i++) {
        probe_play(&probe, (enum probe_case)i, &rows[i]);
        all_ok &= rows[i].verdict <= PROBE_OK;
        if (i == 0 && !json)
            probe_print_head();
        if (!json)
            probe_print_row(&rows[i]);
    }
    if (json)
        probe_print_json(rows, PROBE_CASES);
    output_flushed();
    return all_ok ? 0 : 1;
}
