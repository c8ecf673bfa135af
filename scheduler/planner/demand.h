/* demand.h - the GPU time that jobs to come are likely to need: they come as a compound Poisson
 * process, as the last arrivals did, with the error of the rate that these tell. */
#ifndef PLANNER_DEMAND_H
#define PLANNER_DEMAND_H

#include "scheduler/planner/planner.h"
#include "scheduler/state/verdict.h"

/* Number of the last arrivals from which the demand to come is estimated. */
#define DEMAND_ARRIVALS 200

struct arrival {
    uint64_t job;
    int64_t at_s;
    double price;      /* least GPU-seconds that end the job in time */
    double unit_price; /* `price` per unit of the job's value */
    double window_s;   /* time from arrival to deadline */
    double slack_s;    /* time from arrival to the latest start that ends the job in time */
};

/* All zeros: no job came. */
struct demand {
    struct arrival arrivals[DEMAND_ARRIVALS]; /* in any order */
    size_t count;                             /* number of arrivals that are remembered */
};

/* Notes an arrival. A job that is submitted again replaces its earlier arrival. */
void demand_note(struct demand *self, const struct arrival *arrival);

/* Notes `task`, which is seen first. A job that is seen too late counts with what it takes when it
 * is fastest, and only in what slots cost; one that no round could have ended in time does not. */
void demand_hear(struct demand *self, const struct planner *planner, const struct task *task);

/* `job` is over before it is done: what the job does not need any more counts no longer. */
void demand_leave(struct demand *self, const struct job *job);

/* The GPU-seconds that the last arrivals need, by those that `gpus` GPUs have from the oldest of
 * these until the arrivals of now are due: after their mean window, weighed by what they need. Near
 * 1 they cannot all end in time, even if all had been known beforehand. 0 before two jobs came.
 * After the processor demand of Baruah, Rosier and Howell, Real-Time Systems 2, 1990. */
double demand_load(const struct demand *self, const struct view *view, int gpus);

/* How jobs are expected to come. */
struct outlook {
    double lasts;  /* multiple of their time so far for which arrivals go on, with even odds */
    double margin; /* number of standard deviations of their need added to the mean */
};

/* Expected GPU-seconds, for `horizon_s` from the view's now on, of jobs to come of a unit price
 * below `unit_price` to a cluster of `gpus` GPUs. 0 where the arrivals are no evidence that GPU
 * time is scarce: few arrivals, a burst that is short beside the horizon, or arrivals that need
 * little of the GPU time of their stretch or of the horizon. */
double demand_to_come(const struct demand *self, const struct view *view, int gpus,
                      double horizon_s, double unit_price, struct outlook outlook);

/* The GPUs that arrivals of a unit price below `unit_price` need, of those that came before now,
 * from the oldest of these on; zero where none came. */
struct demand_seen demand_seen(const struct demand *self, int64_t now_s, double unit_price);

/* Expected GPU-seconds of jobs to come that a slot from `now_s` on makes late, as they arrive in it
 * and cannot wait for its end. 0 before two jobs came. */
double demand_lost(const struct demand *self, int64_t now_s, double slot_s);

/* See common/archive.h. */
void demand_archive(struct demand *self, struct archive *archive);

#endif
