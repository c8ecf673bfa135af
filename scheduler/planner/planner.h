/* planner.h - plans that end jobs in time, whatever their changes cost at most.
 *
 * Source: the minimum satisfactory share of ElasticFlow, ASPLOS 2023, section 4.1; that a plan
 * starts as late as it can, and pays for its changes, is ours. See docs/promises.md. */
#ifndef PLANNER_PLANNER_H
#define PLANNER_PLANNER_H

#include "scheduler/planner/closures.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/outline.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/planner/vacancy.h"

/* Seconds that a plan keeps for what is lost in sums of fractions. */
#define ROUNDING_S 1e-3

/* The part of planning that all jobs of a round share.
 *
 * Free GPUs are kept twice. Most questions are answered by an outline of it; spans of GPUs that
 * are not free wait until one is not, and are then entered in `free`. */
struct planner {
    const struct view *view;
    const struct node_order *order;
    struct tariff tariff;
    int gpus;                 /* to plan with: those of nodes that are up and not in reserve */
    int64_t slot_s;           /* 1 at least */
    int64_t slot_end_s;       /* the next round is not before */
    int64_t node_loss_s;      /* cost of the loss of a node to a task, beside its new start */
    struct closures closures; /* of these GPUs */
    struct closures sooner;   /* the same, closed from now on if so before the next round */
    bool follows;             /* courses in force, which hold GPUs until these are closed */
    uint32_t warm;            /* sizes of blocks that are free and ran together, a bit each */
    arena_t *arena;           /* of the round */
    struct outline outline;
    struct vacancy free; /* without the spans that wait */
    struct span *spans;
    size_t span_count;
    size_t span_room;
    struct outline saved_outline;
    struct vacancy saved_free;
    struct course *saved_courses;
    size_t saved_planned;
    struct piece *pieces; /* of the course that is tried */
    int piece_room;
};

void planner_open(struct planner *self, const struct view *view, const struct node_order *order,
                  int64_t node_loss_s, arena_t *arena);

/* The job as it is now, not planned; `enter` also finds which levels it can use. */
void planner_enter(struct task *task);
void planner_reset(struct task *task);

/* Whether the promise of `task`, whose round is decided, is at risk: its course has less than the
 * margin that is wanted, and it would be late with that if it went on with what it holds now, or,
 * while it waits, with the most that it can hold. Not once its own speed is known, by which its
 * course is planned. */
bool planner_is_at_risk(const struct planner *self, const struct task *task);

/* The least GPU-seconds that end the job in time if it begins now; INFINITY: none do. Unless NULL
 * `with_idle` is the least with those that idle after the job: half of what is left of its last
 * slot, as GPUs that come free in a slot wait for the end of the slot where others want them. */
double planner_price(const struct planner *self, const struct task *task, double *with_idle);

/* Seconds in which the job ends at least if it begins now, with its margin. */
double planner_least_s(const struct planner *self, const struct task *task);

/* Nothing is planned any more; all GPUs to plan with are free from `from_s` on, until they are
 * closed. A plan of its own holds no GPU that is closed before the next round. */
void planner_clear(struct planner *self, int64_t from_s);

/* Likewise, for courses in force, which may hold such GPUs. */
void planner_clear_to_follow(struct planner *self, int64_t from_s);

/* The closures that the plan at hand counts with. */
static inline const struct closures *planner_closures(const struct planner *self)
{
    return self->follows ? &self->closures : &self->sooner;
}

/* GPUs that are not closed now. */
int planner_gpus_now(const struct planner *self);

/* From when on fewer than `gpus` GPUs are known not to be closed; NEVER_S if that never is. */
int64_t planner_short_s(const struct planner *self, int gpus);

/* GPU-seconds of GPUs that are not closed, from now to `until_s`. */
double planner_capacity(const struct planner *self, int64_t until_s);

/* Gives `task` the cheapest course that ends it in time on GPUs that are free. False if none was
 * found. */
bool planner_find(struct planner *self, struct task *task);

/* The GPUs of a course, which begins where the timeline does, are not free any more. */
void planner_reserve(struct planner *self, const struct course *course,
                     const struct scaling *scaling);

/* The same from one time to another; and whether so many are free then. */
void planner_reserve_span(struct planner *self, int64_t from_s, int64_t to_s, int gpus);
bool planner_has_free(struct planner *self, int64_t from_s, int64_t to_s, int gpus);

/* The free GPUs, up to the last span. */
struct vacancy *planner_free(struct planner *self);

/* GPU-seconds that courses hold up to `until_s`. */
double planner_reserved(struct planner *self, double until_s);

/* Keeps what is free and the courses of `tasks`, which all have one; and has both so again for the
 * same list. */
void planner_save(struct planner *self, const struct task_list *tasks);
void planner_restore(struct planner *self, struct task_list *tasks);

/* Finds and reserves for all of `tasks` in turn, from `from_s` on; for those that are planned so
 * already only the second. */
bool planner_find_all(struct planner *self, struct task_list *tasks, int64_t from_s);

/* Whether `course`, of which `now_s` is a part, still ends `task` when it says, at the latest. */
bool planner_keeps(struct planner *self, const struct task *task, const struct course *course);

/* Whether this round restarts all. */
static inline bool planner_restarts(const struct planner *self)
{
    return self->tariff.restart_rounds > 0 && self->tariff.next_restart == 0;
}

/* Seconds that a change to `gpus` GPUs costs at most, in this round and after it. */
static inline int planner_price_now(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, self->warm & (uint32_t)gpus, planner_restarts(self));
}

static inline int planner_price_later(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, false, self->tariff.restart_rounds > 0);
}

/* How often restarts of all may come after this round to a job that ends at `end_s`: none then. */
int64_t planner_restarts_before(const struct planner *self, int64_t end_s);

#endif
