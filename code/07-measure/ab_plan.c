#include "07-measure/ab_plan.h"

#include <math.h>
#include <stdio.h>

#include "07-measure/ab_estimate.h"

int ab_turns(int arms) {
    return 2 * arms + 2;
}

int ab_turn(int arms, int turn) {
    int from_the_end = ab_turns(arms) - 1 - turn;
    int nearer = turn < from_the_end ? turn : from_the_end;
    return nearer == 0 ? arms : nearer - 1;
}

/* Failed and interrupted blocks may have run one control, or none. */
static double usual_control(const struct ab_blocks *blocks, int control) {
    double seen[2 * AB_BLOCKS];
    size_t count = 0;
    for (int b = 0; b < blocks->count - 1; b++)
        for (int r = 0; r < blocks->list[b].run_count; r++)
            if (blocks->list[b].runs[r].arm == control)
                seen[count++] = blocks->list[b].runs[r].per_second;
    if (count == 0)
        seen[count++] = blocks->list[blocks->count - 1].runs[0].per_second;
    return median_of(seen, count);
}

void ab_judge(const struct ab_settings *settings, struct ab_blocks *blocks) {
    struct ab_block *block = &blocks->list[blocks->count - 1];
    int control = settings->arm_count;
    double usual = usual_control(blocks, control), moved = 0, steal = 0;
    for (int r = 0; r < block->run_count; r++) {
        const struct ab_run *run = &block->runs[r];
        double percent = 100 * (run->per_second / usual - 1);
        if (run->arm == control && fabs(percent) > fabs(moved))
            moved = percent;
        if (run->steal > steal) /* NAN isn't */
            steal = run->steal;
    }
    block->kept = false;
    if (fabs(moved) > (double)settings->control_percent)
        snprintf(block->why, sizeof block->why,
                 "the control moved by %+.1f %% (limit %llu %%)", moved,
                 (unsigned long long)settings->control_percent);
    else if (steal > (double)settings->steal_percent)
        snprintf(block->why, sizeof block->why,
                 "the hypervisor took %.1f %% of the CPUs (limit %llu %%)", steal,
                 (unsigned long long)settings->steal_percent);
    else
        block->kept = true;
}

int ab_kept(const struct ab_blocks *blocks) {
    int kept = 0;
    for (int b = 0; b < blocks->count; b++)
        kept += blocks->list[b].kept;
    return kept;
}
