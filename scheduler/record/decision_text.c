/* decision_text.c - see decision_text.h. */
#include "scheduler/record/decision_text.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* The GPUs that a job held in the decision before, by its row. */
struct held_before {
    uint64_t job;
    int gpus; /* 0 if the row held none */
    int overhead_s;
    double rate;
    int nodes;
    int batch;
    const struct job *partner;
};

struct decision_text {
    int64_t version;
    struct held_before *held; /* by row */
    size_t rows;
    int *ranks; /* room for the GPUs of one job */
    size_t ranks_room;
    int64_t layout_number;
    uint64_t layout;
    uint64_t order;
};

static const char *const verdicts[] = {[VERDICT_PROMISED] = "promised",
                                       [VERDICT_BEST_EFFORT] = "best-effort",
                                       [VERDICT_DECLINED] = "declined",
                                       [VERDICT_PROMISED_LATER] = "promised-later"};
static const char *const reasons[] = {[REASON_FITS] = "fits",
                                      [REASON_NO_DEADLINE] = "no-deadline",
                                      [REASON_NO_PROMISES] = "no-promises",
                                      [REASON_NO_ROOM] = "no-room",
                                      [REASON_TOO_LARGE] = "too-large",
                                      [REASON_JOBS_TO_COME] = "jobs-to-come",
                                      [REASON_PROMISE_SHARE] = "promise-share",
                                      [REASON_PARENT] = "parent",
                                      [REASON_NODES_END] = "nodes-end",
                                      [REASON_FAILED] = "failed"};
static const char *const measures[] = {[MEASURE_ITERATIONS] = "iterations",
                                       [MEASURE_SECONDS] = "seconds",
                                       [MEASURE_EITHER] = "either"};
static const char *const releases[] = {[FREED_PAUSED] = "paused",
                                       [FREED_DONE] = "done",
                                       [FREED_FAILED] = "failed",
                                       [FREED_CANCELLED] = "cancelled"};

decision_text_t *decision_text_new(int64_t version)
{
    decision_text_t *self = xcalloc(1, sizeof(struct decision_text));

    self->version = version;
    return self;
}

void decision_text_destroy(decision_text_t **self)
{
    if (!*self)
        return;
    free((*self)->held);
    free((*self)->ranks);
    free(*self);
    *self = NULL;
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, odd */
    return digest ^ digest >> 32;
}

static uint64_t number_of(const struct job *job)
{
    return job->number;
}

static void begin(struct text *text, const char *what, const struct job *job)
{
    text_word(text, "> ");
    text_word(text, what);
    text_word(text, " ");
    text_number(text, number_of(job));
}

static void write_round(const struct decision *decision, struct text *text)
{
    text_word(text, ">");
    text_key_whole(text, "round", decision->round);
    text_key_whole(text, "elapsed", decision->elapsed_s);
    text_key_time(text, "next", decision->next_s);
    text_key_number(text, "before", decision->live_before);
    text_word(text, decision->restart ? " restart\n" : "\n");
}

static void write_share(const struct share_seen *share, struct text *text)
{
    if (!share->of)
        return;
    text_key_quoted(text, "share", share->of->name);
    text_key_real(text, "may", share->may);
    text_key_real(text, "is", share->is);
    text_key_real(text, "more", share->more);
    text_key_time(text, "free", share->free_s);
}

static void write_decided(const struct decided *decided, struct text *text)
{
    begin(text, "decided", decided->job);
    text_word(text, " ");
    text_word(text, verdicts[decided->verdict.kind]);
    text_key_word(text, "reason", reasons[decided->verdict.reason]);
    text_key_time(text, "by", decided->verdict.promised_s);
    text_key_time(text, "earliest", decided->verdict.earliest_s);
    if (decided->verdict.seen.over_s > 0) {
        text_key_real(text, "seen-gpus", decided->verdict.seen.gpus);
        text_key_whole(text, "seen-s", decided->verdict.seen.over_s);
    }
    write_share(&decided->verdict.share, text);
    text_word(text, "\n");
}

static void write_retirement(const struct retirement *retired, struct text *text)
{
    const struct job *job = retired->job;

    begin(text, "retired", job);
    text_key_whole(text, "on-record", retired->on_record_s);
    text_key_word(text, "by", measures[retired->done_by]);
    text_key_word(text, "late", retired->late ? "yes" : "no");
    text_key_whole(text, "start", job_started_s(job));
    text_key_whole(text, "end", job->end_s);
    text_key_real(text, "early", job->early_s);
    text_key_real(text, "iterations", job->iterations_credited);
    text_key_whole(text, "gpu-s", job->gpu_seconds);
    text_word(text, "\n");
}

/* The word of a disturbance in records of version 2 and older. */
static const char *old_word(const struct disturbance *trouble)
{
    return trouble->kind == DISTURBANCE_SLIPS     ? "at-risk"
           : trouble->kind == DISTURBANCE_AT_RISK ? "thin-margin"
                                                  : disturbance_word(trouble);
}

static void write_trouble(const decision_text_t *self, const struct disturbance *trouble,
                          struct text *text)
{
    text_word(text, "> trouble ");
    text_word(text, self->version < 3 ? old_word(trouble) : disturbance_word(trouble));
    if (trouble->job)
        text_key_number(text, "job", number_of(trouble->job));
    else
        text_key_whole(text, "node", trouble->node);
    if (trouble->kind == DISTURBANCE_SLIPS)
        text_key_time(text, "foreseen", trouble->foreseen_s);
    if (trouble->job && trouble->kind == DISTURBANCE_FALLS)
        text_key_time(text, "by", trouble->job->promise.deadline_s);
    text_key_quoted(text, "cause", trouble->cause ? trouble->cause : "");
    text_word(text, "\n");
}

static struct held_before *held_before(decision_text_t *self, const struct job *job)
{
    if (job->row >= self->rows) {
        const size_t rows = 2 * ((size_t)job->row + 64);

        self->held = xrealloc(self->held, rows * sizeof(*self->held));
        memset(self->held + self->rows, 0, (rows - self->rows) * sizeof(*self->held));
        self->rows = rows;
    }
    return &self->held[job->row];
}

static void write_release(decision_text_t *self, const struct release *release, struct text *text)
{
    begin(text, "released", release->job);
    text_word(text, " ");
    text_word(text, releases[release->why]);
    text_word(text, "\n");
    held_before(self, release->job)->gpus = 0;
}

/* Writes what a job holds. Returns whether that has changed. */
static bool write_holding(decision_text_t *self, const struct holding *holding, struct text *text)
{
    const struct held_before now = {
        number_of(holding->job), holding->grant.gpus,  holding->overhead_s,   holding->grant.rate,
        holding->grant.nodes,    holding->grant.batch, holding->grant.partner};
    struct held_before *before = held_before(self, holding->job);

    if (before->job == now.job && before->gpus == now.gpus &&
        before->overhead_s == now.overhead_s && text_real_is_same(before->rate, now.rate) &&
        before->nodes == now.nodes && before->batch == now.batch && before->partner == now.partner)
        return false;
    *before = now;
    begin(text, "hold", holding->job);
    text_key_whole(text, "gpus", now.gpus);
    text_key_whole(text, "overhead", now.overhead_s);
    text_key_real(text, "rate", now.rate);
    if (now.nodes > 0)
        text_key_whole(text, "nodes", now.nodes);
    if (now.batch > 0)
        text_key_whole(text, "batch", now.batch);
    if (now.partner)
        text_key_number(text, "partner", number_of(now.partner));
    text_word(text, "\n");
    return true;
}

static uint64_t digest_order(const struct decision *decision)
{
    uint64_t digest = decision->live_count;

    for (size_t i = 0; i < decision->live_count; i++)
        digest = mix(digest, decision->live_numbers ? decision->live_numbers[i]
                                                    : number_of(decision->live[i]));
    for (size_t i = 0; i < decision->holding_count; i++)
        digest = mix(digest, number_of(decision->holdings[i].job));
    return digest;
}

static void write_order(decision_text_t *self, const struct decision *decision, struct text *text)
{
    const uint64_t order = digest_order(decision);

    if (order == self->order)
        return;
    self->order = order;
    text_word(text, "> order");
    text_key_number(text, "live", decision->live_count);
    text_key_number(text, "holding", decision->holding_count);
    text_key_digest(text, "digest", order);
    text_word(text, "\n");
}

static uint64_t digest_layout(decision_text_t *self, const struct decision *decision)
{
    const size_t room = (size_t)cluster_gpus(decision->cluster);
    uint64_t digest = 0;

    if (room > self->ranks_room) {
        self->ranks = xrealloc(self->ranks, room * sizeof(*self->ranks));
        self->ranks_room = room;
    }
    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct job *job = decision->holdings[i].job;
        const int count = cluster_ranks(decision->cluster, job, self->ranks);

        digest = mix(mix(digest, number_of(job)), (uint64_t)count);
        for (int k = 0; k < count; k++)
            digest = mix(digest, (uint64_t)self->ranks[k]);
    }
    return digest;
}

/* Writes the digest of the layout. GPUs change hands only with a new layout, or as jobs come and
 * go. */
static void write_layout(decision_text_t *self, const struct decision *decision, bool changed,
                         struct text *text)
{
    const int64_t number = cluster_layout(decision->cluster)->number;
    uint64_t layout;

    if (!changed && number == self->layout_number)
        return;
    self->layout_number = number;
    layout = digest_layout(self, decision);
    if (layout == self->layout)
        return;
    self->layout = layout;
    text_word(text, "> layout");
    text_key_digest(text, "digest", layout);
    text_word(text, "\n");
}

void decision_text_write(decision_text_t *self, const struct decision *decision, struct text *text)
{
    bool changed = decision->released_count > 0;

    write_round(decision, text);
    for (size_t i = 0; i < decision->decided_count; i++)
        write_decided(&decision->decided[i], text);
    for (size_t i = 0; i < decision->retired_count; i++)
        write_retirement(&decision->retired[i], text);
    for (size_t i = 0; i < decision->released_count; i++)
        write_release(self, &decision->released[i], text);
    for (size_t i = 0; i < decision->holding_count; i++)
        changed = write_holding(self, &decision->holdings[i], text) || changed;
    write_order(self, decision, text);
    write_layout(self, decision, changed, text);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        write_trouble(self, &decision->disturbances[i], text);
}

void decision_text_fail(struct text *text, const struct error *error)
{
    text_word(text, "> failed because=");
    text_quoted(text, error->text);
    text_word(text, "\n");
}
