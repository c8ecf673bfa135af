/* key_name.c - what may be the name of keys; see key_file.h. */
#include "protocol/key_file.h"

#include <ctype.h>

bool key_name_is_good(const char *name)
{
    size_t length = 0;

    for (; name[length]; length++) {
        const unsigned char c = (unsigned char)name[length];

        if (c >= 0x80 || (!isalnum(c) && c != '.' && c != '_' && c != '-'))
            return false;
    }
    return length > 0 && length <= KEY_NAME_MAX && name[0] != '.';
}
