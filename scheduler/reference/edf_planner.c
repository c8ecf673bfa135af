/* edf_planner.c - see edf_planner.h. */
#include "scheduler/reference/edf_planner.h"

#include "scheduler/plan/level.h"
#include "scheduler/reference/planning_rules.h"

#include <math.h>
#include <string.h>

static void set_free(struct timeline_entry *entry, int free_gpus)
{
    *entry = timeline_entry(entry->at_s, free_gpus);
}

/* Drops the entries from `first` to `last` that repeat the value before them. */
static void compress(struct timeline *timeline, int first, int last)
{
    struct timeline_entry *entries = timeline->entries;
    int count = first > 0 ? first : 1;

    last = last < timeline->count ? last : timeline->count - 1;
    for (int i = count; i <= last; i++)
        if (entries[i].free_gpus != entries[count - 1].free_gpus)
            entries[count++] = entries[i];
    if (count > last)
        return;
    memmove(&entries[count], &entries[last + 1],
            (size_t)(timeline->count - last - 1) * sizeof(*entries));
    timeline->count -= last + 1 - count;
}

static void insert_behind(struct timeline *timeline, int at, double at_s, int free_gpus)
{
    memmove(&timeline->entries[at + 2], &timeline->entries[at + 1],
            (size_t)(timeline->count - at - 1) * sizeof(*timeline->entries));
    timeline->entries[at + 1] = timeline_entry(at_s, free_gpus);
    timeline->count++;
}

/* EF-Q37: whether an entry stands at the slot's end is decided by the exact end. So an entry at the
 * slot's end is overwritten with the value of the piece before it. */
void planning_overwrite_entry(struct timeline_entry *next, int hold)
{
    set_free(next, hold);
}

/* EF-Q37 put right: an entry at the slot's end keeps its free GPUs. */
void planning_keep_entry(struct timeline_entry *next, int hold)
{
    (void)next;
    (void)hold;
}

/* Ends the job at `end_s` in the piece of entry `at`: its GPUs are free again from the slot's end
 * on. */
static void end_in_piece(const struct planning_grid *grid, struct timeline *free, int at,
                         double end_s, int gpus, bool takes_all)
{
    struct timeline_entry *entry = &free->entries[at];
    struct timeline_entry *next = entry + 1;
    const int hold = entry->free_gpus;
    const double slot_end_s = planning_slot_end(grid, end_s);

    if (!(takes_all && end_s == entry->at_s))
        set_free(entry, hold - gpus);
    if (end_s == next->at_s || end_s == entry->at_s)
        return;
    if (slot_end_s == next->at_s)
        grid->rules->end_at_entry(next, hold);
    else
        insert_behind(free, at, slot_end_s, hold);
}

/* The level taken at `entry`: all GPUs that the job may use if they are free, else the level that
 * fits. */
static int level_for(const struct planning_grid *grid, const struct scaling *scaling,
                     const struct timeline_entry *entry)
{
    const int wanted = scaling->gpus_max < grid->gpu_count ? scaling->gpus_max : grid->gpu_count;

    return entry->free_gpus >= wanted ? scaling->whole : scaling->fit[entry->free_class];
}

/* Ends the job after the last entry, where all GPUs count as free, whatever the entry says. */
static void end_behind_all(const struct planning_grid *grid, struct timeline *free, double end_s,
                           int gpus)
{
    const int at = free->count - 1;

    if (end_s > free->entries[at].at_s) {
        set_free(&free->entries[at], grid->gpu_count - gpus);
        insert_behind(free, at, planning_slot_end(grid, end_s), grid->gpu_count);
    } else {
        set_free(&free->entries[at], grid->gpu_count);
    }
}

/* Whether the job certainly needs longer than the piece, by more than rounding can hide. Spares the
 * division that the exact answer takes. */
static bool is_longer(double left, double rate, double length_s)
{
    return left > (length_s + 1e-3) * rate;
}

int edf_plan_job(const struct planning_grid *grid, const struct deadline_demand *demand,
                 struct timeline *free, struct edf_outcome *outcome, struct error *error)
{
    const struct scaling *scaling = demand->scaling;
    double left = demand->iterations;
    bool in_time = true;
    int first = -1; /* entry that changes */

    *outcome = (struct edf_outcome){.level = 0};
    for (int at = 0;; at++) {
        struct timeline_entry *entry = &free->entries[at];
        const bool is_last = at + 1 == free->count;
        int level;
        double rate;

        in_time = in_time && entry->at_s <= demand->deadline_s;
        if (entry->free_gpus < 1 && !is_last)
            continue;
        level = is_last ? scaling->whole : level_for(grid, scaling, entry);
        rate = level < 1 ? 0 : scaling->rate[level];
        if (!(rate > 0))
            return planning_complain(scaling, level < 1 ? -1 : level, error);
        if (at == 0)
            outcome->level = level;
        first = first < 0 ? at : first;
        if (!is_last && is_longer(left, rate, entry[1].at_s - entry->at_s)) {
            left -= (entry[1].at_s - entry->at_s) * rate;
            set_free(entry, entry->free_gpus - scaling->gpus[level]);
            continue;
        }
        outcome->end_s = ceil(entry->at_s + left / rate);
        if (is_last) {
            end_behind_all(grid, free, outcome->end_s, scaling->gpus[level]);
        } else if (entry[1].at_s >= outcome->end_s) {
            end_in_piece(grid, free, at, outcome->end_s, scaling->gpus[level],
                         level == scaling->whole);
        } else {
            left -= (entry[1].at_s - entry->at_s) * rate;
            set_free(entry, entry->free_gpus - scaling->gpus[level]);
            continue;
        }
        compress(free, first, at + 2);
        break;
    }
    outcome->met = in_time && outcome->end_s <= demand->deadline_s;
    return 0;
}

/* Whether no job could abort the artifact, however many GPUs are free when it is planned. */
static bool all_complete(const struct view *view)
{
    for (size_t i = 0; i < view->job_count; i++)
        if (!view->jobs[i]->scaling->complete)
            return false;
    return true;
}

static size_t count_running(const struct view *view)
{
    size_t count = 0;

    for (size_t i = 0; i < view->job_count; i++)
        count += view->jobs[i]->state == JOB_RUNNING;
    return count;
}

int edf_plan_all(const struct view *view, plan_t *plan, const struct keyed *order,
                 enum edf_extent extent, struct error *error)
{
    const struct planning_grid grid = planning_grid_of(view);
    const bool may_stop = extent != EDF_PLAN_ALL && all_complete(view);
    size_t running = extent == EDF_STOP_IF_FULL ? count_running(view) : 0;
    struct timeline free = {
        .entries = arena_alloc(plan->scratch, (2 * view->job_count + 4) * sizeof(*free.entries))};
    int result = 1;

    timeline_clear(&free, grid.now_s, grid.gpu_count);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[order[i].item];
        const struct deadline_demand demand = {.scaling = job->scaling,
                                               .iterations = job->iterations_left,
                                               .deadline_s = (double)job->submission->deadline_s};
        struct share *share = &plan->shares[order[i].item];
        struct edf_outcome outcome;

        if (extent == EDF_STOP_IF_FULL && may_stop && running == 0 &&
            free.entries[0].free_gpus == 0)
            break;
        if (edf_plan_job(&grid, &demand, &free, &outcome, error) < 0)
            return -1;
        running -= running > 0 && job->state == JOB_RUNNING;
        share->grant = level_grant_here(job, outcome.level);
        share->end_s = (int64_t)outcome.end_s;
        share->finish_s = (int64_t)outcome.end_s;
        if (!outcome.met)
            result = 0;
        if (!outcome.met && extent == EDF_STOP_IF_LATE && may_stop)
            break;
    }
    return result;
}
