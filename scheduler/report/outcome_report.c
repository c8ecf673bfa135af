/* outcome_report.c - see outcome_report.h. */
#include "scheduler/report/outcome_report.h"

#include "common/memory.h"
#include "scheduler/plan/side_table.h"
#include "scheduler/state/steps.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A turn in the life of a promise: it is made after the arrival or again, falls to a later step, is
 * withdrawn, or is at risk. The end of a job that never starts is a turn, too. */
struct turn {
    int64_t at_s;
    int64_t promised_s; /* the promised time, of a promise */
    char *withdrawn;    /* cause of a withdrawal; NULL for another turn */
    char *falls;        /* cause of a fall; NULL for another turn */
    char *at_risk;      /* cause of a risk; NULL for another turn */
    char *cancelled;    /* cause of the end of a job that never starts; NULL for another turn */
    enum withdrawal_cause why;
    size_t next; /* the next turn of the job; NO_TURN at the end */
};

#define NO_TURN SIZE_MAX

struct told {
    const struct submission *submission;
    int64_t at_s;
    struct verdict first;
    struct verdict verdict; /* the last verdict */
    size_t withdrawals;
    size_t falls;
    char *lost;        /* why a declined job never starts; NULL for its verdict's reason */
    size_t first_turn; /* NO_TURN if the job has no turn */
    size_t last_turn;
    enum job_state state;
    double ended_s;            /* of a job that is done */
    int64_t unpromised_node_s; /* node time before the promise */
    int64_t node_s;            /* whole node time, of a job that is over */
};

struct outcome_report {
    side_table_t *places; /* place of a job in `told`, a size_t */
    struct told *told;
    size_t count;
    size_t capacity;
    struct turn *turns;
    size_t turn_count;
    size_t turn_capacity;
};

enum outcome {
    OUTCOME_DECLINED,
    OUTCOME_ON_TIME,
    OUTCOME_LATE,
    OUTCOME_DONE,
    OUTCOME_FAILED,
    OUTCOME_CANCELLED,
    OUTCOME_UNFINISHED,
};

static const char *const verdict_words[] = {[VERDICT_PROMISED] = "promised",
                                            [VERDICT_BEST_EFFORT] = "best-effort",
                                            [VERDICT_DECLINED] = "declined",
                                            [VERDICT_PROMISED_LATER] = "promised-later"};
static const char *const reason_words[] = {[REASON_FITS] = "fits",
                                           [REASON_NO_DEADLINE] = "no-deadline",
                                           [REASON_NO_PROMISES] = "no-promises",
                                           [REASON_NO_ROOM] = "no-room",
                                           [REASON_TOO_LARGE] = "too-large",
                                           [REASON_JOBS_TO_COME] = "jobs-to-come",
                                           [REASON_PROMISE_SHARE] = "promise-share",
                                           [REASON_PARENT] = "parent",
                                           [REASON_NODES_END] = "nodes-end",
                                           [REASON_FAILED] = "failed"};
static const char *const outcome_words[] = {[OUTCOME_DECLINED] = "",
                                            [OUTCOME_ON_TIME] = "on-time",
                                            [OUTCOME_LATE] = "late",
                                            [OUTCOME_DONE] = "done",
                                            [OUTCOME_FAILED] = "failed",
                                            [OUTCOME_CANCELLED] = "cancelled",
                                            [OUTCOME_UNFINISHED] = "unfinished"};

outcome_report_t *outcome_report_new(void)
{
    outcome_report_t *self = xcalloc(1, sizeof(*self));

    self->places = side_table_new(sizeof(size_t));
    return self;
}

void outcome_report_destroy(outcome_report_t **self)
{
    if (!*self)
        return;
    side_table_destroy(&(*self)->places);
    for (size_t i = 0; i < (*self)->turn_count; i++) {
        free((*self)->turns[i].withdrawn);
        free((*self)->turns[i].falls);
        free((*self)->turns[i].at_risk);
        free((*self)->turns[i].cancelled);
    }
    for (size_t i = 0; i < (*self)->count; i++)
        free((*self)->told[i].lost);
    free((*self)->turns);
    free((*self)->told);
    free(*self);
    *self = NULL;
}

static struct told *told_of(outcome_report_t *self, const struct job *job)
{
    return &self->told[*(size_t *)side_table_at(self->places, job)];
}

static void add_turn(outcome_report_t *self, struct told *told, const struct turn *turn)
{
    const size_t place = self->turn_count;

    self->turns =
        grow_array(self->turns, self->turn_count, &self->turn_capacity, sizeof(*self->turns));
    self->turns[self->turn_count++] = *turn;
    if (told->first_turn == NO_TURN)
        told->first_turn = place;
    else
        self->turns[told->last_turn].next = place;
    told->last_turn = place;
}

void outcome_report_decided(outcome_report_t *self, const struct job *job, int64_t now_s,
                            const struct verdict *verdict)
{
    if (verdict->kind == VERDICT_PROMISED_LATER) {
        told_of(self, job)->submission = job->submission; /* an eased job has a new submission */
        if (!verdict_promises(&told_of(self, job)->verdict))
            told_of(self, job)->unpromised_node_s = job->node_seconds;
        told_of(self, job)->verdict = *verdict;
        add_turn(self, told_of(self, job),
                 &(struct turn){.at_s = now_s, .promised_s = verdict->promised_s, .next = NO_TURN});
        return;
    }
    self->told = grow_array(self->told, self->count, &self->capacity, sizeof(*self->told));
    *(size_t *)side_table_at(self->places, job) = self->count;
    self->told[self->count++] = (struct told){.submission = job->submission,
                                              .at_s = now_s,
                                              .first = *verdict,
                                              .verdict = *verdict,
                                              .first_turn = NO_TURN,
                                              .state = job->state};
}

void outcome_report_withdrawn(outcome_report_t *self, const struct job *job, int64_t now_s,
                              enum withdrawal_cause why, const char *cause)
{
    struct told *told = told_of(self, job);

    told->withdrawals++;
    add_turn(
        self, told,
        &(struct turn){.at_s = now_s, .why = why, .withdrawn = xstrdup(cause), .next = NO_TURN});
}

void outcome_report_at_risk(outcome_report_t *self, const struct job *job, int64_t now_s,
                            const char *cause)
{
    add_turn(self, told_of(self, job),
             &(struct turn){.at_s = now_s, .at_risk = xstrdup(cause), .next = NO_TURN});
}

void outcome_report_falls(outcome_report_t *self, const struct job *job, int64_t now_s,
                          enum withdrawal_cause why, const char *cause)
{
    struct told *told = told_of(self, job);

    told->falls++;
    told->verdict.promised_s = job->promise.deadline_s;
    add_turn(self, told,
             &(struct turn){.at_s = now_s, .why = why, .falls = xstrdup(cause), .next = NO_TURN});
}

void outcome_report_orphaned(outcome_report_t *self, const struct job *job, int64_t now_s,
                             const char *cause)
{
    struct told *told = told_of(self, job);

    if (told->state == JOB_DECLINED)
        told->lost = xstrdup(cause);
    else
        add_turn(self, told,
                 &(struct turn){.at_s = now_s, .cancelled = xstrdup(cause), .next = NO_TURN});
}

void outcome_report_ended(outcome_report_t *self, const struct job *job)
{
    struct told *told = told_of(self, job);

    assert(told->submission == job->submission);
    told->state = job->state;
    told->ended_s = job_ended_s(job);
    told->node_s = job->node_seconds;
}

/* The deadline that the job's end is compared with. */
static int64_t deadline_s(const struct told *told)
{
    if (verdict_promises(&told->verdict))
        return told->verdict.promised_s;
    return told->submission->best_effort ? DEADLINE_NONE_S : submission_last_s(told->submission);
}

static enum outcome outcome_of(const struct told *told)
{
    const int64_t due_s = deadline_s(told);

    if (told->verdict.kind == VERDICT_DECLINED)
        return OUTCOME_DECLINED;
    if (told->state == JOB_FAILED)
        return OUTCOME_FAILED;
    if (told->state == JOB_CANCELLED)
        return OUTCOME_CANCELLED;
    if (told->state != JOB_DONE)
        return OUTCOME_UNFINISHED;
    if (due_s == DEADLINE_NONE_S)
        return OUTCOME_DONE;
    return told->ended_s <= (double)due_s ? OUTCOME_ON_TIME : OUTCOME_LATE;
}

/* The value, in tenths, of the first deadline that the job met; 0 if it met none. */
static int64_t value_of(const struct told *told)
{
    const struct submission *submission = told->submission;

    if (told->state != JOB_DONE || submission->best_effort)
        return 0;
    for (size_t i = 0; i < submission->level_count; i++)
        if (told->ended_s <= (double)submission->levels[i].deadline_s)
            return submission->levels[i].value;
    return 0;
}

static void count_on_time(const struct told *told, struct outcome_figures *figures)
{
    const struct throughput_row *row = told->submission->throughput;

    figures->on_time++;
    figures->best_effort_on_time += !verdict_promises(&told->verdict);
    if (row)
        figures->gpu_hours_on_time +=
            throughput_least_gpu_s(row) * (double)told->submission->iterations / 3600;
}

void outcome_report_count(const outcome_report_t *self, struct outcome_figures *figures)
{
    *figures = (struct outcome_figures){.promises = figures->promises};
    for (size_t i = 0; i < self->count; i++) {
        const enum verdict_kind kind = self->told[i].verdict.kind;
        const bool promised = verdict_promises(&self->told[i].verdict);
        const enum outcome outcome = outcome_of(&self->told[i]);

        figures->promised += promised;
        figures->promised_at_arrival += kind == VERDICT_PROMISED;
        figures->promised_later += kind == VERDICT_PROMISED_LATER;
        figures->failed += outcome == OUTCOME_FAILED;
        figures->withdrawn += self->told[i].withdrawals > 0;
        figures->withdrawals += (int64_t)self->told[i].withdrawals;
        figures->broken += promised && (outcome == OUTCOME_LATE || outcome == OUTCOME_FAILED);
        figures->soft_jobs += submission_is_soft(self->told[i].submission);
        figures->falls += (int64_t)self->told[i].falls;
        figures->value_on_time += (double)value_of(&self->told[i]) / LEVEL_VALUE_FULL;
        if (outcome == OUTCOME_ON_TIME)
            count_on_time(&self->told[i], figures);
    }
}

void outcome_report_survival(const outcome_report_t *self, const struct failure_rate *rate,
                             int losses, struct survival_figures *figures)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++) {
        const struct told *told = &self->told[i];

        if (!verdict_promises(&told->verdict) || told->state != JOB_DONE)
            continue;
        sum += survival_chance(rate, (double)(told->node_s - told->unpromised_node_s), losses);
        count++;
    }
    *figures = (struct survival_figures){0};
    if (count > 0 && rate->node_s > 0)
        *figures = (struct survival_figures){
            .losses = losses, .mtbf_s = failure_rate_mtbf_s(rate), .chance = sum / (double)count};
}

/* Writes a text into a quoted cell. A bar separates turns, and so becomes a slash. */
static void write_text(const char *text, output_t *out)
{
    for (; *text; text++) {
        if (*text == '"')
            output_char(out, '"');
        output_char(out, (char)(*text == '|' ? '/' : *text));
    }
}

static void write_promise(int64_t at_s, bool again, int64_t promised_s, output_t *out)
{
    output_format(out, "%" PRId64 " promised %sby %" PRId64, at_s, again ? "again " : "",
                  promised_s);
}

static void write_share(const struct share_seen *share, output_t *out)
{
    output_text(out, ", ");
    write_text(share->of->name, out);
    output_format(out, " has %.6g of %.6g GPU-hours promised ahead and needs %.6g more",
                  share->is / 3600, share->may / 3600, share->more / 3600);
    if (share->free_s != DEADLINE_NONE_S)
        output_format(out, ", free by %" PRId64, share->free_s);
}

static void write_first(const struct told *told, output_t *out)
{
    const struct verdict *first = &told->first;

    if (verdict_promises(first)) {
        write_promise(told->at_s, false, first->promised_s, out);
        return;
    }
    output_format(out, "%" PRId64 " %s: %s", told->at_s, verdict_words[first->kind],
                  reason_words[first->reason]);
    if (told->lost) {
        output_text(out, ", ");
        write_text(told->lost, out);
    }
    if (first->seen.over_s > 0)
        output_format(out, ", %.6g GPU-hours per hour over %" PRId64 " s", first->seen.gpus,
                      first->seen.over_s);
    if (first->share.of)
        write_share(&first->share, out);
    if (first->known_until_s > 0)
        output_format(out, ", the nodes are known until %" PRId64, first->known_until_s);
}

static void write_history(const outcome_report_t *self, const struct told *told, output_t *out)
{
    bool again = verdict_promises(&told->first);

    output_char(out, '"');
    write_first(told, out);
    for (size_t i = told->first_turn; i != NO_TURN; i = self->turns[i].next) {
        const struct turn *turn = &self->turns[i];

        output_text(out, " | ");
        if (turn->withdrawn || turn->falls) {
            output_format(out, "%" PRId64 " %s: %s, ", turn->at_s,
                          turn->falls ? "falls" : "withdrawn", withdrawal_words[turn->why]);
            write_text(turn->falls ? turn->falls : turn->withdrawn, out);
        } else if (turn->at_risk) {
            output_format(out, "%" PRId64 " at risk: ", turn->at_s);
            write_text(turn->at_risk, out);
        } else if (turn->cancelled) {
            output_format(out, "%" PRId64 " cancelled: ", turn->at_s);
            write_text(turn->cancelled, out);
        } else {
            write_promise(turn->at_s, again, turn->promised_s, out);
            again = true;
        }
    }
    output_char(out, '"');
}

static void write_slack(const struct told *told, output_t *out)
{
    const enum outcome outcome = outcome_of(told);

    if (outcome == OUTCOME_ON_TIME || outcome == OUTCOME_LATE)
        output_whole(out, deadline_s(told) - (int64_t)ceil(told->ended_s));
}

static void write_told(const outcome_report_t *self, const struct told *told, output_t *out)
{
    output_whole(out, told->at_s);
    output_char(out, ',');
    output_text(out, told->submission->id);
    output_char(out, ',');
    output_text(out, verdict_words[told->verdict.kind]);
    output_char(out, ',');
    output_text(out, reason_words[told->verdict.reason]);
    output_char(out, ',');
    if (verdict_promises(&told->verdict))
        output_whole(out, told->verdict.promised_s);
    output_char(out, ',');
    output_text(out, outcome_words[outcome_of(told)]);
    output_char(out, ',');
    write_slack(told, out);
    output_char(out, ',');
    write_history(self, told, out);
}

static bool any_is_soft(const outcome_report_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (submission_is_soft(self->told[i].submission))
            return true;
    return false;
}

void outcome_report_write(const outcome_report_t *self, output_t *out)
{
    const bool values = any_is_soft(self);

    output_format(out, "decided_at,job_id,verdict,reason,promised,outcome,slack,history%s\n",
                  values ? ",value" : "");
    for (size_t i = 0; i < self->count; i++) {
        char value[STEP_VALUE_BYTES];

        write_told(self, &self->told[i], out);
        if (values)
            output_format(out, ",%s", steps_print_value(value_of(&self->told[i]), value));
        output_char(out, '\n');
    }
}
