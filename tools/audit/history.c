/* history.c - see history.h. Source of the overheads: the communication groups of the published
 * artifact's simulation, rebuilt here from the layouts. */
#include "tools/audit/history.h"

#include <stdlib.h>
#include <string.h>

size_t audit_runs_most(const struct audit_case *given)
{
    size_t most = 0;

    for (size_t i = 0; i < given->round_count; i++)
        if (given->rounds[i].run_count > most)
            most = given->rounds[i].run_count;
    return most;
}

#define DIGEST_FACTOR 0x100000001b3u

size_t audit_holdings(const struct audit_case *given, const struct audit_round *round,
                      struct audit_holding holdings[], size_t place[])
{
    size_t count = 0;

    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &given->runs[round->first_run + i];
        struct audit_holding *holding;

        if (run->job >= given->job_count)
            continue;
        if (place[run->job] == SIZE_MAX) {
            place[run->job] = count;
            holdings[count++] = (struct audit_holding){run->job, run->rank, 0, 0};
        }
        holding = &holdings[place[run->job]];
        holding->gpus += run->gpus;
        holding->ranks =
            (holding->ranks ^ ((uint64_t)run->rank << 20 | (uint64_t)run->gpus)) * DIGEST_FACTOR +
            1;
        if (run->rank < holding->first_rank)
            holding->first_rank = run->rank;
    }
    for (size_t i = 0; i < count; i++)
        place[holdings[i].job] = SIZE_MAX;
    return count;
}

/* Which groups of ranks ran together before. A group is known by its first rank and its size, as if
 * the ranks in between were all its own (EF-Q17), whoever used it (EF-Q18). */
struct groups {
    uint64_t *sizes; /* by first rank, a bit for each power of two */
    size_t count;
};

static unsigned size_bit(int64_t gpus)
{
    unsigned bit = 0;

    for (; gpus > 1; gpus /= 2)
        bit++;
    return bit;
}

static bool visit(struct groups *groups, const struct audit_holding *holding)
{
    const uint64_t bit = (uint64_t)1 << size_bit(holding->gpus);
    bool seen;

    if ((uint64_t)holding->first_rank >= groups->count)
        return false; /* outside the cluster: another check says so */
    seen = groups->sizes[holding->first_rank] & bit;
    groups->sizes[holding->first_rank] |= bit;
    return seen;
}

static void live_through(struct audit_history *history, const struct audit_interval *interval,
                         int64_t next_s, bool is_last_round)
{
    const bool retires = history->record && (history->retired_s <= next_s || is_last_round);
    const int64_t until_s = retires ? history->retired_s : next_s;
    const int64_t length_s = until_s - interval->from_s;

    if (!history->held)
        history->first_held_s = interval->from_s;
    history->held = true;
    history->last_held_s = interval->from_s;
    if (length_s <= 0)
        return;
    history->gpu_seconds += interval->gpus * length_s;
    if (retires)
        history->last = *interval;
    else if (length_s > interval->overhead_s)
        history->iterations += (double)(length_s - interval->overhead_s) * interval->rate;
}

/* The most that can be done in the longest overhead, at the best rate that the job may have. */
static double most_left_by_cut(const struct audit_case *given, const struct audit_policy *policy,
                               const struct audit_job *job)
{
    const int64_t gpus = given->cluster.gpus;
    const int64_t cap = policy->gpus_max(job, given->summary.gpu_type);

    return (double)audit_overhead_s(gpus, gpus, false, true) *
           audit_best_rate(job->rates, cap < gpus ? cap : gpus);
}

/* What a job owes of overheads, and what it held in the last round that had it in its layout. */
struct dues {
    int64_t owed_s;
    size_t round; /* from 1 */
    uint64_t ranks;
};

/* Everything that goes along from round to round. */
struct walk {
    const struct audit_case *given;
    const struct audit_policy *policy;
    struct audit_history *histories;
    struct groups groups;
    struct audit_holding *holdings;
    size_t *place;
    double *left_by_cut; /* by job */
    struct dues *dues;   /* likewise */
};

/* EF-Q20: everybody pays in every round. Put right, only changes are paid for, or only starts. */
static bool has_to_pay(const struct walk *walk, const struct audit_holding *holding, size_t round,
                       bool restart)
{
    const struct dues *dues = &walk->dues[holding->job];
    const bool starts = dues->round != round || round == 0;

    if (!walk->policy->charges_overhead)
        return false;
    if (walk->policy->pays_always || starts)
        return true;
    return !walk->policy->pays_for_starts && (restart || dues->ranks != holding->ranks);
}

/* The overhead of the interval that starts in `round`. */
static int64_t charge(struct walk *walk, const struct audit_holding *holding, size_t round,
                      bool restart)
{
    const bool seen = visit(&walk->groups, holding);
    struct dues *dues = &walk->dues[holding->job];

    if (has_to_pay(walk, holding, round, restart))
        dues->owed_s = audit_overhead_s(walk->given->cluster.gpus, holding->gpus, seen, restart);
    dues->round = round + 1;
    dues->ranks = holding->ranks;
    return dues->owed_s;
}

/* EF-Q15: what is longer than the interval is forgiven. */
static void pay(const struct walk *walk, struct dues *dues, int64_t length_s)
{
    const bool rests = !walk->policy->forgives_rest && dues->owed_s > length_s;

    dues->owed_s = rests ? dues->owed_s - length_s : 0;
}

static void walk_round(struct walk *walk, size_t round)
{
    const struct audit_case *given = walk->given;
    const int64_t at_s = given->rounds[round].at_s;
    const bool is_last = round + 1 == given->round_count;
    const int64_t next_s = is_last ? at_s : given->rounds[round + 1].at_s;
    const bool restart = audit_is_restart(walk->policy, given, round);
    const size_t count = audit_holdings(given, &given->rounds[round], walk->holdings, walk->place);

    for (size_t i = 0; i < count; i++) {
        const struct audit_holding *holding = &walk->holdings[i];
        struct audit_history *history = &walk->histories[holding->job];
        const struct audit_interval interval = {
            .from_s = at_s,
            .gpus = holding->gpus,
            .overhead_s = charge(walk, holding, round, restart),
            .rate = audit_rate(given->jobs[holding->job].rates, holding->gpus)};

        if (history->record && history->retired_s <= at_s) {
            history->last_held_s = at_s;
            continue; /* another check says so */
        }
        live_through(history, &interval, next_s, is_last);
        pay(walk, &walk->dues[holding->job], next_s - at_s);
        if (walk->policy->cuts_at_finish && history->iterations + walk->left_by_cut[holding->job] >=
                                                (double)given->jobs[holding->job].iterations)
            history->may_be_cut = true;
    }
    if (restart)
        memset(walk->groups.sizes, 0, walk->groups.count * sizeof(*walk->groups.sizes));
}

size_t audit_rounds_before(const struct audit_case *given, int64_t at_s)
{
    size_t low = 0;
    size_t high = given->round_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (given->rounds[middle].at_s < at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool audit_is_round(const struct audit_case *given, int64_t at_s)
{
    const size_t before = audit_rounds_before(given, at_s);

    return before < given->round_count && given->rounds[before].at_s == at_s;
}

/* The round after the last one that has the job in its layout; the last one if there is none. */
static void find_retirements(const struct audit_case *given, struct audit_history histories[])
{
    for (size_t i = 0; i < given->round_count; i++) {
        const struct audit_round *round = &given->rounds[i];
        const bool is_last = i + 1 == given->round_count;

        for (size_t k = 0; k < round->run_count; k++) {
            const size_t job = given->runs[round->first_run + k].job;

            if (job < given->job_count)
                histories[job].retired_s = is_last ? round->at_s : round[1].at_s;
        }
    }
}

static void find_records(const struct audit_case *given, const struct audit_policy *policy,
                         struct audit_history histories[])
{
    if (policy->recorded_at_end)
        find_retirements(given, histories);
    for (size_t i = 0; i < given->record_count; i++) {
        const struct audit_record *record = &given->records[i];
        struct audit_history *history;
        size_t before;

        if (record->job == AUDIT_NO_JOB || histories[record->job].record)
            continue;
        history = &histories[record->job];
        history->record = record;
        if (!policy->recorded_at_end || history->retired_s == 0)
            history->retired_s = record->retired_at_s;
        before = audit_rounds_before(given, history->retired_s);
        history->last.from_s = before > 0 ? given->rounds[before - 1].at_s : 0;
    }
    for (size_t i = 0; i < given->work_count; i++) {
        const size_t job = given->works[i].job;

        if (job != AUDIT_NO_JOB && !histories[job].work)
            histories[job].work = &given->works[i];
    }
}

struct audit_history *audit_histories_new(const struct audit_case *given,
                                          const struct audit_policy *policy)
{
    struct audit_history *histories = xcalloc(given->job_count, sizeof(*histories));
    struct walk walk = {.given = given, .policy = policy, .histories = histories};

    walk.groups.count = (size_t)given->cluster.gpus;
    walk.groups.sizes = xcalloc(walk.groups.count, sizeof(*walk.groups.sizes));
    walk.holdings = xcalloc(audit_runs_most(given) + 1, sizeof(*walk.holdings));
    walk.place = xcalloc(given->job_count, sizeof(*walk.place));
    for (size_t i = 0; i < given->job_count; i++)
        walk.place[i] = SIZE_MAX;
    walk.dues = xcalloc(given->job_count, sizeof(*walk.dues));
    walk.left_by_cut = xcalloc(given->job_count, sizeof(*walk.left_by_cut));
    for (size_t i = 0; i < given->job_count; i++)
        walk.left_by_cut[i] = most_left_by_cut(given, policy, &given->jobs[i]);
    find_records(given, policy, histories);
    for (size_t i = 0; i < given->round_count; i++)
        walk_round(&walk, i);
    free(walk.dues);
    free(walk.left_by_cut);
    free(walk.place);
    free(walk.holdings);
    free(walk.groups.sizes);
    return histories;
}
