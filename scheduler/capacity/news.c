/* news.c - news of nodes and jobs as occurrences, of which the next step tells the engine. */
#include "scheduler/capacity/capacity_state.h"

#include "common/clock.h"
#include "common/log.h"
#include "protocol/timing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define OVERHEAD_S_MAX 20

static struct occurrence *append(capacity_t *self, const struct occurrence *occurrence)
{
    struct occurrences *news = &self->news;

    news->items = grow_array(news->items, news->count, &news->room, sizeof(*news->items));
    news->items[news->count] = *occurrence;
    return &news->items[news->count++];
}

static const char *keep(capacity_t *self, const char *text)
{
    return arena_text(self->news.texts, text, strlen(text));
}

void capacity_begin_news(capacity_t *self)
{
    self->news.count = 0;
    arena_reset(self->news.texts);
}

/* ---- nodes ---- */

static const char *why_gone(const capacity_t *self, int position)
{
    const struct capacity_node *node = &self->nodes[position];

    if (!node->known)
        return "it has never registered";
    if (node->went)
        return node->why_went;
    return node->up ? "it has no GPU" : node->cause;
}

/* A node that left and came back makes two occurrences: gone, then up. */
static void tell_of_node(capacity_t *self, int position)
{
    struct capacity_node *node = &self->nodes[position];
    const int gpus = capacity_node_gpus(self, position);
    struct occurrence occurrence = {.node = position, .until_s = node->until_s};

    if (!node->told_gone && (node->went || gpus == 0)) {
        occurrence.kind = OCCURRENCE_NODE_GONE;
        occurrence.cause = keep(self, why_gone(self, position));
        (void)append(self, &occurrence);
        node->told_gone = true;
    }
    if (gpus > 0 &&
        (node->told_gone || gpus != node->told_gpus || node->until_s != node->told_until_s)) {
        occurrence.kind = OCCURRENCE_NODE_UP;
        occurrence.cause = keep(self, node->cause);
        occurrence.gpus = gpus;
        (void)append(self, &occurrence);
        node->told_gone = false;
        node->told_gpus = gpus;
        node->told_until_s = node->until_s;
    }
    node->went = false;
}

void capacity_tell_nodes(capacity_t *self)
{
    for (int i = 0; i < self->cluster_nodes; i++)
        tell_of_node(self, i);
}

/* ---- what starts cost ---- */

static int whole_seconds(const struct trained_job *job)
{
    const int64_t seconds = (job->overhead_ms + 999) / 1000;
    const int64_t most = job->emulated ? INT32_MAX : OVERHEAD_S_MAX;

    return (int)(seconds < most ? seconds : most);
}

/* The start time that the engine is to count for a job that did not start anew. A running program
 * pays the rest of its start. An emulated or idle trainer pays as expected. */
static int rest_of_start(const struct trained_job *job, int64_t now_s)
{
    const int64_t rest_s = job->paid_at_s + job->paid_s - now_s;

    if (job->emulated || !job->training)
        return job->overhead_s;
    return rest_s > 0 ? (int)rest_s : 0;
}

/* The start time that the engine is to count. In real time, a start that outlasted its round is
 * already in the progress of the job. */
static int paid(const capacity_t *self, struct trained_job *job, int64_t now_s)
{
    if (!job->started)
        return rest_of_start(job, now_s);
    if (job->late && !self->setting.fast_forward)
        return job->overhead_s;
    job->paid_s = whole_seconds(job);
    job->paid_at_s = now_s;
    return job->paid_s;
}

void capacity_tell_starts(capacity_t *self, const engine_t *engine, int64_t now_s)
{
    for (struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next) {
        int overhead_s;

        if (!job->planned || job->told_paid || !job->training || !engine_job(engine, job->number))
            continue;
        overhead_s = paid(self, job, now_s);
        job->told_paid = true;
        if (overhead_s != job->overhead_s)
            (void)append(self, &(struct occurrence){.kind = OCCURRENCE_PAID,
                                                    .row = engine_job(engine, job->number)->row,
                                                    .job = job->number,
                                                    .overhead_s = overhead_s});
        job->overhead_s = overhead_s;
    }
    self->paid = false;
}

/* ---- progress ---- */

static struct books books_of(const engine_t *engine, const struct job *job,
                             const struct trained_job *trained, int64_t now_s)
{
    return (struct books){.measure = engine_measure(engine),
                          .whole_s = engine_whole_s(engine, job),
                          .attained_s = job->attained_s,
                          .iterations = (double)job->submission->iterations,
                          .iterations_left = job->iterations_left,
                          .rate = trained->expected_rate,
                          .now_s = now_s};
}

/* The trainers of a job, NULL if the plan in force gives it no GPU. */
static struct trained_job *trained_for(const capacity_t *self, const struct occurrence *progress)
{
    struct trained_job *trained = trained_jobs_find(self->jobs, progress->job);

    return trained && trained->planned ? trained : NULL;
}

/* Whether the job is done by the books or by the clock. */
static bool is_due(const struct job *job, const struct books *books,
                   const struct progress *progress)
{
    return books_end_with(books, progress) || progress->done ||
           (job->end_s > 0 && job->end_s <= books->now_s);
}

static void note_behind(const struct job *job, int64_t now_s, const struct observed *observed)
{
    const struct log_subject about = {(int64_t)job->submission->number, LOG_NONE, LOG_NONE,
                                      LOG_NONE};

    log_event(&about, "behind", "name=%s at=%" PRId64 " pace=%g lost=%g cause=%s",
              log_text(job->submission->id), now_s, observed->pace, observed->lost,
              log_text(observed->cause));
}

/* Notes how far a program came that ended by itself. A program that told its last step did no more.
 * A program that told none is believed to be done if it ran about as long as its work takes. */
static void note_end(const capacity_t *self, const engine_t *engine,
                     const struct trained_job *trained, double expected,
                     struct occurrence *progress)
{
    const struct job *job = engine_job(engine, progress->job);
    const double all = (double)job->submission->iterations;
    double at = (double)engine_iterations_done(engine, job);

    if (!trained->done || trained->emulated || self->setting.fast_forward ||
        !progress->progress.done)
        return;
    if (trained->told_end && trained->step < job->submission->iterations) {
        progress->end = WORK_END_TOLD;
        progress->reached = trained->step;
    } else if (!trained->told_end) {
        at += trained->training && expected > 0 ? expected : 0;
        if (all - at <= capacity_tolerance_s(self) * trained->expected_rate)
            return;
        progress->end = WORK_END_GUESSED;
        progress->reached = at > 0 ? (int64_t)at : 0;
    }
}

/* Dates the end by when it happened, however late it is heard: no later than the books have it, and
 * not before the job began. */
static void date_end(const capacity_t *self, const struct job *job,
                     const struct trained_job *trained, struct progress *progress)
{
    const double ended_s = fmax(ceil(trained->ended_s), (double)job_started_s(job));

    if (self->setting.fast_forward || !progress->done || !trained->done || !trained->dated ||
        !(ended_s < (double)progress->ended_s))
        return;
    progress->ended_s = (int64_t)ended_s;
    progress->early_s = 0;
}

/* Replaces the expected progress by the observed one. */
static void correct(capacity_t *self, const engine_t *engine, struct trained_job *trained,
                    int64_t now_s, struct occurrence *progress)
{
    const struct job *job = engine_job(engine, progress->job);
    const struct books books = books_of(engine, job, trained, now_s);
    const double expected = (double)progress->progress.worked_s * books.rate;
    const bool due = is_due(job, &books, &progress->progress);
    const struct observed observed =
        observe(self, trained, &books, expected, engine_iterations_done(engine, job), due);

    /* A job that is over is late no more. */
    progress->pace = observed.over ? job->pace : observed.pace;
    if (observed.cause) {
        if (observed.pace != trained->pace || observed.lost > 0 ||
            (due && !self->setting.fast_forward))
            note_behind(job, now_s, &observed);
        books_correct(&books, &observed, &trained->uncredited_s, &progress->progress);
        progress->deviates = true;
        progress->cause = keep(self, observed.cause);
    }
    date_end(self, job, trained, &progress->progress);
    note_end(self, engine, trained, expected, progress);
    trained->told_done = trained->done;
    trained->pace = observed.pace;
}

/* Tells of jobs that were done before they lost their GPUs. */
static void tell_of_ends(capacity_t *self, const engine_t *engine, int64_t now_s)
{
    for (const struct trained_job *trained = trained_jobs_first(self->jobs); trained;
         trained = trained->hh.next) {
        const struct job *job = engine_job(engine, trained->number);
        struct occurrence *end;

        if (!trained->done || self->setting.fast_forward || !job ||
            engine_measure(engine) != MEASURE_ITERATIONS || !engine_ends_without_gpus(engine, job))
            continue;
        end = append(self, &(struct occurrence){.kind = OCCURRENCE_PROGRESS,
                                                .row = job->row,
                                                .job = trained->number,
                                                .pace = job->pace,
                                                .progress = {.iterations = job->iterations_left,
                                                             .iterations_done = true,
                                                             .done = true,
                                                             .ended_s = now_s}});
        date_end(self, job, trained, &end->progress);
        note_end(self, engine, trained, 0, end);
    }
}

static void tell_of_failures(capacity_t *self, const engine_t *engine)
{
    for (struct trained_job *trained = trained_jobs_first(self->jobs); trained;
         trained = trained->hh.next) {
        const struct job *job = engine_job(engine, trained->number);

        if (!trained->held || trained->told_failed || !job)
            continue;
        trained->told_failed = true;
        (void)append(self, &(struct occurrence){.kind = OCCURRENCE_FAILED,
                                                .row = job->row,
                                                .job = trained->number,
                                                .cause = keep(self, trained->cause)});
    }
}

int capacity_tell_jobs(capacity_t *self, engine_t *engine, int64_t now_s, struct error *error)
{
    struct occurrence *expected;
    const long count = engine_expect(engine, now_s, &expected, error);

    for (long i = 0; i < count; i++) {
        struct occurrence *progress = append(self, &expected[i]);
        struct trained_job *trained = trained_for(self, progress);

        if (trained)
            correct(self, engine, trained, now_s, progress);
    }
    tell_of_ends(self, engine, now_s);
    tell_of_failures(self, engine);
    self->changed = false;
    return count < 0 ? -1 : 0;
}

static bool slows(const capacity_t *self, const engine_t *engine, int64_t now_s,
                  const struct occurrence *expected)
{
    const struct job *job = engine_job(engine, expected->job);
    const struct trained_job *trained = trained_for(self, expected);
    struct books books;

    if (!job || !trained)
        return false;
    books = books_of(engine, job, trained, now_s);
    return observe_slows(self, trained, &books, (double)expected->progress.worked_s * books.rate,
                         engine_iterations_done(engine, job), job_speed_is_known(job));
}

static bool some_job_slows(capacity_t *self, engine_t *engine, int64_t decided_s, int64_t slot_s)
{
    const int64_t now_s = (int64_t)run_clock_now(self->setting.clock);
    const double window_s = fmax((double)slot_s, capacity_tolerance_s(self));
    const int64_t since_s = decided_s > self->looked_at_s ? decided_s : self->looked_at_s;
    struct occurrence *expected;
    struct error none;
    long count;

    if (self->setting.fast_forward || !self->is_attached || (double)(now_s - since_s) < window_s)
        return false;
    self->looked_at_s = now_s;
    count = engine_expect(engine, now_s, &expected, &none);
    for (long i = 0; i < count; i++)
        if (slows(self, engine, now_s, &expected[i]))
            return true;
    return false;
}

bool capacity_has_end(const capacity_t *self, const engine_t *engine)
{
    if (self->setting.fast_forward)
        return false;
    for (const struct trained_job *trained = trained_jobs_first(self->jobs); trained;
         trained = trained->hh.next)
        if (trained->planned && trained->done && !trained->told_done &&
            engine_job(engine, trained->number))
            return true;
    return false;
}

static bool some_end_comes(const capacity_t *self, const engine_t *engine, int64_t now_s)
{
    for (const struct trained_job *trained = trained_jobs_first(self->jobs); trained;
         trained = trained->hh.next) {
        const struct job *job = trained->planned ? engine_job(engine, trained->number) : NULL;

        if (job && job->end_s <= now_s && observe_end_comes(self, trained, job->submission))
            return true;
    }
    return false;
}

/* ---- what calls for a step ---- */

const struct occurrences *capacity_news(const capacity_t *self)
{
    return &self->news;
}

bool capacity_calls_for_step(const capacity_t *self)
{
    return self->changed;
}

bool capacity_has_starts(const capacity_t *self)
{
    return self->paid;
}

bool capacity_looks_for_step(capacity_t *self, engine_t *engine, int64_t decided_s, int64_t slot_s)
{
    if (!self->changed)
        self->changed = some_job_slows(self, engine, decided_s, slot_s);
    return self->changed;
}

bool capacity_awaits_end(capacity_t *self, const engine_t *engine, int64_t now_s)
{
    const double patience_s = (double)(HEARTBEATS_MISSED * self->heartbeat_ms) / 1000;

    if (self->due_since_s <= 0 || self->due_s != now_s) {
        self->due_s = now_s;
        self->due_since_s = clock_s();
    }
    return self->is_attached && clock_s() - self->due_since_s <= patience_s &&
           some_end_comes(self, engine, now_s);
}
