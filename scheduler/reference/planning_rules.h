/* planning_rules.h - the places where the planning of the published policies departs from its
 * intent, and the intended rules.
 *
 * Each rule is a function. The rule of the reference stands beside its quirk, together with the
 * clean rule, which a policy takes instead when the quirk is put right (quirks.c). Planners find
 * the rules in force through the view, so planners stay pure functions of the view. */
#ifndef REFERENCE_PLANNING_RULES_H
#define REFERENCE_PLANNING_RULES_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attempt;
struct reservation_book;
struct scaling;
struct timeline_entry;
struct view;

struct planning_rules {
    /* Length of the slots, counted from now, that planned ends are rounded up to: EF-Q27. */
    int64_t (*grid_slot_s)(const struct view *view);

    /* Bounds an end that rounding has put after its piece. The artifact aborts there, and the rule
     * of the reference leaves it to the caller to report this. Part of EF-Q27, as only ends that
     * are not rounded up to slots come so close. */
    double (*bound_end)(double end_s, double limit_s);

    /* Enters the step that a plan shows from `at_s` on if the free GPUs change after the job's end:
     * EF-Q12. */
    void (*step_behind_end)(struct attempt *attempt, double at_s);
    bool steps_behind_end; /* whether step_behind_end leaves a step, for quick_probe.h */

    /* Plan a forced piece, and the whole, of a job that is or becomes late: EF-Q41. */
    int (*force)(struct attempt *attempt, int level);
    int (*settle_late)(struct attempt *attempt, int forced_level);

    /* The order in which the jobs of a book are planned: EF-Q28. As reservation_book_fill. */
    int (*fill)(struct reservation_book *self, const struct view *view, const size_t *order,
                bool stop_if_late, struct error *error);

    /* The worth of a step by the GPU seconds and the GPUs that it adds. Spare GPUs go to the step
     * of largest worth: EF-Q29. */
    double (*worth)(double gpu_seconds_more, int gpus_more);

    /* Ends a plan whose work fits before the deadline except for rounding: EF-Q26. */
    int (*end_by_rounding)(struct attempt *attempt, int level);

    /* Changes the entry `next` when an EDF plan ends at its time. `hold` GPUs were free before:
     * EF-Q37. */
    void (*end_at_entry)(struct timeline_entry *next, int hold);
};

/* In deadline_planner.c: */
int64_t planning_by_slot(const struct view *view);
int64_t planning_by_second(const struct view *view);
double planning_end_unbound(double end_s, double limit_s);
double planning_end_bound(double end_s, double limit_s);
void planning_zero_behind_end(struct attempt *attempt, double at_s);
void planning_nothing_behind_end(struct attempt *attempt, double at_s);
int planning_force_to_deadline(struct attempt *attempt, int level);
int planning_force_to_end(struct attempt *attempt, int level);
int planning_late_with_dead_time(struct attempt *attempt, int forced_level);
int planning_late_throughout(struct attempt *attempt, int forced_level);
int planning_end_behind_deadline(struct attempt *attempt, int level);
int planning_end_at_deadline(struct attempt *attempt, int level);

/* In reservation_book.c: */
int planning_by_deadline(struct reservation_book *self, const struct view *view,
                         const size_t *order, bool stop_if_late, struct error *error);
int planning_late_last(struct reservation_book *self, const struct view *view, const size_t *order,
                       bool stop_if_late, struct error *error);

/* In spare_gpus.c: */
double planning_worth_by_cost(double gpu_seconds_more, int gpus_more);
double planning_worth_by_thrift(double gpu_seconds_more, int gpus_more);

/* In edf_planner.c: */
void planning_overwrite_entry(struct timeline_entry *next, int hold);
void planning_keep_entry(struct timeline_entry *next, int hold);

/* Sets the sentence that the table has no usable rate at `level`, -1 for the most that the job may
 * use: EF-Q48. Returns -1. */
int planning_complain(const struct scaling *scaling, int level, struct error *error);

/* The rules of the published policies. */
#define PLANNING_AS_PUBLISHED                                                                      \
    {                                                                                              \
        .grid_slot_s = planning_by_slot, .bound_end = planning_end_unbound,                        \
        .step_behind_end = planning_zero_behind_end, .steps_behind_end = true,                     \
        .force = planning_force_to_deadline, .settle_late = planning_late_with_dead_time,          \
        .end_by_rounding = planning_end_behind_deadline, .fill = planning_by_deadline,             \
        .worth = planning_worth_by_cost, .end_at_entry = planning_overwrite_entry                  \
    }

extern const struct planning_rules planning_as_published;

#endif
