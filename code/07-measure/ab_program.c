#include "07-measure/ab_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

uint64_t program_sum(const char *command) {
    char name[PATH_MAX], bytes[4096];
    size_t length = strcspn(command, " "), count;
    if (length >= sizeof name)
        return 0;
    memcpy(name, command, length);
    name[length] = '\0';
    FILE *file = fopen(name, "re");
    if (!file)
        return 0;
    uint64_t sum = 0xcbf29ce484222325;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        for (size_t i = 0; i < count; i++)
            sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3;
    fclose(file);
    return sum;
}
