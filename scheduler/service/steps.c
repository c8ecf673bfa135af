/* steps.c - the service from step to step. Requests and the news of the cluster go into the
 * journal, and then to the engine. The decision goes to the master, and clients are answered. */
#include "scheduler/service/serving.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/snapshot/engine_archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define LOOK_MS       100
#define RETRY_S       1.0 /* until a full disk is tried again */
#define MASTER_WAIT_S 4.0 /* after a start, for a master that has jobs of the service */

/* After a failed fsync the disk may have all of the data, or nothing. */
#define UNKNOWN "whether it was kept is unknown: submit again with the same key"
#define KEPT                                                                                       \
    "what was asked is kept, and what comes of it is not: submit again with the same key, or "     \
    "look "                                                                                        \
    "at the job, once there is room"

/* ---- what the next step is told ---- */

int steps_open(struct serving *self, struct error *error)
{
    if (self->stuck)
        return error_set(error, "%s", self->why_stuck);
    if (self->in_transaction)
        return 0;
    if (journal_begin(self->journal, error) < 0)
        return -1;
    self->in_transaction = true;
    self->first_new = ledger_next(self->ledger);
    return 0;
}

void steps_tell(struct serving *self, const struct occurrence *occurrence)
{
    struct occurrences *told = &self->told;

    told->items = grow_array(told->items, told->count, &told->room, sizeof(*told->items));
    told->items[told->count++] = *occurrence;
}

void steps_await(struct serving *self, struct request **request, uint32_t row, bool is_new,
                 change_answer *answer)
{
    struct change *change = xcalloc(1, sizeof(*change));

    *change = (struct change){.request = *request, .row = row, .is_new = is_new, .answer = answer};
    *request = NULL;
    DL_APPEND(self->changes, change);
}

bool steps_change(const struct serving *self, uint32_t row)
{
    const struct change *change;

    DL_FOREACH(self->changes, change)
    {
        if (change->row == row)
            return true;
    }
    for (size_t i = 0; i < self->told.count; i++)
        if (job_number_row(self->told.items[i].job) == row)
            return true;
    return false;
}

static void answer_changes(struct serving *self)
{
    struct change *change;
    struct change *next;

    DL_FOREACH_SAFE(self->changes, change, next)
    {
        DL_DELETE(self->changes, change);
        change->answer(self, change);
    }
}

/* Gives up all requests since the last commit: none of them was kept. */
static void give_up_changes(struct serving *self, const struct error *error)
{
    struct error ignored;
    struct change *change;
    struct change *next;

    journal_rollback(self->journal);
    (void)nodes_recall(self, &ignored);
    ledger_cut(self->ledger, self->first_new);
    events_forget(self->events);
    DL_FOREACH_SAFE(self->changes, change, next)
    {
        if (change->is_kept)
            continue;
        DL_DELETE(self->changes, change);
        clients_fail(self->clients, &change->request, ANSWER_FAILED, "%s; %s", error->text,
                     journal_is_broken(self->journal) ? UNKNOWN : "nothing was done");
        free(change);
    }
    self->told.count = self->told_kept;
    self->waits_for_step = self->in_transaction = false;
}

/* ---- a step ---- */

static void log_decision(const struct serving *self)
{
    const struct decision *decision = &self->decision;

    for (size_t i = 0; i < decision->decided_count; i++)
        log_event(&(struct log_subject){(int64_t)decision->decided[i].job->submission->number,
                                        LOG_NONE, LOG_NONE, LOG_NONE},
                  "decided", "name=%s at=%" PRId64 " verdict=%s",
                  log_text(decision->decided[i].job->submission->id), decision->now_s,
                  verdict_promises(&decision->decided[i].verdict)         ? "promised"
                  : decision->decided[i].verdict.kind == VERDICT_DECLINED ? "declined"
                                                                          : "best-effort");
    for (size_t i = 0; i < decision->retired_count; i++)
        log_event(&(struct log_subject){(int64_t)decision->retired[i].job->submission->number,
                                        LOG_NONE, LOG_NONE, LOG_NONE},
                  "retired", "name=%s at=%" PRId64 " late=%d",
                  log_text(decision->retired[i].job->submission->id), decision->now_s,
                  decision->retired[i].late);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        log_event(&LOG_ABOUT_NOTHING, "disturbed", "at=%" PRId64 " cause=%s", decision->now_s,
                  log_text(decision->disturbances[i].cause));
}

/* Decides a step, and brings the ledger up to date. */
int steps_decide(struct serving *self, int64_t now_s, const struct occurrence occurrences[],
                 size_t count, struct error *error)
{
    const double began_s = clock_s();

    if (engine_step(self->engine, now_s, occurrences, count, &self->decision, error) < 0)
        return -1;
    self->decided_s += clock_s() - began_s;
    ledger_settle(self->ledger);
    ledger_told(self->ledger, now_s, occurrences, count);
    ledger_decided(self->ledger, self->engine, &self->decision);
    return 0;
}

/* Adds the news of the cluster behind the requests: an occurrence may be about a job that a request
 * brought. */
static void join_news(struct serving *self)
{
    const struct occurrences *news = capacity_news(self->capacity);
    const size_t own = self->told.count;

    for (size_t i = 0; i < own; i++)
        if (self->told.items[i].submission)
            self->told.items[i].submission =
                submitting_stamp(self, self->told.items[i].submission, self->at_s);
    if (own > 0 && self->at_s == self->decision.now_s) /* a round at the same time again */
        steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_TIMER});
    for (size_t i = 0; i < news->count; i++)
        if (news->items[i].kind == OCCURRENCE_NODE_UP)
            nodes_tell(self, &news->items[i]);
        else
            steps_tell(self, &news->items[i]);
}

/* Tells the clients of the present step that their answer is late. Requests that are kept are done
 * once the step is. */
static void tell_changes(struct serving *self, const struct error *error)
{
    struct change *change;

    DL_FOREACH(self->changes, change)
    {
        if (clients_listens(change->request))
            clients_fail_early(change->request, "%s; %s", error->text,
                               change->is_kept ? KEPT : UNKNOWN);
    }
}

void steps_abandon(struct serving *self, const struct error *error)
{
    struct change *change;
    struct change *next;

    tell_changes(self, error);
    DL_FOREACH_SAFE(self->changes, change, next)
    {
        DL_DELETE(self->changes, change);
        clients_drop(&change->request);
        free(change);
    }
}

/* Waits for the disk. The clients are told at the second failure: a disk may stay full for days. */
static void get_stuck(struct serving *self, const struct error *error)
{
    if (self->stuck)
        tell_changes(self, error);
    else
        log_event(&LOG_ABOUT_NOTHING, "stuck", "cause=%s", log_text(error->text));
    self->stuck = true;
    self->retry_at_s = clock_s() + RETRY_S;
    (void)snprintf(self->why_stuck, sizeof(self->why_stuck), "%.500s", error->text);
}

static void note_kept(struct serving *self)
{
    struct change *change;

    DL_FOREACH(self->changes, change)
    {
        change->is_kept = true;
    }
    events_kept(self->events);
    self->told_kept = self->told.count;
    self->in_transaction = false;
    (void)FAILPOINT("asked-kept");
}

/* Stores the requests before anything is decided about them. A request that cannot be stored is not
 * done. -1, with `error`, if the journal is broken. */
static int keep_documents(struct serving *self, struct error *error)
{
    if (!self->in_transaction)
        return 0;
    if (events_put(self->events, error) == 0 && journal_commit(self->journal, error) == 0) {
        note_kept(self);
        return 0;
    }
    give_up_changes(self, error);
    return journal_is_broken(self->journal) ? -1 : 0;
}

/* Stores the step, then sends its orders and answers the clients. Until the step is stored, no
 * order leaves for the master. A full disk is waited for. -1, with `error`, if the journal is
 * broken. */
static int finish(struct serving *self, struct error *error)
{
    if (events_put(self->events, error) < 0 || holdings_put(self, error) < 0 ||
        capacity_commit(self->capacity, self->journal, error) < 0) {
        journal_rollback(self->journal);
        get_stuck(self, error);
        return journal_is_broken(self->journal) ? -1 : 0;
    }
    self->stuck = false;
    events_kept(self->events);
    holdings_kept(self);
    (void)FAILPOINT("step-kept");
    log_decision(self);
    capacity_pass_orders(self->capacity);
    (void)FAILPOINT("plan-sent");
    answer_changes(self);
    (void)FAILPOINT("asked-answered");
    verbs_wake(self);
    snapshots_keep_due(self);
    return 0;
}

static int decide_kept(struct serving *self, struct error *error)
{
    const size_t count = self->told.count;
    const struct occurrence *occurrences = journal_occurrences(
        self->journal, self->engine, self->at_s, self->told.items, self->told.count);

    self->told.count = self->told_kept = 0;
    self->waits_for_step = false;
    if (steps_decide(self, self->at_s, occurrences, count, error) < 0)
        return -1;
    journal_decision(self->journal, &self->decision, false);
    return 0;
}

static int make(struct serving *self, struct error *error)
{
    const bool makes_plan = !self->skips_orders;

    join_news(self);
    nodes_settle(self);
    self->skips_orders = false;
    if (decide_kept(self, error) < 0)
        return -1;
    capacity_hold_orders(self->capacity);
    noting_step(self, makes_plan);
    if (self->decision.round > 0 && makes_plan &&
        capacity_order(self->capacity, self->engine, &self->decision, error) < 0)
        return -1;
    (void)FAILPOINT("step-decided");
    return finish(self, error);
}

/* ---- when a step is due ---- */

int64_t serving_step_s(const struct serving *self)
{
    const int64_t now_s = serving_now_s(self);

    return now_s < self->decision.next_s ? now_s : self->decision.next_s;
}

/* Whether the nodes and trainers are known: after a start the master tells of them before a step is
 * made. */
static bool knows_cluster(struct serving *self)
{
    const capacity_t *capacity = self->capacity;

    if (self->knows_cluster || engine_status(self->engine).live == 0)
        return true;
    self->knows_cluster = (capacity_is_attached(capacity) && capacity_knows_nodes(capacity) &&
                           (capacity_knows_steps(capacity) || !capacity_is_resumed(capacity) ||
                            self->decision.holding_count == 0)) ||
                          clock_s() >= self->opened_s + MASTER_WAIT_S;
    return self->knows_cluster;
}

/* Whether requests wait for the next second. Jobs are heard once a second. A second step in the
 * same second would give away the GPUs of a job that has ended before the engine was told of the
 * end. */
static bool awaits_hearing(const struct serving *self)
{
    return self->told.count > 0 && capacity_has_end(self->capacity, self->engine);
}

/* Whether a step is due now; `at_s` is set to its time. */
static bool is_due(struct serving *self)
{
    const struct decision *decision = &self->decision;
    const double clock = run_clock_now(&self->clock);
    const int64_t now_s = serving_now_s(self);

    run_clock_look(&self->clock);
    if (!knows_cluster(self))
        return false;
    self->at_s = serving_step_s(self);
    if (self->told.count > 0)
        return self->at_s > decision->now_s || !awaits_hearing(self);
    if (capacity_looks_for_step(self->capacity, self->engine, decision->now_s,
                                self->inputs.setting.slot_s) &&
        now_s > decision->now_s)
        return true;
    if (cluster_change_s(decision->cluster) <= now_s || /* without a job no round is due */
        nodes_differ(self, self->at_s))
        return true;
    return clock >= (double)decision->next_s &&
           !capacity_awaits_end(self->capacity, self->engine, decision->next_s);
}

static bool is_paid(struct serving *self)
{
    capacity_t *capacity = self->capacity;

    if (!capacity_has_starts(capacity) || awaits_hearing(self))
        return false;
    capacity_begin_news(capacity);
    capacity_tell_starts(capacity, self->engine, self->decision.now_s);
    self->at_s = self->decision.now_s;
    return capacity_news(capacity)->count > 0;
}

static int gather(struct serving *self, struct error *error)
{
    capacity_t *capacity = self->capacity;
    /* After the first step of a second, the progress of jobs waits for the next second. */
    const bool hears_jobs = self->at_s > self->decision.now_s;

    capacity_begin_news(capacity);
    if (hears_jobs && capacity_tell_jobs(capacity, self->engine, self->at_s, error) < 0)
        return -1;
    if (capacity_knows_nodes(capacity))
        capacity_tell_nodes(capacity);
    return 0;
}

int steps_make(struct serving *self, struct error *error)
{
    if (self->stuck)
        return clock_s() < self->retry_at_s ? 0 : finish(self, error);
    if (keep_documents(self, error) < 0)
        return -1;
    if (self->told.count == 0 && self->changes) {
        answer_changes(self);
        verbs_wake(self);
        self->waits_for_step = false;
    }
    if (is_due(self))
        return gather(self, error) < 0 ? -1 : make(self, error);
    return is_paid(self) ? make(self, error) : 0;
}

/* ---- in a copy of the process ---- */

int steps_try_told(struct serving *self, struct error *error)
{
    size_t count;

    nodes_settle(self);
    count = self->told.count;
    self->told.count = 0;
    return steps_decide(self, self->at_s, self->told.items, count, error);
}

static int try_gathered(struct serving *self, struct error *error)
{
    join_news(self);
    return steps_try_told(self, error);
}

int steps_try(struct serving *self, const struct occurrence *occurrence, struct error *error)
{
    self->at_s = serving_step_s(self);
    steps_tell(self, occurrence);
    return gather(self, error) < 0 ? -1 : try_gathered(self, error);
}

int steps_try_news(struct serving *self, struct error *error)
{
    const struct occurrences *news = capacity_news(self->capacity);
    bool any = self->told.count > 0 || capacity_calls_for_step(self->capacity);

    self->at_s = serving_step_s(self);
    if (gather(self, error) < 0)
        return -1;
    for (size_t i = 0; i < news->count; i++)
        any = any || news->items[i].kind != OCCURRENCE_PROGRESS || news->items[i].deviates;
    return any ? try_gathered(self, error) : 0;
}

size_t steps_look_ms(const struct serving *self)
{
    const double left_ms =
        ((double)self->decision.next_s - run_clock_now(&self->clock)) / self->clock.scale * 1000;

    if (left_ms >= LOOK_MS)
        return LOOK_MS;
    return left_ms > 1 ? (size_t)left_ms : 1;
}

/* ---- the first step, and those before ---- */

/* From this step on the decisions of this version hold, because they differ from those of another
 * version. */
static void adopt_from(struct serving *self, const struct journaled_step *step,
                       const struct error *error)
{
    if (!self->adopts)
        log_event(&LOG_ABOUT_NOTHING, "adopts", "step=%" PRId64 " cause=%s", step->sequence,
                  log_text(error->text));
    self->adopts = true;
}

int steps_replay(struct serving *self, struct error *error)
{
    struct journaled_step step;
    int got;

    while ((got = journal_next(self->journal, self->engine, &step, error)) > 0) {
        if (steps_decide(self, step.now_s, step.occurrences, step.count, error) < 0)
            return -1;
        if (journal_check(self->journal, &step, &self->decision, error) < 0) {
            if (!step.decided)
                return -1;
            adopt_from(self, &step, error);
        }
        (void)FAILPOINT("step-replayed");
    }
    for (size_t i = 0; i < self->decision.live_count; i++)
        ledger_of(self->ledger, self->decision.live[i])->gpus = job_gpus(self->decision.live[i]);
    return got;
}

int steps_begin(struct serving *self, struct error *error)
{
    self->at_s = 0;
    capacity_begin_news(self->capacity);
    capacity_tell_nodes(self->capacity);
    if (make(self, error) < 0)
        return -1;
    return self->stuck ? error_set(error, "%s", self->why_stuck) : 0;
}
