/* task.h - a job in a round of a policy that plans ahead: its deadline, its price, its course, and
 * the GPUs that it holds from now on. */
#ifndef PLANNER_TASK_H
#define PLANNER_TASK_H

#include "scheduler/plan/plan.h"
#include "scheduler/planner/course.h"

#include <stdbool.h>
#include <stdint.h>

struct task {
    const struct job *job;
    struct stand *stand; /* facts about the job that the policy remembers */
    const struct scaling *scaling;
    const uint8_t *usable; /* at [level]: the fastest level up to this level */
    int step;              /* the promised step of a soft deadline, or else the wanted step */
    int64_t deadline_s;    /* of `step`, or an earlier date that is tried for the job */
    double price; /* the least GPU-seconds that end the job in time from now on; INFINITY: none */
    double unit_price;    /* `price` divided by the worth of an end in time */
    bool known;           /* the job was in the round before */
    bool promised;        /* the job's deadline is promised */
    bool only_promised;   /* without a promise the job holds nothing */
    bool waits;           /* the job waits for jobs that have not ended, and holds nothing now */
    int64_t earliest_s;   /* the course begins no earlier: awaited jobs end then; NEVER_S: never */
    bool is_divided;      /* the deadline comes from the job's chain and is before its own */
    bool strays;          /* the course in force does not end the job in time */
    int losses;           /* losses of nodes under the job that its course survives */
    double owed_s;        /* seconds of work that the last node loss may still cost the job */
    double margin;        /* share of the job's work that the course pays for beyond the profile */
    double margin_wanted; /* a promise with less margin may be at risk */
    bool is_watched;      /* the promise is watched for that risk */
    double start_margin; /* share of its changes' cost that the course pays for beyond the tariff */

    /* The job when the plan begins. */
    double left; /* iterations */
    int held;    /* level */
    int stands;  /* rank of the first GPU held; -1: the GPUs held are not side by side */
    double debt_s;
    double start_kept; /* share of changes' cost that is kept beyond the tariff */
    double debt_kept;  /* share of `debt_s` that is kept beyond the tariff */

    /* Only of a job that no deadline drives. */
    int64_t since_s;   /* the time since when the job holds GPUs, or waits for some */
    int64_t shrinks_s; /* the time from which the job may shrink for another such task */
    bool begins;       /* the job's turn begins */
    bool gives;        /* the job makes room for another job's turn */
    bool leaves;       /* the job gives up all of its block */
    int wanted;        /* level, before the task is seated */
    int misses;        /* number of times in this round that the task found no block for `wanted` */

    bool planned; /* the task has a course */
    struct course course;

    /* Only while the task is seated. */
    int held_rank; /* rank of the first GPU held before the round; -1: they are not side by side */
    bool drives;   /* another task may move for it */
    double weight; /* weight of each of its GPUs if the task moves for another; INFINITY: the task
                      stays */
    int level;
    int rank;
    int next;          /* index of the next piece of the course */
    int64_t changed_s; /* time of the last change */

    struct piece now;     /* the GPUs held from now on */
    int charge_s;         /* seconds that `now` costs the job, debts included */
    bool is_charged;      /* the job starts, resizes or moves */
    double charge_most_s; /* `charge_s` with its margin */
};

/* Whether the task may hold GPUs. */
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

/* Whether the task plans for losses that may come. */
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

/* Plans `task` by its profile and the tariff alone, without margins. */
static inline void task_leave_margins(struct task *task)
{
    task->left = job_profiled_left(task->job);
    task->start_kept = task->debt_kept = 0;
}

/* Whether the job has a promise, or had a promise that did not hold. */
static inline bool task_was_promised(const struct task *task)
{
    return task->job->promise.state != PROMISE_NONE;
}

/* The order of arrival. A job that was ever promised something comes before all others. */
static inline double task_in_line(const struct task *task)
{
    return (double)task->job->arrival - (task_was_promised(task) ? 0x1p52 : 0);
}

/* The deadline that the submission states, for the step of a soft deadline; DEADLINE_NONE_S for
 * none. */
int64_t task_stated_s(const struct task *task);

/* Whether the user is told of the job's promise. A promise without a stated deadline, or by a later
 * date, is for the sake of jobs that wait. */
static inline bool task_is_told(const struct task *task)
{
    return task->promised && !task->job->submission->best_effort &&
           task->deadline_s <= task_stated_s(task);
}

/* The iterations that the profile does in the time that the course pays for. The margin counts
 * until the job's own speed is known. */
double task_work(const struct task *task);

/* The latest start on its fastest level that ends the job in time. */
double task_latest_start(const struct task *task);

/* The most GPUs that the task's course holds. */
static inline double task_most_gpus(const struct task *task)
{
    int most = 0;

    for (int i = 0; i < task->course.count; i++)
        if (task_gpus(task, task->course.pieces[i].level) > most)
            most = task_gpus(task, task->course.pieces[i].level);
    return most;
}

/* Node-seconds of `now` from `now_s` on and of the course after that, on nodes of `per_node`
 * GPUs. */
double task_node_s(const struct task *task, int64_t now_s, int per_node);

#endif
