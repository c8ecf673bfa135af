/* unicode.c - see unicode.h. */
#include "common/unicode.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

static bool is_shown; /* a setting of the process, as the locale is */

void unicode_begin(void)
{
    is_shown = setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
    if (!is_shown)
        (void)setlocale(LC_CTYPE, "C.UTF-8");
}

bool unicode_is_shown(void)
{
    return is_shown;
}
