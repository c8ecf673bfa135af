/* submission_line.c - see submission_line.h. */
#include "scheduler/record/submission_line.h"

#include "scheduler/state/levels.h"
#include "scheduler/state/promise_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rates, as in throughput tables. */
#define RATE_MIN 1e-6
#define RATE_MAX 1e9

/* ---- rows ---- */

static void rate_line(struct wording *line, struct throughput_row *row, int level)
{
    const double value = row->iters_per_s[level];
    const struct cursor *cursor = line->cursor;
    double *rate = &row->iters_per_s[level];

    if (wording_reads(line))
        row->marked_nan[level] =
            cursor->length - cursor->at >= 3 && !memcmp(cursor->text + cursor->at, "nan", 3);
    *rate = (double)NAN;
    if (row->marked_nan[level]) {
        (void)wording_real(line, *rate);
        return;
    }
    if (wording_mark(line, '-', isnan(value)))
        return;
    *rate = wording_real(line, value);
    if (wording_reads(line) && *rate != 0 && !(*rate >= RATE_MIN && *rate <= RATE_MAX))
        wording_complain(line, "iterations/s from 1e-6 to 1e9 before");
}

static void rates_line(struct wording *line, struct throughput_row *row)
{
    int64_t gpus = 0;
    int level = 0;

    wording_key(line, "rates");
    do {
        if (level == THROUGHPUT_LEVELS_MAX) {
            wording_complain(line, "at most 16 rates");
            return;
        }
        gpus = wording_number(line, gpus + 1, THROUGHPUT_GPUS_MAX, row->gpus[level]);
        row->gpus[level] = (int)gpus;
        if (!wording_mark(line, ':', true))
            wording_complain(line, "a colon");
        if (line->failed)
            return;
        rate_line(line, row, level++);
    } while (wording_mark(line, ',', level < row->level_count));
    row->level_count = level;
}

void row_line(struct wording *line, struct throughput_row *row)
{
    row->model = wording_key_quoted(line, "model", row->model);
    if (wording_reads(line) && !line->failed &&
        !throughput_is_model_name(row->model, strlen(row->model)))
        wording_complain(line, THROUGHPUT_MODEL_EXPECTED " before");
    row->batch_size = (int)wording_key_number(line, "batch", 1, BATCH_SIZE_MAX, row->batch_size);
    rates_line(line, row);
}

static void row_number_line(struct wording *line, const struct row_numbers *numbers,
                            int64_t *number)
{
    if (wording_reads(line) && numbers->known == 0)
        wording_complain(line, "a row that a line before gives");
    *number = wording_number(line, 0, numbers->known - 1, *number);
}

static void row_numbers_line(struct wording *line, struct row_numbers *numbers)
{
    if (wording_has(line, "row", numbers->row != ROW_NONE))
        row_number_line(line, numbers, &numbers->row);
    numbers->by_pool = wording_has(line, "rows", numbers->by_pool);
    for (int i = 0; numbers->by_pool && i < numbers->pool_count && !line->failed; i++) {
        if (i > 0 && !wording_mark(line, ',', true))
            wording_complain(line, "a row for each pool");
        if (wording_mark(line, '-', numbers->of[i] == ROW_NONE))
            numbers->of[i] = ROW_NONE;
        else
            row_number_line(line, numbers, &numbers->of[i]);
    }
}

/* ---- lists of a submission ---- */

static void level_line(struct wording *line, int64_t after_s, struct job_level *level)
{
    level->deadline_s = wording_number(line, after_s, TIME_MAX_S, level->deadline_s);
    if (!wording_mark(line, ':', true))
        wording_complain(line, "a colon");
    level->value = wording_number(line, 0, VALUE_MAX * LEVEL_VALUE_FULL, level->value);
}

static void levels_line(struct wording *line, struct submission *job)
{
    struct job_level levels[LEVELS_MAX];
    size_t count = 0;

    wording_key(line, "levels");
    if (wording_mark(line, '-', job->level_count == 0)) {
        if (wording_reads(line) && !job->best_effort)
            wording_complain(line, "a level");
        return;
    }
    do {
        const int64_t after_s = count > 0 ? levels[count - 1].deadline_s + 1 : 0;

        if (count == LEVELS_MAX) {
            wording_complain(line, "at most 16 levels");
            return;
        }
        levels[count] = wording_reads(line) ? (struct job_level){0, 0} : job->levels[count];
        level_line(line, after_s, &levels[count++]);
    } while (wording_mark(line, ',', count < job->level_count));
    if (!wording_reads(line) || line->failed)
        return;
    if (!job->best_effort && levels[0].deadline_s != job->deadline_s)
        wording_complain(line, "the deadline as first level before");
    job->levels = wording_keep(line, levels, count, sizeof(levels[0]));
    job->level_count = count;
}

static void share_line(struct wording *line, struct job_share *share)
{
    share->name = wording_quoted(line, share->name);
    share->of = wording_key_real(line, "of", share->of);
    share->horizon_s =
        wording_key_number(line, "horizon", 1, PROMISE_HORIZON_MAX_S, share->horizon_s);
    if (wording_reads(line) && !line->failed &&
        !(share->of > 0 && share->of <= 1 && *share->name && strlen(share->name) <= SHARE_NAME_MAX))
        wording_complain(line, "a share above 0 and at most 1 before");
}

static void shares_line(struct wording *line, struct submission *job)
{
    struct job_share *shares = NULL;
    size_t count = 0;
    size_t room = 0;

    while (wording_has(line, "share", count < job->share_count)) {
        shares = grow_array(shares, count, &room, sizeof(*shares));
        shares[count] = wording_reads(line) ? (struct job_share){.of = 0} : job->shares[count];
        share_line(line, &shares[count++]);
    }
    if (wording_reads(line)) {
        job->shares = wording_keep(line, shares, count, sizeof(*shares));
        job->share_count = count;
    }
    free(shares);
}

static void parent_line(struct wording *line, struct parent *parent)
{
    parent->number = (uint64_t)wording_number(line, 0, INT64_MAX, (int64_t)parent->number);
    parent->id = wording_key_quoted(line, "id", parent->id);
    parent->any = wording_flag(line, "any", parent->any);
    if (wording_flag(line, "done", parent->end == PARENT_DONE))
        parent->end = PARENT_DONE;
    else if (wording_flag(line, "lost", parent->end == PARENT_LOST))
        parent->end = PARENT_LOST;
}

static void parents_line(struct wording *line, struct submission *job)
{
    struct parent parents[PARENTS_MAX];
    size_t count = 0;

    while (wording_has(line, "after", count < job->parent_count)) {
        if (count == PARENTS_MAX) {
            wording_complain(line, "at most 64 jobs to wait for");
            return;
        }
        parents[count] =
            wording_reads(line) ? (struct parent){.end = PARENT_OPEN} : job->parents[count];
        parent_line(line, &parents[count++]);
    }
    if (wording_reads(line)) {
        job->parents = wording_keep(line, parents, count, sizeof(parents[0]));
        job->parent_count = count;
    }
}

static void texts_line(struct wording *line, struct submission *job)
{
    struct job_text texts[JOB_TEXTS_MAX];
    size_t count = 0;

    while (wording_has(line, "text", count < job->text_count)) {
        if (count == JOB_TEXTS_MAX) {
            wording_complain(line, "at most 8 texts");
            return;
        }
        texts[count] = wording_reads(line) ? (struct job_text){NULL, NULL} : job->texts[count];
        texts[count].field = wording_quoted(line, texts[count].field);
        texts[count].text = wording_key_quoted(line, "says", texts[count].text);
        count++;
    }
    if (wording_reads(line)) {
        job->texts = wording_keep(line, texts, count, sizeof(texts[0]));
        job->text_count = count;
    }
}

/* ---- a submission ---- */

static void confidence_line(struct wording *line, struct submission *job)
{
    if (!wording_has(line, "confidence", job->confidence != CONFIDENCE_AS_SET))
        return;
    job->confidence = wording_real(line, job->confidence);
    if (wording_reads(line) && job->confidence != CONFIDENCE_NONE &&
        !(job->confidence > 0 && job->confidence <= CONFIDENCE_MAX))
        wording_complain(line, "a confidence above 0, up to 99.9, or -1 for none");
}

static void deadline_line(struct wording *line, struct submission *job)
{
    wording_key(line, "deadline");
    if (!wording_reads(line)) {
        (void)wording_time(line, 0, TIME_MAX_S, job->deadline_s);
    } else if (job->best_effort) {
        job->deadline_s = DEADLINE_NONE_S;
        wording_word(line, "never");
    } else {
        job->deadline_s = wording_number(line, 0, TIME_MAX_S, job->deadline_s);
    }
}

static void work_line(struct wording *line, struct submission *job)
{
    job->submit_s = wording_key_number(line, "submit", 0, TIME_MAX_S, job->submit_s);
    deadline_line(line, job);
    job->iterations = wording_key_number(line, "iterations", 0, ITERATIONS_MAX, job->iterations);
    if (wording_has(line, "done", job->iterations_done > 0))
        job->iterations_done = wording_number(line, 1, job->iterations - 1, job->iterations_done);
    if (wording_has(line, "quoted", submission_is_quote(job)))
        job->quoted_until_s = wording_number(line, 1, TIME_MAX_S, job->quoted_until_s);
    job->gpus_requested = (int)wording_key_number(line, "gpus", 0, INT32_MAX, job->gpus_requested);
    job->duration_s = wording_key_whole(line, "duration", -1, TIME_MAX_S, job->duration_s);
    job->line = (uint32_t)wording_key_number(line, "line", 0, UINT32_MAX, job->line);
}

void submission_line(struct wording *line, struct submission *job, struct row_numbers *numbers)
{
    job->number = (uint64_t)wording_number(line, 0, INT64_MAX, (int64_t)job->number);
    job->id = wording_key_quoted(line, "id", job->id);
    job->best_effort = wording_flag(line, "best-effort", job->best_effort);
    job->promise_or_decline = wording_flag(line, "promise-or-decline", job->promise_or_decline);
    confidence_line(line, job);
    job->model = wording_key_quoted(line, "model", job->model);
    job->batch_size = (int)wording_key_number(line, "batch", 1, BATCH_SIZE_MAX, job->batch_size);
    row_numbers_line(line, numbers);
    work_line(line, job);
    shares_line(line, job);
    parents_line(line, job);
    texts_line(line, job);
    levels_line(line, job);
}
