/* story.c - see story.h. */
#include "tools/local/story.h"

#include <stdio.h>
#include <string.h>

#define VALUE_BYTES 1024

/* The sentence for each event. The line's value of `key` replaces {key}. The number of GPUs
 * replaces {}. */
static const struct {
    const char *event;
    const char *sentence;
} stories[] = {
    {"plan", "at {at} s, round {round}: {jobs} running on {gpus} of {} GPUs, {accepted} accepted, "
             "{declined} declined, {settled} of {of} settled"},
    {"admitted", "at {at} s: job {name} is admitted"},
    {"declined", "at {at} s: job {name} is declined"},
    {"retired", "at {at} s: job {name} has ended"},
    {"withdrawn", "at {at} s: the promise of job {name} is withdrawn: {cause}"},
    {"slips", "at {at} s: job {name} is not expected to be in time any more: {cause}"},
    {"at-risk", "at {at} s: the promise of job {name} is at risk: {cause}"},
    {"falls", "at {at} s: the promise of job {name} falls: {cause}"},
    {"held", "at {at} s: job {name} is not tried again: {cause}"},
    {"behind", "at {at} s: {cause}"},
    {"node-down", "at {at} s: {cause}"},
    {"node-up", "at {at} s: {cause}"},
    {"up", "the cluster is up: {gpus} GPUs, nodes: {nodes}"},
    {"master-gone", "the master is gone: {cause}"},
};

/* Copies the value at `at`, up to a blank or, of a quoted value, up to the closing quote. Only
 * escaped quotes and backslashes are unescaped, because a terminal would obey the characters of
 * other escapes. */
static void copy_value(const char *at, char *value, size_t size)
{
    const bool quoted = *at == '"';
    size_t used = 0;

    at += quoted;
    while (*at && used + 1 < size && (quoted ? *at != '"' : *at != ' ')) {
        if (quoted && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        value[used++] = *at++;
    }
    value[used] = '\0';
}

/* The text after the word and the blanks that follow. */
static const char *skip_word(const char *at)
{
    bool quoted = false;

    for (; *at && (quoted || *at != ' '); at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
    }
    return at + strspn(at, " ");
}

bool story_value(const char *line, const char *key, char *value, size_t size)
{
    const size_t length = strlen(key);

    for (const char *at = line; *at; at = skip_word(at)) {
        if (strncmp(at, key, length) != 0 || at[length] != '=')
            continue;
        copy_value(at + length + 1, value, size);
        return true;
    }
    value[0] = '\0';
    return false;
}

bool story_is(const char *line, const char *event)
{
    char value[VALUE_BYTES];

    return story_value(line, "event", value, sizeof(value)) && !strcmp(value, event);
}

static void fill_in(const char *sentence, const char *line, int gpus, char *told, size_t size)
{
    size_t used = 0;
    char key[32];
    char value[VALUE_BYTES];

    while (*sentence && used + 1 < size) {
        size_t length = strcspn(sentence, "{");
        int printed;

        printed = snprintf(told + used, size - used, "%.*s", (int)length, sentence);
        used += (size_t)printed;
        sentence += length;
        if (*sentence != '{' || used >= size)
            continue;
        length = strcspn(++sentence, "}");
        (void)snprintf(key, sizeof(key), "%.*s", (int)length, sentence);
        sentence += length + 1;
        if (*key)
            (void)story_value(line, key, value, sizeof(value));
        else
            (void)snprintf(value, sizeof(value), "%d", gpus);
        printed = snprintf(told + used, size - used, "%s", value);
        used += (size_t)printed;
    }
}

bool story_tell(const char *line, int gpus, char *told, size_t size)
{
    char event[VALUE_BYTES];

    told[0] = '\0';
    if (!story_value(line, "event", event, sizeof(event)))
        return false;
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        if (strcmp(event, stories[i].event) != 0)
            continue;
        fill_in(stories[i].sentence, line, gpus, told, size);
        return true;
    }
    return false;
}
