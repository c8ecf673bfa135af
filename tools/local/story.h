/* story.h - turns lines of the scheduler's log into sentences for a user at a terminal. */
#ifndef LOCAL_STORY_H
#define LOCAL_STORY_H

#include <stdbool.h>
#include <stddef.h>

/* The value of `key` in a line of common/log.h, without its quotes. Returns false and sets "" if
 * the line has no such key. */
bool story_value(const char *line, const char *key, char *value, size_t size);

/* Whether the line is about `event`. */
bool story_is(const char *line, const char *event);

/* Writes the sentence for `line`, without a newline, on a cluster of `gpus` GPUs. False if users
 * need not see the line. */
bool story_tell(const char *line, int gpus, char *told, size_t size);

#endif
