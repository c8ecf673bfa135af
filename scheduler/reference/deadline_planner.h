/* deadline_planner.h - how ElasticFlow plans one job into the future: the smallest number of GPUs
 * that meets its deadline, begun as late as possible.
 *
 * Time is cut into slots counted from now. A reservation ends with a slot, and so does the search:
 * work done after the deadline inside its slot does not count. A job that cannot be done in time
 * takes whatever is free.
 * Source: Algorithm 1 (minimum satisfactory share) of ElasticFlow, ASPLOS 2023, as the published
 * artifact computes it; its departures from the paper are marked EF-Q.. where they happen. */
#ifndef REFERENCE_DEADLINE_PLANNER_H
#define REFERENCE_DEADLINE_PLANNER_H

#include "common/error.h"
#include "scheduler/plan/timeline.h"
#include "scheduler/plan/view.h"
#include "scheduler/reference/planning_rules.h"
#include "scheduler/state/job.h"

#include <stdint.h>

/* The grid that all planning of a round is aligned to. */
struct planning_grid {
    double now_s;
    double slot_s;
    double slots_per_s; /* 1 / slot_s */
    int gpu_count;
    const struct planning_rules *rules;
};

/* planning_grid_of(): the grid of a round under the rules in force. planning_grid(): a grid under
 * the rules of the published policies. */
struct planning_grid planning_grid_of(const struct view *view);
struct planning_grid planning_grid(int64_t now_s, int64_t slot_s, int gpu_count);

/* The end of the slot in which `at_s` lies. Not after now if `at_s` is not. */
double planning_slot_end(const struct planning_grid *grid, double at_s);

/* A job's work to be planned, and its deadline. */
struct deadline_demand {
    const struct scaling *scaling;
    double iterations; /* still to do, > 0 */
    double deadline_s;
    double deadline_slot_end_s; /* planning_slot_end of the deadline */
};

struct deadline_demand demand_of(const struct planning_grid *grid, const struct job *job);

/* The findings of a plan, beside its reservation. */
struct prospect {
    double finish_s; /* last iteration done, not rounded up to a slot */
    bool met;        /* finish_s <= deadline */

    /* GPUs that the artifact takes out of the free GPUs although the reservation does not hold
     * them; below 0, GPUs that it forgets to take: EF-Q24, EF-Q25. */
    int excess_gpus;
    double excess_from_s;
    double excess_until_s;
};

/* Plans `demand` into the free GPUs of `free`, which starts now. With `forced_level` > 0 the job
 * holds that level right now and until the first change of `free`. Writes the reservation, for
 * which `reservation->steps` must have room for PLANNING_STEPS(free) steps. Returns 0, or -1 with
 * `error` where the artifact aborts: no usable rate, no such GPU count. */
int plan_deadline(const struct planning_grid *grid, const struct deadline_demand *demand,
                  const struct timeline *free, int forced_level, struct reservation *reservation,
                  struct prospect *prospect, struct error *error);

#define PLANNING_STEPS(free) ((free)->count + 3)

/* GPU seconds that a reservation holds. EF-Q12: a busy step before another step counts up to that
 * other step, even if the job ends sooner. */
double reservation_gpu_seconds(const struct reservation *reservation,
                               const struct scaling *scaling);

/* Takes the reservation and the excess GPUs of plan_deadline() out of `free`. Writes the result to
 * `to`, which has room for PLANNING_STEPS(free) entries. */
void planning_reserve(const struct timeline *free, const struct reservation *reservation,
                      const struct prospect *prospect, const struct scaling *scaling,
                      struct timeline *to);

#endif
