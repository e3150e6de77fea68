/* Weaves chapters/, code/ and the ledger into build/book/, or says why it can't.
 *   build/weave           makes the book
 *   build/weave --check   only checks it */
#include <stdlib.h>

#include "00-ground/error.h"
#include "00-ground/options.h"
#include "99-weave/weave.h"

int main(int argc, char **argv) {
    struct weave_options options = {.root = ".",
                                    .out = "build/book",
                                    .results = "build/results",
                                    .figures = "build/figures"};
    const struct option_row rows[] = {
        {"--root", OPTION_TEXT, &options.root, 0, 0, "the project's folder"},
        {"--out", OPTION_TEXT, &options.out, 0, 0, "where the pages go"},
        {"--results", OPTION_TEXT, &options.results, 0, 0, "this machine's results"},
        {"--figures", OPTION_TEXT, &options.figures, 0, 0, "the drawn figures"},
        {"--check", OPTION_FLAG, &options.check, 0, 0, "find faults, write nothing"},
    };
    options_read(argc, argv, "Weaves the book from chapters/, code/ and the ledger.",
                 rows, sizeof rows / sizeof *rows);
    size_t problems = weave(&options, stderr);
    if (problems > 0)
        die("%zu fault%s; the book isn't whole", problems, problems == 1 ? "" : "s");
    return EXIT_SUCCESS;
}
