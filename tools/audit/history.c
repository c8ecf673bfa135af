/* history.c - see history.h. */
#include "tools/audit/history.h"

#include <stdlib.h>

size_t audit_runs_most(const struct audit_case *given)
{
    size_t most = 0;

    for (size_t i = 0; i < given->round_count; i++)
        if (given->rounds[i].run_count > most)
            most = given->rounds[i].run_count;
    return most;
}

size_t audit_holdings(const struct audit_case *given, const struct audit_round *round,
                      struct audit_holding holdings[], size_t place[])
{
    size_t count = 0;

    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &given->runs[round->first_run + i];

        if (run->job >= given->job_count)
            continue;
        if (place[run->job] == SIZE_MAX) {
            place[run->job] = count;
            holdings[count++] = (struct audit_holding){run->job, 0, run->shares};
        }
        holdings[place[run->job]].gpus += run->gpus;
    }
    for (size_t i = 0; i < count; i++)
        place[holdings[i].job] = SIZE_MAX;
    return count;
}

static bool has_partners(const struct audit_case *given, const struct audit_round *round)
{
    for (size_t i = 0; i < round->run_count; i++)
        if (given->runs[round->first_run + i].shares)
            return true;
    return false;
}

bool audit_shares(const struct audit_case *given, const struct audit_round *round)
{
    return given->has_grants && (has_partners(given, round) ||
                                 (round > given->rounds && has_partners(given, round - 1)));
}

static int64_t common_gpus(const struct audit_run *a, const struct audit_run *b)
{
    const int64_t from = a->rank > b->rank ? a->rank : b->rank;
    const int64_t end_a = a->rank + a->gpus;
    const int64_t end_b = b->rank + b->gpus;
    const int64_t end = end_a < end_b ? end_a : end_b;

    return end > from ? end - from : 0;
}

int64_t audit_kept(const struct audit_case *given, const struct audit_round *round,
                   const struct audit_run *run)
{
    const struct audit_round *before = round > given->rounds ? round - 1 : NULL;
    int64_t kept = 0;

    for (size_t i = 0; before && i < before->run_count; i++)
        if (given->runs[before->first_run + i].job == run->job)
            kept += common_gpus(&given->runs[before->first_run + i], run);
    return kept;
}

void audit_follow_grants(const struct audit_case *given, int64_t at_s, size_t *next,
                         const struct audit_grant *current[])
{
    for (; *next < given->grant_count && given->grants[*next].at_s <= at_s; ++*next)
        if (given->grants[*next].job != AUDIT_NO_JOB)
            current[given->grants[*next].job] = &given->grants[*next];
}

double audit_rate(const struct audit_rates *rates, int64_t gpus)
{
    for (int i = 0; rates && i < rates->count; i++)
        if (rates->gpus[i] == gpus && rates->iters_per_s[i] > 0)
            return rates->iters_per_s[i];
    return 0;
}

/* The longest overhead of a round for a job on `gpus` GPUs: its ranks never ran together, and all
 * its trainers restart. Source: the overhead model of the published artifact's simulation. */
static double longest_overhead_s(const struct audit_case *given, int64_t gpus)
{
    double overhead_s = given->cluster.gpus >= 256 ? 7 + 47 : 2 + 27;

    for (; gpus > 0; gpus /= 2)
        overhead_s += 2;
    return overhead_s * given->summary.world.overhead_factor;
}

static double beyond(double length_s)
{
    return length_s > 0 ? length_s : 0;
}

/* Credits all of the last interval, because the job goes on after it, unless the run loses work. */
static void close_last(const struct audit_case *given, struct audit_history *history)
{
    const struct audit_world *world = &given->summary.world;
    const struct audit_interval *last = &history->last;
    const double length_s = (double)(last->until_s - last->from_s);
    const double worked_s = beyond(length_s - last->overhead_s);

    if (history->held && !world->loses_work)
        history->least += worked_s * last->rate * world->slowest;
}

static void open_next(struct audit_history *history, const struct audit_interval *next,
                      int64_t from_s, int64_t until_s, double fastest)
{
    const double length_s = (double)(until_s - from_s);
    const double ended_s = history->record ? history->record->ended_s : 0;
    const double by_end_s = beyond(ended_s - (double)from_s);

    if (!history->held)
        history->first_held_s = from_s;
    history->held = true;
    history->last = *next;
    history->last.from_s = from_s;
    history->last.until_s = until_s;
    history->gpu_seconds += next->own_gpus * (until_s - from_s);
    history->most += length_s * next->rate * fastest;
    history->most_by_end += (by_end_s < length_s ? by_end_s : length_s) * next->rate * fastest;
}

static double rate_of(const struct audit_case *given, const struct audit_history *history,
                      const struct audit_holding *holding, const struct audit_grant *grant)
{
    if (grant)
        return grant->rate;
    if (history->work && history->work->in_seconds)
        return 1;
    return audit_rate(given->jobs[holding->job].rates, holding->gpus);
}

static struct audit_interval interval_of(const struct audit_case *given,
                                         const struct audit_history *history,
                                         const struct audit_holding *holding,
                                         const struct audit_grant *grant)
{
    const double longest_s = longest_overhead_s(given, holding->gpus);
    const double own_s = grant ? (double)grant->overhead_s : 0;

    return (struct audit_interval){.gpus = holding->gpus,
                                   .own_gpus = holding->shares ? 0 : holding->gpus,
                                   .rate = rate_of(given, history, holding, grant),
                                   .overhead_s = own_s > longest_s ? own_s : longest_s};
}

static void walk_rounds(const struct audit_case *given, struct audit_history histories[])
{
    const struct audit_grant **grants = xcalloc(given->job_count + 1, sizeof(*grants));
    size_t next = 0;
    struct audit_holding *holdings = xcalloc(audit_runs_most(given) + 1, sizeof(*holdings));
    size_t *place = xcalloc(given->job_count, sizeof(*place));

    for (size_t i = 0; i < given->job_count; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < given->round_count; i++) {
        const struct audit_round *round = &given->rounds[i];
        const int64_t until_s = i + 1 < given->round_count ? round[1].at_s : round->at_s;
        const size_t count = audit_holdings(given, round, holdings, place);

        audit_follow_grants(given, round->at_s, &next, grants);
        for (size_t k = 0; k < count; k++) {
            struct audit_history *history = &histories[holdings[k].job];
            const struct audit_interval interval =
                interval_of(given, history, &holdings[k], grants[holdings[k].job]);

            close_last(given, history);
            open_next(history, &interval, round->at_s, until_s, given->summary.world.fastest);
        }
    }
    free(grants);
    free(place);
    free(holdings);
}

static void find_rows(const struct audit_case *given, struct audit_history histories[])
{
    for (size_t i = given->record_count; i-- > 0;)
        if (given->records[i].job != AUDIT_NO_JOB)
            histories[given->records[i].job].record = &given->records[i];
    for (size_t i = given->work_count; i-- > 0;)
        if (given->works[i].job != AUDIT_NO_JOB)
            histories[given->works[i].job].work = &given->works[i];
    for (size_t i = given->outcome_count; i-- > 0;)
        if (given->outcomes[i].job != AUDIT_NO_JOB)
            histories[given->outcomes[i].job].outcome = &given->outcomes[i];
}

struct audit_history *audit_histories_new(const struct audit_case *given)
{
    struct audit_history *histories = xcalloc(given->job_count, sizeof(*histories));

    find_rows(given, histories);
    walk_rounds(given, histories);
    return histories;
}

bool audit_is_empty(const struct audit_record *record)
{
    return record->start_s == record->end_s && record->end_s == record->retired_at_s;
}

bool audit_is_round(const struct audit_case *given, int64_t at_s)
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
    return low < given->round_count && given->rounds[low].at_s == at_s;
}
