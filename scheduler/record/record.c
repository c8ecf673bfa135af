/* record.c - see record.h. */
#include "scheduler/record/record.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/output.h"
#include "scheduler/record/checksum.h"
#include "scheduler/record/decision_text.h"
#include "scheduler/record/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    output_t *output;
    bool at_once;
    int64_t steps;
    int pool_count;
    uint64_t check;
    struct text step; /* the lines of the step at hand */
    decision_text_t *decisions;
    const struct throughput_row **rows; /* by the number that they have in the record */
    size_t row_count;
    size_t row_room;
    struct occurrence *heard; /* a copy: engine_expect overwrites its own */
    size_t heard_room;
};

/* ---- the lines ---- */

/* What is in `step` goes to the file, and its check after it. */
static void send(record_t *self)
{
    self->check = checksum(self->check, self->step.bytes, self->step.used);
    output_bytes(self->output, self->step.bytes, self->step.used);
    self->step.used = 0;
    text_word(&self->step, "check ");
    text_digest(&self->step, self->check);
    text_word(&self->step, "\n");
    self->check = checksum(self->check, self->step.bytes, self->step.used);
    output_bytes(self->output, self->step.bytes, self->step.used);
    self->step.used = 0;
}

static void write_leasing(struct text *text, const struct record_setting *setting)
{
    const struct leasing *leasing = &setting->leasing;

    text_word(text, "leasing");
    text_key_whole(text, "lease", leasing->lease_s);
    text_key_whole(text, "check", leasing->check_s);
    text_key_whole(text, "admission", leasing->admission_s);
    text_key_quoted(text, "objective", lease_objective_name(leasing->objective));
    text_key_quoted(text, "solver", setting->solver);
    text_key_real(text, "limit", leasing->time_limit_s);
    text_key_real(text, "gap", leasing->gap);
    text_word(text, "\n");
}

static void write_promising(struct text *text, const struct promising *promising)
{
    text_word(text, "promises");
    text_word(text, " objective=");
    text_word(text, promise_objective_names()[promising->objective]);
    text_key_whole(text, "spare-nodes", promising->spare_nodes);
    text_key_whole(text, "node-loss", promising->node_loss_s);
    text_word(text, "\n");
}

static void write_pool(struct text *text, const struct pool_spec *pool)
{
    text_word(text, "cluster");
    text_key_whole(text, "switches", pool->switches);
    text_key_whole(text, "nodes", pool->nodes_per_switch);
    text_key_whole(text, "gpus", pool->gpus_per_node);
    if (pool->gpu_type[0])
        text_key_quoted(text, "type", pool->gpu_type);
    text_word(text, "\n");
}

static void write_setting(struct text *text, const struct record_setting *setting)
{
    text_word(text, "rubato-record ");
    text_whole(text, RECORD_VERSION);
    text_key_quoted(text, "by", RUBATO_VERSION);
    text_word(text, "\nsetting");
    text_key_quoted(text, "policy", setting->policy);
    text_key_quoted(text, "rules", setting->rules);
    text_key_quoted(text, "placement", setting->placement);
    text_key_quoted(text, "gpu_type", setting->gpu_type);
    text_key_whole(text, "slot", setting->slot_s);
    text_key_whole(text, "restart", setting->restart_threshold);
    text_word(text, "\n");
    for (int i = 0; i < setting->cluster.pool_count; i++)
        write_pool(text, &setting->cluster.pools[i]);
    if (setting->promises)
        write_promising(text, &setting->promising);
    if (setting->solver)
        write_leasing(text, setting);
}

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

/* The number of `row`, with a line of its own when it is first named. */
static size_t name_row(record_t *self, const struct throughput_row *row)
{
    size_t number = 0;

    while (number < self->row_count && self->rows[number] != row)
        number++;
    if (number < self->row_count)
        return number;
    self->rows = grow_array(self->rows, self->row_count, &self->row_room, sizeof(*self->rows));
    self->rows[self->row_count++] = row;
    text_word(&self->step, "row ");
    text_number(&self->step, number);
    text_key_quoted(&self->step, "model", row->model);
    text_key_whole(&self->step, "batch", row->batch_size);
    write_rates(&self->step, row);
    text_word(&self->step, "\n");
    return number;
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

static void begin(struct text *text, const char *what, uint64_t job)
{
    text_word(text, "< ");
    text_word(text, what);
    text_word(text, " ");
    text_number(text, job);
}

static void name_rows(record_t *self, const struct pool_rows *rows)
{
    for (int i = 0; i < CLUSTER_POOLS_MAX; i++)
        if (rows->of[i])
            (void)name_row(self, rows->of[i]);
}

static void write_rows(record_t *self, const struct pool_rows *rows)
{
    text_word(&self->step, " rows=");
    for (int i = 0; i < self->pool_count; i++) {
        text_word(&self->step, i > 0 ? "," : "");
        if (rows->of[i])
            text_number(&self->step, name_row(self, rows->of[i]));
        else
            text_word(&self->step, "-");
    }
}

static void write_submission(record_t *self, const struct submission *submission)
{
    const size_t row = submission->throughput ? name_row(self, submission->throughput) : 0;
    struct text *text = &self->step;

    if (submission->pool_rows)
        name_rows(self, submission->pool_rows);

    begin(text, "submitted", submission->number);
    text_key_quoted(text, "id", submission->id);
    text_word(text, submission->best_effort ? " best-effort" : "");
    text_word(text, submission->promise_or_decline ? " promise-or-decline" : "");
    text_key_quoted(text, "model", submission->model);
    text_key_whole(text, "batch", submission->batch_size);
    if (submission->throughput)
        text_key_number(text, "row", row);
    if (submission->pool_rows)
        write_rows(self, submission->pool_rows);
    text_key_whole(text, "submit", submission->submit_s);
    text_key_time(text, "deadline", submission->deadline_s);
    text_key_whole(text, "iterations", submission->iterations);
    text_key_whole(text, "gpus", submission->gpus_requested);
    text_key_whole(text, "duration", submission->duration_s);
    text_key_whole(text, "line", submission->line);
    write_levels(text, submission);
}

static void write_cause(struct text *text, const struct occurrence *occurrence)
{
    if (occurrence->cause)
        text_key_quoted(text, "cause", occurrence->cause);
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
    write_cause(text, occurrence);
}

static void write_node(struct text *text, const char *what, const struct occurrence *occurrence)
{
    begin(text, what, (uint64_t)occurrence->node);
    text_key_time(text, "until", occurrence->until_s);
    write_cause(text, occurrence);
}

static void write_occurrence(record_t *self, const struct occurrence *occurrence)
{
    struct text *text = &self->step;

    switch (occurrence->kind) {
    case OCCURRENCE_SUBMITTED:
        write_submission(self, occurrence->submission);
        break;
    case OCCURRENCE_CANCELLED:
        begin(text, "cancelled", occurrence->job);
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
           !heard->cause && text_real_is_same(heard->pace, expected->pace) &&
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

/* What is expected, or nothing where that cannot be said. */
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

/* What the engine is about to be told, and what it expects. */
struct told {
    const struct occurrence *heard;
    size_t count;
    const struct occurrence *expected;
    size_t expected_count;
    size_t next; /* of those expected: progress comes in their order */
};

/* Writes as many from `at` on as are expected, in one line; returns how many. */
static size_t write_as_expected(record_t *self, struct told *told, size_t at)
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
        write_expected(&self->step, first, same);
    return same;
}

static void write_occurrences(record_t *self, struct told *told)
{
    for (size_t i = 0; i < told->count;) {
        const size_t same = write_as_expected(self, told, i);

        if (same == 0)
            write_occurrence(self, &told->heard[i]);
        i += same > 0 ? same : 1;
    }
}

static void copy(record_t *self, const struct occurrence occurrences[], size_t count)
{
    if (count > self->heard_room) {
        self->heard_room = 2 * count;
        self->heard = xrealloc(self->heard, self->heard_room * sizeof(*self->heard));
    }
    if (count > 0)
        memcpy(self->heard, occurrences, count * sizeof(*self->heard));
}

const struct occurrence *record_occurrences(record_t *self, engine_t *engine, int64_t now_s,
                                            const struct occurrence occurrences[], size_t count)
{
    struct occurrence *expected = NULL;
    struct told told = {.count = count};

    copy(self, occurrences, count);
    text_word(&self->step, "step ");
    text_whole(&self->step, self->steps + 1);
    text_key_whole(&self->step, "at", now_s);
    text_word(&self->step, "\n");
    told.expected_count = expect(engine, now_s, self->heard, count, &expected);
    told.heard = self->heard;
    told.expected = expected;
    write_occurrences(self, &told);
    return self->heard;
}

void record_decision(record_t *self, const struct decision *decision, bool by_clock,
                     const struct error *error)
{
    if (by_clock)
        text_word(&self->step, "by-clock\n");
    if (decision)
        decision_text_write(self->decisions, decision, &self->step);
    else
        decision_text_fail(&self->step, error);
    self->steps++;
    send(self);
    if (self->at_once)
        output_flush(self->output);
}

/* ---- life ---- */

record_t *record_new(const char *path, const struct record_setting *setting, bool at_once,
                     struct error *error)
{
    output_t *output = output_new(path, error);
    record_t *self;

    if (!output)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->output = output;
    self->at_once = at_once;
    self->pool_count = setting->cluster.pool_count;
    self->check = CHECKSUM_OF_NOTHING;
    self->decisions = decision_text_new();
    write_setting(&self->step, setting);
    send(self);
    return self;
}

int record_commit(record_t **self, enum record_end end, const char *why, struct error *error)
{
    static const char *const ends[] = {
        [RECORD_OVER] = "over", [RECORD_STOPPED] = "stopped", [RECORD_FAILED] = "failed"};
    struct text *text = &(*self)->step;
    int result;

    text->used = 0;
    text_word(text, "end ");
    text_whole(text, (*self)->steps);
    text_word(text, " ");
    text_word(text, ends[end]);
    if (end == RECORD_FAILED)
        text_key_quoted(text, "because", why);
    text_word(text, "\n");
    send(*self);
    result = output_commit(&(*self)->output, error);
    record_destroy(self);
    return result;
}

void record_tell(const char *program, const char *path)
{
    char shown[PATH_MAX];

    if (!path)
        return;
    (void)input_printable(shown, sizeof(shown), output_name(path), strlen(output_name(path)));
    (void)fprintf(stderr, "%s: the record is in %s\n", program, shown);
}

void record_destroy(record_t **self)
{
    if (!*self)
        return;
    output_destroy(&(*self)->output);
    text_free(&(*self)->step);
    decision_text_destroy(&(*self)->decisions);
    free((*self)->rows);
    free((*self)->heard);
    free(*self);
    *self = NULL;
}
