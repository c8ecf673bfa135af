/* planner.h - plans that end jobs in time, whatever their changes cost at most.
 *
 * Source: the minimum satisfactory share of ElasticFlow, ASPLOS 2023, section 4.1. Late starts and
 * paid changes are ours. See docs/promises.md. */
#ifndef PLANNER_PLANNER_H
#define PLANNER_PLANNER_H

#include "scheduler/planner/closures.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/outline.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/planner/vacancy.h"

/* Seconds that a plan keeps for the rounding errors of sums of fractions. */
#define ROUNDING_S 1e-3

/* The part of planning that all jobs of a round share.
 *
 * Free GPUs are kept twice: exactly in `free`, and as an outline, which answers most questions.
 * Spans of taken GPUs wait in `spans` and are entered in `free` once the outline cannot answer. */
struct planner {
    const struct view *view;
    const struct node_order *order;
    struct tariff tariff;
    int gpus;            /* GPUs of nodes that are not in reserve and up, or known to come back */
    int64_t slot_s;      /* length of a slot, at least 1 */
    int64_t slot_end_s;  /* the next round does not come before this time */
    int64_t node_loss_s; /* cost of the loss of a node to a task, beside the task's new start */
    struct closures closures; /* closures of `gpus` */
    struct closures sooner; /* `closures`, where GPUs that close before the next round close now */
    bool follows;           /* courses in force are planned: they may hold GPUs until these close */
    uint32_t warm;          /* bit set of the sizes of free blocks that ran together */
    arena_t *arena;         /* memory of the round */
    struct outline outline;
    struct vacancy free; /* without the spans that wait */
    struct span *spans;
    size_t span_count;
    size_t span_room;
    struct outline saved_outline;
    struct vacancy saved_free;
    struct course *saved_courses;
    size_t saved_planned;
    struct piece *pieces; /* pieces of the course that is tried */
    int piece_room;
};

void planner_open(struct planner *self, const struct view *view, const struct node_order *order,
                  int64_t node_loss_s, arena_t *arena);

/* Enters the job of `task` as it is now, without a course. planner_enter() also finds the levels
 * that the job can use; planner_reset() leaves them. */
void planner_enter(struct task *task);
void planner_reset(struct task *task);

/* Whether the promise of `task`, whose round is decided, is at risk: the course has less than the
 * wanted margin, and with the wanted margin the job would be late on the GPUs that it holds now,
 * or, while the job waits, on the most that it can hold. False once the job's own speed is known,
 * as the course is then planned by that speed. */
bool planner_is_at_risk(const struct planner *self, const struct task *task);

/* The least GPU-seconds that end the job in time if it begins now; INFINITY if no number does.
 * `*with_idle`, unless NULL, also counts the GPU-seconds that idle after the job: half of the rest
 * of its last slot, as GPUs that come free wait for the end of the slot where others want them. */
double planner_price(const struct planner *self, const struct task *task, double *with_idle);

/* The seconds that the job takes at least if it begins now, with its margin. */
double planner_least_s(const struct planner *self, const struct task *task);

/* Forgets all plans. All GPUs to plan with are free from `from_s` on, until they close. A new plan
 * holds no GPU that closes before the next round. */
void planner_clear(struct planner *self, int64_t from_s);

/* planner_clear() for courses in force, which may hold GPUs that close before the next round. */
void planner_clear_to_follow(struct planner *self, int64_t from_s);

/* The closures that count for the plan at hand. */
static inline const struct closures *planner_closures(const struct planner *self)
{
    return self->follows ? &self->closures : &self->sooner;
}

/* GPUs that are not closed now. */
int planner_gpus_now(const struct planner *self);

/* The time from which fewer than `gpus` GPUs are known not to be closed; NEVER_S if there is
 * none. */
int64_t planner_short_s(const struct planner *self, int gpus);

/* The GPU-seconds of GPUs that are not closed, from now to `until_s`. */
double planner_capacity(const struct planner *self, int64_t until_s);

/* Gives `task` the cheapest course that ends it in time on free GPUs. False if none was found. */
bool planner_find(struct planner *self, struct task *task);

/* Takes the GPUs of `course`, which begins where the timeline does, out of the free GPUs. */
void planner_reserve(struct planner *self, const struct course *course,
                     const struct scaling *scaling);

/* Takes `gpus` GPUs out of the free GPUs from `from_s` to `to_s`. planner_has_free() says whether
 * `gpus` GPUs are free all that time. */
void planner_reserve_span(struct planner *self, int64_t from_s, int64_t to_s, int gpus);
bool planner_has_free(struct planner *self, int64_t from_s, int64_t to_s, int gpus);

/* The free GPUs, after all waiting spans are entered. */
struct vacancy *planner_free(struct planner *self);

/* GPU-seconds that courses hold up to `until_s`. */
double planner_reserved(struct planner *self, double until_s);

/* Saves the free GPUs and the courses of `tasks`, which all have one. planner_restore() brings both
 * back for the same list. */
void planner_save(struct planner *self, const struct task_list *tasks);
void planner_restore(struct planner *self, struct task_list *tasks);

/* Finds and reserves a course for each of `tasks` in turn, from `from_s` on. Tasks of the list that
 * are planned already are only reserved. False if a task finds no course. */
bool planner_find_all(struct planner *self, struct task_list *tasks, int64_t from_s);

/* Whether `course`, which has begun by `now_s`, still ends `task` by the end that the course
 * states. */
bool planner_keeps(struct planner *self, const struct task *task, const struct course *course);

/* Whether all jobs restart in this round. */
static inline bool planner_restarts(const struct planner *self)
{
    return self->tariff.restart_rounds > 0 && self->tariff.next_restart == 0;
}

/* Seconds that a change to `gpus` GPUs costs at most in this round. planner_price_later() is for
 * later rounds. */
static inline int planner_price_now(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, self->warm & (uint32_t)gpus, planner_restarts(self));
}

static inline int planner_price_later(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, false, self->tariff.restart_rounds > 0);
}

/* How many restarts of all jobs may come after this round before `end_s`. */
int64_t planner_restarts_before(const struct planner *self, int64_t end_s);

#endif
