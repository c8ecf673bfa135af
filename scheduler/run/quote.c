/* quote.c - see quote.h. A trace runs once, up to the time of the quotes. Each question is put to a
 * copy of the process, which goes on from there to the answer: the same occurrences give the same
 * decisions, so that a submission would be told the same. */
#include "scheduler/run/quote.h"

#include "common/memory.h"
#include "common/processes.h"
#include "scheduler/run/inputs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer windows are not asked for: some 30 years. */
#define WINDOW_MAX_S ((int64_t)1000000000)

/* Where no deadline is promised now, moments are tried up to so much later. */
#define LATER_MAX_S ((int64_t)1 << 18)

/* The first step of a search where no deadline was found before. */
#define STEP_S 8

/* More moments than this are not tried one by one: the others lie evenly between. */
#define MOMENTS_MAX 24

/* So often a deadline that some moment refuses is followed by the next one that this moment
 * promises; after that steps double. */
#define EVEN_TRIES 16

struct quotes {
    struct inputs inputs;
    int64_t first_s; /* the moments at which the job may come */
    int64_t last_s;
    uint64_t number; /* of the job that might be */
    engine_t *engine;
    bool is_live; /* the engine is lent, with its inputs, and hears of a job when the job comes */
    struct decision decision; /* the last before `first_s` */
    bool has_found;           /* a deadline, */
    int64_t beyond_s;         /* so long after the least time of its job; 0 before */
};

static int check_policy(const struct quotes *self, struct error *error)
{
    const struct policy *policy = self->inputs.setting.policy;

    if (policy->admission->promises)
        return 0;
    return error_set(error, "policy %s promises nothing", policy->name);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The jobs that have arrived at the time of the quotes, each to come when it comes. */
static size_t list_known(quotes_t *self, struct occurrence *known)
{
    size_t count = 0;

    for (size_t i = 0; i < submissions_count(self->inputs.submissions); i++) {
        const struct submission *job = submissions_at(self->inputs.submissions, i);

        if (job->submit_s <= self->first_s)
            known[count++] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = job};
        self->number = job->number >= self->number ? job->number + 1 : self->number;
    }
    return count;
}

/* Steps are taken while they come before the job: what comes then may hang on the job. */
static int run_up_to(quotes_t *self, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};
    struct occurrence *known =
        xcalloc(submissions_count(self->inputs.submissions) + 1, sizeof(*known));
    const size_t count = list_known(self, known);
    const int64_t first_s =
        earlier(count > 0 ? known[0].submission->submit_s : self->first_s, self->first_s - 1);
    int status = engine_step(self->engine, first_s, known, count, &self->decision, error);

    free(known);
    while (status == 0 && self->decision.next_s < self->first_s)
        status =
            engine_step(self->engine, self->decision.next_s, &expected, 1, &self->decision, error);
    return status;
}

quotes_t *quotes_new(const struct simulation *simulation, int64_t at_s, struct error *error)
{
    quotes_t *self = xcalloc(1, sizeof(*self));

    self->first_s = self->last_s = at_s;
    if (inputs_read(&self->inputs, simulation, error) < 0 || check_policy(self, error) < 0 ||
        !(self->engine = engine_new(&self->inputs.setting, error)) || run_up_to(self, error) < 0)
        quotes_destroy(&self);
    return self;
}

quotes_t *quotes_of(const struct inputs *inputs, engine_t *engine, const struct decision *decision,
                    uint64_t number, struct error *error)
{
    quotes_t *self = xcalloc(1, sizeof(*self));

    *self = (struct quotes){.inputs = *inputs,
                            .first_s = decision->now_s,
                            .last_s = decision->now_s,
                            .number = number,
                            .engine = engine,
                            .is_live = true,
                            .decision = *decision};
    if (check_policy(self, error) < 0)
        quotes_destroy(&self);
    return self;
}

void quotes_set_moments(quotes_t *self, int64_t first_s, int64_t last_s)
{
    assert(self->is_live);
    assert(first_s >= self->decision.now_s && last_s >= first_s);
    self->first_s = first_s;
    self->last_s = last_s;
}

void quotes_destroy(quotes_t **self)
{
    if (!*self)
        return;
    if (!(*self)->is_live) {
        engine_destroy(&(*self)->engine);
        inputs_free(&(*self)->inputs);
    }
    free(*self);
    *self = NULL;
}

const throughput_table_t *quotes_table(const quotes_t *self)
{
    return self->inputs.throughputs[0];
}

int quotes_gpus(const quotes_t *self)
{
    const struct cluster_spec *cluster = &self->inputs.setting.cluster;
    const int spares = (int)self->inputs.promising.spare_nodes;

    return cluster_spec_gpus(cluster) - spares * cluster->pools[0].gpus_per_node;
}

int quotes_batch_size(const quotes_t *self, const char *model, size_t index)
{
    const throughput_table_t *table = self->inputs.throughputs[0];
    int last = 0;

    for (;; index--) {
        int next = 0;

        for (size_t i = 0; i < throughput_count(table); i++) {
            const struct throughput_row *row = throughput_row_at(table, i);

            if (!strcmp(row->model, model) && row->batch_size > last &&
                (next == 0 || row->batch_size < next))
                next = row->batch_size;
        }
        if (next == 0 || index == 0)
            return next;
        last = next;
    }
}

/* ---- one question ---- */

/* The job, and what it refers to. */
struct question {
    quotes_t *quotes;
    struct job_level level;
    struct submission job;
    struct demand_seen denied_for; /* the deadline that was refused last, and is the latest so */
};

struct answer {
    int promised;            /* 1 or 0, -1 with `error` */
    struct demand_seen seen; /* by what the promise was denied */
    int64_t decided_s;       /* when that is told */
    struct error error;
};

static void set_deadline(struct question *question, int64_t deadline_s)
{
    question->job.deadline_s = question->level.deadline_s = deadline_s;
}

static void set_iterations(struct question *question, int64_t iterations)
{
    question->job.iterations = iterations;
}

/* `like` with a deadline of its own, which comes at the last moment. */
static void ask(quotes_t *self, const struct submission *like, struct question *question)
{
    *question = (struct question){.quotes = self, .job = *like};
    question->level.value = like->level_count > 0 ? like->levels[0].value : LEVEL_VALUE_FULL;
    question->job.number = self->number;
    question->job.submit_s = self->last_s;
    question->job.best_effort = false;
    question->job.levels = &question->level;
    question->job.level_count = 1;
}

/* Takes steps until the job is told something: whether that is a promise, or -1 with `error`. It is
 * told nothing, ever, where there are no nodes. */
static int run_to_verdict(engine_t *engine, struct decision *decision, uint64_t number,
                          struct demand_seen *seen, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

    for (;;) {
        for (size_t i = 0; i < decision->decided_count; i++)
            if (decision->decided[i].job->submission->number == number) {
                *seen = decision->decided[i].verdict.seen;
                return decision->decided[i].verdict.kind == VERDICT_PROMISED;
            }
        if (decision->next_s == NEVER_S) /* no node is there */
            return 0;
        if (engine_step(engine, decision->next_s, &expected, 1, decision, error) < 0)
            return -1;
    }
}

/* The job of a trace is announced beforehand, and calls for no round. */
static int announce(const struct question *question, struct error *error)
{
    struct decision *decision = &question->quotes->decision;
    const struct occurrence announced = {.kind = OCCURRENCE_SUBMITTED,
                                         .submission = &question->job};

    return engine_step(question->quotes->engine, decision->now_s, &announced, 1, decision, error);
}

/* A service tells its engine of a job in the step of that moment, with what went on until then. */
static int arrive(const struct question *question, struct error *error)
{
    engine_t *engine = question->quotes->engine;
    struct decision *decision = &question->quotes->decision;
    struct occurrence told[] = {{.kind = OCCURRENCE_SUBMITTED, .submission = &question->job},
                                {.kind = OCCURRENCE_EXPECTED}};
    const int64_t at_s = question->job.submit_s;

    while (decision->next_s < at_s)
        if (engine_step(engine, decision->next_s, &told[1], 1, decision, error) < 0)
            return -1;
    if (at_s == decision->now_s)
        told[1].kind = OCCURRENCE_TIMER;
    return engine_step(engine, at_s, told, 2, decision, error);
}

static void submit(void *argument, void *result)
{
    const struct question *question = argument;
    quotes_t *quotes = question->quotes;
    struct answer *answer = result;

    answer->seen = (struct demand_seen){0};
    answer->promised =
        quotes->is_live ? arrive(question, &answer->error) : announce(question, &answer->error);
    if (answer->promised == 0)
        answer->promised = run_to_verdict(quotes->engine, &quotes->decision, question->job.number,
                                          &answer->seen, &answer->error);
    answer->decided_s = quotes->decision.now_s;
}

static int probe(struct question *question, int64_t *decided_s, struct error *error)
{
    struct answer answer;

    if (processes_try(submit, question, &answer, sizeof(answer), error) < 0)
        return -1;
    if (answer.promised < 0)
        *error = answer.error;
    if (answer.promised == 0)
        question->denied_for = answer.seen;
    if (decided_s)
        *decided_s = later(*decided_s, answer.decided_s);
    return answer.promised;
}

/* Whether the job is promised its deadline whenever it comes. If not it comes at a moment at which
 * it is not from then on. `*decided_s` becomes the latest time at which it is told, unless that
 * is NULL. */
static int probe_all(struct question *question, int64_t *decided_s, struct error *error)
{
    const quotes_t *quotes = question->quotes;
    const int64_t window_s = quotes->last_s - quotes->first_s;
    const int64_t count = window_s < MOMENTS_MAX ? window_s : MOMENTS_MAX;

    for (int64_t i = count; i >= 0; i--) {
        int answer;

        question->job.submit_s = quotes->first_s + (count > 0 ? window_s * i / count : 0);
        answer = probe(question, decided_s, error);
        if (answer <= 0)
            return answer;
    }
    return 1;
}

int quotes_is_promised(quotes_t *self, const struct submission *job, int64_t deadline_s,
                       struct demand_seen *seen, struct error *error)
{
    struct question question = {0};
    int promised;

    ask(self, job, &question);
    set_deadline(&question, deadline_s);
    promised = probe_all(&question, NULL, error);
    *seen = question.denied_for;
    return promised;
}

/* ---- the search ---- */

typedef void set_fn(struct question *question, int64_t value);

/* Of two values the one is promised and the other is not. Brings them together until they are next
 * to each other. */
static int narrow(struct question *question, set_fn *set, int64_t *promised, int64_t refused,
                  struct error *error)
{
    while (llabs(*promised - refused) > 1) {
        const int64_t middle = refused + (*promised - refused) / 2;
        int answer;

        set(question, middle);
        answer = probe(question, NULL, error);
        if (answer < 0)
            return -1;
        *(answer > 0 ? promised : &refused) = middle;
    }
    return 0;
}

/* Iterations that are left. */
static double work_of(const struct submission *job)
{
    return (double)(job->iterations - job->iterations_done);
}

/* The time that the job takes if it begins at once on the number of GPUs that is fastest, at least;
 * 0 if it fits no number. */
static int64_t least_s(const quotes_t *self, const struct question *question)
{
    const struct throughput_row *row = question->job.throughput;
    const int gpus = quotes_gpus(self);
    double least = INFINITY;

    for (int i = 0; i < row->level_count && row->gpus[i] <= gpus; i++)
        least = fmin(least, work_of(&question->job) / row->iters_per_s[i]);
    return least < (double)WINDOW_MAX_S ? (int64_t)least : 0;
}

/* Goes on from `*at_s`, which is promised or refused as `promised` says, by steps that double, to a
 * deadline of the other kind: later ones, or earlier ones down to `*refused_s`. 1 where both are
 * known then, 0 if none is promised, -1 with `error`. */
static int bracket(struct question *question, bool promised, int64_t *promised_s,
                   int64_t *refused_s, struct error *error)
{
    const int64_t last_s = question->job.submit_s + WINDOW_MAX_S;
    int64_t step_s = question->quotes->has_found ? 1 : STEP_S;

    for (;; step_s *= 2) {
        const int64_t tried_s = promised ? *promised_s - step_s : *refused_s + step_s;
        int answer;

        if (tried_s <= *refused_s || tried_s >= last_s)
            return promised;
        set_deadline(question, tried_s);
        answer = probe(question, NULL, error);
        if (answer < 0)
            return -1;
        *(answer > 0 ? promised_s : refused_s) = tried_s;
        if ((answer > 0) != promised)
            return 1;
    }
}

/* Whether a deadline after `refused_s` would be promised at the moment at which the job comes; -1
 * with `error`. Whatever is between, `*deadline_s` is and a second less is not. Each question costs
 * a copy of the process: the first is about a deadline as long after the least time of the job as
 * the earliest one was that was found last, for the same job on other numbers of GPUs; that is the
 * earliest one mostly, or near it. */
static int search(struct question *question, int64_t refused_s, int64_t *deadline_s,
                  struct error *error)
{
    quotes_t *const quotes = question->quotes;
    int64_t least;
    int64_t first_s;
    int found;

    assert(quotes);
    least = question->job.submit_s + least_s(quotes, question);
    first_s = later(refused_s + 1, least + quotes->beyond_s);
    set_deadline(question, first_s);
    found = probe(question, NULL, error);
    if (found < 0)
        return -1;
    *(found > 0 ? deadline_s : &refused_s) = first_s;
    found = bracket(question, found > 0, deadline_s, &refused_s, error);
    if (found <= 0 || narrow(question, set_deadline, deadline_s, refused_s, error) < 0)
        return found <= 0 ? found : -1;
    quotes->has_found = true;
    quotes->beyond_s = *deadline_s - least;
    return 1;
}

/* GPU-seconds for the deadline from the last moment on. */
static double price_gpu_s(const quotes_t *self, const struct submission *job, int64_t deadline_s)
{
    const struct throughput_row *row = job->throughput;
    const int gpus = quotes_gpus(self);
    prices_t *prices = prices_new(gpus, 0);
    double least = INFINITY;

    for (int i = 0; i < row->level_count && row->gpus[i] <= gpus; i++) {
        const double need_s = prices_of_known(prices) + work_of(job) / row->iters_per_s[i];

        if (need_s <= (double)(deadline_s - self->last_s))
            least = fmin(least, row->gpus[i] * need_s);
    }
    prices_destroy(&prices);
    return least;
}

/* From when on some deadline would be promised, if all goes as planned: the first such moment of
 * those that are 1, 2, 4 s and so on after the last. -1 with `error`. */
static int find_later(struct question *question, int64_t *later_s, struct error *error)
{
    const int64_t last_s = question->quotes->last_s;

    *later_s = NEVER_S;
    set_deadline(question, last_s + WINDOW_MAX_S);
    for (int64_t step_s = 1; question->quotes->is_live && step_s <= LATER_MAX_S; step_s *= 2) {
        int promised;

        question->job.submit_s = last_s + step_s;
        promised = probe(question, NULL, error);
        if (promised > 0)
            *later_s = question->job.submit_s;
        if (promised != 0)
            return promised < 0 ? -1 : 0;
    }
    return 0;
}

/* The earliest after `refused_s` by the last moment; then, while some moment refuses a deadline,
 * the next one by that moment. */
int quotes_find(quotes_t *self, const struct submission *job, int64_t refused_s,
                struct quote *quote, struct error *error)
{
    struct question question;
    int promised = 0;

    *quote = (struct quote){.promised = false};
    ask(self, job, &question);
    refused_s = later(self->last_s, refused_s);
    for (int tries = 0; promised == 0; tries++) {
        promised = search(&question, refused_s, &quote->deadline_s, error);
        if (promised <= 0)
            return promised < 0 ? -1 : find_later(&question, &quote->later_s, error);
        set_deadline(&question, quote->deadline_s);
        quote->decided_s = 0;
        promised = probe_all(&question, &quote->decided_s, error);
        refused_s = quote->deadline_s;
        if (tries >= EVEN_TRIES)
            refused_s += (int64_t)1 << earlier(tries - EVEN_TRIES, 20);
    }
    quote->promised = promised > 0;
    quote->seen = question.denied_for;
    quote->gpu_s = price_gpu_s(self, job, quote->deadline_s);
    return promised < 0 ? -1 : 0;
}

int quotes_find_iterations(quotes_t *self, const struct submission *job, int64_t deadline_s,
                           int64_t *iterations, struct error *error)
{
    struct question question;
    int promised;

    *iterations = 0;
    ask(self, job, &question);
    set_deadline(&question, deadline_s);
    set_iterations(&question, 1);
    promised = probe(&question, NULL, error);
    if (promised <= 0)
        return promised;
    *iterations = 1;
    return narrow(&question, set_iterations, iterations, job->iterations, error);
}
