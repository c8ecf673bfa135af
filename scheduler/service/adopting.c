/* adopting.c - a state whose steps this version decides otherwise than the one that wrote it. The
 * steps are told again, this version's decisions hold from there on, and what the other one had
 * told its users is put back: who is over and how, who is held, and each promise. */
#include "scheduler/service/serving.h"

#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CAUSE_OF_ADOPTION "as the version that wrote the state had it"
#define EVENTS_AT_ONCE    1000

/* How a job stood when the state was written, by its events. */
struct recorded_job {
    enum standing standing;
    bool promised;
};

static const struct {
    const char *event;
    enum standing standing;
    enum { KEEPS, PROMISES, WITHDRAWS } promise;
} readings[] = {
    {"submitted", STANDING_WAITING, WITHDRAWS},   {"promised", STANDING_WAITING, PROMISES},
    {"best-effort", STANDING_WAITING, WITHDRAWS}, {"started", STANDING_RUNNING, KEEPS},
    {"resized", STANDING_RUNNING, KEEPS},         {"paused", STANDING_WAITING, KEEPS},
    {"ended-early", STANDING_DONE, WITHDRAWS},    {"held", STANDING_HELD, WITHDRAWS},
    {"changed", STANDING_HELD, WITHDRAWS},        {"declined", STANDING_DECLINED, WITHDRAWS},
    {"done", STANDING_DONE, WITHDRAWS},           {"failed", STANDING_FAILED, WITHDRAWS},
    {"cancelled", STANDING_CANCELLED, WITHDRAWS}, {"quote", STANDING_QUOTED, WITHDRAWS},
    {"quoted", STANDING_QUOTED, PROMISES},        {"lapsed", STANDING_LAPSED, WITHDRAWS},
    {"given-back", STANDING_LAPSED, WITHDRAWS},
};

static void read_event(const json_t *event, struct recorded_job *jobs, uint32_t count)
{
    const json_int_t row = json_integer_value(json_object_get(event, "job"));
    const char *name = json_string_value(json_object_get(event, "event"));

    if (row < 1 || row >= (json_int_t)count || !name)
        return;
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        if (strcmp(name, readings[i].event) != 0)
            continue;
        jobs[row].standing = readings[i].standing;
        if (readings[i].promise != KEEPS)
            jobs[row].promised = readings[i].promise == PROMISES;
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
        json_array_foreach(events, i, event) read_event(event, jobs, count);
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

static void begin_job(struct serving *self, struct entry *entry)
{
    const struct submission *again = steering_submit_again(self, entry);

    if (entry_is_over(entry))
        ledger_move(self->ledger, entry, STANDING_HELD);
    entry->ended_s = NEVER_S;
    submitting_stamp(self, again, self->at_s);
    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_SUBMITTED, .job = again->number, .submission = again});
}

static void put_back(struct serving *self, struct entry *entry, const struct recorded_job *was)
{
    const bool lives = is_live(entry->standing);

    if (is_live(was->standing) && !lives && !entry->untold && !entry->changes)
        begin_job(self, entry);
    else if (lives && was->standing == STANDING_HELD)
        end_job(self, entry, OCCURRENCE_SUSPENDED);
    else if (lives && is_over(was->standing))
        end_job(self, entry, OCCURRENCE_CANCELLED);
}

/* The step is in the journal as any other; what it orders goes with the next one. */
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

static void promise(struct serving *self, struct entry *entry)
{
    const struct job *job = engine_job(self->engine, entry->number);

    if (!job || job->promise.state == PROMISE_STANDS || job->submission->best_effort)
        return;
    engine_promise(self->engine, entry->number);
    entry->decided = true;
    entry->verdict = verdict_promise(job);
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
            promise(self, entry);
    }
}

static int adopt(struct serving *self, struct recorded_job *jobs, uint32_t count,
                 struct error *error)
{
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
    self->decided_s += 1; /* so that the next start need not adopt once more */
    snapshots_keep(self);
    steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_TIMER});
    return 0;
}
