/* adopting.c - a start from a state that another version wrote, and whose steps this version
 * decides otherwise. The steps are decided again, and the decisions of this version hold from there
 * on. Three things are put back as users were told them: the ends of jobs, holds, and promises. */
#include "scheduler/service/serving.h"

#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CAUSE_OF_ADOPTION "as the version that wrote the state had it"
#define EVENTS_AT_ONCE    1000

/* How a job stood when the state was written, as its events tell. */
struct recorded_job {
    enum standing standing;
    bool promised;
    int64_t until_s; /* of a promise; 0 if the other version did not note the time */
};

static const struct {
    const char *event;
    enum { STAYS, MOVES } moves;
    enum { KEEPS, PROMISES, WITHDRAWS } promise;
    enum standing standing; /* if the event moves the job */
} readings[] = {
    {"submitted", MOVES, WITHDRAWS, STANDING_WAITING},
    {"promised", MOVES, PROMISES, STANDING_WAITING},
    {"promised-again", STAYS, PROMISES, 0},
    {"falls", STAYS, PROMISES, 0},
    {"withdrawn", STAYS, WITHDRAWS, 0},
    {"best-effort", MOVES, WITHDRAWS, STANDING_WAITING},
    {"started", MOVES, KEEPS, STANDING_RUNNING},
    {"resized", MOVES, KEEPS, STANDING_RUNNING},
    {"paused", MOVES, KEEPS, STANDING_WAITING},
    {"ended-early", MOVES, WITHDRAWS, STANDING_DONE},
    {"held", MOVES, WITHDRAWS, STANDING_HELD},
    {"changed", MOVES, WITHDRAWS, STANDING_HELD},
    {"declined", MOVES, WITHDRAWS, STANDING_DECLINED},
    {"done", MOVES, WITHDRAWS, STANDING_DONE},
    {"failed", MOVES, WITHDRAWS, STANDING_FAILED},
    {"cancelled", MOVES, WITHDRAWS, STANDING_CANCELLED},
    {"quote", MOVES, WITHDRAWS, STANDING_QUOTED},
    {"quoted", MOVES, PROMISES, STANDING_QUOTED},
    {"lapsed", MOVES, WITHDRAWS, STANDING_LAPSED},
    {"given-back", MOVES, WITHDRAWS, STANDING_LAPSED},
};

static void read_event(const struct serving *self, const json_t *event, struct recorded_job *jobs,
                       uint32_t count)
{
    const json_int_t row = json_integer_value(json_object_get(event, "job"));
    const json_int_t until = json_integer_value(json_object_get(event, "until"));
    const char *name = json_string_value(json_object_get(event, "event"));

    if (row < 1 || row >= (json_int_t)count || !name)
        return;
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        if (strcmp(name, readings[i].event) != 0)
            continue;
        if (readings[i].moves == MOVES)
            jobs[row].standing = readings[i].standing;
        if (readings[i].promise != KEEPS) {
            jobs[row].promised = readings[i].promise == PROMISES;
            jobs[row].until_s = jobs[row].promised && until > 0 ? until - self->epoch : 0;
        }
    }
}

static int read_events(struct serving *self, struct recorded_job *jobs, uint32_t count,
                       struct error *error)
{
    int64_t last = 0;

    do {
        const int64_t after = last;
        json_t *events;
        json_t *event;
        size_t i;

        if (events_list(self->events, 0, after, EVENTS_AT_ONCE, &events, &last, error) < 0)
            return -1;
        json_array_foreach(events, i, event) read_event(self, event, jobs, count);
        json_decref(events);
    } while (last > 0);
    return 0;
}

/* ---- what is put back ---- */

static bool is_live(enum standing standing)
{
    return standing == STANDING_WAITING || standing == STANDING_RUNNING ||
           standing == STANDING_QUOTED;
}

static bool is_over(enum standing standing)
{
    return standing >= STANDING_DONE && standing != STANDING_QUOTED;
}

static void end_job(struct serving *self, const struct entry *entry, enum occurrence_kind kind)
{
    steps_tell(self, &(struct occurrence){.kind = kind,
                                          .row = UINT32_MAX,
                                          .job = entry->number,
                                          .cause = CAUSE_OF_ADOPTION});
}

/* The job may be promised no better step of its deadline than before. */
static void begin_job(struct serving *self, struct entry *entry, const struct recorded_job *was)
{
    const struct submission *again =
        submitting_stamp(self, ordering_submit_from(self, entry, was->until_s), self->at_s);

    if (entry_is_over(entry))
        ledger_move(self->ledger, entry, STANDING_HELD);
    entry->ended_s = NEVER_S;
    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_SUBMITTED, .job = again->number, .submission = again});
}

static void put_back(struct serving *self, struct entry *entry, const struct recorded_job *was)
{
    const bool lives = is_live(entry->standing);

    if (is_live(was->standing) && !lives && !entry->untold && !entry->changes)
        begin_job(self, entry, was);
    else if (lives && was->standing == STANDING_HELD)
        end_job(self, entry, OCCURRENCE_SUSPENDED);
    else if (lives && is_over(was->standing))
        end_job(self, entry, OCCURRENCE_CANCELLED);
}

/* The step goes into the journal like any other. Its orders go to the master with the next step. */
static int make_step(struct serving *self, struct error *error)
{
    const size_t count = self->told.count;
    const struct occurrence *told;

    if (count == 0)
        return 0;
    told = journal_occurrences(self->journal, self->engine, self->at_s, self->told.items, count);
    self->told.count = self->told_kept = 0;
    if (steps_decide(self, self->at_s, told, count, error) < 0)
        return -1;
    journal_decision(self->journal, &self->decision, false);
    return journal_commit(self->journal, error);
}

/* The first step of the deadline that is not before `until_s`, the time that was promised. */
static int64_t promised_step_s(const struct submission *job, int64_t until_s)
{
    size_t i = 0;

    if (!submission_is_soft(job))
        return job->deadline_s;
    while (i + 1 < job->level_count && job->levels[i].deadline_s < until_s)
        i++;
    return job->levels[i].deadline_s;
}

/* Renews the promise that the job was told, even if this version would promise another step. */
static void promise(struct serving *self, struct entry *entry, int64_t until_s)
{
    const struct job *job = engine_job(self->engine, entry->number);
    int64_t deadline_s;

    if (!job || job->submission->best_effort)
        return;
    deadline_s = promised_step_s(job->submission, until_s);
    if (job->promise.state == PROMISE_STANDS &&
        (until_s == 0 || job->promise.deadline_s == deadline_s))
        return;
    engine_promise(self->engine, entry->number, deadline_s);
    entry->decided = true;
    entry->verdict = verdict_promise(job);
    entry->verdict.promised_s = deadline_s;
}

static void settle_all(struct serving *self, const struct recorded_job *jobs, uint32_t count)
{
    for (uint32_t row = 1; row < count; row++) {
        struct entry *entry = ledger_find(self->ledger, row);

        if (entry->left_out)
            continue;
        if (is_over(jobs[row].standing) && entry->standing != jobs[row].standing)
            ledger_move(self->ledger, entry, jobs[row].standing);
        if (is_live(entry->standing) && jobs[row].promised)
            promise(self, entry, jobs[row].until_s);
    }
}

static int adopt(struct serving *self, struct recorded_job *jobs, uint32_t count,
                 struct error *error)
{
    size_t held;

    for (uint32_t row = 1; row < count; row++)
        jobs[row].standing = STANDING_HELD;
    if (read_events(self, jobs, count, error) < 0)
        return -1;
    self->at_s = self->decision.now_s + 1;
    for (uint32_t row = 1; row < count; row++)
        if (!ledger_find(self->ledger, row)->left_out)
            put_back(self, ledger_find(self->ledger, row), &jobs[row]);
    if (make_step(self, error) < 0)
        return -1;
    settle_all(self, jobs, count);
    if (holdings_take_over(self, &held, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "taken-over",
              "jobs=%" PRIu32 " holdings=%zu cause=\"promises stand as they were told, and jobs "
              "hold what they held: from here on this version decides\"",
              count - 1, held);
    return 0;
}

int adopting_settle(struct serving *self, struct error *error)
{
    const uint32_t count = ledger_next(self->ledger);
    struct recorded_job *jobs;
    int status;

    if (!self->adopts)
        return 0;
    jobs = xcalloc((size_t)count + 1, sizeof(*jobs));
    status = adopt(self, jobs, count, error);
    free(jobs);
    if (status < 0)
        return -1;
    self->decided_s += 1; /* a snapshot is due, so that the next start need not adopt again */
    snapshots_keep(self);
    steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_TIMER});
    return 0;
}
