/* rubato.h - the insides of the policy rubato; see docs/promises.md. */
#ifndef POLICIES_RUBATO_H
#define POLICIES_RUBATO_H

#include "scheduler/plan/side_table.h"
#include "scheduler/planner/chains.h"
#include "scheduler/planner/experience.h"
#include "scheduler/planner/horizon.h"
#include "scheduler/planner/idle.h"
#include "scheduler/planner/in_force.h"
#include "scheduler/planner/joint.h"
#include "scheduler/planner/newcomer.h"
#include "scheduler/planner/reserve.h"
#include "scheduler/planner/seating.h"
#include "scheduler/planner/soft.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/promising.h"
#include "scheduler/turns/turns.h"

struct rubato {
    side_table_t *stands;
    struct demand demand; /* by what came so far */
    struct experience experience;
    struct in_force in_force;
    arena_t *scratch;
    struct promising asked;
    struct node_order order;
    struct idle idle;
    int64_t last_s; /* when the last round was */
    uint64_t tests; /* of safety, so far */
};

/* One round. */
struct round {
    struct rubato *memory;
    const struct view *view;
    struct reserving reserving;
    struct planner planner;
    struct pricing pricing;
    struct seating seating;
    struct task *tasks; /* in the order of the view, without jobs that can hold nothing */
    size_t count;
    struct task_list promised; /* by latest start, those of this round included */
    struct joint joint;        /* of these */
    struct task_list open;     /* with a deadline that can be met, and no promise; by unit price */
    struct turns turns;        /* jobs without one, or with one that cannot be met */
    struct newcomer newcomer;  /* if one job comes alone */
    bool searches;             /* for shorter slacks that find room */
    bool affordable;           /* one of its tries was */
    int first_step;        /* of soft deadlines that is tried; no job is promised a better one */
    struct chains *chains; /* of jobs that wait for others; NULL if none does */
    bool only_new;         /* no job is promised later */
    size_t most;           /* so many jobs are promised at most */
    size_t left;           /* of these */
    size_t taken;          /* so many promises were taken back last */
    bool continues;        /* all follow the courses in force */
};

/* ---- rubato_open.c: the jobs of a round, as it begins ---- */

/* The round of `view`, with each of its jobs in the list where the job belongs. */
void round_open(struct round *round, const struct view *view);

/* ---- rubato_decide.c: tries at a round, until one is safe ---- */

/* Each job of the round has a promise or none, and what it holds from now on. */
void round_decide(struct round *round);

/* ---- rubato_promise.c: which jobs are promised, and planned for ---- */

/* Promises what can be. False if there is no plan for all of it. */
bool promise_open(struct round *round);

/* Promises what can be beside the courses in force, which all go on; to the newcomer, if it is
 * tried, first. */
void promise_beside(struct round *round);

/* Takes back the promises of this round, and notes how many these are. */
void promise_take_back(struct round *round);

/* Jobs without a promise are planned into what is left; if they are planned `jointly`, one that
 * finds no room may have it if all find some when they are planned anew. */
void promise_plan_open(struct round *round, bool jointly);

/* ---- rubato_safety.c: whether all promises can be kept ---- */

/* Whether a complete plan ends all promised jobs in time after what this round has them hold; then
 * their courses are that plan. */
bool safety_holds(struct round *round);

/* Puts new courses in force for the jobs that stray, beside those of all others: then the round
 * follows them. If not all find one, gives up the promise of one of these jobs. */
void safety_give_up(struct round *round);

#endif
