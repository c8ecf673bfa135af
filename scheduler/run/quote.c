/* quote.c - see quote.h. Each question is a run of its own up to the answer: the same occurrences
 * give the same decisions, so that a submission would be told the same. */
#include "scheduler/run/quote.h"

#include "common/memory.h"
#include "scheduler/run/inputs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer windows are not asked for: some 30 years. */
#define WINDOW_MAX_S ((int64_t)1000000000)

struct quotes {
    struct inputs inputs;
    int64_t at_s;
    size_t count;    /* jobs that have arrived */
    uint64_t number; /* of the job that might be */
};

static int check_policy(const struct quotes *self, struct error *error)
{
    const struct policy *policy = self->inputs.setting.policy;

    if (policy->admission->promises)
        return 0;
    return error_set(error, "policy %s promises nothing", policy->name);
}

quotes_t *quotes_new(const struct simulation *simulation, int64_t at_s, struct error *error)
{
    quotes_t *self = xcalloc(1, sizeof(*self));

    self->at_s = at_s;
    if (inputs_read(&self->inputs, simulation, error) < 0 || check_policy(self, error) < 0) {
        quotes_destroy(&self);
        return NULL;
    }
    for (size_t i = 0; i < submissions_count(self->inputs.submissions); i++) {
        const struct submission *job = submissions_at(self->inputs.submissions, i);

        self->count += job->submit_s <= at_s;
        self->number = job->number >= self->number ? job->number + 1 : self->number;
    }
    return self;
}

void quotes_destroy(quotes_t **self)
{
    if (!*self)
        return;
    inputs_free(&(*self)->inputs);
    free(*self);
    *self = NULL;
}

int quotes_gpus(const quotes_t *self)
{
    return cluster_spec_gpus(&self->inputs.setting.cluster);
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
    struct throughput_row row;
    struct job_level level;
    struct submission job;
};

static int ask(const quotes_t *self, const struct quoted_job *job, struct question *question,
               struct error *error)
{
    const struct throughput_row *row =
        throughput_find(self->inputs.throughputs[0], job->model, job->batch_size);

    if (!row)
        return error_set(error, "%s: no throughputs of model %s at batch size %d",
                         throughput_source(self->inputs.throughputs[0]), job->model,
                         job->batch_size);
    question->row = *row;
    while (job->gpus_max > 0 && question->row.level_count > 0 &&
           question->row.gpus[question->row.level_count - 1] > job->gpus_max)
        question->row.level_count--;
    question->job = (struct submission){.id = "quoted",
                                        .number = self->number,
                                        .throughput = &question->row,
                                        .model = row->model,
                                        .submit_s = self->at_s,
                                        .iterations = job->iterations,
                                        .batch_size = job->batch_size,
                                        .gpus_requested = row->gpus[0],
                                        .duration_s = -1,
                                        .levels = &question->level,
                                        .level_count = 1};
    return 0;
}

/* Takes steps until the job is told something: what, or -1 with `error`. */
static int run_to_verdict(engine_t *engine, struct decision *decision, uint64_t number,
                          struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

    for (;;) {
        for (size_t i = 0; i < decision->decided_count; i++)
            if (decision->decided[i].job->submission->number == number)
                return decision->decided[i].verdict.kind == VERDICT_PROMISED;
        assert(decision->next_s != NEVER_S);
        if (engine_step(engine, decision->next_s, &expected, 1, decision, error) < 0)
            return -1;
    }
}

static int probe(quotes_t *self, struct question *question, int64_t deadline_s, struct error *error)
{
    struct occurrence *announced = xcalloc(self->count + 1, sizeof(*announced));
    engine_t *engine = engine_new(&self->inputs.setting, error);
    const int64_t first_s =
        self->count > 0 ? submissions_at(self->inputs.submissions, 0)->submit_s : self->at_s;
    struct decision decision = {.next_s = NEVER_S};
    int promised = -1;

    question->job.deadline_s = deadline_s;
    question->level = (struct job_level){deadline_s, LEVEL_VALUE_FULL};
    for (size_t i = 0; i <= self->count; i++)
        announced[i] = (struct occurrence){
            .kind = OCCURRENCE_SUBMITTED,
            .submission =
                i < self->count ? submissions_at(self->inputs.submissions, i) : &question->job};
    if (engine && engine_step(engine, first_s, announced, self->count + 1, &decision, error) == 0)
        promised = run_to_verdict(engine, &decision, question->job.number, error);
    engine_destroy(&engine);
    free(announced);
    return promised;
}

int quotes_is_promised(quotes_t *self, const struct quoted_job *job, int64_t deadline_s,
                       struct error *error)
{
    struct question question;

    return ask(self, job, &question, error) < 0 ? -1 : probe(self, &question, deadline_s, error);
}

/* ---- the search ---- */

/* Whatever is between, `*late_s` is promised and a second less is not. */
static int search(quotes_t *self, struct question *question, int64_t *late_s, struct error *error)
{
    int64_t early_s = self->at_s;
    int64_t window_s = 60;
    int promised = 0;

    while (promised == 0 && window_s < WINDOW_MAX_S) {
        promised = probe(self, question, self->at_s + window_s, error);
        if (promised > 0)
            break;
        early_s = self->at_s + window_s;
        window_s *= 2;
    }
    *late_s = self->at_s + window_s;
    while (promised > 0 && *late_s - early_s > 1) {
        const int64_t middle_s = early_s + (*late_s - early_s) / 2;
        const int answer = probe(self, question, middle_s, error);

        if (answer < 0)
            return -1;
        if (answer > 0)
            *late_s = middle_s;
        else
            early_s = middle_s;
    }
    return promised;
}

static double price_gpu_s(const quotes_t *self, const struct question *question, int64_t deadline_s)
{
    const int gpus = quotes_gpus(self);
    prices_t *prices = prices_new(gpus, 0);
    double least = INFINITY;

    for (int i = 0; i < question->row.level_count && question->row.gpus[i] <= gpus; i++) {
        const double need_s = prices_of_known(prices) +
                              (double)question->job.iterations / question->row.iters_per_s[i];

        if (need_s <= (double)(deadline_s - self->at_s))
            least = fmin(least, question->row.gpus[i] * need_s);
    }
    prices_destroy(&prices);
    return least;
}

int quotes_find(quotes_t *self, const struct quoted_job *job, struct quote *quote,
                struct error *error)
{
    struct question question;
    int promised;

    *quote = (struct quote){.promised = false};
    if (ask(self, job, &question, error) < 0)
        return -1;
    promised = search(self, &question, &quote->deadline_s, error);
    if (promised < 0)
        return -1;
    quote->promised = promised > 0;
    quote->gpu_s = price_gpu_s(self, &question, quote->deadline_s);
    return 0;
}
