/* quoting.c - which deadlines would be promised: quotes and dry runs. A copy of the process finds
 * the answer. A quoted deadline is promised if the job is the next that is submitted, and is
 * submitted soon: see run/quote.h. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/run/quote.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A quoted deadline holds for a job that is submitted within this many seconds of real time, unless
 * the question names a number. */
#define WITHIN_S 3

/* A change of deadline is made within this many seconds of real time after the answer about it. */
#define ANSWERED_S 1

/* How often deadlines are looked for again, for later moments, because the search took too much
 * time. */
#define FRESH_TRIES 4

/* ---- in the copy ---- */

#define QUOTED_MAX (1 + THROUGHPUT_LEVELS_MAX + QUOTES_CONFIDENCES)

/* The candidates of a question: the job itself, the job with at most each number of GPUs of its
 * row, and, under a policy that promises by confidence, the job with other confidences. */
struct quoting {
    struct serving *serving;
    quotes_t *quotes;
    struct quoted quoted[QUOTED_MAX];
    struct submission limited[QUOTED_MAX];
    struct throughput_row rows[1 + THROUGHPUT_LEVELS_MAX];
    size_t count;
    size_t first_sure; /* index of the first confidence; `count` if there are none */
    int64_t until_s;   /* the last second at which a job may come for the quoted deadlines */
};

/* The quotes as of now. Unexpected news gets a step of its own first, as in the process. */
static quotes_t *quotes_now(struct serving *self, struct error *error)
{
    if (steps_try_news(self, error) < 0)
        return NULL;
    return quotes_of(&self->inputs, self->engine, &self->decision,
                     job_number_make(self->run, ledger_next(self->ledger)), error);
}

/* Finds the deadlines for a job that comes at any second of the window, which begins now. -1 with
 * `error`. */
static int find_once(struct quoting *self, int64_t window_s, struct error *error)
{
    self->until_s = serving_now_s(self->serving) + window_s;
    quotes_set_moments(self->quotes, serving_step_s(self->serving), self->until_s);
    return quotes_find_all(self->quotes, self->quoted, self->count, error);
}

/* Finds deadlines of which two thirds of the window are left once they are found. -1, with `error`,
 * if the job itself cannot be run, or the search fails. */
static int find_all(struct quoting *self, int64_t within_s, struct error *error)
{
    const double real_s = within_s > 0 ? (double)within_s : WITHIN_S;
    const int64_t window_s = (int64_t)ceil(real_s * self->serving->clock.scale);
    int64_t passed_s = 0;

    for (int tries = 0; tries < FRESH_TRIES; tries++) {
        const int64_t began_s = serving_now_s(self->serving);

        if (find_once(self, window_s + passed_s, error) < 0)
            return -1;
        passed_s = serving_now_s(self->serving) - began_s;
        if (began_s + passed_s + 2 * window_s / 3 <= self->until_s)
            break;
    }
    *error = self->quoted[0].error;
    return *error->text ? -1 : 0;
}

/* Opens a question about `job`, whose answer has to be later than `refused_s`. -1 with `error`. */
static int open_quoting(struct quoting *self, struct serving *serving, const struct submission *job,
                        int64_t refused_s, struct error *error)
{
    self->serving = serving;
    self->quotes = quotes_now(serving, error);
    self->quoted[0] = (struct quoted){.job = job, .refused_s = refused_s};
    self->count = 1;
    return self->quotes ? 0 : -1;
}

static json_t *deadline_of(const struct quoting *self, size_t i)
{
    const struct quote *quote = &self->quoted[i].quote;

    return telling_time(self->serving, quote->promised ? quote->deadline_s : NEVER_S);
}

/* From when on a deadline would be promised, if none is now. */
static json_t *later_of(const struct quoting *self)
{
    const struct quote *quote = &self->quoted[0].quote;

    return telling_time(self->serving, quote->promised ? NEVER_S : quote->later_s);
}

static json_t *until_of(const struct quoting *self)
{
    return telling_time(self->serving, self->quoted[0].quote.promised ? self->until_s : NEVER_S);
}

static json_t *pack_earliest(const struct quoting *self)
{
    return json_pack("{s:o, s:o, s:o}", "earliest", deadline_of(self, 0), "earliest_until",
                     until_of(self), "later", later_of(self));
}

/* Whether a share, or nodes that leave, are the cause of the denial. */
static bool is_denied(const struct denial *denial)
{
    return denial->share.of || denial->known_until_s > 0;
}

/* Tells a job that is to have the earliest deadline why none is promised, or from when on one would
 * be. Returns -1. */
static int complain_of_none(const struct quoting *self, struct error *error)
{
    const struct quote *quote = &self->quoted[0].quote;
    char why[TELLING_DENIAL_BYTES];

    if (is_denied(&quote->seen)) {
        telling_say_denial(self->serving, &quote->seen, why, sizeof(why));
        return error_set(error, "no deadline would be promised: %s; nothing was done", why);
    }
    if (quote->later_s == NEVER_S)
        return error_set(error, "no deadline would be promised, however late; nothing was done");
    telling_date(self->serving, quote->later_s, why);
    return error_set(error, "no deadline would be promised before %s; nothing was done", why);
}

/* The fields of an answer that tell the earliest deadline. NULL, with `error`, if the search
 * fails. */
static json_t *tell_earliest(struct quoting *self, struct error *error)
{
    return find_all(self, 0, error) < 0 ? NULL : pack_earliest(self);
}

json_t *quoting_find_earliest(struct serving *self, const struct submission *job, int64_t refused_s,
                              struct error *error)
{
    struct quoting *quoting = xcalloc(1, sizeof(*quoting));
    json_t *told = NULL;

    if (open_quoting(quoting, self, job, refused_s, error) == 0)
        told = tell_earliest(quoting, error);
    quotes_destroy(&quoting->quotes);
    free(quoting);
    return told;
}

json_t *quoting_take_earliest(struct serving *self, const struct submission *job,
                              struct error *error)
{
    struct quoting *quoting = xcalloc(1, sizeof(*quoting));
    json_t *told = NULL;

    if (open_quoting(quoting, self, job, 0, error) == 0 && find_all(quoting, 0, error) == 0 &&
        (quoting->quoted[0].quote.promised || complain_of_none(quoting, error) == 0))
        told = pack_earliest(quoting);
    quotes_destroy(&quoting->quotes);
    free(quoting);
    return told;
}

/* Whether the job is promised its last deadline at each second at which it may come after this
 * answer: 1 or 0, -1 with `error`. */
static int is_promised_soon(struct quoting *self, struct error *error)
{
    const struct submission *job = self->quoted[0].job;
    const int64_t window_s = (int64_t)ceil(ANSWERED_S * self->serving->clock.scale);
    struct denial seen;

    self->until_s = serving_now_s(self->serving) + window_s;
    quotes_set_moments(self->quotes, serving_step_s(self->serving), self->until_s);
    return quotes_is_promised(self->quotes, job, submission_last_s(job), &seen, error);
}

json_t *quoting_find_change(struct serving *self, const struct submission *again,
                            struct error *error)
{
    struct quoting *quoting = xcalloc(1, sizeof(*quoting));
    json_t *told = NULL;
    int promised = -1;

    if (open_quoting(quoting, self, again, submission_last_s(again), error) == 0) {
        quotes_suspend(quoting->quotes, again->number);
        promised = is_promised_soon(quoting, error);
    }
    if (promised >= 0)
        told = promised > 0 ? json_pack("{s:o}", "until", telling_time(self, quoting->until_s))
                            : tell_earliest(quoting, error);
    quotes_destroy(&quoting->quotes);
    free(quoting);
    return told;
}

/* The submission of a question. The question is the name of a user, a NUL, and the document of a
 * submit. The memory ends with the copy. NULL, with the fault of the document in `*bad`. */
struct submission *quoting_submission(struct serving *self, const char *question,
                                      struct job_request *asked, json_t **bad)
{
    const char *user = question;
    const char *document = question + strlen(user) + 1;
    struct submission *job = NULL;
    struct error error;

    if (job_request_read(document, asked, ledger_texts(self->ledger), &error) == 0)
        job = submitting_make(self, user, asked, &error);
    *bad = job ? NULL : json_pack("{s:s}", "bad", error.text);
    return job;
}

/* Adds the job with at most `gpus` GPUs as a candidate. */
static void add_level(struct quoting *self, int gpus)
{
    const size_t i = self->count++;
    struct submission *limited = &self->limited[i];

    *limited = *self->quoted[0].job;
    self->rows[i] = *limited->throughput;
    throughput_limit(&self->rows[i], 0, gpus);
    limited->throughput = &self->rows[i];
    self->quoted[i] = (struct quoted){.job = limited};
}

static void add_levels(struct quoting *self)
{
    const struct throughput_row *row = self->quoted[0].job->throughput;

    for (int i = 0; i < row->level_count && row->gpus[i] <= quotes_gpus(self->quotes); i++)
        add_level(self, row->gpus[i]);
}

static void add_confidences(struct quoting *self)
{
    const struct submission *job = self->quoted[0].job;

    self->first_sure = self->count;
    for (size_t i = 0; i < QUOTES_CONFIDENCES && self->serving->inputs.setting.policy->keeps_plan;
         i++) {
        struct submission *sure = &self->limited[self->count];

        *sure = *job;
        sure->confidence = quotes_confidence(i);
        self->quoted[self->count++] = (struct quoted){.job = sure};
    }
}

static double confidence_of(const struct quoting *self)
{
    return submission_confidence(self->quoted[0].job,
                                 inputs_terms(&self->serving->inputs).confidence);
}

/* The earliest deadline at each confidence. The confidence in force has the deadline of the job
 * itself. */
static json_t *tell_confidences(const struct quoting *self)
{
    json_t *told = json_array();

    for (size_t i = self->first_sure; i < self->count; i++) {
        const double confidence = self->quoted[i].job->confidence;

        json_array_append_new(
            told, json_pack("{s:f, s:o}", "confidence", confidence, "earliest",
                            deadline_of(self, confidence == confidence_of(self) ? 0 : i)));
    }
    return told;
}

static json_t *tell_level(const struct quoting *self, size_t i)
{
    const struct quoted *quoted = &self->quoted[i];
    const bool has_price = quoted->quote.promised && isfinite(quoted->quote.gpu_s);
    json_t *told =
        json_pack("{s:i, s:o, s:o}", "gpus", self->rows[i].gpus[self->rows[i].level_count - 1],
                  "earliest", deadline_of(self, i), "gpu_hours",
                  has_price ? json_real(quoted->quote.gpu_s / 3600) : json_null());

    telling_seen(told, &quoted->quote.seen.rate);
    telling_share(self->serving, told, &quoted->quote.seen.share);
    if (*quoted->error.text)
        json_object_set_new(told, "sentence", json_string(quoted->error.text));
    return told;
}

/* Why a deadline a second earlier is denied, or any deadline if none is promised. Jobs to come,
 * shares and nodes that leave are told, and no other cause. */
static json_t *say_denial(const struct serving *self, const struct quote *quote)
{
    const struct demand_seen *seen = &quote->seen.rate;
    char rate[SEEN_BYTES];
    char why[TELLING_DENIAL_BYTES];

    if (is_denied(&quote->seen)) {
        telling_say_denial(self, &quote->seen, why, sizeof(why));
        return json_sprintf(
            "%s: %s.",
            quote->promised ? "A second less is denied" : "No deadline would be promised", why);
    }
    if (seen->over_s == 0)
        return json_null();
    demand_seen_text(seen, cluster_gpus_up(self->decision.cluster), rate, sizeof(rate));
    return json_sprintf("A second less fits beside all promises, and is denied for jobs that are "
                        "likely to come: %s.",
                        rate);
}

static json_t *tell_quotes(const struct quoting *self)
{
    const struct quote *quote = &self->quoted[0].quote;
    json_t *levels = json_array();
    json_t *told;

    for (size_t i = 1; i < self->first_sure; i++)
        json_array_append_new(levels, tell_level(self, i));
    told = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "earliest", deadline_of(self, 0),
                     "until", until_of(self), "less_refused_at",
                     telling_time(self->serving, quote->refused_at_s), "later", later_of(self),
                     "decided",
                     telling_time(self->serving, quote->promised ? quote->decided_s : NEVER_S),
                     "quotes", levels, "denied", say_denial(self->serving, quote));
    json_object_set_new(told, "confidence", json_real(confidence_of(self)));
    json_object_set_new(told, "confidences", tell_confidences(self));
    json_object_set_new(told, "survival",
                        quote->promised ? telling_survival(self->serving, &quote->exposure)
                                        : json_null());
    return told;
}

/* The best promised step of a soft deadline: a step is promised if it is no earlier than the
 * earliest deadline. */
static int64_t promised_step_s(const struct quoted *own)
{
    const struct submission *job = own->job;

    for (size_t i = 0; own->quote.promised && i < job->level_count; i++)
        if (job->levels[i].deadline_s >= own->quote.deadline_s)
            return job->levels[i].deadline_s;
    return submission_last_s(job);
}

/* All quotes, and whether the job's own deadline is promised. */
static json_t *quote_all(struct quoting *self, int64_t within_s, struct error *error)
{
    struct quoted *own = &self->quoted[0];
    json_t *told;

    add_levels(self);
    add_confidences(self);
    own->asked_s = own->job->deadline_s == DEADLINE_NONE_S ? 0 : submission_last_s(own->job);
    if (find_all(self, within_s, error) < 0)
        return NULL;
    told = tell_quotes(self);
    if (own->asked_s > 0)
        json_object_set_new(told, "promised", json_boolean(own->asked_promised));
    if (own->asked_promised && submission_is_soft(own->job))
        json_object_set_new(told, "promised_until",
                            telling_time(self->serving, promised_step_s(own)));
    return told;
}

static json_t *ask_quotes(void *owner, const void *question, struct error *error)
{
    struct quoting *quoting = xcalloc(1, sizeof(*quoting));
    struct job_request asked;
    json_t *bad;
    json_t *told = NULL;
    const struct submission *job = quoting_submission(owner, question, &asked, &bad);

    if (job && open_quoting(quoting, owner, job, 0, error) == 0)
        told = quote_all(quoting, asked.within_s, error);
    quotes_destroy(&quoting->quotes);
    free(quoting);
    return job ? told : bad;
}

/* The submission with the earliest deadline of an answer. NULL with `error`. */
static struct submission *make_by(struct serving *self, const char *user, struct job_request *asked,
                                  const json_t *earliest, struct error *error)
{
    asked->earliest = false;
    asked->deadline = json_integer_value(json_object_get(earliest, "earliest"));
    return submitting_make(self, user, asked, error);
}

/* In a copy of the process: the whole answer that a submission would get. */
static json_t *ask_dry_run(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    struct job_request asked;
    json_t *bad;
    struct submission *job = quoting_submission(self, question, &asked, &bad);
    json_t *earliest = NULL;
    struct entry *entry;
    json_t *answer;

    if (!job)
        return bad;
    if (asked.earliest)
        earliest = quoting_take_earliest(self, job, error);
    else if (job->deadline_s != DEADLINE_NONE_S && !asked.verdict_only)
        earliest = quoting_find_earliest(self, job, 0, error);
    if (asked.earliest && (!earliest || !(job = make_by(self, question, &asked, earliest, error))))
        return NULL;
    entry = ledger_add(self->ledger, job, "");
    if (steps_try(self,
                  &(struct occurrence){
                      .kind = OCCURRENCE_SUBMITTED, .job = job->number, .submission = job},
                  error) < 0)
        return NULL;
    answer = telling_verdict(self, entry);
    if (entry->decided && !verdict_promises(&entry->verdict) && earliest)
        json_object_update(answer, earliest);
    json_object_set_new(answer, "job", json_null());
    return answer;
}

/* ---- in the process ---- */

/* Puts a question about a job, unless the job would not be taken. The copy tells the faults of a
 * document. */
static void put_job(struct serving *self, const struct question_kind *kind, struct request *request)
{
    arena_t *texts = arena_new();
    struct job_request asked;
    struct error error;

    if (job_request_read(request->document, &asked, texts, &error) == 0 &&
        programs_check(self, &asked, client_user(request->client), &error) < 0)
        clients_fail(self->clients, &request, ANSWER_NOT_ALLOWED, "%s", error.text);
    else if (asking_has_room(self, &request))
        asking_put(self, kind, request, request);
    arena_destroy(&texts);
}

void quoting_dry_run(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_dry_run, asking_answer, asking_is_wanted, true};

    put_job(self, &kind, request);
}

void quoting_quote(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_quotes, asking_answer, asking_is_wanted, false};

    put_job(self, &kind, request);
}
