/* step_text.c - see step_text.h. */
#include "scheduler/record/step_text.h"

#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct step_text {
    struct text *text; /* lent while a step is written */
    int pool_count;
    const struct throughput_row **rows; /* by the number that they have in the text */
    size_t row_count;
    size_t row_room;
    struct occurrence *heard; /* a copy: engine_expect overwrites its own */
    size_t heard_room;
};

/* ---- the lines ---- */

static void write_rates(struct text *text, const struct throughput_row *row)
{
    text_word(text, " rates=");
    for (int i = 0; i < row->level_count; i++) {
        text_word(text, i > 0 ? "," : "");
        text_whole(text, row->gpus[i]);
        text_word(text, ":");
        if (!isnan(row->iters_per_s[i]))
            text_real(text, row->iters_per_s[i]);
        else
            text_word(text, row->marked_nan[i] ? "nan" : "-");
    }
}

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

/* The number that `row` has, or the next one. */
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

static void write_row(struct text *text, size_t number, const struct throughput_row *row)
{
    text_word(text, "row ");
    text_number(text, number);
    text_key_quoted(text, "model", row->model);
    text_key_whole(text, "batch", row->batch_size);
    write_rates(text, row);
    text_word(text, "\n");
}

/* The number of `row`, with a line of its own when it is first named. */
static size_t name_row(step_text_t *self, const struct throughput_row *row)
{
    const size_t number = find_row(self, row);

    if (number < self->row_count)
        return number;
    step_text_know(self, row);
    write_row(self->text, number, row);
    return number;
}

void step_text_write_rows(step_text_t *self, struct text *text)
{
    for (size_t i = 0; i < self->row_count; i++)
        write_row(text, i, self->rows[i]);
}

static void write_levels(struct text *text, const struct submission *submission)
{
    text_word(text, submission->level_count > 0 ? " levels=" : " levels=-");
    for (size_t i = 0; i < submission->level_count; i++) {
        text_word(text, i > 0 ? "," : "");
        text_whole(text, submission->levels[i].deadline_s);
        text_word(text, ":");
        text_whole(text, submission->levels[i].value);
    }
}

static void write_parents(struct text *text, const struct submission *submission)
{
    static const char *const ends[] = {
        [PARENT_OPEN] = "", [PARENT_DONE] = " done", [PARENT_LOST] = " lost"};

    for (size_t i = 0; i < submission->parent_count; i++) {
        const struct parent *parent = &submission->parents[i];

        text_key_number(text, "after", parent->number);
        text_key_quoted(text, "id", parent->id);
        text_word(text, parent->any ? " any" : "");
        text_word(text, ends[parent->end]);
    }
}

static void begin(struct text *text, const char *what, uint64_t job)
{
    text_word(text, "< ");
    text_word(text, what);
    text_word(text, " ");
    text_number(text, job);
}

static void name_rows(step_text_t *self, const struct pool_rows *rows)
{
    for (int i = 0; i < CLUSTER_POOLS_MAX; i++)
        if (rows->of[i])
            (void)name_row(self, rows->of[i]);
}

static void write_rows(step_text_t *self, const struct pool_rows *rows)
{
    text_word(self->text, " rows=");
    for (int i = 0; i < self->pool_count; i++) {
        text_word(self->text, i > 0 ? "," : "");
        if (rows->of[i])
            text_number(self->text, name_row(self, rows->of[i]));
        else
            text_word(self->text, "-");
    }
}

static void write_shares(struct text *text, const struct submission *submission)
{
    for (size_t i = 0; i < submission->share_count; i++) {
        text_key_quoted(text, "share", submission->shares[i].name);
        text_key_real(text, "of", submission->shares[i].of);
        text_key_whole(text, "horizon", submission->shares[i].horizon_s);
    }
}

static void write_submission(step_text_t *self, const char *what,
                             const struct submission *submission)
{
    const size_t row = submission->throughput ? name_row(self, submission->throughput) : 0;
    struct text *text = self->text;

    if (submission->pool_rows)
        name_rows(self, submission->pool_rows);

    begin(text, what, submission->number);
    text_key_quoted(text, "id", submission->id);
    text_word(text, submission->best_effort ? " best-effort" : "");
    text_word(text, submission->promise_or_decline ? " promise-or-decline" : "");
    if (submission->confidence != CONFIDENCE_AS_SET)
        text_key_real(text, "confidence", submission->confidence);
    text_key_quoted(text, "model", submission->model);
    text_key_whole(text, "batch", submission->batch_size);
    if (submission->throughput)
        text_key_number(text, "row", row);
    if (submission->pool_rows)
        write_rows(self, submission->pool_rows);
    text_key_whole(text, "submit", submission->submit_s);
    text_key_time(text, "deadline", submission->deadline_s);
    text_key_whole(text, "iterations", submission->iterations);
    if (submission->iterations_done > 0)
        text_key_whole(text, "done", submission->iterations_done);
    if (submission_is_quote(submission))
        text_key_whole(text, "quoted", submission->quoted_until_s);
    text_key_whole(text, "gpus", submission->gpus_requested);
    text_key_whole(text, "duration", submission->duration_s);
    text_key_whole(text, "line", submission->line);
    write_shares(text, submission);
    write_parents(text, submission);
    write_levels(text, submission);
}

static void write_cause(struct text *text, const struct occurrence *occurrence)
{
    if (occurrence->cause)
        text_key_quoted(text, "cause", occurrence->cause);
}

static void write_end(struct text *text, const struct occurrence *occurrence)
{
    if (occurrence->end != WORK_END_WHOLE)
        text_key_whole(text, occurrence->end == WORK_END_TOLD ? "reached" : "guessed",
                       occurrence->reached);
}

static void write_progress(struct text *text, const struct occurrence *occurrence)
{
    const struct progress *progress = &occurrence->progress;

    begin(text, "progress", occurrence->job);
    text_key_real(text, "iterations", progress->iterations);
    text_key_whole(text, "worked", progress->worked_s);
    text_key_real(text, "pace", occurrence->pace);
    text_key_whole(text, "ended", progress->ended_s);
    text_key_real(text, "early", progress->early_s);
    text_word(text, progress->iterations_done ? " iterations-done" : "");
    text_word(text, progress->done ? " done" : "");
    text_word(text, occurrence->deviates ? " deviates" : "");
    write_end(text, occurrence);
    write_cause(text, occurrence);
}

static void write_node(struct text *text, const char *what, const struct occurrence *occurrence)
{
    begin(text, what, (uint64_t)occurrence->node);
    text_key_time(text, "until", occurrence->until_s);
    if (occurrence->gpus > 0)
        text_key_whole(text, "gpus", occurrence->gpus);
    write_cause(text, occurrence);
}

static void write_occurrence(step_text_t *self, const struct occurrence *occurrence)
{
    struct text *text = self->text;

    switch (occurrence->kind) {
    case OCCURRENCE_SUBMITTED:
        write_submission(self, "submitted", occurrence->submission);
        break;
    case OCCURRENCE_TAKEN:
        write_submission(self, "taken", occurrence->submission);
        break;
    case OCCURRENCE_CANCELLED:
        begin(text, "cancelled", occurrence->job);
        write_cause(text, occurrence);
        break;
    case OCCURRENCE_SUSPENDED:
        begin(text, "suspended", occurrence->job);
        write_cause(text, occurrence);
        break;
    case OCCURRENCE_EXPECTED:
        text_word(text, "< as-expected");
        break;
    case OCCURRENCE_PROGRESS:
        write_progress(text, occurrence);
        break;
    case OCCURRENCE_PAID:
        begin(text, "paid", occurrence->job);
        text_key_whole(text, "overhead", occurrence->overhead_s);
        break;
    case OCCURRENCE_FAILED:
        begin(text, "failed", occurrence->job);
        write_cause(text, occurrence);
        break;
    case OCCURRENCE_NODE_UP:
        write_node(text, "node-up", occurrence);
        break;
    case OCCURRENCE_NODE_DRAINING:
        write_node(text, "node-draining", occurrence);
        break;
    case OCCURRENCE_NODE_GONE:
        write_node(text, "node-gone", occurrence);
        break;
    case OCCURRENCE_TIMER:
        text_word(text, "< timer");
        break;
    }
    text_word(text, "\n");
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

/* The expected progress, or nothing where the engine cannot expect any. */
static size_t expect(engine_t *engine, int64_t now_s, const struct occurrence heard[], size_t count,
                     struct occurrence **expected)
{
    struct error ignored;
    long result = 0;

    if (brings_progress(heard, count))
        result = engine_expect(engine, now_s, expected, &ignored);
    return result > 0 ? (size_t)result : 0;
}

/* How many of `heard` in a row are as expected. */
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
    text_word(text, "< expected");
    text_key_number(text, "first", first);
    text_key_number(text, "count", count);
    text_word(text, "\n");
}

/* The occurrences that the engine is about to be told, and those that it expects. */
struct told {
    const struct occurrence *heard;
    size_t count;
    const struct occurrence *expected;
    size_t expected_count;
    size_t next; /* of those expected: progress comes in their order */
};

/* Writes as many from `at` on as are expected, in one line; returns how many. */
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
