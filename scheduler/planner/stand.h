/* stand.h - how a job stands with a policy that plans ahead: what the policy remembers of the job
 * from round to round. */
#ifndef PLANNER_STAND_H
#define PLANNER_STAND_H

#include "scheduler/planner/node_order.h"
#include "scheduler/planner/reserve.h"
#include "scheduler/state/verdict.h"

/* Of a job that no deadline drives. */
struct turn {
    int64_t since_s;   /* since when it holds GPUs, or waits for some */
    int64_t shrinks_s; /* from when on it may shrink for another such job */
};

/* All zero before the first round of the job. */
struct stand {
    bool known;  /* the job has arrived */
    bool quoted; /* the job was a quote that is held in the last round */
    bool best_effort;
    bool runs; /* on some number of GPUs that there is */
    bool promised;
    int64_t due_s; /* its deadline in its chain, while jobs wait for others; else 0 */
    int rank;      /* of the GPUs that it holds */
    double margin; /* of its work, and the one that is wanted; see struct task */
    double margin_wanted;
    double start_margin;  /* of what its changes cost */
    bool told_speed;      /* to the margins of others */
    int charged_s;        /* for its last change, which was not told to these; 0: it was */
    struct denial denied; /* by what it was denied a promise in this round; not kept */
    struct turn turn;
    struct reserve reserve;
    struct course course; /* of a job with a promise: what it is to hold, which ends it in time */
};

/* `task`, which is of a new round, is as its stand has it. */
void stand_enter(struct task *task);

/* The job of `task` stands as the round has it, but for its turn and its course. Its deadline in
 * its chain is noted while jobs wait for others, `in_chains`. */
void stand_note(const struct task *task, bool in_chains);

/* Whether the job can stand on the `count` GPUs that the cluster counts as `ranks`, a block that is
 * aligned in `order`: then it does, whatever was planned. A `count` of 0 is for none. The course of
 * a promise is planned anew. */
bool stand_on(struct stand *self, const struct node_order *order, const int ranks[], int count);

/* The verdict on `job`, which arrives: `step` of its deadline is promised, -1 for no promise;
 * without `runs` there are too few GPUs for it. */
struct verdict stand_verdict(const struct stand *self, const struct job *job, bool runs, int step);

/* The pieces of a course that is read are of `courses`; see common/archive.h. */
void stand_archive(struct stand *self, struct archive *archive, const struct job *job,
                   arena_t *courses);

#endif
