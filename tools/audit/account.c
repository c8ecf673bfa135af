/* account.c - see account.h. */
#include "tools/audit/account.h"

#include "tools/audit/seats.h"

#include <stdlib.h>

/* Where a job stands between two rounds. */
struct standing {
    struct audit_bounds owed_s; /* of overhead */
    size_t seen[3]; /* for the round before, the one at hand and the next, each at its number modulo
                       3: that number, from 1, if the layout has the job */
};

struct walk {
    const struct audit_case *given;
    const struct audit_policy *policy;
    const struct audit_history *histories;
    struct audit_account *accounts;
    struct standing *standings;
    struct audit_holding *holdings;
    size_t *place;
    audit_seats_t *seats; /* NULL if the policy takes no turns */
};

/* From round `number` to the next. */
struct step {
    size_t number;
    int64_t at_s;
    int64_t next_s;
    bool restart;
    bool arrivals; /* are still to come */
};

int64_t audit_end_is_seen_s(const struct audit_policy *policy, const struct audit_case *given,
                            int64_t at_s, int64_t end_s)
{
    const bool for_slot = policy->holds_for_slot;
    const int64_t earliest_s = at_s + (for_slot ? given->summary.slot_s : 1);

    return end_s > earliest_s ? end_s : earliest_s;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool holds(const struct walk *walk, size_t job, size_t round)
{
    return walk->standings[job].seen[round % 3] == round + 1;
}

static struct audit_bounds exactly(int64_t value)
{
    return (struct audit_bounds){value, value};
}

static int64_t overhead(const struct walk *walk, size_t job, bool restart)
{
    return audit_overhead_s(walk->given->cluster.gpus, walk->given->jobs[job].gpus, false, restart);
}

/* GA-Q10: until the last arrival everybody who has a place owes a full overhead in every round, from
 * then on nobody. Under Tiresias it is whoever starts or resumes, and in a restart everybody. Themis
 * charges nobody (TH-Q4). */
static void charge(const struct walk *walk, size_t job, const struct step *step)
{
    const bool resumes = step->number == 0 || !holds(walk, job, step->number - 1);
    const bool owes = walk->policy->takes_turns ? step->arrivals : resumes || step->restart;

    if (owes && walk->policy->charges_overhead)
        walk->standings[job].owed_s = exactly(overhead(walk, job, step->restart));
}

/* TI-Q2, GA-Q10: what is longer than the interval is forgiven. */
static void pay(const struct walk *walk, struct audit_bounds *owed_s, int64_t length_s,
                bool certain)
{
    const int64_t paid_s = walk->policy->forgives_rest ? INT64_MAX : length_s;

    owed_s->least = most_of(owed_s->least - paid_s, 0);
    if (certain)
        owed_s->most = most_of(owed_s->most - paid_s, 0);
}

/* Whether the job may have been credited with the interval up to round `step->number` + 1, and whether
 * it must have been. */
struct turn {
    bool may;
    bool must;
};

/* GA-Q7: where sets were adjusted before the interval was credited, the layout of the next round shows
 * whose turn it is now, unless turns changed there, too (GA-Q8), or somebody left. */
static struct turn turn_of(const struct walk *walk, size_t job, const struct step *step)
{
    const struct audit_policy *policy = walk->policy;
    const bool held = holds(walk, job, step->number);
    const int64_t gpus = walk->given->jobs[job].gpus;
    const bool rotates = !policy->turns_by_clock || step->next_s % 60 == 0;
    const bool retires = walk->histories[job].retired_s <= step->next_s;
    bool holds_next;

    if (!walk->seats || !audit_seats_may_change(walk->seats, gpus))
        return (struct turn){held, held};
    holds_next = holds(walk, job, step->number + 1);
    return (struct turn){rotates || retires || holds_next,
                         !rotates && holds_next && !audit_seats_make_room(walk->seats, gpus)};
}

static void close_account(struct walk *walk, size_t job, const struct step *step, struct turn turn)
{
    struct audit_account *account = &walk->accounts[job];

    account->ran = turn.may;
    account->from_s = step->at_s;
    account->length_s = walk->histories[job].retired_s - step->at_s;
    account->owed_s = walk->standings[job].owed_s;
    account->restarted = step->restart;
}

int64_t audit_believed_overhead(const struct audit_policy *policy, int64_t owed_s, bool restarted)
{
    return policy->ignores_overhead && !restarted ? 0 : owed_s;
}

/* TI-Q4: an end is seen when it is due, but never within the slot. */
static void note_passed_over(struct walk *walk, size_t job, const struct step *step)
{
    struct audit_account *account = &walk->accounts[job];
    const int64_t left_s = walk->given->jobs[job].duration_s - account->worked_s.least;
    const int64_t end_s =
        step->at_s + left_s +
        audit_believed_overhead(walk->policy, walk->standings[job].owed_s.most, step->restart);

    if (account->passed_over_s == 0 &&
        step->next_s >= audit_end_is_seen_s(walk->policy, walk->given, step->at_s, end_s))
        account->passed_over_s = step->next_s;
}

static void live_through(struct walk *walk, size_t job, const struct step *step)
{
    const struct audit_history *history = &walk->histories[job];
    struct audit_account *account = &walk->accounts[job];
    struct standing *standing = &walk->standings[job];
    const int64_t length_s = step->next_s - step->at_s;
    struct turn turn;

    if (!history->record || history->retired_s <= step->at_s)
        return;
    charge(walk, job, step);
    turn = turn_of(walk, job, step);
    if (history->retired_s <= step->next_s) {
        close_account(walk, job, step, turn);
        return;
    }
    if (walk->policy->rhythm == RHYTHM_SPACED)
        note_passed_over(walk, job, step);
    if (turn.may) {
        account->worked_s.most += most_of(length_s - standing->owed_s.least, 0);
        account->held_s.most += length_s;
    }
    if (turn.must) {
        account->worked_s.least += most_of(length_s - standing->owed_s.most, 0);
        account->held_s.least += length_s;
    }
    if (turn.may)
        pay(walk, &standing->owed_s, length_s, turn.must);
}

static void mark_layout(struct walk *walk, size_t round)
{
    const size_t count =
        audit_holdings(walk->given, &walk->given->rounds[round], walk->holdings, walk->place);

    for (size_t i = 0; i < count; i++) {
        struct standing *standing = &walk->standings[walk->holdings[i].job];

        standing->seen[round % 3] = round + 1;
    }
}

/* Who was not given a place when it came never pays for what it waited for. */
static bool was_turned_away(const struct walk *walk, size_t job)
{
    const size_t came = audit_rounds_before(walk->given, walk->given->jobs[job].submit_s);

    return came < walk->given->round_count &&
           walk->histories[job].record->start_s > walk->given->rounds[came].at_s;
}

static void walk_turns(struct walk *walk, const struct step *step)
{
    const size_t *jobs;
    size_t count;

    audit_seats_move(walk->seats, step->number);
    jobs = audit_seats_jobs(walk->seats, &count);
    for (size_t i = 0; i < count; i++) {
        live_through(walk, jobs[i], step);
        if (was_turned_away(walk, jobs[i]))
            walk->standings[jobs[i]].owed_s = exactly(0);
    }
}

static void walk_holders(struct walk *walk, const struct step *step)
{
    const struct audit_round *round = &walk->given->rounds[step->number];
    const size_t count = audit_holdings(walk->given, round, walk->holdings, walk->place);

    for (size_t i = 0; i < count; i++)
        live_through(walk, walk->holdings[i].job, step);
}

static void walk_round(struct walk *walk, size_t round)
{
    const struct audit_round *from = &walk->given->rounds[round];
    const struct step step = {.number = round,
                              .at_s = from->at_s,
                              .next_s = from[1].at_s,
                              .restart = audit_is_restart(walk->policy, walk->given, round),
                              .arrivals = walk->given->last_submit_s > from->at_s};

    mark_layout(walk, round + 1);
    if (walk->seats)
        walk_turns(walk, &step);
    else
        walk_holders(walk, &step);
}

struct audit_account *audit_accounts_new(const struct audit_case *given,
                                         const struct audit_policy *policy,
                                         const struct audit_history histories[])
{
    const size_t jobs = given->job_count;
    struct walk walk = {.given = given,
                        .policy = policy,
                        .histories = histories,
                        .accounts = xcalloc(jobs, sizeof(*walk.accounts)),
                        .standings = xcalloc(jobs, sizeof(*walk.standings)),
                        .holdings = xcalloc(audit_runs_most(given) + 1, sizeof(*walk.holdings)),
                        .place = xcalloc(jobs, sizeof(*walk.place))};

    for (size_t i = 0; i < jobs; i++)
        walk.place[i] = SIZE_MAX;
    if (policy->takes_turns)
        walk.seats = audit_seats_new(given, policy, histories);
    if (given->round_count > 0)
        mark_layout(&walk, 0);
    for (size_t i = 0; i + 1 < given->round_count; i++)
        walk_round(&walk, i);
    audit_seats_destroy(&walk.seats);
    free(walk.place);
    free(walk.holdings);
    free(walk.standings);
    return walk.accounts;
}
