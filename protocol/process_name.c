/* process_name.c - see process_name.h. */
#include "protocol/process_name.h"

#include <ctype.h>
#include <stddef.h>

bool process_name_is_good(const char *name)
{
    size_t length = 0;

    for (; name[length]; length++) {
        const unsigned char c = (unsigned char)name[length];

        if (c >= 0x80 || (!isalnum(c) && c != '.' && c != '_' && c != '-'))
            return false;
    }
    return length > 0 && length <= PROCESS_NAME_MAX && name[0] != '.';
}

int process_name_check(const char *name, struct error *error)
{
    if (process_name_is_good(name))
        return 0;
    return error_set(error, "\"%.*s\": a name is " PROCESS_NAME_RULE, PROCESS_NAME_MAX + 1, name);
}
