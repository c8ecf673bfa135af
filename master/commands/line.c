/* line.c - see line.h. */
#include "master/commands/line.h"

#include "common/input.h"
#include "common/number.h"
#include "protocol/scheduler_master.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 64

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool line_has_more(struct line *self)
{
    while (is_blank(*self->at))
        self->at++;
    return *self->at != '\0';
}

const char *line_word(struct line *self)
{
    self->word = "";
    if (!line_has_more(self))
        return self->word;
    self->word = self->at;
    while (*self->at && !is_blank(*self->at))
        self->at++;
    if (*self->at)
        *self->at++ = '\0';
    return self->word;
}

int line_complain(const struct line *self, const char *expected)
{
    char shown[64];

    (void)input_printable(shown, sizeof(shown), self->word, strlen(self->word));
    if (!*self->word)
        return error_set(self->error, "%s:%" PRId64 ": expected %s, found the end of the line",
                         self->path, self->number, expected);
    return error_set(self->error, "%s:%" PRId64 ": expected %s, found \"%s\"", self->path,
                     self->number, expected, shown);
}

int line_whole(struct line *self, const char *what, int64_t min, int64_t max, int64_t *number)
{
    const char *word = line_word(self);
    char expected[128];

    if (number_parse_whole(word, strlen(word), min, max, number) == NUMBER_OK)
        return 0;
    (void)snprintf(expected, sizeof(expected), "%s, from %" PRId64 " to %" PRId64, what, min, max);
    return line_complain(self, expected);
}

int line_small(struct line *self, const char *what, int32_t min, int32_t max, int32_t *number)
{
    int64_t wide;

    if (line_whole(self, what, min, max, &wide) < 0)
        return -1;
    *number = (int32_t)wide;
    return 0;
}

static bool is_name(const char *word, const char *others)
{
    for (const char *at = word; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') &&
            !(*at >= '0' && *at <= '9') && !strchr(others, *at))
            return false;
    return *word && strlen(word) <= NAME_MAX_BYTES;
}

int line_name(struct line *self, const char *what, const char *others, const char **name)
{
    const char *word = line_word(self);

    if (!is_name(word, others))
        return line_complain(self, what);
    *name = arena_text(self->arena, word, strlen(word));
    return 0;
}

int line_end(struct line *self)
{
    (void)line_word(self);
    return *self->word ? line_complain(self, "the end of the line") : 0;
}

int line_ranks(struct line *self, int32_t **ranks, size_t *count)
{
    int32_t *found = NULL;
    size_t capacity = 0;
    int status = 0;

    *count = 0;
    while (status == 0 && line_has_more(self)) {
        int32_t rank = 0;

        status = line_small(self, "the rank of a GPU", 0, RANKS_MAX - 1, &rank);
        found = grow_array(found, *count, &capacity, sizeof(*found));
        found[(*count)++] = rank;
    }
    *ranks = arena_alloc(self->arena, (*count + 1) * sizeof(*found));
    if (found)
        memcpy(*ranks, found, *count * sizeof(*found));
    free(found);
    return status;
}
