/* step_text.c - see step_text.h. */
#include "scheduler/record/step_text.h"

#include "common/memory.h"
#include "scheduler/record/occurrence_lines.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct step_text {
    struct text *text; /* lent while a step is written */
    int pool_count;
    const struct throughput_row **rows; /* by the number of the row in the text */
    size_t row_count;
    size_t row_room;
    struct occurrence *heard; /* a copy, as engine_expect overwrites its own array */
    size_t heard_room;
};

/* ---- rows ---- */

static bool is_same_row(const struct throughput_row *a, const struct throughput_row *b)
{
    if (a->batch_size != b->batch_size || a->level_count != b->level_count ||
        strcmp(a->model, b->model) != 0)
        return false;
    for (int i = 0; i < a->level_count; i++)
        if (a->gpus[i] != b->gpus[i] || a->marked_nan[i] != b->marked_nan[i] ||
            !text_real_is_same(a->iters_per_s[i], b->iters_per_s[i]))
            return false;
    return true;
}

/* The number of `row`, or the next free number. */
static size_t find_row(const step_text_t *self, const struct throughput_row *row)
{
    size_t number = 0;

    while (number < self->row_count && self->rows[number] != row)
        number++;
    if (number < self->row_count)
        return number;
    number = 0;
    while (number < self->row_count && !is_same_row(self->rows[number], row))
        number++;
    return number;
}

void step_text_know(step_text_t *self, const struct throughput_row *row)
{
    self->rows = grow_array(self->rows, self->row_count, &self->row_room, sizeof(*self->rows));
    self->rows[self->row_count++] = row;
}

/* The number of `row`. A row that has none gets one, and a line. */
static size_t name_row(step_text_t *self, const struct throughput_row *row)
{
    const size_t number = find_row(self, row);

    if (number < self->row_count)
        return number;
    step_text_know(self, row);
    row_write(row, number, self->text);
    return number;
}

void step_text_write_rows(step_text_t *self, struct text *text)
{
    for (size_t i = 0; i < self->row_count; i++)
        row_write(self->rows[i], i, text);
}

/* The numbers of the rows of the job. Rows without a number get one, and a line. */
static struct row_numbers name_rows(step_text_t *self, const struct submission *job)
{
    struct row_numbers numbers = {.row = ROW_NONE, .pool_count = self->pool_count};

    if (job->throughput)
        numbers.row = (int64_t)name_row(self, job->throughput);
    numbers.by_pool = job->pool_rows != NULL;
    for (int i = 0; job->pool_rows && i < CLUSTER_POOLS_MAX; i++)
        numbers.of[i] =
            job->pool_rows->of[i] ? (int64_t)name_row(self, job->pool_rows->of[i]) : ROW_NONE;
    return numbers;
}

static void write_occurrence(step_text_t *self, const struct occurrence *occurrence)
{
    const struct recorded recorded = {.occurrence = *occurrence};
    struct row_numbers numbers = {.row = ROW_NONE};

    if (occurrence->submission)
        numbers = name_rows(self, occurrence->submission);
    occurrence_write(&recorded, &numbers, self->text);
}

/* ---- progress that is as expected ---- */

static bool is_as_expected(const struct occurrence *heard, const struct occurrence *expected)
{
    const struct progress *a = &heard->progress;
    const struct progress *b = &expected->progress;

    return heard->kind == OCCURRENCE_PROGRESS && heard->job == expected->job && !heard->deviates &&
           !heard->cause && heard->end == WORK_END_WHOLE &&
           text_real_is_same(heard->pace, expected->pace) &&
           text_real_is_same(a->iterations, b->iterations) && a->worked_s == b->worked_s &&
           a->iterations_done == b->iterations_done && a->done == b->done &&
           a->ended_s == b->ended_s && text_real_is_same(a->early_s, b->early_s);
}

static bool brings_progress(const struct occurrence occurrences[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (occurrences[i].kind == OCCURRENCE_PROGRESS)
            return true;
    return false;
}

/* The progress that the engine expects; none if the engine cannot expect any. */
static size_t expect(engine_t *engine, int64_t now_s, const struct occurrence heard[], size_t count,
                     struct occurrence **expected)
{
    struct error ignored;
    long result = 0;

    if (brings_progress(heard, count))
        result = engine_expect(engine, now_s, expected, &ignored);
    return result > 0 ? (size_t)result : 0;
}

/* How many of `heard` are as expected, from the first on. */
static size_t count_expected(const struct occurrence heard[], size_t count,
                             const struct occurrence expected[], size_t expected_count)
{
    size_t same = 0;

    while (same < count && same < expected_count && is_as_expected(&heard[same], &expected[same]))
        same++;
    return same;
}

static void write_expected(struct text *text, size_t first, size_t count)
{
    const struct recorded recorded = {
        .occurrence = {.kind = OCCURRENCE_PROGRESS}, .first = first, .count = count};

    occurrence_write(&recorded, NULL, text);
}

/* The occurrences that the engine is told, and those that it expects. */
struct told {
    const struct occurrence *heard;
    size_t count;
    const struct occurrence *expected;
    size_t expected_count;
    size_t next; /* index in `expected`: progress comes in that order */
};

/* Writes a line for all occurrences from `at` on that are as expected. Returns their number. */
static size_t write_as_expected(step_text_t *self, struct told *told, size_t at)
{
    size_t first = told->next;
    size_t same;

    if (told->heard[at].kind != OCCURRENCE_PROGRESS)
        return 0;
    while (first < told->expected_count && told->expected[first].job != told->heard[at].job)
        first++;
    if (first == told->expected_count)
        return 0;
    same = count_expected(told->heard + at, told->count - at, told->expected + first,
                          told->expected_count - first);
    told->next = first + same;
    if (same > 0)
        write_expected(self->text, first, same);
    return same;
}

static void write_occurrences(step_text_t *self, struct told *told)
{
    for (size_t i = 0; i < told->count;) {
        const size_t same = write_as_expected(self, told, i);

        if (same == 0)
            write_occurrence(self, &told->heard[i]);
        i += same > 0 ? same : 1;
    }
}

static void copy(step_text_t *self, const struct occurrence occurrences[], size_t count)
{
    if (count > self->heard_room) {
        self->heard_room = 2 * count;
        self->heard = xrealloc(self->heard, self->heard_room * sizeof(*self->heard));
    }
    if (count > 0)
        memcpy(self->heard, occurrences, count * sizeof(*self->heard));
}

const struct occurrence *step_text_write(step_text_t *self, engine_t *engine, int64_t now_s,
                                         const struct occurrence occurrences[], size_t count,
                                         struct text *text)
{
    struct occurrence *expected = NULL;
    struct told told = {.count = count};

    copy(self, occurrences, count);
    told.expected_count = expect(engine, now_s, self->heard, count, &expected);
    told.heard = self->heard;
    told.expected = expected;
    self->text = text;
    write_occurrences(self, &told);
    return self->heard;
}

size_t step_text_rows(const step_text_t *self)
{
    return self->row_count;
}

void step_text_forget(step_text_t *self, size_t rows)
{
    assert(rows <= self->row_count);
    self->row_count = rows;
}

/* ---- life ---- */

step_text_t *step_text_new(int pool_count)
{
    step_text_t *self = xcalloc(1, sizeof(*self));

    self->pool_count = pool_count;
    return self;
}

step_text_t *step_text_copy(const step_text_t *other)
{
    step_text_t *self = step_text_new(other->pool_count);

    for (size_t i = 0; i < other->row_count; i++)
        step_text_know(self, other->rows[i]);
    return self;
}

void step_text_destroy(step_text_t **self)
{
    if (!*self)
        return;
    free((*self)->rows);
    free((*self)->heard);
    free(*self);
    *self = NULL;
}
