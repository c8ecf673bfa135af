/* policy.h - how GPUs are shared among jobs: one constant for each policy, found by name.
 *
 * A policy is a pure function of a view and of its own memory: it does no I/O and reads no clock.
 * What it remembers from round to round is made by `open` and freed by `close`. */
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "common/archive.h"
#include "common/error.h"
#include "common/stop.h"
#include "scheduler/admission/admission.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"
#include "scheduler/policies/policy_figures.h"
#include "scheduler/policies/policy_options.h"
#include "scheduler/policies/policy_report.h"
#include "scheduler/policies/stages.h"

#include <stdbool.h>

/* The setting that a policy is told when a run begins. */
struct policy_setting {
    int node_count;
    int gpus_per_node;
    int64_t slot_s;
    const void *rules;       /* as in struct policy */
    const void *options;     /* the settled values of its own, lent; NULL if it has no options */
    const struct stop *stop; /* whether what takes long is to give up; NULL asks nothing */
    const char *command;     /* as in struct policy */
};

/* The terms of a policy's promises: the troubles that they hold against, and the users that they
 * are for. */
struct promise_terms {
    int losses;         /* of nodes at any time */
    double confidence;  /* per cent, against slow trainers; 0: jobs are as fast as profiled */
    const char *shares; /* of users, see state/promise_shares.h; NULL for no limit */
    int64_t horizon_s;  /* that they are shares of */
};

struct policy {
    const char *name;
    const char *alias; /* NULL if it has none */
    const char *summary;
    const char *placement; /* the scheme unless another is asked for; NULL: the usual one */
    int queues;            /* that it sorts jobs into; 0 for none */
    bool fixed_size;       /* a job gets the GPUs that it asks for, or none */
    bool reads_no_tables;  /* of throughputs: it goes by what a trace says of each job */
    bool holds_back;       /* may leave GPUs free for rounds to come while jobs wait for them */
    bool admits;           /* its rounds stand on its own admission: a run can choose no other */
    bool keeps_plan;       /* for its promises */
    bool plans_chains; /* it sees jobs that wait for others to end, and gives them no GPU before */
    bool holds_quotes; /* it gives a quote that is held no GPU, and plans it from its end on */
    bool plans_past_deadlines; /* a deadline before the submission stands as it is stated */
    bool needs_powers;         /* GPU counts that are no powers of two are refused */
    bool own_grants;           /* it may give GPU counts, batch sizes and rates that no table has */
    bool mixes_types;          /* it knows pools; otherwise it is refused on a cluster of several */
    const char *command; /* the program that decides, external/external.h; NULL if it is none */

    const struct policy_options *options; /* of this policy; NULL for none */

    /* The terms that values of the options set for promises; NULL if no option concerns them. */
    struct promise_terms (*terms)(const void *values);

    /* The memory of the policy, from the start of a run to its end; NULL for none. */
    void *(*open)(const struct policy_setting *setting);
    void (*close)(void *memory);

    /* Remembers that `job` is promised its deadline, though it planned nothing for it yet: it does
     * so in the next round. NULL if it remembers no promises. */
    void (*promise)(void *memory, const struct job *job);

    /* Whether `job` can go on with the `count` GPUs of `ranks`, rising and counted through all
     * nodes, which another version had given it; then its memory has the job there. With a `count`
     * of 0 the job holds none. Whatever was planned for the job is planned anew. NULL if it
     * remembers neither plans nor places. */
    bool (*stands)(void *memory, const struct job *job, const int ranks[], int count);

    /* Learns from `job`, which is over, done or not: it is in no view any more. NULL if it learns
     * nothing. */
    void (*learn)(void *memory, const struct job *job);

    /* Writes its memory or reads it back, after a round, `live` being the jobs that are live then;
     * see common/archive.h. NULL where it has none, or where that cannot be. */
    void (*archive)(void *memory, struct archive *archive, struct job *const live[], size_t count);

    const struct admission *admission; /* unless a run chooses another one */
    prove_fn *prove;                   /* for admission; NULL if it never asks */

    /* The seconds that a start, resize or move to `grant` costs `job`. NULL: as the artifact has
     * it, see plan/prices.h. */
    int (*price_s)(const void *memory, const struct job *job, const struct grant *grant);

    /* The most GPUs that `job` may use on `gpu_type`. */
    int (*gpus_max)(const struct job *job, const char *gpu_type);

    /* Decides over all jobs of `view`, arrivals included. The plan is empty, or holds the shares
     * that proved an admission and stand. Returns -1 with `error` if the policy cannot go on. */
    int (*allocate)(const struct view *view, plan_t *plan, struct error *error);

    /* The verdict that the arrival at `place` of the view would get with this round: the policy
     * remembers nothing of that, and may be asked again. NULL if the policy cannot say so. */
    struct verdict (*ask)(const struct view *view, size_t place);

    /* The queue that `job` is in, 0 serves first. NULL without queues. */
    int (*queue_of)(void *memory, const struct job *job);

    /* Whether what it decided last may hang on elapsed time, as the choice of a solver with a limit
     * does. NULL: it never does. */
    bool (*by_clock)(const void *memory);

    /* Figures of its own, and the function that fills in a zeroed struct of them when a run is
     * over. NULL for none. */
    const struct policy_figures *figures;
    void (*count)(const void *memory, void *figures);

    /* The files that the policy reports beside those of every run; NULL for none. */
    const struct policy_report *report;

    struct stages stages;
    const void *rules; /* of its own, found in views; NULL for none */
};

/* The policy called `name`, or the program that it names (external/external.h); NULL if there is
 * none. */
const struct policy *policy_find(const char *name);

/* The policies of the table in its order, NULL beyond the last. */
const struct policy *policy_at(size_t index);

/* The admission of a run that asks for the one called `asked`, or for that of the policy with NULL.
 * NULL, with `error`, if the policy cannot have it. */
const struct admission *policy_admission(const struct policy *self, const char *asked,
                                         struct error *error);

/* All names and aliases, ended with NULL. */
const char *const *policy_names(void);

/* The same, and what stands for all programs, for the options of runs that may have one. */
const char *const *policy_choices(void);

/* Whether its rounds count slots, which a slot of 0 s does not have. */
bool policy_counts_slots(const struct policy *self);

/* -1, with `error`, if the policy knows one pool only and `cluster`, of a file called `name` or
 * NULL, has several. */
int policy_check_pools(const struct policy *self, const struct cluster_spec *cluster,
                       const char *name, struct error *error);

/* -1, with `error`, if a real cluster cannot be told what the policy gives. */
int policy_check_real(const struct policy *self, struct error *error);

/* The pool for a job of fixed size, `free_gpus` being those of each: the one that it is in while it
 * holds GPUs, else the first in which it can run; -1 if they are too few there. */
int policy_pool_for(const struct view *view, const struct job *job, const int free_gpus[]);

/* The largest GPU count up to which the throughput table has a rate for the job: a cap for policies
 * that know no better. */
int policy_gpus_measured(const struct job *job, const char *gpu_type);

/* The GPU count that the trace asks for: the cap of policies that do not resize jobs. */
int policy_gpus_requested(const struct job *job, const char *gpu_type);

/* The smallest GPU count with the highest rate, 64 GPUs and the batch size being the most. */
int policy_gpus_fastest(const struct job *job, const char *gpu_type);

#endif
