/* rubato.h - the insides of the policy rubato; see docs/promises.md. */
#ifndef POLICIES_RUBATO_H
#define POLICIES_RUBATO_H

#include "scheduler/plan/side_table.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/rubato_blocks.h"
#include "scheduler/policies/rubato_plan.h"

/* What is remembered of a job. */
struct stand {
    bool known; /* it has arrived */
    bool runs;  /* on some number of GPUs that there is */
    bool promised;
    int rank;             /* of the GPUs that it holds */
    struct course course; /* of a job with a promise: what it is to hold, which ends it in time */
};

/* An arrival of the past. */
struct arrival {
    int64_t at_s;
    double price;
    double window_s; /* from it to the deadline */
};

/* So many arrivals tell what is to come. */
#define ARRIVALS_MAX 200

struct rubato {
    side_table_t *stands;
    struct arrival arrivals[ARRIVALS_MAX];
    size_t arrival_count; /* in all */
    arena_t *courses;     /* in force */
    arena_t *next_courses;
    arena_t *scratch;
    const struct rubato_options *options;
    uint64_t tests; /* of safety, so far */
};

/* For tests: the safety test fails once in so many times, whatever it finds; 0 for never. */
struct rubato_options {
    uint64_t fails_each;
};

/* One round. */
struct round {
    struct rubato *memory;
    const struct view *view;
    struct planner planner;
    struct task *tasks; /* by place in the view */
    size_t count;
    struct task **promised; /* by deadline, those of this round included */
    size_t promised_count;
    struct task **open; /* with a deadline that can be met, and no promise; by rising price */
    size_t open_count;
    struct task **rest; /* without one; by arrival */
    size_t rest_count;
    size_t fresh;    /* promises made in this round */
    bool continues;  /* all follow the courses in force */
    bool is_planned; /* the promised jobs are, from now on, and nothing else */
    struct blocks blocks;
    const struct task *settles; /* wants a block at the moment */
    int64_t sweep_s;            /* the time that the sweep is at */
};

/* ---- rubato_price.c: whether GPU time is so scarce that a job had better not have it ---- */

void price_note_arrival(struct rubato *memory, const struct view *view, const struct task *task);

/* Whether `task` leaves enough GPU time for the promised jobs and for cheaper ones to come;
 * `margin` is in standard deviations of what these will need. */
bool price_holds(const struct round *round, const struct task *task, double margin);

/* ---- rubato_growth.c: GPUs that no course needs now ---- */

void growth_hand_out(struct round *round, bool to_promised);

/* ---- rubato_place.c: which GPUs ---- */

/* Gives each task with a level a block, and says what that costs it. False if a promised job finds
 * none. */
bool place_now(struct round *round);

/* Finds the sizes of blocks that no job holds and that ran together before. */
void place_find_warm(struct round *round);

/* What a job is to hold at a time by its course. */
int place_level_at(const struct course *course, int64_t now_s);

/* Gives each piece of the courses of `tasks` a block. False if some job would have to move that
 * cannot afford it. */
bool place_courses(struct round *round, struct task *const tasks[], size_t count);

#endif
