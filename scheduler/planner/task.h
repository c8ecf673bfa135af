/* task.h - a job in a round of a policy that plans ahead: what is to be planned for it, its course,
 * and what it holds from now on. */
#ifndef PLANNER_TASK_H
#define PLANNER_TASK_H

#include "scheduler/plan/plan.h"
#include "scheduler/planner/course.h"

#include <stdbool.h>
#include <stdint.h>

struct task {
    const struct job *job;
    struct stand *stand; /* what the policy remembers of it */
    const struct scaling *scaling;
    const uint8_t *usable; /* the fastest level up to each */
    int step;           /* of its deadline, if that is soft: the promised step, or the wanted one */
    int64_t deadline_s; /* of this step, or an earlier date if the job is tried with such a one */
    double price; /* the least GPU-seconds that end it in time from now on; INFINITY: none do */
    double unit_price;    /* the price by what its end in time is worth */
    bool known;           /* from the round before */
    bool promised;        /* its deadline is */
    bool only_promised;   /* without a promise it holds nothing */
    bool waits;           /* for jobs that have not ended: it holds nothing now */
    int64_t earliest_s;   /* its course begins no earlier, as these end then; NEVER_S: never */
    bool is_divided;      /* its deadline is that of its chain, before its own */
    bool strays;          /* its course in force does not end it in time */
    int losses;           /* of nodes on which it stands, which its course survives */
    double owed_s;        /* of work, which the last of them may still take of it */
    double margin;        /* share of its work that its course pays for beside its profile */
    double margin_wanted; /* a promise with less may be at risk */
    bool is_watched;      /* for that */
    double start_margin;  /* share of what its changes cost that its course pays for beside that */

    /* When the plan begins. */
    double left; /* iterations */
    int held;    /* level */
    int stands;  /* on the GPUs from this rank on; -1: they are not side by side */
    double debt_s;
    double start_kept; /* share of what changes cost that is kept beside that */
    double debt_kept;  /* likewise, of `debt_s` */

    /* Of one that no deadline drives. */
    int64_t since_s;   /* since when it holds GPUs, or waits for some */
    int64_t shrinks_s; /* from when on it may shrink for another such task */
    bool begins;       /* it is its turn */
    bool gives;        /* it makes room for another's */
    bool leaves;       /* all of its block */
    int wanted;        /* level, before it is seated */
    int misses;        /* so often in this round it found no block for that */

    bool planned; /* it has a course */
    struct course course;

    /* While it is seated. */
    int held_rank; /* of the GPUs that it holds before the round; -1: they are not side by side */
    bool drives;   /* another task may move for it */
    double weight; /* of each of its GPUs if it moves for another; INFINITY: it does not */
    int level;
    int rank;
    int next;          /* piece of its course */
    int64_t changed_s; /* when it changed last */

    struct piece now;     /* what it holds from now on */
    int charge_s;         /* and what that costs it, debts included */
    bool is_charged;      /* it starts, resizes or moves */
    double charge_most_s; /* the same with the margin */
};

/* Whether it may hold GPUs. */
static inline bool task_may_run(const struct task *task)
{
    return task->promised || !task->only_promised;
}

/* GPUs that are kept for the task: a power of two. */
static inline int task_gpus(const struct task *task, int level)
{
    return task->scaling->block[level];
}

/* Whether the job runs on some number of GPUs that there is. */
static inline bool task_runs(const struct task *task)
{
    return task->usable[task->scaling->reach] > 0;
}

/* Whether it plans for losses that may come. */
static inline bool task_has_reserve(const struct task *task)
{
    return task->losses > 0 || task->owed_s > 0;
}

static inline double task_unit_price(const struct task *task)
{
    return task->unit_price;
}

/* Seconds that the job still pays for its last change, at most. */
static inline double task_debt_s(const struct task *task)
{
    return task->debt_s * (1 + task->debt_kept);
}

/* Has `task` planned for as its profile and the tariff have it, without margins. */
static inline void task_leave_margins(struct task *task)
{
    task->left = job_profiled_left(task->job);
    task->start_kept = task->debt_kept = 0;
}

/* Whether the job has a promise, or had one that did not hold. */
static inline bool task_was_promised(const struct task *task)
{
    return task->job->promise.state != PROMISE_NONE;
}

/* The order of arrival, in which a job that was promised something once is before all others. */
static inline double task_in_line(const struct task *task)
{
    return (double)task->job->arrival - (task_was_promised(task) ? 0x1p52 : 0);
}

/* The deadline that the submission states, for the step of a soft one; DEADLINE_NONE_S for none. */
int64_t task_stated_s(const struct task *task);

/* Whether its user is told of its promise. A promise without a deadline of its own, or by a later
 * one, is for the sake of jobs that wait. */
static inline bool task_is_told(const struct task *task)
{
    return task->promised && !task->job->submission->best_effort &&
           task->deadline_s <= task_stated_s(task);
}

/* Iterations that its profile does in the time that its course pays for: with the margin as long as
 * the speed of the job itself is not known. */
double task_work(const struct task *task);

/* The latest start on its fastest level that ends the job in time. */
double task_latest_start(const struct task *task);

/* The most GPUs that its course has it hold. */
static inline double task_most_gpus(const struct task *task)
{
    int most = 0;

    for (int i = 0; i < task->course.count; i++)
        if (task_gpus(task, task->course.pieces[i].level) > most)
            most = task_gpus(task, task->course.pieces[i].level);
    return most;
}

/* Node-seconds of what it holds from `now_s` on and of its course after that, on nodes of
 * `per_node` GPUs. */
double task_node_s(const struct task *task, int64_t now_s, int per_node);

#endif
