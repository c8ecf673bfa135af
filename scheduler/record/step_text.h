/* step_text.h - writes a step of the engine as lines of text: rows of throughput tables and
 * occurrences, see record.h. Progress that is as the engine expects it is one line. */
#ifndef RECORD_STEP_TEXT_H
#define RECORD_STEP_TEXT_H

#include "scheduler/engine/engine.h"
#include "scheduler/record/text.h"

/* Remembers the rows that have a number. */
typedef struct step_text step_text_t;

step_text_t *step_text_new(int pool_count) __attribute__((returns_nonnull));
void step_text_destroy(step_text_t **self);

/* A new one with the same rows. */
step_text_t *step_text_copy(const step_text_t *other) __attribute__((returns_nonnull));

/* Appends the lines of all rows that have a number. */
void step_text_write_rows(step_text_t *self, struct text *text);

/* Appends the lines of the occurrences that `engine` is about to be told, and returns a copy that
 * the caller must pass to the engine, lent until the next call. */
const struct occurrence *step_text_write(step_text_t *self, engine_t *engine, int64_t now_s,
                                         const struct occurrence occurrences[], size_t count,
                                         struct text *text);

/* Gives `row`, which must last as long as written rows, the next number: an earlier step has
 * written the row. */
void step_text_know(step_text_t *self, const struct throughput_row *row);

/* step_text_rows: the number of rows with a number. step_text_forget: back to `rows` rows, after a
 * step that was not kept. */
size_t step_text_rows(const step_text_t *self);
void step_text_forget(step_text_t *self, size_t rows);

#endif
