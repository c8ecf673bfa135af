/* input_text.c - which bytes of an input are text, and may be shown; see input.h. */
#include "common/input.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* The number of bytes of the character that starts at `text`, in shortest form and no surrogate;
 * 0 if the bytes are no such character. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    const unsigned char lead = text[0];
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return bytes;
}

void input_mend_utf8(char *text, size_t length)
{
    size_t valid = 0;

    while ((valid += input_valid_utf8(text + valid, length - valid)) < length)
        text[valid] = '?';
}

size_t input_valid_utf8(const char *text, size_t length)
{
    size_t valid = 0;

    while (valid < length) {
        const size_t bytes = character_bytes((const unsigned char *)text + valid, length - valid);

        if (bytes == 0)
            break;
        valid += bytes;
    }
    return valid;
}

/* Harmful characters: C0 and DEL, C1, and Unicode's line ends, marks and overrides of direction. */
static bool is_harmful(const unsigned char *c, size_t bytes)
{
    if (bytes == 1)
        return c[0] < ' ' || c[0] == 0x7f;
    if (bytes == 2)
        return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c);
    if (bytes != 3 || c[0] != 0xe2)
        return false;
    return (c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
           (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

size_t input_printable(char *shown, size_t size, const char *text, size_t length)
{
    size_t from = 0;
    size_t to = 0;

    assert(size > 0);
    while (from < length) {
        const unsigned char *c = (const unsigned char *)text + from;
        const size_t bytes = character_bytes(c, length - from);
        const bool shows = bytes > 0 && !is_harmful(c, bytes);
        const size_t needed = shows ? bytes : 1;

        if (to + needed >= size)
            break;
        if (shows)
            memcpy(shown + to, c, bytes);
        else
            shown[to] = '?';
        from += bytes > 0 ? bytes : 1;
        to += needed;
    }
    shown[to] = '\0';
    return from;
}

/* A character of at most three bytes, as all that are harmful are. */
static uint32_t code_point(const unsigned char *c, size_t bytes)
{
    if (bytes == 1)
        return c[0];
    if (bytes == 2)
        return (c[0] & 0x1fU) << 6 | (c[1] & 0x3fU);
    return (c[0] & 0x0fU) << 12 | (c[1] & 0x3fU) << 6 | (c[2] & 0x3fU);
}

void input_show(const char *text, size_t length, FILE *out)
{
    size_t plain = 0; /* from here on nothing is written yet, and nothing is harmful */
    size_t at = 0;

    while (at < length) {
        const unsigned char *c = (const unsigned char *)text + at;
        const size_t bytes = character_bytes(c, length - at);

        if (bytes > 0 && (!is_harmful(c, bytes) || *c == '\n' || *c == '\t')) {
            at += bytes;
            continue;
        }
        (void)fwrite(text + plain, 1, at - plain, out);
        if (bytes > 0)
            (void)fprintf(out, "\\u%04x", (unsigned)code_point(c, bytes));
        else
            (void)fprintf(out, "\\x%02x", *c);
        at += bytes > 0 ? bytes : 1;
        plain = at;
    }
    (void)fwrite(text + plain, 1, length - plain, out);
}
