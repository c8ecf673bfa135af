/* check_timeline.c - timeline.csv and cluster.csv against the layouts, GPU by GPU. timeline.csv has
 * a row for each change of a job's GPUs, and no other row. cluster.csv counts the GPUs that jobs
 * hold.
 *
 * The reason node-lost is not checked, because no result says which jobs held GPUs of a failed
 * node. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest relative error of an efficiency, which is rounded to nine digits. */
#define RELATIVE_ERROR 1e-8

/* The state of a job while the check walks through the rounds. */
struct trail {
    bool started;
    int64_t gpus;   /* GPUs that the job holds */
    int64_t before; /* GPUs that the job held in the round before */
    int64_t kept;   /* GPUs that the job holds now and held in the round before */
    size_t told;    /* the last round in which the job was checked or had a row in timeline.csv */
};

struct walk {
    const struct audit *audit;
    struct trail *trails;
    size_t *holders; /* holder of each GPU in the last layout, AUDIT_NO_JOB for a free GPU */
    size_t *place;   /* work area of audit_holdings */
    struct audit_holding *now;
    size_t now_count;
    struct audit_holding *before;
    size_t before_count;
    size_t next_change; /* the first row of timeline.csv that was not checked yet */
};

static void report(const struct walk *walk, const struct audit_round *round, size_t job,
                   const char *text)
{
    audit_report(walk->audit, "timeline-mismatch", round->at_s,
                 job < walk->audit->given->job_count ? walk->audit->given->jobs[job].id : NULL,
                 "%s", text);
}

/* ---- from one layout to the next ---- */

static void note_holders(struct walk *walk, const struct audit_round *round)
{
    const struct audit_case *given = walk->audit->given;
    const struct audit_run *runs = round->run_count > 0 ? &given->runs[round->first_run] : NULL;

    memset(walk->holders, 0xff, (size_t)given->cluster.gpus * sizeof(*walk->holders));
    for (size_t i = 0; i < round->run_count; i++)
        for (int64_t gpu = runs[i].rank; gpu < runs[i].rank + runs[i].gpus; gpu++)
            if (gpu < given->cluster.gpus)
                walk->holders[gpu] = runs[i].job;
}

static void follow_gpus(struct walk *walk, const struct audit_round *round)
{
    const struct audit_case *given = walk->audit->given;
    const struct audit_run *runs = round->run_count > 0 ? &given->runs[round->first_run] : NULL;
    const bool shares = audit_shares(given, round);

    for (size_t i = 0; shares && i < round->run_count; i++)
        if (runs[i].job < given->job_count)
            walk->trails[runs[i].job].kept += audit_kept(given, round, &runs[i]);
    for (size_t i = 0; !shares && i < round->run_count; i++)
        for (int64_t gpu = runs[i].rank; gpu < runs[i].rank + runs[i].gpus; gpu++)
            if (runs[i].job < given->job_count && gpu < given->cluster.gpus)
                walk->trails[runs[i].job].kept += walk->holders[gpu] == runs[i].job;
    note_holders(walk, round);
}

static void follow(struct walk *walk, size_t index)
{
    const struct audit_case *given = walk->audit->given;
    struct audit_holding *before = walk->now;

    walk->now = walk->before;
    walk->before = before;
    walk->before_count = walk->now_count;
    walk->now_count = audit_holdings(given, &given->rounds[index - 1], walk->now, walk->place);
    for (size_t i = 0; i < walk->before_count; i++) {
        struct trail *trail = &walk->trails[walk->before[i].job];

        trail->before = trail->gpus;
        trail->gpus = trail->kept = 0;
    }
    for (size_t i = 0; i < walk->now_count; i++) {
        struct trail *trail = &walk->trails[walk->now[i].job];

        trail->kept = 0;
        trail->gpus = walk->now[i].gpus;
    }
    follow_gpus(walk, &given->rounds[index - 1]);
}

/* ---- timeline.csv ---- */

static bool is_changed(const struct trail *trail)
{
    return trail->gpus != trail->before || (trail->gpus > 0 && trail->kept != trail->gpus);
}

/* Whether `reason` can explain the change of a job that holds GPUs. */
static bool is_why_changed(const struct trail *trail, enum audit_change_reason reason)
{
    if (trail->before == 0)
        return reason == (trail->started ? AUDIT_RESTART : AUDIT_START);
    if (reason == AUDIT_NODE_LOST)
        return true;
    if (trail->gpus == trail->before)
        return reason == AUDIT_MOVE;
    return reason == (trail->gpus > trail->before ? AUDIT_GROW : AUDIT_SHRINK);
}

/* Whether the reason of `change` can explain that the job lost all its GPUs. */
static bool is_why_lost(const struct walk *walk, const struct audit_change *change)
{
    const struct audit_history *history = &walk->audit->histories[change->job];
    const bool retired = history->record && history->record->retired_at_s <= change->at_s;

    if (change->reason == AUDIT_CHANGE_DONE)
        return history->record;
    return !retired && (change->reason == AUDIT_PREEMPTED || change->reason >= AUDIT_NODE_LOST);
}

static void check_change(struct walk *walk, const struct audit_round *round, size_t index,
                         const struct audit_change *change)
{
    struct trail *trail;

    if (change->job == AUDIT_NO_JOB) {
        audit_report(walk->audit, "unknown-job", change->at_s, change->id,
                     "changes, but the trace has no such job");
        return;
    }
    trail = &walk->trails[change->job];
    if (trail->told == index)
        report(walk, round, change->job, "timeline.csv has two changes of the job in one round");
    else if (!is_changed(trail) || change->gpus != trail->gpus)
        report(walk, round, change->job, "rounds.csv does not have this change");
    else if (trail->gpus > 0 ? !is_why_changed(trail, change->reason) : !is_why_lost(walk, change))
        report(walk, round, change->job, "the reason of the change is not true");
    trail->told = index;
}

/* Checks that timeline.csv has told the change of a job that holds GPUs, or held some in the round
 * before. */
static void check_told(struct walk *walk, const struct audit_round *round, size_t index, size_t job)
{
    struct trail *trail = &walk->trails[job];

    if (is_changed(trail) && trail->told != index)
        report(walk, round, job,
               "the GPUs of the job change, but timeline.csv has no row about it");
    trail->told = index;
    trail->started = true;
    if (trail->gpus == 0)
        trail->before = 0;
}

static void check_changes(struct walk *walk, const struct audit_round *round, size_t index)
{
    const struct audit_case *given = walk->audit->given;

    for (; walk->next_change < given->change_count &&
           given->changes[walk->next_change].at_s <= round->at_s;
         walk->next_change++)
        check_change(walk, round, index, &given->changes[walk->next_change]);
    for (size_t i = 0; i < walk->now_count; i++)
        check_told(walk, round, index, walk->now[i].job);
    for (size_t i = 0; i < walk->before_count; i++)
        check_told(walk, round, index, walk->before[i].job);
}

/* ---- cluster.csv ---- */

static double efficiency(const struct walk *walk)
{
    const struct audit_case *given = walk->audit->given;
    double speedups = 0;

    for (size_t i = 0; i < walk->now_count; i++) {
        const struct audit_rates *rates = given->jobs[walk->now[i].job].rates;

        speedups += audit_rate(rates, walk->now[i].gpus) / audit_rate(rates, 1);
    }
    return speedups / (double)given->cluster.gpus;
}

static void check_use(const struct walk *walk, const struct audit_round *round,
                      const struct audit_use *use)
{
    const double expected = efficiency(walk);
    int64_t held = 0;

    for (size_t i = 0; i < walk->now_count; i++)
        held += walk->now[i].shares ? 0 : walk->now[i].gpus;
    if (use->at_s != round->at_s)
        report(walk, round, AUDIT_NO_JOB, "cluster.csv has a row of another time");
    else if (use->gpus_used != held || use->jobs_running != (int64_t)walk->now_count)
        report(walk, round, AUDIT_NO_JOB, "cluster.csv has other GPUs or jobs in use");
    else if (use->gpus_up < held || use->gpus_up > walk->audit->given->cluster.gpus)
        report(walk, round, AUDIT_NO_JOB, "cluster.csv has other GPUs than the cluster");
    else if (!isnan(use->efficiency) && isfinite(expected) &&
             !(fabs(use->efficiency - expected) <= RELATIVE_ERROR * fabs(expected)))
        report(walk, round, AUDIT_NO_JOB, "the efficiency is not that of the jobs that hold GPUs");
}

static void walk_rounds(struct walk *walk)
{
    const struct audit_case *given = walk->audit->given;

    for (size_t i = 1; i <= given->round_count; i++) {
        const struct audit_round *round = &given->rounds[i - 1];

        follow(walk, i);
        check_changes(walk, round, i);
        if (i <= given->use_count)
            check_use(walk, round, &given->uses[i - 1]);
    }
    if (walk->next_change < given->change_count)
        audit_report(walk->audit, "timeline-mismatch", given->changes[walk->next_change].at_s, NULL,
                     "timeline.csv goes on after the last round");
    if (given->use_count != given->round_count)
        audit_report(walk->audit, "timeline-mismatch", AUDIT_NO_TIME, NULL,
                     "cluster.csv has %zu rows, and there are %zu rounds", given->use_count,
                     given->round_count);
}

void audit_check_timeline(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const size_t runs = audit_runs_most(given) + 1;
    const size_t gpus = (size_t)given->cluster.gpus;
    struct walk walk = {.audit = self};

    if (!given->has_timeline)
        return;
    walk.trails = xcalloc(given->job_count, sizeof(*walk.trails));
    walk.holders = xmalloc(gpus * sizeof(*walk.holders));
    walk.place = xmalloc(given->job_count * sizeof(*walk.place));
    walk.now = xcalloc(runs, sizeof(*walk.now));
    walk.before = xcalloc(runs, sizeof(*walk.before));
    /* All bits set is AUDIT_NO_JOB in `holders` and SIZE_MAX in `place`. */
    memset(walk.holders, 0xff, gpus * sizeof(*walk.holders));
    memset(walk.place, 0xff, given->job_count * sizeof(*walk.place));
    walk_rounds(&walk);
    free(walk.before);
    free(walk.now);
    free(walk.place);
    free(walk.holders);
    free(walk.trails);
}
