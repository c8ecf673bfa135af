/* lease_book.h - the promises of a policy that lends GPUs by the lease.
 *
 * Time is cut into lease slots of equal length. A job that was accepted has a plan: the slots in
 * which it will hold its GPUs. The book keeps the plans, the GPUs that no plan has taken, and the
 * waiting and the running jobs, in the order in which the policy looks at them.
 *
 * Source: Chronus (SoCC 2021), as the published ElasticFlow artifact keeps it. */
#ifndef REFERENCE_LEASE_BOOK_H
#define REFERENCE_LEASE_BOOK_H

#include "common/error.h"
#include "scheduler/plan/side_table.h"
#include "scheduler/reference/slot_capacity.h"
#include "scheduler/reference/slot_runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a job's deadline; jobs are sorted by this class. */
enum lease_class {
    LEASE_LOWEST = -1, /* the job's deadline cannot be met any more */
    LEASE_ACCEPTED,    /* the job's deadline is promised */
    LEASE_UNACCEPTED,  /* the job's deadline is not promised, but may be met */
    LEASE_BEST_EFFORT, /* the job has no deadline */
};

/* The cost of one start for a job of one GPU, saving and restoring together: minutes in the
 * original, seconds here (CH-Q3). */
#define LEASE_START_S 0.5

/* The urgency of a job that was never looked at. */
#define LEASE_NEVER_LOOKED_AT INT64_MAX

/* A job, from its arrival to its end. */
struct lease {
    const struct job *job;
    enum lease_class class;
    int64_t deadline_s; /* the deadline in force, rounded down to a lease boundary once promised */
    int64_t judged_s;   /* the deadline that the end is compared with (CH-Q7) */
    int64_t estimate_s; /* run time to reckon with, overheads included */
    int64_t need;       /* leases still to be granted */
    size_t first_level; /* the lowest level at which the job may be served */
    size_t last_level;  /* the highest level at which the job may be served */
    bool planned;
    struct slot_runs plan;

    bool running;
    bool ran_before;       /* the job held GPUs when this round began */
    bool ran_before_stage; /* the job held GPUs when this stage of the round began */
    bool held;             /* the job runs on a lease of its plan */
    bool boosted;          /* the job outlived its estimate (CH-Q17) */
    bool out_of_plan;      /* nothing is planned for the job any more */
    bool forced;           /* short leases: the job is run to its end */
    bool withdrawn;        /* a real cluster: the job had a promise that does not hold any more */
    int64_t since_s;       /* the job's time is credited up to here */
    int64_t starts;        /* each start costs an overhead */
    int64_t leases;        /* granted so far */
    int64_t waited_s;      /* seconds credited although the job held nothing (CH-Q1) */
    int64_t urgency;       /* urgency at the last look */
};

/* The ways in which a lease round can make its choice. */
enum lease_method { LEASE_BY_PLAN, LEASE_BY_CLOSED_FORM, LEASE_BY_COMPACTED, LEASE_BY_FULL };
#define LEASE_METHODS 4
#define LEASE_UNASKED (-1)

/* The record of a lease round. */
struct lease_round {
    int objective; /* an enum lease_objective */
    enum lease_method method;
    int answer;     /* an enum milp_answer, or LEASE_UNASKED */
    size_t entries; /* jobs and levels to choose from; a round without entries leaves no record */
    size_t columns; /* of the largest model built, 0 for none */
    size_t rows;
    int64_t granted_gpus;
    bool out_of_memory; /* a solver ran out of memory, or of its memory limit */
    double gap; /* the most that the best choice may be better by: GPUs, if jobs have one level */
    struct error trouble; /* about an answer that is not optimal, or "" */
    double solve_s;       /* wall time */
};

struct lease_list {
    struct lease **items;
    size_t count;
    size_t room;
};

typedef struct lease_book {
    struct lease_list all; /* in the order of opening */
    side_table_t *by_job;  /* struct lease * */
    struct lease_list pending;
    struct lease_list running;
    struct slot_capacity capacity; /* less the GPUs that plans of accepted jobs take */
    int64_t gpu_count;
    int64_t unaccepted; /* jobs counted as unaccepted; their number picks the objective (CH-Q5) */
    int64_t looked_s;   /* the time of the policy's last look at the book */
    struct lease_round round; /* the last lease round */
    bool round_held;          /* a lease round was held in this round of the engine */
    struct slot_runs given_up;
} lease_book_t;

/* A book of `gpu_count` GPUs that promises nothing. */
lease_book_t *lease_book_new(int gpu_count);
void lease_book_destroy(lease_book_t **self);

/* Opens a lease for `job`, which has none. */
struct lease *lease_open(lease_book_t *self, const struct job *job);

/* The lease of `job`, a new one if it has none. */
static inline struct lease *lease_of(lease_book_t *self, const struct job *job)
{
    struct lease *lease = *(struct lease **)side_table_at(self->by_job, job);

    return lease ? lease : lease_open(self, job);
}

/* Appends `lease` to a list. */
void lease_list_append(struct lease_list *list, struct lease *lease);

/* Takes out each lease whose job is done, or has failed for good. */
void lease_book_drop_done(lease_book_t *self);

/* Sets the number of GPUs to `gpu_count`. The capacity is below 0 where plans take more GPUs. */
void lease_book_resize(lease_book_t *self, int64_t gpu_count);

/* GPUs that no running job holds. */
int64_t lease_book_free_gpus(const lease_book_t *self);

/* Whether the plan of `lease` counts: `lease` is accepted, still planned for and has leases to
 * come. */
static inline bool lease_is_active(const struct lease *lease)
{
    return lease->class == LEASE_ACCEPTED && !lease->out_of_plan && lease->need > 0;
}

/* Replaces the plan of `lease` by `plan`, or by none. The capacity follows. */
void lease_book_plan(lease_book_t *self, struct lease *lease, const struct slot_runs *plan);
void lease_book_forget_plan(lease_book_t *self, struct lease *lease);

/* Gives up the first `count` slots of the plan of `lease`. */
void lease_book_give_up_first(lease_book_t *self, struct lease *lease, int64_t count);

/* Forgets the slots before `slot`, which are over. */
void lease_book_drop_before(lease_book_t *self, int64_t slot);

/* Seconds that all starts so far cost `lease`. */
double lease_overhead_s(const struct lease *lease);

/* The first second at which a running `lease` is done. */
int64_t lease_end_due_s(const struct lease *lease);

/* Whether `lease`, credited with all time up to `now_s`, is done. If so, `*ended_s` is its end. */
bool lease_is_done(const struct lease *lease, int64_t now_s, double *ended_s);

#endif
