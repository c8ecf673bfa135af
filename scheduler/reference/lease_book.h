/* lease_book.h - what a policy that lends GPUs by the lease has promised to which job.
 *
 * Time is cut into lease slots of equal length. A job that was accepted has a plan: the slots in
 * which it will hold its GPUs. The book keeps the plans, the GPUs that no plan has taken, and the
 * jobs that wait and those that run, in the order in which the policy looks at them.
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
    LEASE_LOWEST = -1, /* it cannot be met any more */
    LEASE_ACCEPTED,    /* it is promised */
    LEASE_UNACCEPTED,  /* it is not promised, but may be met */
    LEASE_BEST_EFFORT, /* there is none */
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
    int64_t deadline_s; /* the one in force, rounded down to a lease boundary once it is promised */
    int64_t judged_s;   /* the one that the end is compared with (CH-Q7) */
    int64_t estimate_s; /* run time to reckon with, overheads included */
    int64_t need;       /* leases still to be granted */
    size_t first_level; /* the job may be served at this one of its levels */
    size_t last_level;  /* and at all up to this one */
    bool planned;
    struct slot_runs plan;

    bool running;
    bool ran_before;       /* it held GPUs when this round began */
    bool ran_before_stage; /* or this stage of it */
    bool held;             /* it runs on a lease of its plan */
    bool boosted;          /* it outlived its estimate (CH-Q17) */
    bool out_of_plan;      /* nothing is planned for it any more */
    bool forced;           /* short leases: it is run to its end */
    bool withdrawn;        /* a real cluster: it had a promise that does not hold any more */
    int64_t since_s;       /* its time is credited up to here */
    int64_t starts;        /* each costs an overhead */
    int64_t leases;        /* granted so far */
    int64_t waited_s;      /* credited although it held nothing (CH-Q1) */
    int64_t urgency;       /* as of the last look */
};

/* How a lease round came to its choice. */
enum lease_method { LEASE_BY_PLAN, LEASE_BY_CLOSED_FORM, LEASE_BY_COMPACTED, LEASE_BY_FULL };
#define LEASE_METHODS 4
#define LEASE_UNASKED (-1)

/* The record of a lease round. */
struct lease_round {
    int objective; /* an enum lease_objective */
    enum lease_method method;
    int answer;     /* an enum milp_answer, or LEASE_UNASKED */
    size_t entries; /* jobs and levels to choose from; without any there is no record */
    size_t columns; /* of the largest model that was built, 0 for none */
    size_t rows;
    int64_t granted_gpus;
    bool out_of_memory; /* a solver found none, within its limit or at all */
    double gap; /* what is at most missing to the best choice: GPUs, if jobs have one level */
    struct error trouble; /* about an answer that is not optimal, or "" */
    double solve_s;       /* wall time */
};

struct lease_list {
    struct lease **items;
    size_t count;
    size_t room;
};

typedef struct lease_book {
    struct lease_list all; /* in the order in which they were opened */
    side_table_t *by_job;  /* struct lease * */
    struct lease_list pending;
    struct lease_list running;
    struct slot_capacity capacity; /* less what the plans of accepted jobs take */
    int64_t gpu_count;
    int64_t unaccepted;       /* jobs counted as such, which picks the objective (CH-Q5) */
    int64_t looked_s;         /* when the policy looked at the book last */
    struct lease_round round; /* the last one held */
    bool round_held;          /* in this round of the engine */
    struct slot_runs given_up;
} lease_book_t;

/* Nothing is promised on `gpu_count` GPUs. */
lease_book_t *lease_book_new(int gpu_count);
void lease_book_destroy(lease_book_t **self);

/* A lease for `job`, which has none. */
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

/* There are `gpu_count` GPUs from now on. Where plans take more than that, the capacity is below
 * 0. */
void lease_book_resize(lease_book_t *self, int64_t gpu_count);

/* GPUs that no running job holds. */
int64_t lease_book_free_gpus(const lease_book_t *self);

/* Whether a plan of `lease` counts: it is accepted, still planned for and has leases to come. */
static inline bool lease_is_active(const struct lease *lease)
{
    return lease->class == LEASE_ACCEPTED && !lease->out_of_plan && lease->need > 0;
}

/* `plan` becomes the plan of `lease`, or it has none any more. The capacity follows. */
void lease_book_plan(lease_book_t *self, struct lease *lease, const struct slot_runs *plan);
void lease_book_forget_plan(lease_book_t *self, struct lease *lease);

/* The first `count` slots of the plan are given up. */
void lease_book_give_up_first(lease_book_t *self, struct lease *lease, int64_t count);

/* Slots before `slot` are over. */
void lease_book_drop_before(lease_book_t *self, int64_t slot);

/* Seconds that all starts so far cost `lease`. */
double lease_overhead_s(const struct lease *lease);

/* The first second at which a running `lease` is done. */
int64_t lease_end_due_s(const struct lease *lease);

/* Whether `lease`, credited with all time up to `now_s`, is done; if it is, when it was. */
bool lease_is_done(const struct lease *lease, int64_t now_s, double *ended_s);

#endif
