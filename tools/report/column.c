/* column.c - see column.h. */
#include "tools/report/column.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes the one to three bytes held as four digits. */
static void flush(struct page_column *self)
{
    const uint32_t bits =
        (uint32_t)self->group[0] << 16 | (uint32_t)self->group[1] << 8 | self->group[2];

    for (size_t i = 0; i < 4; i++)
        output_bytes(self->out, i > self->held ? "=" : &digits[bits >> (18 - 6 * i) & 63], 1);
    memset(self->group, 0, sizeof(self->group));
    self->held = 0;
}

static void add_byte(struct page_column *self, unsigned char byte)
{
    self->group[self->held++] = byte;
    if (self->held == sizeof(self->group))
        flush(self);
}

void column_begin(struct page_column *self, output_t *out, size_t run, const char *name,
                  size_t count)
{
    *self = (struct page_column){.out = out};
    output_format(out,
                  "<script type=\"text/plain\" data-run=\"%zu\" data-column=\"%s\" "
                  "data-count=\"%zu\">",
                  run, name, count);
}

void column_add(struct page_column *self, int64_t number)
{
    const int64_t difference = number - self->last;
    uint64_t rest = (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0);

    for (; rest > 127; rest >>= 7)
        add_byte(self, (unsigned char)(rest & 127) | 128);
    add_byte(self, (unsigned char)rest);
    self->last = number;
}

void column_end(struct page_column *self)
{
    if (self->held > 0)
        flush(self);
    output_text(self->out, "</script>\n");
}
