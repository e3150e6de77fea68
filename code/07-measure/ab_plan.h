/* Whose turn it is, and which blocks count: what is settled before the first number. */
#ifndef MEASURE_AB_PLAN_H
#define MEASURE_AB_PLAN_H

#include "07-measure/ab.h"

/* Runs of a block of `arms` programs: each twice, and the control before and after. */
int ab_turns(int arms);

/* The arm of turn `turn`, from 0; `arms` is the control. Two arms: control A B B A
 * control. The second half mirrors the first, so a machine that grows steadily slower
 * costs every arm the same. */
int ab_turn(int arms, int turn);

/* Sets `kept` and `why` of the last block, whose runs are complete. A control run is
 * held against the median of all controls of earlier blocks, dropped ones too, in
 * requests per second; in the first block the second against the first. */
void ab_judge(const struct ab_settings *settings, struct ab_blocks *blocks);

int ab_kept(const struct ab_blocks *blocks);

#endif
