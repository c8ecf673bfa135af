/* occurrence_lines.c - see occurrence_lines.h. */
#include "scheduler/record/occurrence_lines.h"

#include "scheduler/record/submission_line.h"

#include <stdlib.h>

void known_free(struct known *self)
{
    arena_destroy(&self->kept);
    free(self->rows);
}

/* ---- rows ---- */

static struct throughput_row *keep_row(struct known *known)
{
    struct throughput_row *kept = arena_alloc(known->kept, sizeof(*kept));

    known->rows = grow_array(known->rows, known->row_count, &known->row_room, sizeof(*known->rows));
    known->rows[known->row_count++] = kept;
    return kept;
}

static void numbered_row_line(struct wording *line, int64_t number, struct throughput_row *row)
{
    wording_word(line, "row");
    wording_blank(line);
    (void)wording_number(line, number, number, number);
    row_line(line, row);
}

int row_read(struct known *known, struct cursor *cursor, struct error *error)
{
    struct wording line = wording_reading(cursor, known->kept, error);
    struct throughput_row row = {.model = NULL};

    numbered_row_line(&line, (int64_t)known->row_count, &row);
    if (line.failed)
        return -1;
    *keep_row(known) = row;
    return 0;
}

void row_write(const struct throughput_row *row, size_t number, struct text *text)
{
    struct wording line = wording_writing(text);
    struct throughput_row copy = *row;

    numbered_row_line(&line, (int64_t)number, &copy);
    text_word(text, "\n");
}

/* ---- occurrences ---- */

/* The line of an occurrence, with the rows that it refers to. */
struct occurrence_line {
    struct wording line;
    struct known *known;         /* of a line that is being read */
    struct row_numbers *numbers; /* of a line that is written: rows of its submission */
};

typedef void line_fn(struct occurrence_line *self, struct recorded *recorded);

static void job_line(struct wording *line, uint64_t *job)
{
    wording_blank(line);
    *job = (uint64_t)wording_number(line, 0, INT64_MAX, (int64_t)*job);
}

static void cause_line(struct wording *line, struct occurrence *occurrence)
{
    if (wording_has(line, "cause", occurrence->cause != NULL))
        occurrence->cause = wording_quoted(line, occurrence->cause);
}

static const struct throughput_row *known_row(const struct known *known, int64_t number)
{
    return number == ROW_NONE ? NULL : known->rows[number];
}

/* Keeps the submission that was read, with its rows. */
static const struct submission *keep_submission(const struct known *known, struct submission *job,
                                                const struct row_numbers *numbers)
{
    struct submission *kept = arena_alloc(known->kept, sizeof(*kept));
    struct pool_rows *rows = NULL;

    if (numbers->by_pool) {
        rows = arena_alloc(known->kept, sizeof(*rows));
        *rows = (struct pool_rows){.of = {NULL}};
        for (int i = 0; i < numbers->pool_count; i++)
            rows->of[i] = known_row(known, numbers->of[i]);
    }
    job->throughput = known_row(known, numbers->row);
    job->pool_rows = rows;
    *kept = *job;
    return kept;
}

static void submitted_line(struct occurrence_line *self, struct recorded *recorded)
{
    struct wording *line = &self->line;
    struct submission job = {.level_count = 0};
    struct row_numbers numbers = {.row = ROW_NONE};

    wording_blank(line);
    if (!wording_reads(line)) {
        job = *recorded->occurrence.submission;
        submission_line(line, &job, self->numbers);
        return;
    }
    numbers.known = (int64_t)self->known->row_count;
    numbers.pool_count = self->known->cluster.pool_count;
    line->kept = self->known->kept;
    submission_line(line, &job, &numbers);
    if (!line->failed)
        recorded->occurrence.submission = keep_submission(self->known, &job, &numbers);
}

static void about_job_line(struct occurrence_line *self, struct recorded *recorded)
{
    job_line(&self->line, &recorded->occurrence.job);
    cause_line(&self->line, &recorded->occurrence);
}

static void node_gpus_line(struct occurrence_line *self, struct occurrence *occurrence)
{
    struct wording *line = &self->line;
    int most = INT32_MAX;

    if (!wording_has(line, "gpus", occurrence->gpus > 0))
        return;
    if (wording_reads(line))
        most = cluster_spec_node_gpus(&self->known->cluster, occurrence->node);
    occurrence->gpus = (int)wording_number(line, 1, most, occurrence->gpus);
}

static void stay_line(struct wording *line, int64_t after_s, struct known_stay *stay)
{
    stay->from_s = wording_whole(line, after_s, TIME_MAX_S - 1, stay->from_s);
    if (!wording_mark(line, ':', true))
        wording_complain(line, "\":\"");
    stay->until_s = wording_time(line, stay->from_s + 1, TIME_MAX_S, stay->until_s);
}

/* No stay comes after an open one. */
static void again_line(struct wording *line, struct occurrence *occurrence)
{
    struct stays again = {.count = 0};
    const int most = occurrence->again ? occurrence->again->count : 0;
    int64_t after_s = -TIME_MAX_S;

    if (!wording_has(line, "again", most > 0))
        return;
    do {
        struct known_stay *stay = &again.items[again.count];

        if (again.count == STAYS_MAX) {
            wording_complain(line, "at most 32 times");
            return;
        }
        if (!wording_reads(line) && occurrence->again)
            *stay = occurrence->again->items[again.count];
        again.count++;
        stay_line(line, after_s, stay);
        after_s = stay->until_s < TIME_MAX_S ? stay->until_s + 1 : TIME_MAX_S;
    } while (wording_mark(line, ',', again.count < most));
    if (wording_reads(line))
        occurrence->again = wording_keep(line, &again, 1, sizeof(again));
}

static void about_node_line(struct occurrence_line *self, struct recorded *recorded)
{
    struct occurrence *occurrence = &recorded->occurrence;
    struct wording *line = &self->line;
    const int nodes = wording_reads(line) ? cluster_spec_nodes(&self->known->cluster) : INT32_MAX;

    wording_blank(line);
    occurrence->node = (int)wording_number(line, 0, nodes - 1, occurrence->node);
    wording_key(line, "until");
    occurrence->until_s = wording_time(line, -TIME_MAX_S, TIME_MAX_S, occurrence->until_s);
    again_line(line, occurrence);
    node_gpus_line(self, occurrence);
    cause_line(line, occurrence);
}

static void end_line(struct wording *line, struct occurrence *occurrence)
{
    if (wording_has(line, "reached", occurrence->end == WORK_END_TOLD))
        occurrence->end = WORK_END_TOLD;
    else if (wording_has(line, "guessed", occurrence->end == WORK_END_GUESSED))
        occurrence->end = WORK_END_GUESSED;
    else
        return;
    occurrence->reached = wording_number(line, 0, ITERATIONS_MAX, occurrence->reached);
}

static void progress_line(struct occurrence_line *self, struct recorded *recorded)
{
    struct wording *line = &self->line;
    struct occurrence *occurrence = &recorded->occurrence;
    struct progress *progress = &occurrence->progress;

    job_line(line, &occurrence->job);
    progress->iterations = wording_key_real(line, "iterations", progress->iterations);
    progress->worked_s =
        wording_key_whole(line, "worked", -TIME_MAX_S, TIME_MAX_S, progress->worked_s);
    occurrence->pace = wording_key_real(line, "pace", occurrence->pace);
    progress->ended_s =
        wording_key_whole(line, "ended", -TIME_MAX_S, TIME_MAX_S, progress->ended_s);
    progress->early_s = wording_key_real(line, "early", progress->early_s);
    progress->iterations_done = wording_flag(line, "iterations-done", progress->iterations_done);
    progress->done = wording_flag(line, "done", progress->done);
    occurrence->deviates = wording_flag(line, "deviates", occurrence->deviates);
    end_line(line, occurrence);
    cause_line(line, occurrence);
}

static void paid_line(struct occurrence_line *self, struct recorded *recorded)
{
    struct occurrence *occurrence = &recorded->occurrence;

    job_line(&self->line, &occurrence->job);
    occurrence->overhead_s =
        (int)wording_key_number(&self->line, "overhead", 0, INT32_MAX, occurrence->overhead_s);
}

static void bare_line(struct occurrence_line *self, struct recorded *recorded)
{
    (void)self;
    (void)recorded;
}

static void expected_line(struct occurrence_line *self, struct recorded *recorded)
{
    struct wording *line = &self->line;

    recorded->first =
        (size_t)wording_key_number(line, "first", 0, INT32_MAX, (int64_t)recorded->first);
    recorded->count =
        (size_t)wording_key_number(line, "count", 1, INT32_MAX, (int64_t)recorded->count);
}

#define EXPECTED 10 /* place of progress that the engine expects */

static const char *const words[] = {"submitted", "cancelled", "suspended", "progress",
                                    "paid",      "failed",    "node-up",   "node-draining",
                                    "node-gone", "timer",     "expected",  "as-expected",
                                    "taken",     "eased",     NULL};

static const struct {
    enum occurrence_kind kind;
    line_fn *line;
} kinds[] = {{OCCURRENCE_SUBMITTED, submitted_line},
             {OCCURRENCE_CANCELLED, about_job_line},
             {OCCURRENCE_SUSPENDED, about_job_line},
             {OCCURRENCE_PROGRESS, progress_line},
             {OCCURRENCE_PAID, paid_line},
             {OCCURRENCE_FAILED, about_job_line},
             {OCCURRENCE_NODE_UP, about_node_line},
             {OCCURRENCE_NODE_DRAINING, about_node_line},
             {OCCURRENCE_NODE_GONE, about_node_line},
             {OCCURRENCE_TIMER, bare_line},
             {OCCURRENCE_PROGRESS, expected_line},
             {OCCURRENCE_EXPECTED, bare_line},
             {OCCURRENCE_TAKEN, submitted_line},
             {OCCURRENCE_EASED, submitted_line}};

static size_t kind_of(const struct recorded *recorded)
{
    size_t kind = 0;

    while (kinds[kind].kind != recorded->occurrence.kind)
        kind++;
    return recorded->count > 0 ? EXPECTED : kind;
}

static void occurrence_line(struct occurrence_line *self, struct recorded *recorded)
{
    const bool reads = wording_reads(&self->line);
    size_t kind = reads ? 0 : kind_of(recorded);

    wording_word(&self->line, "<");
    wording_blank(&self->line);
    kind = wording_choice(&self->line, words, kind);
    if (reads)
        *recorded = (struct recorded){
            .occurrence = {.kind = kinds[kind].kind, .row = UINT32_MAX, .node = -1}};
    if (!self->line.failed)
        kinds[kind].line(self, recorded);
}

int occurrence_read(struct known *known, arena_t *texts, struct cursor *cursor,
                    struct recorded *recorded, struct error *error)
{
    struct occurrence_line self = {.line = wording_reading(cursor, texts, error), .known = known};

    occurrence_line(&self, recorded);
    return self.line.failed ? -1 : 0;
}

void occurrence_write(const struct recorded *recorded, struct row_numbers *numbers,
                      struct text *text)
{
    struct occurrence_line self = {.line = wording_writing(text), .numbers = numbers};
    struct recorded copy = *recorded;

    occurrence_line(&self, &copy);
    text_word(text, "\n");
}
