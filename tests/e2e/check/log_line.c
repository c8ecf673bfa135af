/* log_line.c - see log_line.h. Written from the layout alone: nothing here comes from who writes
 * the lines. */
#include "tests/e2e/check/log_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WALL_TIME "dddd-dd-ddTdd:dd:dd.ddddddZ " /* d: any digit */

bool log_line_looks_like(const char *text)
{
    const char *pattern = WALL_TIME;

    for (; *pattern; pattern++, text++)
        if (*pattern == 'd' ? !isdigit((unsigned char)*text) : *text != *pattern)
            return false;
    return true;
}

static bool parse_whole(const char *text, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return *text != '\0' && *end == '\0' && errno == 0;
}

/* "5123.456789", ended with a blank, in microseconds; NULL if it is no such thing. */
static const char *read_stamp(const char *text, int64_t *stamp_us)
{
    char *end;
    const char *micros;

    *stamp_us = strtoll(text, &end, 10) * 1000000;
    if (end == text || *end != '.')
        return NULL;
    micros = end + 1;
    *stamp_us += strtoll(micros, &end, 10);
    return end == micros + 6 && *end == ' ' ? end + 1 : NULL;
}

static int hex_digits(const char *text)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        const char *found = text[i] ? strchr(digits, tolower((unsigned char)text[i])) : NULL;

        if (!found)
            return -1;
        value = 16 * value + (int)(found - digits);
    }
    return value;
}

static char plain_escape(char c)
{
    const char *const from = "\"\\/bfnrt";
    const char to[] = {'"', '\\', '/', '\b', '\f', '\n', '\r', '\t'};
    const char *found = c ? strchr(from, c) : NULL;

    if (!found)
        return '\0';
    return to[found - from];
}

/* Reads a value in quotes into `value`, which has room for all of it; NULL if it does not end.
 * Escaped characters beyond ASCII, which no rule looks at, become '?'. */
static const char *read_quoted(const char *text, char *value)
{
    for (text++; *text != '"'; text++) {
        if (*text == '\0')
            return NULL;
        if (*text != '\\') {
            *value++ = *text;
        } else if (text[1] == 'u') {
            const int code = hex_digits(text + 2);

            if (code < 0)
                return NULL;
            *value++ = (char)(code > 0 && code < 128 ? code : '?');
            text += 5;
        } else {
            text++;
            if (!plain_escape(*text))
                return NULL;
            *value++ = plain_escape(*text);
        }
    }
    *value = '\0';
    return text + 1;
}

/* One word `key=value` and the blank behind it; NULL if it is none. */
static const char *read_word(const char *text, arena_t *arena, struct log_word *word)
{
    const size_t key_length = strcspn(text, "= ");
    const char *from = text + key_length + 1;
    const char *end;

    if (key_length == 0 || text[key_length] != '=')
        return NULL;
    word->key = arena_text(arena, text, key_length);
    if (*from == '"') {
        char *value = arena_alloc(arena, strlen(from) + 1);

        word->value = value;
        end = read_quoted(from, value);
    } else {
        const size_t length = strcspn(from, " ");

        word->value = arena_text(arena, from, length);
        end = from + length;
    }
    if (!end || (*end != ' ' && *end != '\0'))
        return NULL;
    return *end == ' ' ? end + 1 : end;
}

/* "program:name " or "program ". */
static const char *read_source(const char *text, arena_t *arena, struct log_line *line)
{
    const size_t length = strcspn(text, " ");
    const char *colon = memchr(text, ':', length);

    if (length == 0 || text[length] != ' ')
        return NULL;
    line->program = arena_text(arena, text, colon ? (size_t)(colon - text) : length);
    line->name = colon ? arena_text(arena, colon + 1, (size_t)(text + length - colon - 1)) : "";
    return text + length + 1;
}

/* "job=7 ": -1 for "job=-". */
static const char *read_subject(const char *text, const char *key, arena_t *arena, int64_t *value)
{
    struct log_word word;

    text = read_word(text, arena, &word);
    if (!text || strcmp(word.key, key) != 0)
        return NULL;
    *value = -1;
    if (strcmp(word.value, "-") != 0 && !parse_whole(word.value, value))
        return NULL;
    return text;
}

/* "run=3fa2c1 ", if it is there: jobs of two runs are two jobs. */
static const char *read_run(const char *text, arena_t *arena, struct log_line *line)
{
    struct log_word word;
    const char *rest = *text ? read_word(text, arena, &word) : NULL;

    if (!rest || strcmp(word.key, "run") != 0)
        return text;
    line->job |= (int64_t)strtoull(word.value, NULL, 16) << 32;
    return rest;
}

static const char *read_head(const char *text, arena_t *arena, struct log_line *line)
{
    struct log_word event;

    text = read_stamp(text + strlen(WALL_TIME), &line->stamp_us);
    text = text ? read_source(text, arena, line) : NULL;
    text = text ? read_word(text, arena, &event) : NULL;
    if (!text || strcmp(event.key, "event") != 0)
        return NULL;
    line->event = event.value;
    text = read_subject(text, "job", arena, &line->job);
    text = text ? read_subject(text, "incarnation", arena, &line->incarnation) : NULL;
    text = text ? read_subject(text, "node", arena, &line->node) : NULL;
    text = text ? read_subject(text, "gpu", arena, &line->gpu) : NULL;
    return text ? read_run(text, arena, line) : NULL;
}

static size_t words_at_most(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '=';
    return count;
}

int log_line_read(const char *text, arena_t *arena, struct log_line *line, struct error *error)
{
    if (!log_line_looks_like(text))
        return error_set(error, "it does not begin with a time");
    text = read_head(text, arena, line);
    if (!text)
        return error_set(error, "expected stamp, program, event, job, incarnation, node and gpu");
    line->word_count = 0;
    line->words = arena_alloc(arena, (words_at_most(text) + 1) * sizeof(*line->words));
    while (*text) {
        const char *rest = read_word(text, arena, &line->words[line->word_count]);

        if (!rest)
            return error_set(error, "expected key=value at \"%s\"", text);
        line->word_count++;
        text = rest;
    }
    return 0;
}

const char *log_line_text(const struct log_line *line, const char *key)
{
    for (size_t i = 0; i < line->word_count; i++)
        if (strcmp(line->words[i].key, key) == 0)
            return line->words[i].value;
    return NULL;
}

int64_t log_line_whole(const struct log_line *line, const char *key, int64_t otherwise)
{
    const char *text = log_line_text(line, key);
    int64_t value;

    return text && parse_whole(text, &value) ? value : otherwise;
}

bool log_line_is(const struct log_line *line, const char *program, const char *event)
{
    return strcmp(line->program, program) == 0 && strcmp(line->event, event) == 0;
}
