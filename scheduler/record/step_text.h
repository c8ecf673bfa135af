/* step_text.h - what the engine is told in a step as lines of text: rows of throughput tables and
 * occurrences, see record.h. Progress that is as the engine expects it is one line. */
#ifndef RECORD_STEP_TEXT_H
#define RECORD_STEP_TEXT_H

#include "scheduler/engine/engine.h"
#include "scheduler/record/text.h"

/* Remembers the rows that have a number. */
typedef struct step_text step_text_t;

step_text_t *step_text_new(int pool_count) __attribute__((returns_nonnull));
void step_text_destroy(step_text_t **self);

/* One that remembers the same rows. */
step_text_t *step_text_copy(const step_text_t *other) __attribute__((returns_nonnull));

/* Appends the lines of all rows that have a number. */
void step_text_write_rows(step_text_t *self, struct text *text);

/* Appends the lines of what `engine` is about to be told. It is to be told the occurrences that
 * this returns, a copy that is lent until the next call. */
const struct occurrence *step_text_write(step_text_t *self, engine_t *engine, int64_t now_s,
                                         const struct occurrence occurrences[], size_t count,
                                         struct text *text);

/* `row`, which has to last as all that are written, has the next number: a step before tells. */
void step_text_know(step_text_t *self, const struct throughput_row *row);

/* How many rows have a number; and back to so many: a step was written for nothing. */
size_t step_text_rows(const step_text_t *self);
void step_text_forget(step_text_t *self, size_t rows);

#endif
