/* quote.c - see quote.h. A trace runs once, up to the time of the quotes. quote_moment.h answers
 * all questions about one moment. */
#include "scheduler/run/quote_moment.h"

#include "common/memory.h"
#include "scheduler/run/inputs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longest window, some 30 years. */
#define WINDOW_MAX_S ((int64_t)1000000000)

/* If no deadline is promised now, later moments are tried: up to 2 to the power of LATER_POWERS
 * seconds later. LATER_STRIDE powers are taken at a time, then the powers between. */
#define LATER_POWERS 18
#define LATER_STRIDE 3

/* The first step of a search in which no deadline was found before. After STEPS_FEW steps the
 * search asks whether any deadline would be promised. */
#define STEP_S    8
#define STEPS_FEW 2

/* The most moments that are tried. In a longer window they lie evenly. */
#define MOMENTS_MAX 24

/* Number of tries in which a deadline that some moment refuses is followed by the next deadline
 * that this moment promises. After these the steps double. */
#define EVEN_TRIES 16

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

/* Lists the jobs that have arrived by the time of the quotes, each with its own time. */
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

/* Takes all steps before the time of the quotes. A later step may depend on the job in question. */
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
    if (inputs_read(&self->inputs, simulation, error) < 0 ||
        inputs_refuse_ends(&self->inputs, "a quote", error) < 0 || check_policy(self, error) < 0 ||
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

void quotes_suspend(quotes_t *self, uint64_t number)
{
    assert(self->is_live);
    self->number = number;
    self->suspends = true;
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

double quotes_confidence(size_t index)
{
    static const double confidences[QUOTES_CONFIDENCES] = {50, 95, 99};

    assert(index < QUOTES_CONFIDENCES);
    return confidences[index];
}

const throughput_table_t *quotes_table(const quotes_t *self)
{
    return self->inputs.throughputs[0];
}

int quotes_gpus(const quotes_t *self)
{
    const struct cluster_spec *cluster = &self->inputs.setting.cluster;
    const int spares = inputs_terms(&self->inputs).losses;

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

/* ---- the search ---- */

typedef void set_fn(struct question *question, int64_t value);

/* Brings a promised value and a refused value together until the two are neighbours. */
static int narrow(struct question *question, set_fn *set, int64_t *promised, int64_t refused,
                  struct error *error)
{
    while (llabs(*promised - refused) > 1) {
        const int64_t middle = refused + (*promised - refused) / 2;
        int answer;

        set(question, middle);
        answer = question_put(question, error);
        if (answer < 0)
            return -1;
        *(answer > 0 ? promised : &refused) = middle;
    }
    return 0;
}

/* The iterations that the job has left. */
static double work_of(const struct submission *job)
{
    return (double)(job->iterations - job->iterations_done);
}

/* The least time that the job takes: from now on, on its fastest number of GPUs; 0 if it fits on no
 * number. */
static int64_t least_s(const quotes_t *self, const struct question *question)
{
    const struct throughput_row *row = question->job.throughput;
    const int gpus = quotes_gpus(self);
    double least = INFINITY;

    for (int i = 0; i < row->level_count && row->gpus[i] <= gpus; i++)
        least = fmin(least, work_of(&question->job) / row->iters_per_s[i]);
    return least < (double)WINDOW_MAX_S ? (int64_t)least : 0;
}

/* Whether any deadline is promised, however late: 1 or 0, -1 with `error`. */
static int is_any_promised(struct question *question, struct error *error)
{
    question_set_deadline(question, question->job.submit_s + WINDOW_MAX_S);
    return question_put(question, error);
}

/* Brackets the limit between refused and promised deadlines. `promised` says which of the two is
 * known. The other kind is looked for in steps that double: later deadlines, or earlier ones down
 * to `*refused_s`. 1 if both are known then, 0 if none is promised, -1 with `error`. */
static int bracket(struct question *question, bool promised, int64_t *promised_s,
                   int64_t *refused_s, struct error *error)
{
    const int64_t last_s = question->job.submit_s + WINDOW_MAX_S;
    int64_t step_s = question->quotes->has_found ? 1 : STEP_S;

    for (int steps = 0;; steps++, step_s *= 2) {
        const int64_t tried_s = promised ? *promised_s - step_s : *refused_s + step_s;
        int answer;

        if (!promised && question->known_s > 0 && tried_s >= question->known_s) {
            *promised_s = question->known_s;
            return 1;
        }
        if (tried_s <= *refused_s || tried_s >= last_s)
            return promised;
        if (!promised && steps == STEPS_FEW && (answer = is_any_promised(question, error)) <= 0)
            return answer;
        question_set_deadline(question, tried_s);
        answer = question_put(question, error);
        if (answer < 0)
            return -1;
        *(answer > 0 ? promised_s : refused_s) = tried_s;
        if ((answer > 0) != promised)
            return 1;
    }
}

/* Whether a deadline after `refused_s` is promised to a job that comes at this moment; -1 with
 * `error`. If so, `*deadline_s` is promised, and a second less is refused. The first try is the
 * least time of the job plus the distance of the last found deadline from its least time, for the
 * same job on other numbers of GPUs: mostly that is the answer, or near it. */
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
    if (question->known_s > 0 && first_s >= question->known_s) {
        first_s = question->known_s;
        found = 1;
    } else {
        question_set_deadline(question, first_s);
        found = question_put(question, error);
        if (found < 0)
            return -1;
    }
    *(found > 0 ? deadline_s : &refused_s) = first_s;
    found = bracket(question, found > 0, deadline_s, &refused_s, error);
    if (found <= 0 || narrow(question, question_set_deadline, deadline_s, refused_s, error) < 0)
        return found <= 0 ? found : -1;
    quotes->has_found = true;
    quotes->beyond_s = *deadline_s - least;
    return 1;
}

/* The least GPU-seconds of a course that begins at the last moment and meets the deadline. */
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

/* ---- at all moments ---- */

static int64_t moment_count(const quotes_t *self)
{
    const int64_t window_s = self->last_s - self->first_s;

    return 1 + (window_s < MOMENTS_MAX ? window_s : MOMENTS_MAX);
}

/* The moment of an index. The last moment comes first. */
static int64_t moment_s(const quotes_t *self, int64_t index)
{
    const int64_t steps = moment_count(self) - 1;
    const int64_t window_s = self->last_s - self->first_s;

    return self->first_s + (steps > 0 ? window_s * (steps - index) / steps : 0);
}

/* The deadline after which the search goes on. If a moment refuses the deadline of other moments,
 * this is that deadline, and after EVEN_TRIES tries a growing number of seconds more. A refused
 * deadline that the user asked about is not searched again. */
static int64_t refused_by(const struct inquiry *inquiry)
{
    const int beyond = inquiry->tries - EVEN_TRIES;
    int64_t refused_s = inquiry->refused_s;

    if (inquiry->deadline_s > 0)
        refused_s = inquiry->deadline_s + (beyond >= 0 ? (int64_t)1 << earlier(beyond, 20) : 0);
    return inquiry->asked_promised ? refused_s : later(refused_s, inquiry->asked_s);
}

/* Asks this moment about the deadline that other moments promise. If it is refused, or none is
 * known yet, finds the next one that this moment promises. */
static int inquire_earliest(struct question *question, struct inquiry *inquiry, struct error *error)
{
    int promised;

    question->known_s =
        inquiry->asked_promised && inquiry->asked_s > inquiry->refused_s ? inquiry->asked_s : 0;
    if (inquiry->deadline_s > (inquiry->asked_promised ? 0 : inquiry->asked_s)) {
        question_set_deadline(question, inquiry->deadline_s);
        promised = question_put(question, error);
        if (promised != 0) {
            inquiry->decided_s = later(inquiry->decided_s, question->decided_s);
            inquiry->is_new = false;
            return promised;
        }
    }
    promised = search(question, refused_by(inquiry), &inquiry->deadline_s, error);
    inquiry->decided_s = question->decided_s;
    inquiry->seen = question->denied_for;
    inquiry->refused_at_s =
        question->refused_s == inquiry->deadline_s - 1 ? question->job.submit_s : NEVER_S;
    inquiry->is_new = true;
    return promised;
}

static int inquire_asked(struct question *question, struct inquiry *inquiry, struct error *error)
{
    int promised;

    question_set_deadline(question, inquiry->asked_s);
    promised = question_put(question, error);
    inquiry->asked_promised = inquiry->asked_promised && promised > 0;
    inquiry->seen = question->denied_for;
    return promised;
}

/* Asks about the deadline that the user named, if any, and about the earliest one. */
static int inquire_both(struct question *question, struct inquiry *inquiry, struct error *error)
{
    if (inquiry->asked_s > 0) {
        question_set_deadline(question, inquiry->asked_s);
        inquiry->asked_promised = inquiry->asked_promised && question_put(question, error) > 0;
    }
    return inquire_earliest(question, inquiry, error);
}

/* Counts the answer of one of `moments` moments. Returns whether the inquiry goes on. */
static bool goes_on(struct inquiry *inquiry, int64_t moments)
{
    inquiry->confirmed = inquiry->is_new ? 1 : inquiry->confirmed + 1;
    inquiry->tries += inquiry->is_new;
    inquiry->is_over = inquiry->answer <= 0 || inquiry->confirmed >= moments;
    return !inquiry->is_over;
}

/* Finds the earliest deadline at the last moment. While another moment refuses that deadline, the
 * next one of that moment is taken. */
static int inquire_all(quotes_t *self, struct inquiry inquiries[], size_t count,
                       struct error *error)
{
    const int64_t moments = moment_count(self);
    bool any = true;

    for (int64_t i = 0; any; i++) {
        if (quotes_inquire(self, moment_s(self, i % moments),
                           i < moments ? inquire_both : inquire_earliest, inquiries, count,
                           error) < 0)
            return -1;
        any = false;
        for (size_t k = 0; k < count; k++)
            any = (!inquiries[k].is_over && goes_on(&inquiries[k], moments)) || any;
    }
    return 0;
}

/* ---- later ---- */

static int inquire_any(struct question *question, struct inquiry *inquiry, struct error *error)
{
    (void)inquiry;
    return is_any_promised(question, error);
}

/* Whether any deadline is promised to a job that comes 2 to the power of `power` seconds after the
 * last moment. */
static int is_any_later(quotes_t *self, const struct submission *job, int power,
                        struct error *error)
{
    struct inquiry inquiry = {.job = job};

    if (quotes_inquire(self, self->last_s + ((int64_t)1 << power), inquire_any, &inquiry, 1,
                       error) < 0)
        return -1;
    if (inquiry.answer < 0)
        *error = inquiry.error;
    return inquiry.answer;
}

/* From when on a deadline would be promised, if all goes as planned: the first of the moments 1, 2,
 * 4 ... seconds after the last one that promises any. NEVER_S if none of them does. -1 with
 * `error`. */
static int find_later(quotes_t *self, const struct submission *job, int64_t *later_s,
                      struct error *error)
{
    int power = 0;
    int answer;

    *later_s = NEVER_S;
    if (!self->is_live)
        return 0;
    while ((answer = is_any_later(self, job, power, error)) == 0 && power < LATER_POWERS)
        power += LATER_STRIDE;
    if (answer <= 0)
        return answer;
    for (const int refused = power - LATER_STRIDE; answer > 0; power -= answer > 0)
        answer = power - 1 > refused && power > 0 ? is_any_later(self, job, power - 1, error) : 0;
    *later_s = self->last_s + ((int64_t)1 << power);
    return answer;
}

/* ---- answers ---- */

static void take_in(const quotes_t *self, const struct inquiry *inquiry, struct quoted *quoted)
{
    struct quote *quote = &quoted->quote;

    *quote = (struct quote){
        .promised = inquiry->answer > 0, .later_s = NEVER_S, .refused_at_s = NEVER_S};
    quoted->asked_promised = inquiry->asked_s > 0 && inquiry->asked_promised;
    quoted->error = inquiry->error;
    quote->seen = inquiry->seen;
    if (!quote->promised)
        return;
    quote->deadline_s = inquiry->deadline_s;
    quote->refused_at_s = inquiry->refused_at_s;
    quote->decided_s = inquiry->decided_s;
    quote->gpu_s = price_gpu_s(self, quoted->job, quote->deadline_s);
}

/* The exposure of the promise to losses of nodes, where promises survive such losses. */
static int expose(quotes_t *self, const struct submission *job, struct quote *quote,
                  struct error *error)
{
    return inputs_terms(&self->inputs).losses == 0
               ? 0
               : quotes_expose(self, job, self->last_s, quote->deadline_s, &quote->exposure, error);
}

int quotes_find_all(quotes_t *self, struct quoted quoted[], size_t count, struct error *error)
{
    struct inquiry *inquiries = xcalloc(count, sizeof(*inquiries));
    int status;

    for (size_t i = 0; i < count; i++)
        inquiries[i] = (struct inquiry){.job = quoted[i].job,
                                        .asked_s = quoted[i].asked_s,
                                        .asked_promised = true,
                                        .refused_s = later(self->last_s, quoted[i].refused_s)};
    status = inquire_all(self, inquiries, count, error);
    for (size_t i = 0; status == 0 && i < count; i++)
        take_in(self, &inquiries[i], &quoted[i]);
    if (status == 0 && count > 0 && inquiries[0].answer == 0)
        status = find_later(self, quoted[0].job, &quoted[0].quote.later_s, error);
    else if (status == 0 && count > 0 && quoted[0].quote.promised)
        status = expose(self, quoted[0].job, &quoted[0].quote, error);
    free(inquiries);
    return status;
}

int quotes_find(quotes_t *self, const struct submission *job, int64_t refused_s,
                struct quote *quote, struct error *error)
{
    struct quoted quoted = {.job = job, .refused_s = refused_s};

    if (quotes_find_all(self, &quoted, 1, error) < 0)
        return -1;
    *quote = quoted.quote;
    if (*quoted.error.text)
        *error = quoted.error;
    return *quoted.error.text ? -1 : 0;
}

int quotes_is_promised(quotes_t *self, const struct submission *job, int64_t deadline_s,
                       struct denial *seen, struct error *error)
{
    struct inquiry inquiry = {
        .job = job, .asked_s = deadline_s, .asked_promised = true, .answer = 1};

    for (int64_t i = 0; inquiry.answer > 0 && i < moment_count(self); i++)
        if (quotes_inquire(self, moment_s(self, i), inquire_asked, &inquiry, 1, error) < 0)
            return -1;
    if (inquiry.answer < 0)
        *error = inquiry.error;
    *seen = inquiry.seen;
    return inquiry.answer;
}

static int inquire_iterations(struct question *question, struct inquiry *inquiry,
                              struct error *error)
{
    const int64_t all = question->job.iterations;
    int promised;

    question_set_deadline(question, inquiry->asked_s);
    question_set_iterations(question, 1);
    promised = question_put(question, error);
    if (promised <= 0)
        return promised;
    inquiry->iterations = 1;
    return narrow(question, question_set_iterations, &inquiry->iterations, all, error) < 0 ? -1 : 1;
}

int quotes_find_iterations(quotes_t *self, const struct submission *job, int64_t deadline_s,
                           int64_t *iterations, struct error *error)
{
    struct inquiry inquiry = {.job = job, .asked_s = deadline_s};

    if (quotes_inquire(self, self->last_s, inquire_iterations, &inquiry, 1, error) < 0)
        return -1;
    if (inquiry.answer < 0)
        *error = inquiry.error;
    *iterations = inquiry.iterations;
    return inquiry.answer < 0 ? -1 : 0;
}
