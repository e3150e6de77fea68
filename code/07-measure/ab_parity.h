/* Do the arms give the same answer? If not, their times say nothing about each other. */
#ifndef MEASURE_AB_PARITY_H
#define MEASURE_AB_PARITY_H

#include <stdbool.h>
#include <stddef.h>

#include "07-measure/ab.h"

/* Puts an answer, a string, into the form in which answers are compared: the status line,
 * the fields in order of their names, which are made small, without Date, and the body.
 * In place, and never longer. False if it has no head,
 * or one of more than 64 fields. */
bool parity_form(char *answer);

/* Starts each arm but the control, asks it for the path once, and stops it. False with
 * the first difference to the first arm, or what went wrong, in `why`. */
bool ab_parity(const struct ab_settings *settings, char why[AB_WHY]);

#endif
