/* rubato_plan.h - plans that end jobs in time, whatever their changes cost at most.
 *
 * Source: the minimum satisfactory share of ElasticFlow, ASPLOS 2023, section 4.1; that a plan
 * starts as late as it can, and pays for its changes, is ours. See docs/promises.md. */
#ifndef POLICIES_RUBATO_PLAN_H
#define POLICIES_RUBATO_PLAN_H

#include "scheduler/plan/plan.h"
#include "scheduler/plan/timeline.h"

/* Seconds that a plan keeps for what is lost in sums of fractions. */
#define ROUNDING_S 1e-3

/* From `at_s` on a job holds `level`, on the GPUs from `rank` on. */
struct piece {
    int64_t at_s;
    int level;
    int rank;
};

/* What a job is to hold until it ends, at `end_s` at the latest. */
struct course {
    struct piece *pieces;
    int count;
    int64_t end_s;
    double gpu_s; /* GPU-seconds held */
};

/* A job in a round. */
struct task {
    const struct job *job;
    struct stand *stand; /* what is remembered of it */
    const struct scaling *scaling;
    uint8_t usable[SCALING_LEVELS]; /* the fastest level up to this one */
    int64_t deadline_s;

    /* When the plan begins. */
    double left; /* iterations */
    int held;    /* level */
    double debt_s;

    double price; /* the least GPU-seconds that end it in time from now on; INFINITY: none do */
    bool promised;
    bool planned; /* it has a course */
    struct course course;

    /* While places are found: what it holds; in the sweep over what is to come, the piece that
     * it takes next, and when it changed last. */
    int level;
    int rank;
    int next;
    int64_t changed_s;

    int64_t wake_s;   /* when its course has it hold more */
    struct piece now; /* what it holds from now on */
    int charge_s;     /* and what that costs it, debts included */
};

/* What is the same for all jobs of a round. */
struct planner {
    const struct view *view;
    struct tariff tariff;
    int64_t slot_s; /* 1 at least */
    uint32_t warm;  /* sizes of blocks that are free and ran together, a bit each */
    arena_t *arena; /* of the round */
    struct timeline free;
    struct timeline other; /* becomes `free` with the next course */
    int room;              /* for entries, in both */
    struct piece *pieces;  /* of the course that is tried */
    struct step *steps;
};

void planner_open(struct planner *self, const struct view *view, arena_t *arena);

/* Nothing is planned any more; all GPUs are free from `from_s` on. */
void planner_clear(struct planner *self, int64_t from_s);

/* Gives `task` the cheapest course that ends it in time on GPUs that are free. False if none was
 * found. */
bool planner_find(struct planner *self, struct task *task);

/* The GPUs of a course, which begins where the timeline does, are not free any more. */
void planner_reserve(struct planner *self, const struct course *course,
                     const struct scaling *scaling);

/* The same from one time to another; and the fewest GPUs that are free then. */
void planner_reserve_span(struct planner *self, int64_t from_s, int64_t to_s, int level,
                          const struct scaling *scaling);
int planner_least_free(const struct planner *self, int64_t from_s, int64_t to_s);

/* Both, for all of `tasks`, which come by deadline, from `from_s` on. */
bool planner_find_all(struct planner *self, struct task *const tasks[], size_t count,
                      int64_t from_s);

/* Whether `course`, of which `now_s` is a part, still ends `task` when it says, at the latest. */
bool planner_keeps(struct planner *self, const struct task *task, const struct course *course);

/* Seconds that a change to `gpus` GPUs costs at most, in this round and after it. */
int planner_price_now(const struct planner *self, int gpus);
int planner_price_later(const struct planner *self, int gpus);

/* Whether this round restarts all; and how often that may happen after it, up to `until_s`. */
bool planner_restarts(const struct planner *self);
int64_t planner_restarts_until(const struct planner *self, int64_t until_s);

static inline int task_gpus(const struct task *task, int level)
{
    return task->scaling->gpus[level];
}

#endif
