/* occurrence_lines.c - see occurrence_lines.h. */
#include "scheduler/record/occurrence_lines.h"

#include "scheduler/state/levels.h"
#include "scheduler/state/promise_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 4096

/* Rates, as in throughput tables. */
#define RATE_MIN 1e-6
#define RATE_MAX 1e9

void known_free(struct known *self)
{
    arena_destroy(&self->kept);
    free(self->rows);
}

static int number_after(struct cursor *cursor, const char *key, int64_t min, int64_t max,
                        int64_t *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_number(cursor, min, max, value, error);
}

static int whole_after(struct cursor *cursor, const char *key, int64_t min, int64_t max,
                       int64_t *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_whole(cursor, min, max, value, error);
}

static int real_after(struct cursor *cursor, const char *key, double *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_real(cursor, value, error);
}

static int quoted(arena_t *arena, struct cursor *cursor, const char **text, struct error *error)
{
    char bytes[TEXT_BYTES];

    if (cursor_quoted(cursor, bytes, sizeof(bytes), error) < 0)
        return -1;
    *text = arena_text(arena, bytes, strlen(bytes));
    return 0;
}

static int text_after(arena_t *arena, struct cursor *cursor, const char *key, const char **text,
                      struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return quoted(arena, cursor, text, error);
}

static bool takes(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->length || cursor->text[cursor->at] != c)
        return false;
    cursor->at++;
    return true;
}

/* Takes a word that may be there. */
static bool flag(struct cursor *cursor, const char *word)
{
    struct cursor ahead = *cursor;

    if (!takes(&ahead, ' ') || !cursor_skips(&ahead, word))
        return false;
    *cursor = ahead;
    return true;
}

/* ---- rows ---- */

static int read_rate(struct cursor *cursor, struct throughput_row *row, int level,
                     struct error *error)
{
    double *rate = &row->iters_per_s[level];

    *rate = (double)NAN;
    row->marked_nan[level] =
        cursor->length - cursor->at >= 3 && !memcmp(cursor->text + cursor->at, "nan", 3);
    if (row->marked_nan[level]) {
        cursor->at += 3;
        return 0;
    }
    if (takes(cursor, '-'))
        return 0;
    if (cursor_real(cursor, rate, error) < 0)
        return -1;
    if (*rate == 0 || (*rate >= RATE_MIN && *rate <= RATE_MAX))
        return 0;
    return cursor_complain(cursor, "iterations/s from 1e-6 to 1e9 before", error);
}

static int read_rates(struct cursor *cursor, struct throughput_row *row, struct error *error)
{
    int64_t gpus = 0;

    if (cursor_key(cursor, "rates", error) < 0)
        return -1;
    do {
        const int level = row->level_count;

        if (level == THROUGHPUT_LEVELS_MAX)
            return cursor_complain(cursor, "at most 16 rates", error);
        if (cursor_number(cursor, gpus + 1, THROUGHPUT_GPUS_MAX, &gpus, error) < 0)
            return -1;
        row->gpus[level] = (int)gpus;
        if (!takes(cursor, ':'))
            return cursor_complain(cursor, "a colon", error);
        if (read_rate(cursor, row, level, error) < 0)
            return -1;
        row->level_count++;
    } while (takes(cursor, ','));
    return 0;
}

int row_read(struct known *known, struct cursor *cursor, struct error *error)
{
    struct throughput_row row = {.model = NULL};
    struct throughput_row *kept;
    const int64_t next = (int64_t)known->row_count;
    int64_t number;
    int64_t batch_size;

    if (cursor_word(cursor, "row", error) < 0 || cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, next, next, &number, error) < 0 ||
        text_after(known->kept, cursor, "model", &row.model, error) < 0)
        return -1;
    if (!throughput_is_model_name(row.model, strlen(row.model)))
        return cursor_complain(cursor, THROUGHPUT_MODEL_EXPECTED " before", error);
    if (number_after(cursor, "batch", 1, BATCH_SIZE_MAX, &batch_size, error) < 0 ||
        read_rates(cursor, &row, error) < 0)
        return -1;
    row.batch_size = (int)batch_size;
    kept = arena_alloc(known->kept, sizeof(*kept));
    *kept = row;
    known->rows = grow_array(known->rows, known->row_count, &known->row_room, sizeof(*known->rows));
    known->rows[known->row_count++] = kept;
    return 0;
}

/* ---- submissions ---- */

static int read_level(struct cursor *cursor, int64_t after_s, struct job_level *level,
                      struct error *error)
{
    if (cursor_number(cursor, after_s, TIME_MAX_S, &level->deadline_s, error) < 0)
        return -1;
    if (!takes(cursor, ':'))
        return cursor_complain(cursor, "a colon", error);
    return cursor_number(cursor, 0, VALUE_MAX * LEVEL_VALUE_FULL, &level->value, error);
}

static int read_levels(struct known *known, struct cursor *cursor, struct submission *submission,
                       struct error *error)
{
    struct job_level levels[LEVELS_MAX];
    struct job_level *kept;
    size_t count = 0;

    if (cursor_key(cursor, "levels", error) < 0)
        return -1;
    if (takes(cursor, '-'))
        return submission->best_effort ? 0 : cursor_complain(cursor, "a level", error);
    do {
        const int64_t after_s = count > 0 ? levels[count - 1].deadline_s + 1 : 0;

        if (count == LEVELS_MAX)
            return cursor_complain(cursor, "at most 16 levels", error);
        if (read_level(cursor, after_s, &levels[count++], error) < 0)
            return -1;
    } while (takes(cursor, ','));
    if (!submission->best_effort && levels[0].deadline_s != submission->deadline_s)
        return cursor_complain(cursor, "the deadline as first level before", error);
    kept = arena_alloc(known->kept, count * sizeof(*kept));
    memcpy(kept, levels, count * sizeof(*kept));
    submission->levels = kept;
    submission->level_count = count;
    return 0;
}

static int read_row_number(const struct known *known, struct cursor *cursor,
                           const struct throughput_row **row, struct error *error)
{
    int64_t number;

    if (known->row_count == 0)
        return cursor_complain(cursor, "a row that a line before gives", error);
    if (cursor_number(cursor, 0, (int64_t)known->row_count - 1, &number, error) < 0)
        return -1;
    *row = known->rows[number];
    return 0;
}

static int read_rows_of(struct known *known, struct cursor *cursor, struct submission *submission,
                        struct error *error)
{
    struct pool_rows *rows = arena_alloc(known->kept, sizeof(*rows));

    *rows = (struct pool_rows){.of = {NULL}};
    for (int i = 0; i < known->cluster.pool_count; i++) {
        if (i > 0 && !takes(cursor, ','))
            return cursor_complain(cursor, "a row for each pool", error);
        if (!takes(cursor, '-') && read_row_number(known, cursor, &rows->of[i], error) < 0)
            return -1;
    }
    submission->pool_rows = rows;
    return 0;
}

static int read_row_of(struct known *known, struct cursor *cursor, struct submission *submission,
                       struct error *error)
{
    if (cursor_has(cursor, "row") &&
        read_row_number(known, cursor, &submission->throughput, error) < 0)
        return -1;
    return cursor_has(cursor, "rows") ? read_rows_of(known, cursor, submission, error) : 0;
}

static int read_deadline(struct cursor *cursor, struct submission *submission, struct error *error)
{
    if (cursor_key(cursor, "deadline", error) < 0)
        return -1;
    if (submission->best_effort) {
        submission->deadline_s = DEADLINE_NONE_S;
        return cursor_word(cursor, "never", error);
    }
    return cursor_number(cursor, 0, TIME_MAX_S, &submission->deadline_s, error);
}

static int read_confidence(struct cursor *cursor, struct submission *submission,
                           struct error *error)
{
    double *confidence = &submission->confidence;

    if (!cursor_has(cursor, "confidence"))
        return 0;
    if (cursor_real(cursor, confidence, error) < 0)
        return -1;
    return *confidence == CONFIDENCE_NONE || (*confidence > 0 && *confidence <= CONFIDENCE_MAX)
               ? 0
               : cursor_complain(cursor, "a confidence above 0, up to 99.9, or -1 for none", error);
}

static int read_names(struct known *known, struct cursor *cursor, struct submission *submission,
                      struct error *error)
{
    int64_t batch_size;

    if (text_after(known->kept, cursor, "id", &submission->id, error) < 0)
        return -1;
    submission->best_effort = flag(cursor, "best-effort");
    submission->promise_or_decline = flag(cursor, "promise-or-decline");
    if (read_confidence(cursor, submission, error) < 0)
        return -1;
    if (text_after(known->kept, cursor, "model", &submission->model, error) < 0 ||
        number_after(cursor, "batch", 1, BATCH_SIZE_MAX, &batch_size, error) < 0)
        return -1;
    submission->batch_size = (int)batch_size;
    return read_row_of(known, cursor, submission, error);
}

static int read_done(struct cursor *cursor, struct submission *submission, struct error *error)
{
    if (!cursor_has(cursor, "done"))
        return 0;
    return cursor_number(cursor, 1, submission->iterations - 1, &submission->iterations_done,
                         error);
}

static int read_quoted(struct cursor *cursor, struct submission *submission, struct error *error)
{
    if (!cursor_has(cursor, "quoted"))
        return 0;
    return cursor_number(cursor, 1, TIME_MAX_S, &submission->quoted_until_s, error);
}

static int read_share(struct known *known, struct cursor *cursor, struct job_share *share,
                      struct error *error)
{
    if (quoted(known->kept, cursor, &share->name, error) < 0 ||
        real_after(cursor, "of", &share->of, error) < 0 ||
        number_after(cursor, "horizon", 1, PROMISE_HORIZON_MAX_S, &share->horizon_s, error) < 0)
        return -1;
    return share->of > 0 && share->of <= 1 && *share->name && strlen(share->name) <= SHARE_NAME_MAX
               ? 0
               : cursor_complain(cursor, "a share above 0 and at most 1 before", error);
}

static int read_shares(struct known *known, struct cursor *cursor, struct submission *submission,
                       struct error *error)
{
    struct job_share *shares = NULL;
    size_t count = 0;
    size_t room = 0;
    int status = 0;

    while (status == 0 && cursor_has(cursor, "share")) {
        shares = grow_array(shares, count, &room, sizeof(*shares));
        status = read_share(known, cursor, &shares[count++], error);
    }
    if (status == 0 && count > 0) {
        struct job_share *kept = arena_alloc(known->kept, count * sizeof(*kept));

        memcpy(kept, shares, count * sizeof(*kept));
        submission->shares = kept;
        submission->share_count = count;
    }
    free(shares);
    return status;
}

static int read_work(struct cursor *cursor, struct submission *submission, struct error *error)
{
    int64_t gpus;
    int64_t line;

    if (number_after(cursor, "submit", 0, TIME_MAX_S, &submission->submit_s, error) < 0 ||
        read_deadline(cursor, submission, error) < 0 ||
        number_after(cursor, "iterations", 0, ITERATIONS_MAX, &submission->iterations, error) < 0 ||
        read_done(cursor, submission, error) < 0 || read_quoted(cursor, submission, error) < 0 ||
        number_after(cursor, "gpus", 0, INT32_MAX, &gpus, error) < 0 ||
        whole_after(cursor, "duration", -1, TIME_MAX_S, &submission->duration_s, error) < 0 ||
        number_after(cursor, "line", 0, UINT32_MAX, &line, error) < 0)
        return -1;
    submission->gpus_requested = (int)gpus;
    submission->line = (uint32_t)line;
    return 0;
}

static int read_parent(struct known *known, struct cursor *cursor, struct parent *parent,
                       struct error *error)
{
    int64_t number;

    if (cursor_number(cursor, 0, INT64_MAX, &number, error) < 0 ||
        text_after(known->kept, cursor, "id", &parent->id, error) < 0)
        return -1;
    parent->number = (uint64_t)number;
    parent->any = flag(cursor, "any");
    parent->end = flag(cursor, "done")   ? PARENT_DONE
                  : flag(cursor, "lost") ? PARENT_LOST
                                         : PARENT_OPEN;
    return 0;
}

static int read_parents(struct known *known, struct cursor *cursor, struct submission *submission,
                        struct error *error)
{
    struct parent parents[PARENTS_MAX];
    struct parent *kept;
    size_t count = 0;

    while (cursor_has(cursor, "after")) {
        if (count == PARENTS_MAX)
            return cursor_complain(cursor, "at most 64 jobs to wait for", error);
        if (read_parent(known, cursor, &parents[count++], error) < 0)
            return -1;
    }
    if (count == 0)
        return 0;
    kept = arena_alloc(known->kept, count * sizeof(*kept));
    memcpy(kept, parents, count * sizeof(*kept));
    submission->parents = kept;
    submission->parent_count = count;
    return 0;
}

typedef int read_fn(struct known *known, arena_t *texts, struct cursor *cursor,
                    struct recorded *recorded, struct error *error);

static int read_job(struct cursor *cursor, uint64_t *job, struct error *error)
{
    int64_t number;

    if (cursor_blank(cursor, error) < 0 || cursor_number(cursor, 0, INT64_MAX, &number, error) < 0)
        return -1;
    *job = (uint64_t)number;
    return 0;
}

static int read_submitted(struct known *known, arena_t *texts, struct cursor *cursor,
                          struct recorded *recorded, struct error *error)
{
    struct submission submission = {.level_count = 0};
    struct submission *kept;

    (void)texts;
    if (read_job(cursor, &submission.number, error) < 0 ||
        read_names(known, cursor, &submission, error) < 0 ||
        read_work(cursor, &submission, error) < 0 ||
        read_shares(known, cursor, &submission, error) < 0 ||
        read_parents(known, cursor, &submission, error) < 0 ||
        read_levels(known, cursor, &submission, error) < 0)
        return -1;
    kept = arena_alloc(known->kept, sizeof(*kept));
    *kept = submission;
    recorded->occurrence.submission = kept;
    return 0;
}

/* ---- the other occurrences ---- */

static int read_cause(arena_t *texts, struct cursor *cursor, struct recorded *recorded,
                      struct error *error)
{
    if (!cursor_has(cursor, "cause"))
        return 0;
    return quoted(texts, cursor, &recorded->occurrence.cause, error);
}

static int read_about_job(struct known *known, arena_t *texts, struct cursor *cursor,
                          struct recorded *recorded, struct error *error)
{
    (void)known;
    if (read_job(cursor, &recorded->occurrence.job, error) < 0)
        return -1;
    return read_cause(texts, cursor, recorded, error);
}

static int read_about_node(struct known *known, arena_t *texts, struct cursor *cursor,
                           struct recorded *recorded, struct error *error)
{
    struct occurrence *occurrence = &recorded->occurrence;
    int64_t node;
    int64_t gpus = 0;

    if (cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, 0, cluster_spec_nodes(&known->cluster) - 1, &node, error) < 0 ||
        cursor_key(cursor, "until", error) < 0 ||
        cursor_time(cursor, -TIME_MAX_S, TIME_MAX_S, &occurrence->until_s, error) < 0)
        return -1;
    if (cursor_has(cursor, "gpus") &&
        cursor_number(cursor, 1, cluster_spec_node_gpus(&known->cluster, (int)node), &gpus, error) <
            0)
        return -1;
    occurrence->node = (int)node;
    occurrence->gpus = (int)gpus;
    return read_cause(texts, cursor, recorded, error);
}

static int read_end(struct cursor *cursor, struct occurrence *occurrence, struct error *error)
{
    if (cursor_has(cursor, "reached"))
        occurrence->end = WORK_END_TOLD;
    else if (cursor_has(cursor, "guessed"))
        occurrence->end = WORK_END_GUESSED;
    else
        return 0;
    return cursor_number(cursor, 0, ITERATIONS_MAX, &occurrence->reached, error);
}

static int read_progress(struct known *known, arena_t *texts, struct cursor *cursor,
                         struct recorded *recorded, struct error *error)
{
    struct occurrence *occurrence = &recorded->occurrence;
    struct progress *progress = &occurrence->progress;

    (void)known;
    if (read_job(cursor, &occurrence->job, error) < 0 ||
        real_after(cursor, "iterations", &progress->iterations, error) < 0 ||
        whole_after(cursor, "worked", -TIME_MAX_S, TIME_MAX_S, &progress->worked_s, error) < 0 ||
        real_after(cursor, "pace", &occurrence->pace, error) < 0 ||
        whole_after(cursor, "ended", -TIME_MAX_S, TIME_MAX_S, &progress->ended_s, error) < 0 ||
        real_after(cursor, "early", &progress->early_s, error) < 0)
        return -1;
    progress->iterations_done = flag(cursor, "iterations-done");
    progress->done = flag(cursor, "done");
    occurrence->deviates = flag(cursor, "deviates");
    return read_end(cursor, occurrence, error) < 0 ? -1
                                                   : read_cause(texts, cursor, recorded, error);
}

static int read_paid(struct known *known, arena_t *texts, struct cursor *cursor,
                     struct recorded *recorded, struct error *error)
{
    int64_t overhead_s;

    (void)known;
    (void)texts;
    if (read_job(cursor, &recorded->occurrence.job, error) < 0 ||
        number_after(cursor, "overhead", 0, INT32_MAX, &overhead_s, error) < 0)
        return -1;
    recorded->occurrence.overhead_s = (int)overhead_s;
    return 0;
}

static int read_nothing(struct known *known, arena_t *texts, struct cursor *cursor,
                        struct recorded *recorded, struct error *error)
{
    (void)known;
    (void)texts;
    (void)cursor;
    (void)recorded;
    (void)error;
    return 0;
}

static int read_expected(struct known *known, arena_t *texts, struct cursor *cursor,
                         struct recorded *recorded, struct error *error)
{
    int64_t first;
    int64_t count;

    (void)known;
    (void)texts;
    if (number_after(cursor, "first", 0, INT32_MAX, &first, error) < 0 ||
        number_after(cursor, "count", 1, INT32_MAX, &count, error) < 0)
        return -1;
    recorded->first = (size_t)first;
    recorded->count = (size_t)count;
    return 0;
}

int occurrence_read(struct known *known, arena_t *texts, struct cursor *cursor,
                    struct recorded *recorded, struct error *error)
{
    static const char *const words[] = {
        "submitted",     "cancelled", "suspended", "progress", "paid",        "failed", "node-up",
        "node-draining", "node-gone", "timer",     "expected", "as-expected", "taken",  NULL};
    static const struct {
        enum occurrence_kind kind;
        read_fn *read;
    } kinds[] = {{OCCURRENCE_SUBMITTED, read_submitted},
                 {OCCURRENCE_CANCELLED, read_about_job},
                 {OCCURRENCE_SUSPENDED, read_about_job},
                 {OCCURRENCE_PROGRESS, read_progress},
                 {OCCURRENCE_PAID, read_paid},
                 {OCCURRENCE_FAILED, read_about_job},
                 {OCCURRENCE_NODE_UP, read_about_node},
                 {OCCURRENCE_NODE_DRAINING, read_about_node},
                 {OCCURRENCE_NODE_GONE, read_about_node},
                 {OCCURRENCE_TIMER, read_nothing},
                 {OCCURRENCE_PROGRESS, read_expected},
                 {OCCURRENCE_EXPECTED, read_nothing},
                 {OCCURRENCE_TAKEN, read_submitted}};
    size_t kind;

    if (cursor_word(cursor, "<", error) < 0 || cursor_blank(cursor, error) < 0 ||
        cursor_choice(cursor, words, &kind, error) < 0)
        return -1;
    *recorded =
        (struct recorded){.occurrence = {.kind = kinds[kind].kind, .row = UINT32_MAX, .node = -1}};
    return kinds[kind].read(known, texts, cursor, recorded, error);
}
