/* quote_moment.c - see quote_moment.h. */
#include "scheduler/run/quote_moment.h"

#include "common/memory.h"
#include "common/processes.h"

#include <stdlib.h>
#include <string.h>

void question_set_deadline(struct question *self, int64_t deadline_s)
{
    self->job.deadline_s = self->level.deadline_s = deadline_s;
}

void question_set_iterations(struct question *self, int64_t iterations)
{
    self->job.iterations = iterations;
}

static void open_question(struct question *self, quotes_t *quotes, const struct submission *like,
                          int64_t at_s)
{
    *self = (struct question){.quotes = quotes, .job = *like};
    self->level.value = like->level_count > 0 ? like->levels[0].value : LEVEL_VALUE_FULL;
    self->job.number = quotes->number;
    self->job.submit_s = at_s;
    self->job.best_effort = false;
    self->job.levels = &self->level;
    self->job.level_count = 1;
    if (like->parent_count > 0) {
        memcpy(self->parents, like->parents, like->parent_count * sizeof(*like->parents));
        self->job.parents = self->parents;
    }
}

/* ---- a job comes ---- */

/* Takes steps until there is a verdict on the job. Whether the job is promised a deadline, or -1
 * with `error`. In a cluster without nodes no verdict comes. */
static int run_to_verdict(engine_t *engine, struct decision *decision, uint64_t number,
                          struct denial *seen, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

    for (;;) {
        for (size_t i = 0; i < decision->decided_count; i++)
            if (decision->decided[i].job->submission->number == number) {
                *seen = denial_of(&decision->decided[i].verdict);
                return decision->decided[i].verdict.kind == VERDICT_PROMISED;
            }
        if (decision->next_s == NEVER_S) /* there is no node */
            return 0;
        if (engine_step(engine, decision->next_s, &expected, 1, decision, error) < 0)
            return -1;
    }
}

/* Announces the job of a trace, which calls for no round yet. */
static int announce(quotes_t *self, const struct submission *job, struct error *error)
{
    const struct occurrence announced = {.kind = OCCURRENCE_SUBMITTED, .submission = job};

    return engine_step(self->engine, self->decision.now_s, &announced, 1, &self->decision, error);
}

/* The job in question if it is live. A job that ended with the last step is still known, but is not
 * live. */
static const struct job *find_live(const quotes_t *self)
{
    const struct job *job = engine_job(self->engine, self->number);

    return job && !job_is_over(job) ? job : NULL;
}

/* Suspends the job. The submission gets the work that the job has done. */
static int suspend(quotes_t *self, struct submission *job, struct error *error)
{
    const struct job *live = find_live(self);
    const struct occurrence told[] = {
        {.kind = OCCURRENCE_SUSPENDED, .row = UINT32_MAX, .job = self->number},
        {.kind = OCCURRENCE_EXPECTED}};
    int64_t done;

    if (engine_step(self->engine, job->submit_s, told, 2, &self->decision, error) < 0)
        return -1;
    if (live) { /* the record lasts until the next step */
        done = engine_iterations_done(self->engine, live);
        job->iterations_done = done < job->iterations ? done : job->iterations - 1;
    }
    return 0;
}

static void take_end(struct question *self, const struct job *job, enum parent_end end)
{
    for (size_t k = 0; k < self->job.parent_count; k++)
        if (self->parents[k].number == job->submission->number)
            self->parents[k].end = end;
}

/* Notes the ends of parents before the job comes. The engine would wait for these parents
 * otherwise. */
static void hear_parents(struct question *self)
{
    const struct decision *decision = &self->quotes->decision;

    for (size_t i = 0; i < decision->retired_count; i++)
        take_end(self, decision->retired[i].job, PARENT_DONE);
    for (size_t i = 0; i < decision->decided_count; i++)
        if (decision->decided[i].verdict.kind == VERDICT_DECLINED)
            take_end(self, decision->decided[i].job, PARENT_LOST);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        if (decision->disturbances[i].kind == DISTURBANCE_ORPHANED)
            take_end(self, decision->disturbances[i].job, PARENT_LOST);
}

/* Lets a job come as in a service, whose engine is told of a job in the step of that moment, with
 * all news up to then. */
static int arrive(struct question *question, struct error *error)
{
    quotes_t *self = question->quotes;
    struct submission *job = &question->job;
    struct occurrence told[] = {{.kind = OCCURRENCE_SUBMITTED, .submission = job},
                                {.kind = OCCURRENCE_EXPECTED}};
    const int64_t at_s = job->submit_s;

    while (self->decision.next_s < at_s) {
        if (engine_step(self->engine, self->decision.next_s, &told[1], 1, &self->decision, error) <
            0)
            return -1;
        hear_parents(question);
    }
    if (self->suspends) {
        if (suspend(self, job, error) < 0)
            return -1;
        hear_parents(question);
    }
    if (at_s == self->decision.now_s)
        told[1].kind = OCCURRENCE_TIMER;
    return engine_step(self->engine, at_s, told, 2, &self->decision, error);
}

/* Lets the job come. Whether its deadline is promised; -1 with `error`. */
static int come(struct question *self, struct denial *seen, struct error *error)
{
    quotes_t *quotes = self->quotes;

    if ((quotes->is_live ? arrive(self, error) : announce(quotes, &self->job, error)) < 0)
        return -1;
    return run_to_verdict(quotes->engine, &quotes->decision, self->job.number, seen, error);
}

/* ---- a deadline ---- */

struct answer {
    int promised;       /* 1 or 0, -1 with `error` */
    struct denial seen; /* why the promise was denied */
    int64_t decided_s;  /* when the verdict comes */
    struct error error;
};

static void ask_copy(void *argument, void *result)
{
    struct question *question = argument;
    struct answer *answer = result;

    answer->seen = (struct denial){0};
    answer->promised = come(question, &answer->seen, &answer->error);
    answer->decided_s = question->quotes->decision.now_s;
}

/* Changes the job that is about to be decided into that of `question`, but for its work so far, and
 * asks for the verdict. */
static int ask_here(const struct question *question, struct answer *answer, struct error *error)
{
    struct question *coming = question->coming;
    const int64_t done = coming->job.iterations_done;
    struct verdict verdict;

    coming->job = question->job;
    coming->level = question->level;
    coming->job.levels = &coming->level;
    coming->job.parents = coming->parents;
    if (question->quotes->suspends)
        coming->job.iterations_done = done;
    if (engine_ask(question->quotes->engine, &verdict, error) < 0)
        return -1;
    *answer = (struct answer){.promised = verdict.kind == VERDICT_PROMISED,
                              .seen = denial_of(&verdict),
                              .decided_s = engine_status(question->quotes->engine).now_s};
    return 0;
}

int question_put(struct question *self, struct error *error)
{
    struct answer answer;

    if (self->coming ? ask_here(self, &answer, error) < 0
                     : processes_try(ask_copy, self, &answer, sizeof(answer), error) < 0)
        return -1;
    if (answer.promised < 0)
        *error = answer.error;
    if (answer.promised == 0) {
        self->denied_for = answer.seen;
        self->refused_s = self->job.deadline_s;
    }
    if (answer.promised > 0)
        self->decided_s = answer.decided_s;
    return answer.promised;
}

/* ---- how exposed a promised job is to losses of nodes ---- */

struct exposing {
    int promised; /* 1 or 0, -1 with `error` */
    struct exposure exposure;
    struct error error;
};

static void expose_in_copy(void *argument, void *result)
{
    struct question *question = argument;
    struct exposing *exposing = result;
    struct denial seen;

    exposing->exposure = (struct exposure){0};
    exposing->promised = come(question, &seen, &exposing->error);
    if (exposing->promised > 0)
        exposing->exposure = engine_job(question->quotes->engine, question->job.number)->exposure;
}

int quotes_expose(quotes_t *self, const struct submission *job, int64_t at_s, int64_t deadline_s,
                  struct exposure *exposure, struct error *error)
{
    struct question question;
    struct exposing exposing;

    open_question(&question, self, job, at_s);
    question_set_deadline(&question, deadline_s);
    if (processes_try(expose_in_copy, &question, &exposing, sizeof(exposing), error) < 0)
        return -1;
    *exposure = exposing.exposure;
    if (exposing.promised < 0)
        *error = exposing.error;
    return exposing.promised < 0 ? -1 : 0;
}

/* ---- all inquiries at a moment ---- */

static void inquire_one(quotes_t *self, int64_t at_s, inquire_fn *inquire, struct question *coming,
                        struct inquiry *inquiry)
{
    struct question question;

    open_question(&question, self, inquiry->job, at_s);
    question.coming = coming;
    inquiry->answer = inquire(&question, inquiry, &inquiry->error);
}

/* The results of a copy of the process. */
struct finding {
    size_t settled; /* how many inquiries have answers */
    struct inquiry inquiries[];
};

struct batch {
    quotes_t *quotes;
    int64_t at_s;
    inquire_fn *inquire;
    const struct inquiry *inquiries;
    size_t count;

    /* only in the copy */
    struct question coming; /* stands for the job of each question */
    struct finding *finding;
};

static void inquire_here(void *owner)
{
    struct batch *batch = owner;
    struct finding *finding = batch->finding;

    for (; finding->settled < batch->count; finding->settled++)
        if (!finding->inquiries[finding->settled].is_over)
            inquire_one(batch->quotes, batch->at_s, batch->inquire, &batch->coming,
                        &finding->inquiries[finding->settled]);
}

/* Answers inquiries in a copy of the process, in place of the first job's verdict. If the first job
 * cannot come, its inquiry alone gets an error. If no verdict ever comes, no job is promised a
 * deadline. */
static void inquire_in_copy(void *argument, void *result)
{
    struct batch *batch = argument;
    quotes_t *quotes = batch->quotes;
    struct finding *finding = batch->finding = result;
    struct denial seen;
    struct error error = {.text = ""};
    int promised;

    finding->settled = 0;
    memcpy(finding->inquiries, batch->inquiries, batch->count * sizeof(*finding->inquiries));
    for (size_t i = 0; i < batch->count; i++)
        if (!finding->inquiries[i].is_over)
            finding->inquiries[i].answer = 0;
    open_question(&batch->coming, quotes, batch->inquiries[0].job, batch->at_s);
    question_set_deadline(&batch->coming, batch->at_s + 1);
    engine_ask_at_arrival(quotes->engine, quotes->number, inquire_here, batch);
    promised = come(&batch->coming, &seen, &error);
    if (finding->settled > 0)
        return;
    finding->settled = promised < 0 ? 1 : batch->count;
    finding->inquiries[0].answer = promised < 0 ? -1 : 0;
    finding->inquiries[0].error = error;
}

/* Answers inquiries by one copy of the process. The first inquiry must not be over. Returns how
 * many were answered, 0 with `error`. */
static size_t inquire_in_one_copy(struct batch *batch, struct inquiry inquiries[],
                                  struct error *error)
{
    const size_t size = sizeof(struct finding) + batch->count * sizeof(*inquiries);
    struct finding *finding = xmalloc(size);
    size_t settled = 0;

    if (processes_try(inquire_in_copy, batch, finding, size, error) == 0) {
        settled = finding->settled;
        memcpy(inquiries, finding->inquiries, settled * sizeof(*inquiries));
    }
    free(finding);
    return settled;
}

int quotes_inquire(quotes_t *self, int64_t at_s, inquire_fn *inquire, struct inquiry inquiries[],
                   size_t count, struct error *error)
{
    for (size_t i = 0; i < count;) {
        struct batch batch = {.quotes = self,
                              .at_s = at_s,
                              .inquire = inquire,
                              .inquiries = &inquiries[i],
                              .count = count - i};
        size_t settled = 1;

        if (!inquiries[i].is_over && engine_can_ask(self->engine)) {
            settled = inquire_in_one_copy(&batch, &inquiries[i], error);
            if (settled == 0)
                return -1;
        } else if (!inquiries[i].is_over) {
            inquire_one(self, at_s, inquire, NULL, &inquiries[i]);
        }
        i += settled;
    }
    return 0;
}
