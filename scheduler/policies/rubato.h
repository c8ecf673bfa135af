/* rubato.h - the insides of the policy rubato; see docs/promises.md. */
#ifndef POLICIES_RUBATO_H
#define POLICIES_RUBATO_H

#include "scheduler/plan/side_table.h"
#include "scheduler/planner/chains.h"
#include "scheduler/planner/demand.h"
#include "scheduler/planner/idle.h"
#include "scheduler/planner/margins.h"
#include "scheduler/planner/offers.h"
#include "scheduler/planner/reserve.h"
#include "scheduler/planner/seating.h"
#include "scheduler/planner/shares.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/promising.h"
#include "scheduler/turns/turns.h"

/* What is remembered of a job. */
struct stand {
    bool known;  /* it has arrived */
    bool quoted; /* it was a quote that is held in the last round */
    bool best_effort;
    bool runs; /* on some number of GPUs that there is */
    bool promised;
    int64_t due_s; /* its deadline in its chain, while jobs wait for others; else 0 */
    int rank;      /* of the GPUs that it holds */
    double margin; /* of its work, and the one that is wanted; see struct task */
    double margin_wanted;
    double start_margin;     /* of what its changes cost */
    bool told_speed;         /* to the margins of others */
    int charged_s;           /* for its last change, which was not told to these; 0: it was */
    struct demand_seen seen; /* by what it was denied a promise in this round; not kept */
    struct share_seen share; /* likewise */
    struct turn turn;
    struct reserve reserve;
    struct course course; /* of a job with a promise: what it is to hold, which ends it in time */
};

struct rubato {
    side_table_t *stands;
    struct demand demand;   /* by what came so far */
    struct margins margins; /* by how slow jobs were */
    struct margins starts;  /* by how long starts, resizes and moves took */
    arena_t *courses;       /* in force */
    arena_t *next_courses;
    arena_t *scratch;
    struct promising asked;
    struct node_order order;
    struct idle idle;
    int64_t last_s; /* when the last round was */
    uint64_t tests; /* of safety, so far */
};

/* Loads (demand_load) from which on GPU time is scarce, promised jobs grow before all others, and
 * not all jobs can end in time. How they were found: docs/promises.md. */
#define LOAD_SCARCE 0.4
#define LOAD_HIGH   0.6
#define LOAD_FULL   0.9

/* One round. */
struct round {
    struct rubato *memory;
    const struct view *view;
    struct reserving reserving;
    struct planner planner;
    struct seating seating;
    struct task *tasks; /* in the order of the view, without jobs that can hold nothing */
    size_t count;
    struct task_list promised; /* by latest start, those of this round included */
    struct task_list open;     /* with a deadline that can be met, and no promise; by unit price */
    struct turns turns;        /* jobs without one, or with one that cannot be met */
    size_t newcomers;          /* jobs that come with this round, and can be in time */
    struct task *newcomer;     /* the only one; NULL if there are several or none */
    bool comes;                /* it is tried, */
    int64_t least_s;           /* with the time that it takes at least, */
    int64_t slack_s;           /* and this slack, */
    int step;                  /* which is not beyond this step of its deadline */
    bool searches;             /* for shorter slacks that find room */
    bool affordable;           /* one of its tries was */
    int first_step;        /* of soft deadlines that is tried; no job is promised a better one */
    struct chains *chains; /* of jobs that wait for others; NULL if none does */
    double load;           /* see demand_load; 0 where prices hold losses that may never be */
    bool only_new;         /* no job is promised later */
    size_t most;           /* so many jobs are promised at most */
    size_t taken;          /* so many promises were taken back last */
    bool continues;        /* all follow the courses in force */
    bool is_planned;       /* the promised jobs are, from now on, and nothing else */
};

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

/* ---- rubato_price.c: whether GPU time is so scarce that a job had better not have it ---- */

/* `task` is tried with that deadline: its prices are those of the deadline. */
void price_until(const struct round *round, struct task *task, int64_t deadline_s);

/* Whether `task` leaves enough GPU time for the promised jobs and for cheaper ones to come;
 * `margin` is in standard deviations of what these will need. `planned` GPU-seconds are what the
 * courses of the promised jobs take up to its deadline; INFINITY: an even share counts alone. */
bool price_holds(const struct round *round, const struct task *task, double margin, double planned);

/* ---- rubato_easier.c: a job that comes alone is tried as if its deadline were an earlier one ----
 */

/* Has this round try its newcomer, first with the latest deadline up to its own. False if there is
 * no newcomer, or if it cannot end in time. */
bool easier_open(struct round *round);

/* With the next earlier one. False, with the newcomer not tried any more, if there is none. */
bool easier_shorten(struct round *round);

/* The newcomer has the deadline with which it is tried. */
void easier_try(struct round *round);

/* The newcomer has its own deadline again, and is not tried any more. */
void easier_close(struct round *round);

/* ---- rubato_soft.c: the steps of a soft deadline ---- */

/* The step of a job that is promised is the one that its promise names. */
void soft_enter(struct task *task);

/* Has this round try `task`, which has no promise, with the best step that the round tries and that
 * the job can meet. */
void soft_open(const struct round *round, struct task *task);

/* Goes on to the next step that the job can meet. False, with nothing changed, if there is none. */
bool soft_fall(const struct round *round, struct task *task);

/* Has this round try open jobs with later steps only. False, and with all steps again, if no job
 * has any. */
bool soft_fall_all(struct round *round);

/* By what the promise is chosen that does not hold: the most goes first. A job that cannot be in
 * time has INFINITY, then come those that can fall, each by its price. */
double soft_loss(const struct task *task);

/* ---- rubato_safety.c: whether all promises can be kept ---- */

/* Whether a complete plan ends all promised jobs in time after what this round has them hold; then
 * their courses are that plan. */
bool safety_holds(struct round *round);

/* The promised jobs are planned as the courses in force have it. */
void safety_follow(struct round *round);

/* Whether the courses in force end all promised jobs in time. They do unless something went
 * otherwise than planned since, told or not: jobs that are behind spend what they have in reserve,
 * and those that stray all the same are marked. */
bool safety_continues(struct round *round);

/* Like safety_follow, but for the jobs that stray: returns these. GPUs that a course gives back
 * before the next round are not free until then. */
struct task_list safety_follow_others(struct round *round);

/* Gives `task` a course in blocks that the courses of the planned promised jobs leave free. A
 * restart of all is a new start also for a job that stays. The second puts the course in force. */
bool safety_finds_beside(struct round *round, struct task *task);
void safety_put_in_force(struct rubato *memory, struct task *task);

/* What the courses of the promised jobs keep for losses of nodes; and has them keep so much again.
 * The memory is that of the round. */
int *safety_reserves(const struct round *round);
void safety_restore(struct round *round, const int losses[]);

/* Where more nodes are gone than are in reserve, each promised job keeps one loss less. False where
 * none keeps any, or no more are gone. */
bool safety_spend(struct round *round);

/* Puts new courses in force for the jobs that stray, beside those of all others: then the round
 * follows them. If not all find one, gives up the promise of one of these jobs. */
void safety_give_up(struct round *round);

#endif
