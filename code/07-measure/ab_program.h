/* Is it still the same program? */
#ifndef MEASURE_AB_PROGRAM_H
#define MEASURE_AB_PROGRAM_H

#include <stdint.h>

/* A checksum of the file that a command's first word names: the same as long as the file
 * is, whenever it was built. It guards against an oversight and not against malice. 0 if
 * the file can't be read, as where the word is one that PATH finds. (FNV-1a, 64 bits:
 * G. Fowler, L. C. Noll and others, RFC 9923.) */
uint64_t program_sum(const char *command);

#endif
