/* record_reader.h - reads a record step by step, see record.h. All values are checked against the
 * limits of traces, tables and cluster specs. */
#ifndef RECORD_RECORD_READER_H
#define RECORD_RECORD_READER_H

#include "scheduler/record/record.h"

#include <stddef.h>

/* One occurrence, or some that are as the engine expects them. */
struct recorded {
    struct occurrence occurrence;
    size_t first; /* index of the first occurrence among those that the engine expects */
    size_t count; /* number of expected occurrences; 0 for an occurrence of its own */
};

struct recorded_step {
    int64_t number; /* from 1 */
    int64_t now_s;
    const struct recorded *items;
    size_t count;
    bool by_clock;
    const char *decision; /* lines of the decision */
    size_t decision_bytes;
    int64_t decision_line; /* line of the file at which the decision begins */
};

typedef struct record_reader record_reader_t;

/* Opens a record and reads its setting. NULL with `error`. */
record_reader_t *record_reader_open(const char *path, struct error *error);
void record_reader_close(record_reader_t **self);

int64_t record_reader_version(const record_reader_t *self);

/* Lent, as all submissions are, until record_reader_close. */
const struct record_setting *record_reader_setting(const record_reader_t *self);

/* The next step, lent until the next call. 1; 0 at the end; -1 with `error` where the record is
 * damaged or breaks off. */
int record_reader_next(record_reader_t *self, struct recorded_step *step, struct error *error);

/* After the end: how the run ended, and why if it failed. */
enum record_end record_reader_end(const record_reader_t *self, const char **why);

#endif
