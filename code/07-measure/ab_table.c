#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07-measure/ab_plan.h"
#include "07-measure/ab_record.h"
#include "07-measure/ab_result.h"
#include "07-measure/ledger.h"

/* A title in 22 columns; µ takes two bytes and one column. */
static void print_title(const char *title) {
    int wide = strstr(title, "µ") ? 23 : 22;
    printf("%-*s", wide, title);
}

static void print_medians(const struct ab_settings *settings,
                          const struct ab_blocks *blocks) {
    print_title("median of the runs");
    for (int arm = 0; arm <= settings->arm_count; arm++)
        printf("  %12.12s", settings->arms[arm].name);
    putchar('\n');
    for (int m = 0; m < AB_MEASURES; m++) {
        print_title(ab_measure_title((enum ab_measure)m));
        for (int arm = 0; arm <= settings->arm_count; arm++) {
            double value = ab_median(blocks, arm, (enum ab_measure)m);
            char text[32] = "–";
            if (!isnan(value))
                ledger_number(value, "", text, sizeof text);
            printf("%*s%s", isnan(value) ? 13 : 14 - (int)strlen(text), "", text);
        }
        putchar('\n');
    }
}

static void print_ratios(const struct ab_settings *settings,
                         const struct ab_blocks *blocks, int arm) {
    printf("\n%s / %s\n", settings->arms[arm].name, settings->arms[0].name);
    for (int m = 0; m < AB_JUDGED; m++) {
        struct ab_result result = ab_result(blocks, arm, (enum ab_measure)m);
        print_title(ab_measure_title((enum ab_measure)m));
        if (!result.present)
            printf("  not judged: %s\n", result.why);
        else if (!result.ratio.has_interval)
            printf("  %.3f (%s)\n", result.ratio.median, result.why);
        else
            printf("  %.3f (%.1f %%: %.3f to %.3f)\n", result.ratio.median,
                   100 * result.ratio.coverage, result.ratio.low, result.ratio.high);
    }
}

/* By how much a program differed from itself in these blocks. */
static void print_floor(const struct ab_settings *settings,
                        const struct ab_blocks *blocks) {
    bool has_again = false;
    for (int arm = 1; arm < settings->arm_count; arm++)
        has_again = has_again || ab_is_again(settings, arm);
    for (int m = 0; has_again && m < AB_JUDGED; m++) {
        double floor = ab_floor(settings, blocks, (enum ab_measure)m);
        printf("A/A floor of ");
        print_title(ab_measure_title((enum ab_measure)m));
        if (isnan(floor))
            puts("  none: no interval");
        else
            printf("  ±%.1f %%\n", floor);
    }
}

static void print_control(const struct ab_settings *settings,
                          const struct ab_blocks *blocks) {
    double kept = ab_control_moved(settings, blocks, true);
    printf("the control's quickest run beside its slowest: ");
    if (!isnan(kept))
        printf("+%.1f %% in the blocks kept, ", kept);
    printf("+%.1f %% in all tried\n", ab_control_moved(settings, blocks, false));
}

void ab_table(const struct ab_settings *settings, const struct ab_blocks *blocks) {
    print_medians(settings, blocks);
    for (int arm = 1; arm < settings->arm_count; arm++)
        print_ratios(settings, blocks, arm);
    putchar('\n');
    print_floor(settings, blocks);
    print_control(settings, blocks);
    printf("%d of %d blocks kept\n", ab_kept(blocks), blocks->count);
    for (int b = 0; b < blocks->count; b++)
        if (!blocks->list[b].kept)
            printf("block %d dropped: %s\n", b + 1, blocks->list[b].why);
}
