/* oracle_planner.c - the deadline planner of the EF policies (section 11).
 *
 * A plan is made on a copy of the timeline, to which the end of the deadline's slot is added as an
 * entry. What a job does between its deadline and that slot end never counts as work (EF-Q41). */
#include "oracle_internal.h"

#include <math.h>

/* A plan in the making. */
struct draft {
    struct oracle_call *call;
    const struct job *job;
    const struct oracle_steps *given; /* what was free before, never changed */
    struct oracle_steps free;
    struct oracle_steps plan;
    double now_s;
    double deadline_s;
    double horizon_s; /* end of the slot that contains the deadline */
    double from_s;    /* start of what is still undecided */
    double work_iters;
    int hold; /* what was free in the interval that a new entry splits */
    double end_s;
    double real_end_s;
};

static _Noreturn void draft_abort(const struct draft *draft, const char *what)
{
    oracle_abort(draft->call, ORACLE_PLAN_CHECK, "job %s at %.0f: %s", draft->job->given->id,
                 draft->now_s, what);
}

static void draft_open(struct draft *draft, struct oracle_call *call, const struct job *job,
                       double now_s, const struct oracle_steps *timeline)
{
    *draft = (struct draft){.call = call,
                            .job = job,
                            .given = timeline,
                            .now_s = now_s,
                            .deadline_s = job->deadline_s,
                            .from_s = now_s,
                            .work_iters = job->work_iters};
    if (!(draft->work_iters > 0))
        draft_abort(draft, "no work is left to plan");

    draft->horizon_s = oracle_align(call, now_s, draft->deadline_s);
    oracle_steps_assign(call, &draft->free, timeline);
    if (draft->horizon_s > now_s && !oracle_step_at(&draft->free, draft->horizon_s)) {
        draft->hold = oracle_step_before(&draft->free, draft->horizon_s)->gpus;
        oracle_timeline_set(call, &draft->free, draft->horizon_s, draft->hold);
    }
    oracle_plan_set(call, &draft->plan, now_s, 0);
}

static void draft_drop(struct draft *draft)
{
    oracle_steps_drop(draft->call, &draft->free);
    oracle_steps_drop(draft->call, &draft->plan);
}

static double draft_rate(const struct draft *draft, int gpus)
{
    return oracle_rate(draft->call, draft->job, gpus);
}

static double draft_duration(const struct draft *draft, int gpus)
{
    return oracle_duration(draft->call, draft->work_iters, draft_rate(draft, gpus));
}

/* The part of [from_s, to_s) that counts; both are neighbouring entries up to the horizon. */
static double draft_useful_s(const struct draft *draft, double from_s, double to_s)
{
    return (to_s == draft->horizon_s ? draft->deadline_s : to_s) - from_s;
}

/* The level that is free at an entry, but no more than `wanted`. */
static int draft_fitting(const struct draft *draft, const struct oracle_step *entry, int wanted)
{
    int fits = oracle_level_down(draft->call, draft->job, entry->gpus);

    return wanted < fits ? wanted : fits;
}

static void draft_reserve(const struct draft *draft, struct oracle_step *entry, int gpus)
{
    entry->gpus -= gpus;
    if (entry->gpus < 0)
        draft_abort(draft, "fewer than no GPUs are free");
}

static void draft_take(struct draft *draft, struct oracle_step *entry, int gpus)
{
    oracle_plan_set(draft->call, &draft->plan, entry->time_s, gpus);
    draft_reserve(draft, entry, gpus);
}

/* EF-Q1: one of the two ways to round an end up. EF-Q27: the end is moved on to the slot grid. */
static void draft_end_from(struct draft *draft, double start_s, int gpus)
{
    draft->real_end_s = oracle_ceil(draft->call, start_s + draft_duration(draft, gpus));
    draft->end_s = oracle_align(draft->call, draft->now_s, draft->real_end_s);
}

/* EF-Q1: the other way. */
static void draft_end_after(struct draft *draft, double start_s, int gpus)
{
    double lasts_s = oracle_ceil(draft->call, draft_duration(draft, gpus));

    draft->real_end_s = start_s + lasts_s;
    draft->end_s = start_s + oracle_align(draft->call, 0, lasts_s);
}

/* Holds `forced` GPUs from now until something changes. Returns whether that finishes the job. */
static bool draft_force(struct draft *draft, int forced)
{
    struct oracle_step *first = oracle_step_at(&draft->free, draft->now_s);
    double change_s = draft->horizon_s;
    double length_s;

    if (!first || forced > first->gpus)
        draft_abort(draft, "more GPUs are forced than are free");
    for (size_t i = draft->given->count; i-- > 0;)
        if (draft->given->at[i].time_s > draft->now_s)
            change_s = draft->given->at[i].time_s;

    oracle_plan_set(draft->call, &draft->plan, draft->now_s, forced);
    draft_end_from(draft, draft->now_s, forced);
    if (change_s >= draft->end_s && draft->deadline_s >= draft->real_end_s) {
        draft->hold = oracle_gpus_at(draft->call, draft->given, draft->now_s);
        if (draft->end_s > draft->now_s)
            first->gpus = draft->hold - forced;
        if (!oracle_step_at(draft->given, draft->end_s))
            oracle_timeline_set(draft->call, &draft->free, draft->end_s, draft->hold);
        return true;
    }

    /* EF-Q24: a horizon between now and the change keeps its entry unreduced, and the job may be
     * out of work. EF-Q25: a horizon that has passed adds work. */
    length_s =
        change_s == draft->horizon_s ? draft->deadline_s - draft->now_s : change_s - draft->now_s;
    draft->work_iters -= length_s * draft_rate(draft, forced);
    first->gpus -= forced;
    draft->from_s = change_s;
    oracle_plan_set(draft->call, &draft->plan, draft->from_s, 0);
    return false;
}

/* Looks, from the deadline backwards, for the latest start at which `level` GPUs, or what fits of
 * them, do the work. Returns whether there is one. */
static bool draft_find_start(const struct draft *draft, int level, double *start_s)
{
    double done_iters = 0;
    double right_s = draft->horizon_s;

    for (size_t i = draft->free.count; i-- > 0;) {
        const struct oracle_step *entry = &draft->free.at[i];
        int gpus;

        if (entry->time_s >= draft->horizon_s)
            continue;
        if (entry->time_s < draft->from_s)
            break;
        gpus = entry->gpus >= level ? level : draft_fitting(draft, entry, level);
        if (gpus > 0) {
            done_iters += draft_useful_s(draft, entry->time_s, right_s) * draft_rate(draft, gpus);
            if (done_iters >= draft->work_iters) {
                *start_s = entry->time_s;
                return true;
            }
        }
        right_s = entry->time_s;
    }
    return false;
}

/* Runs at `below` GPUs before start_s and at `level` from there on, as far as they fit.
 *
 * EF-Q12: zeros that the plan has after the job's end stay in it. EF-Q43: for a job without a
 * deadline the latest start lies after the last entry. */
static void draft_forward(struct draft *draft, int below, int level, double start_s)
{
    struct oracle_step *entry = NULL;
    bool ended = false;
    int gpus = 0;

    for (size_t i = 0; i < draft->free.count; i++) {
        struct oracle_step *next = &draft->free.at[i];

        if (next->time_s < draft->from_s || next->time_s > draft->horizon_s)
            continue;
        if (entry) {
            draft_take(draft, entry, gpus);
            if (gpus > 0) {
                double done_iters =
                    draft_useful_s(draft, entry->time_s, next->time_s) * draft_rate(draft, gpus);

                if (entry->time_s < start_s && !(done_iters < draft->work_iters))
                    draft_abort(draft, "done before its latest start");
                if (!(done_iters < draft->work_iters)) {
                    draft_end_after(draft, entry->time_s, gpus);
                    if (!(draft->end_s <= next->time_s))
                        draft_abort(draft, "ends after the entry it must not pass");
                    ended = true;
                    break;
                }
                draft->work_iters -= done_iters;
            }
        }
        entry = next;
        gpus = draft_fitting(draft, entry, entry->time_s >= start_s ? level : below);
    }
    if (!ended) {
        /* EF-Q26: the sum from the end was enough by rounding only; the rest is done after the
         * deadline. */
        if (!entry || gpus == 0)
            draft_abort(draft, "no GPU for the rest that rounding has left");
        draft_take(draft, entry, gpus);
        draft_end_after(draft, entry->time_s, gpus);
    }

    oracle_steps_sort(&draft->plan);
    draft->hold = draft->call->gpu_count;
    for (size_t i = 0; i < draft->given->count; i++)
        if (draft->given->at[i].time_s >= draft->from_s &&
            draft->given->at[i].time_s < draft->end_s)
            draft->hold = draft->given->at[i].gpus;
    if (!oracle_step_at(draft->given, draft->end_s))
        oracle_timeline_set(draft->call, &draft->free, draft->end_s, draft->hold);
}

/* Plans the smallest level that meets the deadline. If none does, returns false and tells the
 * largest one tried. */
static bool draft_meet(struct draft *draft, int *largest)
{
    int below = 0;
    int level = oracle_level_up(draft->call, draft->job, 0);

    for (size_t i = 0; i < draft->free.count; i++)
        if (draft->free.at[i].time_s < draft->horizon_s &&
            !oracle_step_at(&draft->plan, draft->free.at[i].time_s))
            oracle_plan_set(draft->call, &draft->plan, draft->free.at[i].time_s, 0);

    while (level <= draft->call->gpu_count && level <= draft->job->cap) {
        double start_s;
        int next;

        if (draft_find_start(draft, level, &start_s)) {
            draft_forward(draft, below, level, start_s);
            return true;
        }
        below = level;
        next = oracle_level_up(draft->call, draft->job, level);
        if (next == level)
            break;
        level = next;
    }
    *largest = below;
    return false;
}

/* Takes all that fits of `largest` up to the horizon. */
static void draft_fill(struct draft *draft, int largest)
{
    struct oracle_step *entry = NULL;
    int gpus = 0;

    for (size_t i = 0; i < draft->free.count; i++) {
        struct oracle_step *next = &draft->free.at[i];

        if (next->time_s < draft->from_s || next->time_s > draft->horizon_s)
            continue;
        if (entry) {
            draft_take(draft, entry, gpus);
            if (gpus > 0) {
                double done_iters =
                    draft_useful_s(draft, entry->time_s, next->time_s) * draft_rate(draft, gpus);

                if (!(done_iters < draft->work_iters))
                    draft_abort(draft, "a late job is done before its deadline");
                draft->work_iters -= done_iters;
            }
        }
        entry = next;
        gpus = draft_fitting(draft, entry, largest);
    }
    if (!(draft->work_iters > 0))
        draft_abort(draft, "no work is left after the deadline");
}

/* Ends the job in the piece that starts at at_s, before the entry at next_s. */
static void draft_end_late(struct draft *draft, double at_s, double next_s, int gpus)
{
    draft_end_from(draft, at_s, gpus);
    if (!(draft->end_s <= next_s))
        draft_abort(draft, "ends after the entry it must not pass");
    for (size_t i = 0; i < draft->free.count; i++) {
        struct oracle_step *entry = &draft->free.at[i];

        if (entry->time_s < draft->horizon_s)
            continue;
        if (entry->time_s < draft->end_s && oracle_step_at(draft->given, entry->time_s))
            draft->hold = oracle_step_at(draft->given, entry->time_s)->gpus;
        if (entry->time_s >= at_s && entry->time_s < draft->end_s)
            draft_reserve(draft, entry, gpus);
    }
    if (at_s != draft->end_s) {
        if (draft->hold < gpus)
            draft_abort(draft, "fewer than no GPUs are free");
        oracle_timeline_set(draft->call, &draft->free, at_s, draft->hold - gpus);
    }
    if (!oracle_step_at(draft->given, draft->end_s))
        oracle_timeline_set(draft->call, &draft->free, draft->end_s, draft->hold);
}

/* Goes on after the horizon with all that fits. Returns whether the job ends before the last
 * entry; otherwise at_s is that entry. */
static bool draft_go_on(struct draft *draft, double *at_s)
{
    for (size_t i = 0; i < draft->free.count; i++) {
        double next_s = draft->free.at[i].time_s;
        int gpus;

        if (next_s <= draft->horizon_s)
            continue;
        gpus = oracle_level_down(draft->call, draft->job,
                                 oracle_gpus_at(draft->call, &draft->free, *at_s));
        if (gpus > draft->job->cap)
            gpus = draft->job->cap;
        oracle_plan_set(draft->call, &draft->plan, *at_s, gpus);
        if (gpus > 0) {
            double done_iters = (next_s - *at_s) * draft_rate(draft, gpus);
            const struct oracle_step *before = oracle_step_before(draft->given, *at_s);

            if (done_iters >= draft->work_iters) {
                draft_end_late(draft, *at_s, next_s, gpus);
                return true;
            }
            draft->work_iters -= done_iters;
            if (before)
                draft->hold = oracle_gpus_at(draft->call, &draft->free, before->time_s);
            for (size_t k = 0; k < draft->free.count; k++)
                if (draft->free.at[k].time_s >= *at_s && draft->free.at[k].time_s < next_s)
                    draft_reserve(draft, &draft->free.at[k], gpus);
        }
        *at_s = next_s;
    }
    return false;
}

/* The deadline cannot be met.
 *
 * EF-Q28: such a job takes the largest level that is free at every instant, and being early in the
 * order of deadlines it takes it from jobs that could still make theirs. */
static void draft_late(struct draft *draft, int largest, int forced)
{
    int gpu_count = draft->call->gpu_count;
    double at_s = fmax(draft->horizon_s, draft->from_s);
    int gpus;

    draft_fill(draft, largest);
    if (draft_go_on(draft, &at_s))
        return;

    /* After the last entry everything counts as free. */
    gpus = gpu_count < draft->job->cap ? gpu_count : draft->job->cap;
    if (forced > gpus)
        draft_abort(draft, "more GPUs are forced than can be used");
    if (forced > 0)
        gpus = forced;
    oracle_plan_set(draft->call, &draft->plan, at_s, gpus);
    oracle_steps_sort(&draft->plan);
    draft_end_from(draft, at_s, gpus);
    if (!(draft->end_s > draft->deadline_s))
        draft_abort(draft, "a late job ends by its deadline");
    oracle_timeline_set(draft->call, &draft->free, at_s, gpu_count - gpus);
    oracle_timeline_set(draft->call, &draft->free, draft->end_s, gpu_count);
}

/* Plans `job` from now_s on; the result is in the draft, which the caller drops. Returns whether
 * the deadline is met.
 *
 * EF-Q45: overheads to come are no part of it. */
static bool draft_make(struct draft *draft, struct oracle_call *call, const struct job *job,
                       double now_s, const struct oracle_steps *timeline, int forced)
{
    int largest;

    draft_open(draft, call, job, now_s, timeline);
    if (!(forced > 0 && draft_force(draft, forced)) && !draft_meet(draft, &largest))
        draft_late(draft, largest, forced);
    return draft->real_end_s <= draft->deadline_s;
}

bool oracle_plan_commit(struct oracle_call *call, struct job *job, double now_s,
                        struct oracle_steps *timeline)
{
    struct draft draft;
    bool met = draft_make(&draft, call, job, now_s, timeline, 0);

    oracle_steps_compress(&draft.free);
    oracle_steps_assign(call, timeline, &draft.free);
    oracle_steps_compress(&draft.plan);
    oracle_steps_assign(call, &job->plan, &draft.plan);
    job->end_s = draft.end_s;
    job->real_end_s = draft.real_end_s;
    job->has_real_end = true;
    draft_drop(&draft);
    return met;
}

/* GPU seconds of a plan that ends at end_s. EF-Q12: a busy piece that is followed by an entry
 * counts up to there, also if the job ends before. */
static double plan_area(const struct oracle_steps *plan, double end_s)
{
    double area = 0;

    for (size_t i = 0; i < plan->count; i++) {
        double until_s = i + 1 < plan->count ? plan->at[i + 1].time_s : end_s;

        area += plan->at[i].gpus * (until_s - plan->at[i].time_s);
    }
    return area;
}

/* Plans `job` at gpus_next GPUs from now on, the rest as small and as late as the deadline allows,
 * so that growing may put off the end (EF-Q42). */
bool oracle_plan_probe(struct oracle_call *call, struct job *job, double now_s,
                       const struct oracle_steps *timeline)
{
    struct draft draft;
    bool met = draft_make(&draft, call, job, now_s, timeline, job->gpus_next);

    /* EF-Q29: what grows most is served first, so that a large figure is a bad one. */
    job->gain_s = (plan_area(&draft.plan, draft.end_s) - plan_area(&job->plan, job->end_s)) /
                  (job->gpus_next - job->gpus);
    oracle_steps_compress(&draft.free);
    oracle_steps_assign(call, &job->candidate_timeline, &draft.free);
    oracle_steps_compress(&draft.plan);
    oracle_steps_assign(call, &job->candidate_plan, &draft.plan);
    job->candidate_end_s = draft.end_s;
    job->candidate_real_end_s = draft.real_end_s;
    draft_drop(&draft);
    return met;
}
