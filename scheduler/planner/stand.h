/* stand.h - the stand of a job with a policy that plans ahead: the facts about the job that the
 * policy remembers from round to round. */
#ifndef PLANNER_STAND_H
#define PLANNER_STAND_H

#include "scheduler/planner/node_order.h"
#include "scheduler/planner/reserve.h"
#include "scheduler/state/verdict.h"

/* The turn of a job that no deadline drives. */
struct turn {
    int64_t since_s;   /* the time since when the job holds GPUs, or waits for some */
    int64_t shrinks_s; /* the time from which the job may shrink for another such job */
};

/* All zero before the first round of the job. */
struct stand {
    bool known;  /* the job has arrived */
    bool quoted; /* the job was a quote that is held in the last round */
    bool best_effort;
    bool runs; /* the job runs on some number of the GPUs that exist */
    bool promised;
    int64_t due_s; /* the job's deadline in its chain while jobs wait for others, else 0 */
    int rank;      /* rank of the first GPU held */
    double margin; /* share of the job's work kept beyond the profile; see struct task */
    double margin_wanted;
    double start_margin; /* share of its changes' cost kept beyond the tariff */
    bool told_speed;     /* the margins of other jobs have learned this job's speed */
    int charged_s; /* cost of the last change while the margins have not learned it; 0: they have */
    struct denial denied; /* why this round denied the job a promise; not archived */
    struct turn turn;
    struct reserve reserve;
    struct course course; /* of a promised job: the GPUs that it is to hold, which end it in time */
};

/* Enters the remembered stand of the job in `task`, which is of a new round. */
void stand_enter(struct task *task);

/* Notes how the job of `task` stands after the round, without its turn and its course. Notes its
 * deadline in its chain only while jobs wait for others, `in_chains`. */
void stand_note(const struct task *task, bool in_chains);

/* Puts the job on the `count` GPUs that the cluster counts as `ranks`, whatever was planned. The
 * course of a promise is then planned anew. False if the ranks are no aligned block of `order`. A
 * `count` of 0 stands for no GPUs. */
bool stand_on(struct stand *self, const struct node_order *order, const int ranks[], int count);

/* The verdict on `job`, which arrives: `step` of its deadline is promised; -1 for no promise.
 * `runs` is false if there are too few GPUs for the job. */
struct verdict stand_verdict(const struct stand *self, const struct job *job, bool runs, int step);

/* Reads or writes the stand; see common/archive.h. The pieces of a course that is read live in
 * `courses`. */
void stand_archive(struct stand *self, struct archive *archive, const struct job *job,
                   arena_t *courses);

#endif
