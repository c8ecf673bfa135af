/* ledger.c - see ledger.h. */
#include "scheduler/service/ledger.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

const char *const standing_names[] = {
    [STANDING_HELD] = "held",         [STANDING_WAITING] = "waiting",
    [STANDING_RUNNING] = "running",   [STANDING_DONE] = "done",
    [STANDING_FAILED] = "failed",     [STANDING_CANCELLED] = "cancelled",
    [STANDING_DECLINED] = "declined", [STANDING_QUOTED] = "quoted",
    [STANDING_LAPSED] = "lapsed",     NULL};

/* A user's name, stored once, and the counts of the user's jobs and quotes. */
struct user {
    const char *name;
    struct user_counts has;
    UT_hash_handle hh;
};

struct ledger {
    arena_t *texts;
    struct entry *entries; /* by row, from 1 */
    size_t count;
    size_t room;
    size_t standing[STANDINGS];
    struct ledger_outcomes outcomes;
    struct user *users;
    struct entry *before; /* copies of the entries that the last step changed */
    size_t before_count;
    size_t before_room;
};

ledger_t *ledger_new(void)
{
    ledger_t *self = xcalloc(1, sizeof(*self));

    self->texts = arena_new();
    return self;
}

void ledger_destroy(ledger_t **self)
{
    if (!*self)
        return;
    HASH_CLEAR(hh, (*self)->users);
    arena_destroy(&(*self)->texts);
    free((*self)->entries);
    free((*self)->before);
    free(*self);
    *self = NULL;
}

arena_t *ledger_texts(ledger_t *self)
{
    return self->texts;
}

const char *ledger_text(ledger_t *self, const char *text)
{
    return arena_text(self->texts, text, strlen(text));
}

static struct user *find_user(const ledger_t *self, const char *name)
{
    struct user *user;

    HASH_FIND_STR(self->users, name, user);
    return user;
}

static struct user *keep_user(ledger_t *self, const char *name)
{
    struct user *user = find_user(self, name);

    if (user)
        return user;
    user = arena_alloc(self->texts, sizeof(*user));
    user->has = (struct user_counts){0, 0};
    user->name = arena_text(self->texts, name, strlen(name));
    HASH_ADD_KEYPTR(hh, self->users, user->name, strlen(user->name), user);
    return user;
}

uint32_t ledger_next(const ledger_t *self)
{
    return (uint32_t)self->count + 1;
}

struct entry *ledger_recall(ledger_t *self, uint64_t number, const char *user)
{
    struct user *owner = keep_user(self, user);
    struct entry *entry;

    assert((uint32_t)number == ledger_next(self));
    self->entries = grow_array(self->entries, self->count, &self->room, sizeof(*self->entries));
    entry = &self->entries[self->count++];
    *entry = (struct entry){.number = number,
                            .user = owner->name,
                            .of_user = &owner->has,
                            .standing = STANDING_HELD,
                            .started_s = NEVER_S,
                            .ended_s = NEVER_S};
    self->standing[STANDING_HELD]++;
    owner->has.jobs++;
    return entry;
}

void ledger_leave_out(ledger_t *self, uint32_t last)
{
    while (ledger_next(self) <= last) {
        struct entry *entry = ledger_recall(self, ledger_next(self), USER_UNKNOWN);

        entry->left_out = true;
        ledger_move(self, entry, STANDING_CANCELLED);
        self->standing[STANDING_CANCELLED]--; /* a left-out number is no job, and is not counted */
    }
}

struct entry *ledger_add(ledger_t *self, const struct submission *submission, const char *user)
{
    struct entry *entry = ledger_recall(self, submission->number, user);

    entry->submission = submission;
    entry->submitted_s = submission->submit_s;
    if (submission_is_quote(submission))
        ledger_move(self, entry, STANDING_QUOTED);
    return entry;
}

struct entry *ledger_find(const ledger_t *self, uint64_t row)
{
    return row >= 1 && row <= self->count ? &self->entries[row - 1] : NULL;
}

struct entry *ledger_of(const ledger_t *self, const struct job *job)
{
    struct entry *entry = ledger_find(self, (uint32_t)job->submission->number);

    assert(entry);
    return entry;
}

size_t ledger_count(const ledger_t *self, enum standing standing)
{
    return self->standing[standing];
}

struct user_counts ledger_count_of(const ledger_t *self, const char *user)
{
    const struct user *found = find_user(self, user);

    return found ? found->has : (struct user_counts){0, 0};
}

struct ledger_outcomes ledger_outcomes(const ledger_t *self)
{
    return self->outcomes;
}

bool entry_ended_early(const struct entry *self)
{
    return self->standing == STANDING_DONE && self->end != WORK_END_WHOLE;
}

bool entry_is_over(const struct entry *self)
{
    return self->standing >= STANDING_DONE && self->standing != STANDING_QUOTED;
}

bool entry_is_quote(const struct entry *self)
{
    return self->standing == STANDING_QUOTED || self->standing == STANDING_LAPSED;
}

/* ---- before the last step ---- */

void ledger_settle(ledger_t *self)
{
    self->before_count = 0;
}

static struct entry *find_before(const ledger_t *self, const struct entry *entry)
{
    return entry->before < self->before_count && self->before[entry->before].number == entry->number
               ? &self->before[entry->before]
               : NULL;
}

/* Copies the entry before the step changes it. */
static void keep_before(ledger_t *self, struct entry *entry)
{
    if (find_before(self, entry))
        return;
    self->before =
        grow_array(self->before, self->before_count, &self->before_room, sizeof(*self->before));
    entry->before = self->before_count++;
    self->before[entry->before] = *entry;
}

/* Whether two copies tell the same about a job. Finished work is not compared: a job works on even
 * while a step cannot be kept. */
static bool stands_alike(const struct entry *a, const struct entry *b)
{
    return a->standing == b->standing && a->decided == b->decided && a->changes == b->changes &&
           a->submission == b->submission && a->verdict.kind == b->verdict.kind &&
           a->verdict.reason == b->verdict.reason &&
           a->verdict.promised_s == b->verdict.promised_s && a->ended_s == b->ended_s &&
           a->gpus == b->gpus && a->cause == b->cause && a->outcome == b->outcome &&
           a->withdrawn == b->withdrawn && a->was_at_risk == b->was_at_risk && a->end == b->end;
}

const struct entry *ledger_before(const ledger_t *self, const struct entry *entry)
{
    const struct entry *before = find_before(self, entry);

    return before && !stands_alike(before, entry) ? before : entry;
}

/* ---- what was decided ---- */

/* Takes `entry` out of the counts of its user. */
static void leave_user(const struct entry *entry)
{
    entry->of_user->jobs -= !entry_is_over(entry);
    entry->of_user->quotes -= entry->standing == STANDING_QUOTED;
}

void ledger_move(ledger_t *self, struct entry *entry, enum standing standing)
{
    leave_user(entry);
    self->standing[entry->standing]--;
    self->standing[standing]++;
    entry->standing = standing;
    entry->of_user->jobs += !entry_is_over(entry);
    entry->of_user->quotes += standing == STANDING_QUOTED;
}

static void end(ledger_t *self, struct entry *entry, enum standing standing, int64_t at_s)
{
    ledger_move(self, entry, standing);
    entry->ended_s = at_s;
}

/* A promise to a job that did not do its work is neither kept nor broken by its early end. */
static void count_outcome(ledger_t *self, const struct entry *entry)
{
    const bool early = entry_ended_early(entry);

    self->outcomes.early += early;
    self->outcomes.kept += entry->outcome == PROMISE_KEPT && !early;
    self->outcomes.broken += entry->outcome == PROMISE_BROKEN;
}

static void count_withdrawals(ledger_t *self, const struct entry *entry)
{
    self->outcomes.withdrawn += entry->withdrawn;
    for (int cause = 0; cause < WITHDRAWAL_CAUSES; cause++)
        self->outcomes.withdrawals += (size_t)entry->withdrawals[cause];
}

void ledger_count_again(ledger_t *self)
{
    self->outcomes = (struct ledger_outcomes){0};
    for (size_t i = 0; i < self->count; i++) {
        count_outcome(self, &self->entries[i]);
        count_withdrawals(self, &self->entries[i]);
    }
}

static void take_verdict(ledger_t *self, const struct decided *decided, int64_t now_s)
{
    struct entry *entry = ledger_of(self, decided->job);

    keep_before(self, entry);
    entry->decided = true;
    entry->verdict = decided->verdict;
    if (decided->verdict.kind == VERDICT_DECLINED)
        end(self, entry,
            submission_is_quote(entry->submission) ? STANDING_LAPSED : STANDING_DECLINED, now_s);
}

static void take_retirement(ledger_t *self, const struct retirement *retired)
{
    struct entry *entry = ledger_of(self, retired->job);

    keep_before(self, entry);
    entry->iterations_done =
        entry->end == WORK_END_WHOLE ? entry->submission->iterations : entry->reached;
    entry->outcome = retired->job->promise.state;
    end(self, entry, STANDING_DONE, retired->job->end_s);
    count_outcome(self, entry);
}

static void keep_cause(ledger_t *self, struct entry *entry, const char *cause)
{
    entry->cause = ledger_text(self, cause);
}

/* Ends a held quote: no promise is left. */
static void lapse(ledger_t *self, struct entry *entry, int64_t now_s, const char *cause)
{
    if (cause)
        keep_cause(self, entry, cause);
    entry->decided = false;
    end(self, entry, STANDING_LAPSED, now_s);
}

static void take_disturbance(ledger_t *self, const struct disturbance *disturbance, int64_t now_s)
{
    struct entry *entry;

    if (!disturbance->job)
        return;
    entry = ledger_of(self, disturbance->job);
    keep_before(self, entry);
    if (disturbance->kind == DISTURBANCE_LAPSED) {
        lapse(self, entry, now_s, disturbance->cause);
        return;
    }
    keep_cause(self, entry, disturbance->cause);
    if (disturbance->kind == DISTURBANCE_FALLS)
        entry->verdict.promised_s = disturbance->job->promise.deadline_s;
    if (disturbance_withdraws(disturbance)) {
        self->outcomes.withdrawn += !entry->withdrawn;
        self->outcomes.withdrawals++;
        entry->withdrawn = true;
        entry->withdrawals[disturbance->why]++;
    }
    entry->was_at_risk = entry->was_at_risk || disturbance->kind == DISTURBANCE_AT_RISK;
    if ((disturbance->kind != DISTURBANCE_HELD && disturbance->kind != DISTURBANCE_ORPHANED) ||
        entry_is_over(entry))
        return;
    entry->outcome = disturbance->job->promise.state;
    end(self, entry, disturbance->kind == DISTURBANCE_HELD ? STANDING_FAILED : STANDING_CANCELLED,
        now_s);
    count_outcome(self, entry);
}

static void take_live(ledger_t *self, const engine_t *engine, const struct job *job, int64_t now_s)
{
    struct entry *entry;

    if (!job_is_live(job))
        return;
    entry = ledger_of(self, job);
    keep_before(self, entry);
    entry->iterations_done = engine_iterations_done(engine, job);
    if (job_holds(job) && entry->started_s == NEVER_S)
        entry->started_s = now_s;
    ledger_move(self, entry,
                submission_is_quote(job->submission) ? STANDING_QUOTED
                : job_holds(job)                     ? STANDING_RUNNING
                                                     : STANDING_WAITING);
}

/* A suspended job comes again later with all the work that it did. The engine keeps its record
 * until the next step only. */
static void take_suspended(ledger_t *self, const engine_t *engine, const struct job *job)
{
    struct entry *entry = ledger_of(self, job);

    if (job_is_live(job) || entry->standing != STANDING_HELD)
        return;
    keep_before(self, entry);
    entry->iterations_done = engine_iterations_done(engine, job);
}

/* Earlier versions wrote the second of these texts. */
static bool is_change(const char *cause)
{
    return cause && (!strncmp(cause, CAUSE_OF_CHANGE, strlen(CAUSE_OF_CHANGE)) ||
                     !strcmp(cause, "its user changes it"));
}

void ledger_cancel(ledger_t *self, struct entry *entry, int64_t now_s, const char *cause)
{
    if (cause)
        keep_cause(self, entry, cause);
    end(self, entry, STANDING_CANCELLED, now_s);
}

void ledger_hold(ledger_t *self, struct entry *entry, const char *holder)
{
    entry->holder = holder ? ledger_text(self, holder) : NULL;
}

static void tell(ledger_t *self, int64_t now_s, const struct occurrence *occurrence)
{
    const uint64_t number =
        occurrence->submission ? occurrence->submission->number : occurrence->job;
    struct entry *entry = ledger_find(self, (uint32_t)number);

    if (!entry || entry_is_over(entry))
        return;
    keep_before(self, entry);
    if (occurrence->kind == OCCURRENCE_SUBMITTED || occurrence->kind == OCCURRENCE_TAKEN) {
        assert(occurrence->submission);
        entry->submission = occurrence->submission;
        if (!entry_is_quote(entry)) /* the job waits since its request */
            find_before(self, entry)->standing = STANDING_WAITING;
        if (entry->submission->iterations_done == 0)
            entry->submitted_s = entry->submission->submit_s;
        entry->decided = entry->untold = entry->changes = false;
        entry->holder = NULL;
        ledger_move(self, entry,
                    submission_is_quote(entry->submission) ? STANDING_QUOTED : STANDING_WAITING);
    } else if (occurrence->kind == OCCURRENCE_EASED) {
        entry->submission = occurrence->submission;
        entry->decided = false;
    } else if (occurrence->kind == OCCURRENCE_CANCELLED && entry_is_quote(entry)) {
        lapse(self, entry, now_s, occurrence->cause);
    } else if (occurrence->kind == OCCURRENCE_CANCELLED) {
        ledger_cancel(self, entry, now_s, occurrence->cause);
    } else if (occurrence->kind == OCCURRENCE_PROGRESS) {
        entry->end = occurrence->end;
        entry->reached = occurrence->reached;
    } else if (occurrence->kind == OCCURRENCE_SUSPENDED) {
        entry->decided = false;
        entry->changes = is_change(occurrence->cause);
        ledger_move(self, entry, STANDING_HELD);
    }
}

void ledger_told(ledger_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        tell(self, now_s, &occurrences[i]);
}

void ledger_cut(ledger_t *self, uint32_t row)
{
    while (self->count >= row) {
        const struct entry *last = &self->entries[self->count - 1];

        leave_user(last);
        self->standing[last->standing]--;
        self->count--;
    }
}

void ledger_decided(ledger_t *self, const engine_t *engine, const struct decision *decision)
{
    const int64_t now_s = decision->now_s;

    for (size_t i = 0; i < decision->decided_count; i++)
        take_verdict(self, &decision->decided[i], now_s);
    for (size_t i = 0; i < decision->retired_count; i++)
        take_retirement(self, &decision->retired[i]);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        take_disturbance(self, &decision->disturbances[i], now_s);
    for (size_t i = 0; i < decision->released_count; i++)
        take_suspended(self, engine, decision->released[i].job);
    for (size_t i = 0; i < decision->decided_count; i++)
        take_live(self, engine, decision->decided[i].job, now_s);
    for (size_t i = 0; i < decision->released_count; i++)
        take_live(self, engine, decision->released[i].job, now_s);
    for (size_t i = 0; i < decision->holding_count; i++)
        take_live(self, engine, decision->holdings[i].job, now_s);
}
