/* telling.c - jobs, nodes and the service, in the words and fields of docs/service.md. */
#include "scheduler/service/serving.h"

#include "common/input.h"
#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_SHOWN 1000 /* of a job */
#define WHY_BYTES    768

json_t *telling_time(const struct serving *self, int64_t at_s)
{
    return at_s == NEVER_S ? json_null() : json_integer(self->epoch + at_s);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

const char *telling_node_name(const struct serving *self, int node, char *text, size_t size)
{
    const char *name = capacity_node(self->capacity, node)->name;

    if (*name)
        (void)snprintf(text, size, "%s", name);
    else
        (void)snprintf(text, size, "node-%d", node);
    return text;
}

/* ---- steps that are not kept ---- */

const struct entry *telling_entry(const struct serving *self, const struct entry *entry)
{
    return self->stuck ? ledger_before(self->ledger, entry) : entry;
}

/* Whether the job has changed in a step that is not kept yet. */
static bool awaits_disk(const struct serving *self, const struct entry *entry)
{
    return entry != ledger_find(self->ledger, job_number_row(entry->number));
}

/* The job in the engine; NULL if there is none, or if a step that is not kept yet changed the
 * job. */
static const struct job *job_of(const struct serving *self, const struct entry *entry)
{
    return awaits_disk(self, entry) ? NULL : engine_job(self->engine, entry->number);
}

/* ---- why a job stands so ---- */

static const struct {
    const char *word;
    const char *sentence;
} reasons[] = {
    {"held", "it waits until it is released"},
    {"no-nodes", "it waits for nodes: none is there"},
    {"too-large", "it asks for more GPUs than the nodes that are there have"},
    {"later", "its promise leaves time: jobs with less time left come first"},
    {"no-free-gpus",
     "it has no promise, and waits until GPUs are free that promised jobs do not need"},
    {"lease", "it waits until the lease of a node that is gone is over"},
    {"starting", "it has GPUs, and its trainers begin"},
    {"running", "it trains"},
    {"done", "it has done all iterations"},
    {"failed", "it failed"},
    {"cancelled", "it is cancelled"},
    {"declined", "its deadline cannot be promised"},
    {"ended-early", "it ended by itself"},
    {"parents", "it waits for other jobs to end"},
    {"quoted", "its deadline is kept for its user, who has not submitted it yet"},
    {"lapsed", "it was a quote that was held"},
    {"disk", "what comes next is decided, and waits until the disk of the state keeps it"},
};

enum reason {
    BECAUSE_HELD,
    BECAUSE_NO_NODES,
    BECAUSE_TOO_LARGE,
    BECAUSE_LATER,
    BECAUSE_NO_FREE_GPUS,
    BECAUSE_LEASE,
    BECAUSE_STARTING,
    BECAUSE_RUNNING,
    BECAUSE_DONE,
    BECAUSE_FAILED,
    BECAUSE_CANCELLED,
    BECAUSE_DECLINED,
    BECAUSE_ENDED_EARLY,
    BECAUSE_PARENTS,
    BECAUSE_QUOTED,
    BECAUSE_LAPSED,
    BECAUSE_DISK,
};

static enum reason why_waiting(const struct serving *self, const struct entry *entry)
{
    const struct job *job = job_of(self, entry);
    const int gpus_up = cluster_gpus_up(self->decision.cluster);

    if (job && job_waits(job))
        return BECAUSE_PARENTS;
    if (gpus_up == 0)
        return BECAUSE_NO_NODES;
    if (entry->submission->gpus_requested > gpus_up)
        return BECAUSE_TOO_LARGE;
    if (job && job->promise.state == PROMISE_STANDS)
        return BECAUSE_LATER;
    return BECAUSE_NO_FREE_GPUS;
}

static enum reason why_running(const struct serving *self, const struct entry *entry)
{
    const struct trained_job *trained = capacity_job(self->capacity, entry->number);

    if (trained && trained->waits)
        return BECAUSE_LEASE;
    return trained && trained->training ? BECAUSE_RUNNING : BECAUSE_STARTING;
}

static enum reason reason_of(const struct serving *self, const struct entry *entry)
{
    if (awaits_disk(self, entry))
        return BECAUSE_DISK;
    switch (entry->standing) {
    case STANDING_HELD:
        return BECAUSE_HELD;
    case STANDING_WAITING:
        return why_waiting(self, entry);
    case STANDING_RUNNING:
        return why_running(self, entry);
    case STANDING_DONE:
        return entry_ended_early(entry) ? BECAUSE_ENDED_EARLY : BECAUSE_DONE;
    case STANDING_QUOTED:
        return BECAUSE_QUOTED;
    case STANDING_LAPSED:
        return BECAUSE_LAPSED;
    default:
        return (enum reason)(BECAUSE_DONE + (entry->standing - STANDING_DONE));
    }
}

const char *telling_reason(const struct serving *self, const struct entry *entry)
{
    return reasons[reason_of(self, entry)].word;
}

static const char *const verdict_reasons[] = {
    [REASON_FITS] = "a plan keeps all promises with it",
    [REASON_NO_DEADLINE] = "it has no deadline",
    [REASON_NO_PROMISES] = "the policy promises nothing",
    [REASON_NO_ROOM] = "no plan ends it by its deadline and keeps all promises",
    [REASON_TOO_LARGE] = "it asks for more GPUs than the nodes that are there have",
    [REASON_JOBS_TO_COME] =
        "it fits beside all promises, but jobs that are likely to come need the GPUs",
    [REASON_PROMISE_SHARE] = "no more may be promised ahead",
    [REASON_PARENT] = "a job that it waits for did not end as it has to",
    [REASON_NODES_END] = "it would outlive nodes that it needs",
    [REASON_FAILED] = "it failed before it was decided on",
};

static void say_known(const struct serving *self, int64_t until_s, char *text, size_t size)
{
    char when[32];

    telling_date(self, until_s, when);
    (void)snprintf(text, size, "the nodes are known until %s", when);
}

static void say_share(const struct serving *self, const struct share_seen *seen, char *text,
                      size_t size)
{
    char share[SHARE_BYTES];
    char when[32];

    share_seen_text(seen, share, sizeof(share));
    if (seen->free_s == DEADLINE_NONE_S) {
        (void)snprintf(text, size, "%s, more than that", share);
        return;
    }
    telling_date(self, seen->free_s, when);
    (void)snprintf(text, size, "%s, free by %s at the latest", share, when);
}

static void say_reason(const struct serving *self, enum verdict_reason reason,
                       const struct denial *denial, char *text, size_t size)
{
    const int gpus = cluster_gpus_up(self->decision.cluster);
    char seen[TELLING_DENIAL_BYTES] = "";

    if (denial->share.of)
        say_share(self, &denial->share, seen, sizeof(seen));
    else if (denial->rate.over_s > 0 && gpus > 0)
        demand_seen_text(&denial->rate, gpus, seen, sizeof(seen));
    else if (denial->known_until_s > 0)
        say_known(self, denial->known_until_s, seen, sizeof(seen));
    (void)snprintf(text, size, "%s%s%s", verdict_reasons[reason], *seen ? ": " : "", seen);
}

void telling_say_denial(const struct serving *self, const struct denial *denial, char *text,
                        size_t size)
{
    say_reason(self,
               denial->share.of          ? REASON_PROMISE_SHARE
               : denial->rate.over_s > 0 ? REASON_JOBS_TO_COME
                                         : REASON_NODES_END,
               denial, text, size);
}

/* Says why the job got its verdict. */
static void say_verdict_reason(const struct serving *self, const struct entry *entry, char *text,
                               size_t size)
{
    const struct denial denial = denial_of(&entry->verdict);

    if ((entry->verdict.reason == REASON_PARENT || entry->verdict.reason == REASON_FAILED) &&
        entry->cause)
        (void)snprintf(text, size, "%s", entry->cause);
    else
        say_reason(self, entry->verdict.reason, &denial, text, size);
}

static bool any_is_promised(const struct serving *self)
{
    for (size_t i = 0; i < self->decision.live_count; i++)
        if (self->decision.live[i]->promise.state == PROMISE_STANDS)
            return true;
    return false;
}

static const char *reason_sentence(const struct serving *self, enum reason reason)
{
    return reason == BECAUSE_NO_FREE_GPUS && !any_is_promised(self)
               ? "it has no promise, and waits until other jobs give GPUs back"
               : reasons[reason].sentence;
}

static void say_early_end(const struct entry *entry, char *text, size_t size)
{
    (void)snprintf(text, size, "it ended by itself at %s%" PRId64 " of %" PRId64 " iterations%s",
                   entry->end == WORK_END_GUESSED && entry->reached > 0 ? "about " : "",
                   entry->reached, entry->submission->iterations,
                   entry->end == WORK_END_GUESSED ? "; its program told of none" : "");
}

/* Whether jobs to come, or a share, keep the job from a promise. Of jobs that are over no such
 * cause is told. */
static bool is_denied(const struct entry *entry)
{
    return entry->decided && (entry->verdict.seen.over_s > 0 || entry->verdict.share.of) &&
           !entry_is_over(entry);
}

/* The share that denied the job a promise, with its present figures while the job is in the engine;
 * `of` is NULL if no share did, or if each share has room by now. */
static struct share_seen share_now(const struct serving *self, const struct entry *entry)
{
    const struct job *job = job_of(self, entry);

    return entry->verdict.share.of && job && job_is_live(job) ? telling_share_now(self, job)
                                                              : entry->verdict.share;
}

/* Says why the job has no promise: with present figures if there are any, else with those of the
 * verdict. */
static void say_denied(const struct serving *self, const struct entry *entry, char *text,
                       size_t size)
{
    struct denial denial = {.share = share_now(self, entry)};
    const bool is_now = denial.share.of;
    char why[TELLING_DENIAL_BYTES];

    if (!is_now)
        denial = denial_of(&entry->verdict);
    telling_say_denial(self, &denial, why, sizeof(why));
    (void)snprintf(text, size, "%s: %s",
                   is_now ? "without a promise" : "denied a promise when that was decided", why);
}

void telling_sentence(const struct serving *self, const struct entry *entry, char *text,
                      size_t size)
{
    const enum reason reason = reason_of(self, entry);
    const char *more = NULL;
    char denied[WHY_BYTES] = "";
    char why[WHY_BYTES];

    if (reason == BECAUSE_ENDED_EARLY) {
        say_early_end(entry, text, size);
        return;
    }
    if (reason == BECAUSE_HELD && entry->holder) {
        (void)snprintf(text, size, "it is held by %s: only an operator releases it", entry->holder);
        return;
    }
    if (reason == BECAUSE_CANCELLED && entry->cause) {
        (void)snprintf(text, size, "%s", entry->cause);
        return;
    }
    if (reason == BECAUSE_QUOTED) {
        telling_date(self, holds_until_s(self, entry), why);
        (void)snprintf(text, size, "%s, until %s", reasons[reason].sentence, why);
        return;
    }
    if (reason == BECAUSE_PARENTS) {
        parents_say(job_of(self, entry), text, size);
        return;
    }
    if (reason == BECAUSE_DECLINED && entry->verdict.reason == REASON_PARENT) {
        (void)snprintf(text, size, "it never starts: %s", entry->cause ? entry->cause : "");
        return;
    }
    if (reason == BECAUSE_DECLINED || (reason == BECAUSE_LAPSED && entry->decided)) {
        say_verdict_reason(self, entry, why, sizeof(why));
        more = why;
    } else if (reason == BECAUSE_LAPSED || reason == BECAUSE_FAILED || reason == BECAUSE_STARTING ||
               reason == BECAUSE_LEASE) {
        more = entry->cause;
    }
    if (is_denied(entry))
        say_denied(self, entry, denied, sizeof(denied));
    (void)snprintf(text, size, "%s%s%s%s%s", reason_sentence(self, reason), more ? ": " : "",
                   more ? more : "", *denied ? "; " : "", denied);
}

/* ---- verdicts ---- */

static const char *const verdict_words[] = {[VERDICT_PROMISED] = "promised",
                                            [VERDICT_BEST_EFFORT] = "best-effort",
                                            [VERDICT_DECLINED] = "declined",
                                            [VERDICT_PROMISED_LATER] = "promised"};

static const char *verdict_word(const struct serving *self, const struct entry *entry)
{
    if (entry->decided)
        return verdict_words[entry->verdict.kind];
    return entry->standing == STANDING_HELD && !awaits_disk(self, entry) ? "held" : NULL;
}

/* The promised time; NEVER_S if no promise stands or was kept. */
static int64_t promised_until(const struct serving *self, const struct entry *entry)
{
    const struct job *job = job_of(self, entry);

    if (job)
        return job->promise.state == PROMISE_STANDS || job->promise.state == PROMISE_KEPT
                   ? job->promise.deadline_s
                   : NEVER_S;
    return entry->decided && verdict_promises(&entry->verdict) ? entry->verdict.promised_s
                                                               : NEVER_S;
}

void telling_date(const struct serving *self, int64_t at_s, char text[32])
{
    const time_t at = (time_t)(self->epoch + at_s);
    struct tm parts;

    (void)strftime(text, 32, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&at, &parts));
}

void telling_verdict_sentence(const struct serving *self, const struct entry *entry, char *text,
                              size_t size)
{
    const int64_t until_s = promised_until(self, entry);
    char when[32];
    char why[WHY_BYTES];

    if (until_s != NEVER_S) {
        telling_date(self, until_s, when);
        (void)snprintf(text, size, "promised until %s", when);
    } else if (!entry->decided) {
        telling_sentence(self, entry, text, size);
    } else if (verdict_promises(&entry->verdict)) {
        telling_date(self, entry->verdict.promised_s, when);
        (void)snprintf(text, size, "it was promised until %s, which does not stand any more", when);
    } else {
        say_verdict_reason(self, entry, why, sizeof(why));
        (void)snprintf(text, size, "%s: %s",
                       entry->verdict.kind == VERDICT_DECLINED ? "declined" : "best effort", why);
    }
}

void telling_seen(json_t *told, const struct demand_seen *seen)
{
    json_object_set_new(told, "seen",
                        seen->over_s > 0 ? json_pack("{s:f, s:I}", "gpus", seen->gpus, "over_s",
                                                     (json_int_t)seen->over_s)
                                         : json_null());
}

void telling_share(const struct serving *self, json_t *told, const struct share_seen *seen)
{
    const bool is_ever = seen->free_s != DEADLINE_NONE_S;

    if (seen->of)
        json_object_set_new(
            told, "promise_share",
            json_pack("{s:s, s:f, s:I, s:f, s:f, s:f, s:o}", "of", seen->of->name, "share",
                      seen->of->of, "horizon_s", (json_int_t)seen->of->horizon_s, "gpu_hours",
                      seen->may / 3600, "used", seen->is / 3600, "needed", seen->more / 3600,
                      "free", telling_time(self, is_ever ? seen->free_s : NEVER_S)));
}

/* Adds the time until which a quote is held. */
static void tell_hold(const struct serving *self, const struct entry *entry, json_t *told)
{
    if (entry->standing == STANDING_QUOTED)
        json_object_set_new(told, "held_until", telling_time(self, holds_until_s(self, entry)));
}

json_t *telling_verdict(const struct serving *self, const struct entry *entry)
{
    char sentence[512];
    json_t *told;

    telling_verdict_sentence(self, entry, sentence, sizeof(sentence));
    told =
        json_pack("{s:o, s:o, s:o, s:s, s:s, s:o}", "job",
                  entry->standing == STANDING_LAPSED ? json_null()
                                                     : json_integer(job_number_row(entry->number)),
                  "verdict", text_or_null(verdict_word(self, entry)), "promised_until",
                  telling_time(self, promised_until(self, entry)), "reason",
                  telling_reason(self, entry), "sentence", sentence, "earliest", json_null());
    telling_seen(told, &entry->verdict.seen);
    telling_share(self, told, &entry->verdict.share);
    tell_hold(self, entry, told);
    return told;
}

/* ---- jobs ---- */

static json_t *nodes_of(const struct serving *self, const struct job *job)
{
    json_t *names = json_array();
    int *ranks;
    int count;
    int last = -1;

    if (!job || !job_holds(job))
        return names;
    ranks = xcalloc((size_t)cluster_gpus(self->decision.cluster), sizeof(*ranks));
    count = cluster_ranks(self->decision.cluster, job, ranks);
    for (int i = 0; i < count; i++) {
        const int node = cluster_rank_node(self->decision.cluster, ranks[i]);
        char name[256];

        if (node != last)
            json_array_append_new(names,
                                  json_string(telling_node_name(self, node, name, sizeof(name))));
        last = node;
    }
    free(ranks);
    return names;
}

/* The iterations that the job has done by now. */
static int64_t iterations_now(const struct serving *self, const struct entry *entry,
                              const struct job *job)
{
    const struct trained_job *trained = capacity_job(self->capacity, entry->number);
    const bool trains = job && job_holds(job) && trained && trained->training;

    return trains && trained->step > entry->iterations_done ? trained->step
                                                            : entry->iterations_done;
}

/* The verdict that a user sees: a broken or withdrawn promise is no promise, nor is that of a job
 * that did not do its work. */
static const char *standing_verdict(const struct serving *self, const struct entry *entry)
{
    const struct job *job = job_of(self, entry);
    const bool withdrawn = entry->decided && verdict_promises(&entry->verdict) &&
                           !entry_is_over(entry) && promised_until(self, entry) == NEVER_S;

    if (entry->outcome == PROMISE_BROKEN)
        return entry->standing == STANDING_DONE ? "late" : "broken";
    if (entry_ended_early(entry))
        return "ended-early";
    return withdrawn                                              ? "withdrawn"
           : job && job->promise.at_risk && !entry_is_over(entry) ? "at-risk"
                                                                  : verdict_word(self, entry);
}

/* The steps of a soft deadline, written as in a request. */
static json_t *steps_of(const struct serving *self, const struct submission *submission)
{
    json_t *told = json_array();
    char value[STEP_VALUE_BYTES];

    for (size_t i = 0; i < submission->level_count; i++)
        json_array_append_new(
            told, json_sprintf("%" PRId64 ":%s", self->epoch + submission->levels[i].deadline_s,
                               steps_print_value(submission->levels[i].value, value)));
    return told;
}

json_t *telling_job(const struct serving *self, const struct entry *entry)
{
    const struct submission *submission = entry->submission;
    const struct job *job = job_of(self, entry);
    const bool runs = job && job_holds(job);
    const int64_t deadline_s =
        submission->deadline_s == DEADLINE_NONE_S ? NEVER_S : submission->deadline_s;
    json_t *told = json_pack("{s:I, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:i, s:o}", "job",
                             (json_int_t)job_number_row(entry->number), "name", submission->id,
                             "user", entry->user, "state", standing_names[entry->standing], "model",
                             submission->model, "batch_size", submission->batch_size, "iterations",
                             (json_int_t)submission->iterations, "iterations_done",
                             (json_int_t)iterations_now(self, entry, job), "gpus",
                             runs                       ? job_gpus(job)
                             : awaits_disk(self, entry) ? entry->gpus
                                                        : 0,
                             "nodes", nodes_of(self, job));

    json_object_set_new(told, "submitted", telling_time(self, entry->submitted_s));
    json_object_set_new(told, "deadline", telling_time(self, deadline_s));
    json_object_set_new(told, "promised_until", telling_time(self, promised_until(self, entry)));
    json_object_set_new(told, "verdict", text_or_null(standing_verdict(self, entry)));
    json_object_set_new(told, "started", telling_time(self, entry->started_s));
    json_object_set_new(told, "ended", telling_time(self, entry->ended_s));
    json_object_set_new(told, "expected_end",
                        telling_time(self, runs && job->end_s > 0 ? job->end_s : NEVER_S));
    json_object_set_new(told, "value",
                        json_integer(submission->level_count > 0
                                         ? submission->levels[0].value / LEVEL_VALUE_FULL
                                         : 1));
    json_object_set_new(told, "reason", json_string(telling_reason(self, entry)));
    if (submission_is_soft(submission))
        json_object_set_new(told, "deadlines", steps_of(self, submission));
    if (submission->parent_count > 0)
        json_object_set_new(told, "after", parents_tell(submission));
    for (size_t i = 0; i < submission->text_count; i++)
        json_object_set_new(told, submission->texts[i].field,
                            json_string(submission->texts[i].text));
    tell_hold(self, entry, told);
    return told;
}

/* Removes the program of a job, which only its user and operators may see. */
static void hide(json_t *told, const struct entry *entry, const client_t *client)
{
    const struct job_field *field;

    if (client_role(client) == ROLE_OPERATE || !strcmp(client_user(client), entry->user))
        return;
    for (size_t i = 0; (field = job_field_at(i)); i++)
        if (field->uses & JOB_FIELD_PRIVATE)
            json_object_del(told, field->form.name);
}

/* The source of the job's speeds: its own rates in `told`, else `profile` as of its submission,
 * NULL for none, else a table. */
static json_t *planned_by(const struct serving *self, const struct submission *submission,
                          const json_t *told, const json_t *profile)
{
    const char *by = json_string_value(json_object_get(profile, "by"));

    if (json_array_size(json_object_get(told, "rates")) > 0)
        return json_string("its own rates");
    if (by)
        return json_sprintf("%s by user %s%s", json_string_value(json_object_get(profile, "kind")),
                            by, json_is_null(json_object_get(profile, "owner")) ? ", for all" : "");
    if (throughput_find(self->inputs.throughputs[0], submission->model, submission->batch_size))
        return json_string(throughput_source(self->inputs.throughputs[0]));
    return json_string("a profile of an earlier version");
}

/* Adds the profile that the promise was made by, and the rate that trainers report. */
static void tell_speed(const struct serving *self, const struct entry *entry, const json_t *profile,
                       json_t *told)
{
    const struct submission *submission = entry->submission;
    const struct trained_job *trained = capacity_job(self->capacity, entry->number);
    const bool trains = trained && trained->training;

    json_object_set_new(told, "profile", planned_by(self, submission, told, profile));
    json_object_set_new(told, "rate", trains ? json_real(trained->rate) : json_null());
    json_object_set_new(told, "start_s",
                        trains ? json_real((double)trained->overhead_ms / 1000) : json_null());
}

void telling_add_survival(const struct serving *self, const struct entry *entry, json_t *told)
{
    json_t *survival = telling_survival_of(self, job_of(self, entry));
    const char *more = json_string_value(json_object_get(survival, "sentence"));
    const char *sentence = json_string_value(json_object_get(told, "sentence"));

    if (more)
        json_object_set_new(told, "sentence", json_sprintf("%s; %s", sentence, more));
    json_object_set_new(told, "survival", survival);
}

json_t *telling_whole_job(struct serving *self, const struct entry *entry, const client_t *client)
{
    json_t *told = telling_job(self, entry);
    json_t *kept = NULL;
    struct share_seen share;
    char key[24];
    char sentence[512];
    const char *body;
    json_t *events;
    int64_t last;
    struct error error;

    (void)snprintf(key, sizeof(key), "%" PRIu32, job_number_row(entry->number));
    if (journal_get(self->journal, "job", key, &body, &error) > 0) {
        kept = json_loads(body, 0, NULL);
        json_object_update_missing(told, json_object_get(kept, "request"));
    }
    telling_sentence(self, entry, sentence, sizeof(sentence));
    json_object_set_new(told, "sentence", json_string(sentence));
    telling_add_survival(self, entry, told);
    json_object_set_new(told, "cause", text_or_null(entry->cause));
    share = share_now(self, entry);
    telling_seen(told, &entry->verdict.seen);
    telling_share(self, told, &share);
    tell_speed(self, entry, json_object_get(kept, "profile"), told);
    json_decref(kept);
    if (events_list(self->events, job_number_row(entry->number), 0, EVENTS_SHOWN, &events, &last,
                    &error) == 0)
        json_object_set_new(told, "events", events);
    else
        json_object_set_new(told, "events", json_array());
    hide(told, entry, client);
    return told;
}

json_t *telling_text(char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!bytes[i])
            bytes[i] = '?';
    input_mend_utf8(bytes, size);
    return json_stringn(bytes, size);
}

/* ---- nodes and the service ---- */

/* Adds the jobs that hold GPUs of `node` to `jobs`. Returns how many GPUs they hold. */
static int list_holders(const struct serving *self, int node, json_t *jobs)
{
    int *ranks = xcalloc((size_t)cluster_gpus(self->decision.cluster), sizeof(*ranks));
    int used = 0;

    for (size_t i = 0; i < self->decision.holding_count; i++) {
        const struct job *job = self->decision.holdings[i].job;
        const int count = cluster_ranks(self->decision.cluster, job, ranks);
        int here = 0;

        for (int k = 0; k < count; k++)
            here += cluster_rank_node(self->decision.cluster, ranks[k]) == node;
        if (here > 0)
            json_array_append_new(jobs, json_integer(job_number_row(job->submission->number)));
        used += here;
    }
    free(ranks);
    return used;
}

int telling_used(const struct serving *self, int node)
{
    json_t *jobs = json_array();
    const int used = list_holders(self, node, jobs);

    json_decref(jobs);
    return used;
}

/* The GPUs that a node of this pool has by the cluster file. */
static int gpus_of_pool(const struct serving *self, int node)
{
    return pool_at(cluster_pools(self->decision.cluster, NULL), node)->gpus_per_node;
}

/* How the GPUs of an up node differ from the cluster file, or from its earlier ones; empty if they
 * do not. */
static const char *differing(const struct serving *self, int node, char *text, size_t size)
{
    const struct capacity_node *own = capacity_node(self->capacity, node);
    const int most = gpus_of_pool(self, node);
    const char *said = strstr(own->cause, ": ");

    (void)snprintf(text, size, "%s", "");
    if (own->gpus < most)
        (void)snprintf(text, size, "it has %d of the %d GPUs of the cluster file%s%s", own->gpus,
                       most, said ? "; " : "", said ? said + 2 : "");
    else if (own->gpus > most)
        (void)snprintf(text, size, "of its %d GPUs the cluster file has %d, which are used%s%s",
                       own->gpus, most, said ? "; " : "", said ? said + 2 : "");
    else if (said)
        (void)snprintf(text, size, "%s", said + 2);
    return text;
}

/* Why a node is in its state; empty if it is up with all its GPUs. */
static const char *cause_of(const struct serving *self, int node, enum node_state state, char *text,
                            size_t size)
{
    const struct capacity_node *own = capacity_node(self->capacity, node);
    const struct node_reservation *reservation = reserving_active(self, node, self->decision.now_s);
    const char *said = strstr(own->cause, ": ");
    const int most = gpus_of_pool(self, node);

    if (!own->known)
        return state == NODE_UP ? "" : "it has never registered";
    if (state == NODE_UP)
        return differing(self, node, text, size);
    if (state == NODE_DRAINING && self->drains[node].cause)
        return self->drains[node].cause;
    if (state == NODE_DRAINING && reservation) {
        reserving_say(reservation, text, size);
        return text;
    }
    if (!own->up)
        return own->cause;
    if (own->gpus == 0)
        return "it has no GPU";
    (void)snprintf(text, size, "it has %d of %d GPUs, and policy %s plans whole nodes%s%s",
                   own->gpus, most, self->inputs.setting.policy->name, said ? "; " : "",
                   said ? said + 2 : "");
    return own->gpus < most ? text : own->cause;
}

/* The known end of a node, NEVER_S if that is open. An order about an absent node counts, too. */
static int64_t end_of(const struct serving *self, int node, enum node_state state)
{
    if (state == NODE_UP)
        return cluster_node_until_s(self->decision.cluster, node);
    return self->drains[node].cause && self->drains[node].at_s > self->decision.now_s
               ? self->drains[node].at_s
               : NEVER_S;
}

/* The GPU type whose throughputs plan the jobs of the node. */
static const char *gpu_type_of(const struct serving *self, int node)
{
    const struct pool *pool = pool_at(cluster_pools(self->decision.cluster, NULL), node);

    return *pool->gpu_type ? pool->gpu_type : self->inputs.setting.gpu_type;
}

static json_t *telling_node(const struct serving *self, int node)
{
    static const char *const states[] = {"up", "draining", "gone"};
    const enum node_state state = cluster_node_state(self->decision.cluster, node);
    json_t *jobs = json_array();
    const int used = list_holders(self, node, jobs);
    char name[256];
    char cause[512];

    return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:o, s:s, s:o}", "node", node, "name",
                     telling_node_name(self, node, name, sizeof(name)), "state", states[state],
                     "gpu_type", gpu_type_of(self, node), "gpus",
                     capacity_node(self->capacity, node)->gpus, "used", used, "until",
                     telling_time(self, end_of(self, node, state)), "cause",
                     cause_of(self, node, state, cause, sizeof(cause)), "jobs", jobs);
}

json_t *telling_nodes(const struct serving *self)
{
    json_t *nodes = json_array();
    json_t *told = json_pack("{s:o}", "nodes", nodes);

    for (int i = 0; i < capacity_node_count(self->capacity); i++)
        json_array_append_new(nodes, telling_node(self, i));
    telling_failures(self, told);
    return told;
}

static int count_used(const struct serving *self)
{
    int used = 0;

    for (size_t i = 0; i < self->decision.holding_count; i++)
        used += self->decision.holdings[i].grant.gpus;
    return used;
}

static size_t count_at_risk(const struct serving *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->decision.live_count; i++)
        count += self->decision.live[i]->promise.at_risk;
    return count;
}

static size_t count_promised(const struct serving *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->decision.live_count; i++)
        count += self->decision.live[i]->promise.state == PROMISE_STANDS &&
                 !submission_is_quote(self->decision.live[i]->submission);
    return count;
}

/* FNV-1a over words, not bytes: the status of 100,000 jobs takes a few milliseconds. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    uint64_t word = 0;

    memcpy(&word, bytes, size);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* A hash of the time and of all live jobs of the engine. */
static uint64_t hash_state(const struct serving *self)
{
    const struct decision *decision = &self->decision;
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &decision->now_s, sizeof(decision->now_s));

    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];

        hash = mix(hash, &job->submission->number, sizeof(job->submission->number));
        hash = mix(hash, &job->iterations_left, sizeof(job->iterations_left));
        hash = mix(hash, &job->grant.gpus, sizeof(job->grant.gpus));
        hash = mix(hash, &job->end_s, sizeof(job->end_s));
        hash = mix(hash, &job->promise.deadline_s, sizeof(job->promise.deadline_s));
        hash = mix(hash, &job->promise.state, sizeof(job->promise.state));
    }
    return hash;
}

/* Adds the outcomes of all jobs since the state was made. */
static void tell_outcomes(const struct serving *self, json_t *told)
{
    const struct ledger_outcomes outcomes = ledger_outcomes(self->ledger);

    json_object_set_new(told, "promises_kept", json_integer((json_int_t)outcomes.kept));
    json_object_set_new(told, "promises_broken", json_integer((json_int_t)outcomes.broken));
    json_object_set_new(told, "promises_withdrawn", json_integer((json_int_t)outcomes.withdrawn));
    json_object_set_new(told, "promise_withdrawals",
                        json_integer((json_int_t)outcomes.withdrawals));
    json_object_set_new(told, "ended_early", json_integer((json_int_t)outcomes.early));
}

json_t *telling_status(const struct serving *self, const client_t *client)
{
    const struct engine_status status = engine_status(self->engine);
    char hash[20];
    json_t *told;

    (void)snprintf(hash, sizeof(hash), "%016" PRIx64, hash_state(self));
    told =
        json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:o, s:I, s:s}", "service", self->name, "version",
                  RUBATO_VERSION, "policy", self->inputs.setting.policy->name, "slot_s",
                  (json_int_t)self->inputs.setting.slot_s, "user", client_user(client), "role",
                  role_names[client_role(client)], "now", telling_time(self, serving_now_s(self)),
                  "started", (json_int_t)self->started, "master",
                  capacity_is_attached(self->capacity) ? "connected" : "not connected");
    json_object_set_new(told, "gpus", json_integer(cluster_gpus(self->decision.cluster)));
    json_object_set_new(told, "gpus_up", json_integer(cluster_gpus_up(self->decision.cluster)));
    json_object_set_new(told, "gpus_used", json_integer(count_used(self)));
    json_object_set_new(told, "jobs", json_integer(ledger_next(self->ledger) - 1));
    json_object_set_new(told, "live", json_integer(status.live));
    json_object_set_new(told, "running",
                        json_integer((json_int_t)ledger_count(self->ledger, STANDING_RUNNING)));
    json_object_set_new(told, "waiting",
                        json_integer((json_int_t)ledger_count(self->ledger, STANDING_WAITING)));
    json_object_set_new(told, "promised", json_integer((json_int_t)count_promised(self)));
    json_object_set_new(told, "quotes",
                        json_integer((json_int_t)ledger_count(self->ledger, STANDING_QUOTED)));
    json_object_set_new(told, "quotes_lapsed",
                        json_integer((json_int_t)ledger_count(self->ledger, STANDING_LAPSED)));
    json_object_set_new(told, "at_risk", json_integer((json_int_t)count_at_risk(self)));
    tell_outcomes(self, told);
    telling_failures(self, told);
    json_object_set_new(told, "steps", json_integer(journal_steps(self->journal)));
    json_object_set_new(told, "state_hash", json_string(hash));
    return told;
}
