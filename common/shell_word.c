/* shell_word.c - see shell_word.h. */
#include "common/shell_word.h"

#include <string.h>

void shell_word_print(const char *text, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./,:=+@%";

    if (*text && text[strspn(text, plain)] == '\0') {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*text, out);
    (void)fputc('\'', out);
}
