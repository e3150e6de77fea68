/* The connection through every story of the corpus: those that stand for a fault that a
 * server once had, and those that a fuzzer found to reach a place in the code, or a fault
 * of ours. A broken rule aborts; the last file that was named is the story. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "03-request/test_support_fuzz.h"

TestSuite(corpus, .timeout = 300);

static void play(const char *path) {
    static uint8_t bytes[STORY_MOST];
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    cr_assert(length > 0 && length <= 1024, "%s has %zu bytes", path, length);
    LLVMFuzzerTestOneInput(bytes, length);
}

static char last[4096] = "none";

static void name_the_story(int signal) {
    (void)signal;
    fprintf(stderr, "it was %s\n", last);
}

Test(corpus, every_story_keeps_the_rules) {
    static const char folder[] = "code/03-request/corpus";
    DIR *stories = opendir(folder);
    cr_assert_not_null(stories, "%s", folder);
    signal(SIGABRT, name_the_story);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(stories)); count++) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(last, sizeof last, "%s/%s", folder, entry->d_name);
        play(last);
    }
    closedir(stories);
    cr_assert_gt(count, 50, "%d stories", count);
}
