/* oracle_chronus.h - what the reference's lease-based scheduler does, worked out slowly and word by
 * word.
 *
 * A transcription of the behavioural specification of `chronus`, in its sections 1 to 10, 12 and
 * 13; section numbers in the comments are those of it, CH-Qnn its quirks, marked where they occur.
 * Like the rest of the oracle it shares no code with the project. There is no solver: a run in milp
 * mode ends as ORACLE_CONTESTED where the closed form of section 13 does not settle a round.
 *
 * Times are whole seconds but for the ends of jobs. */
#ifndef ORACLE_CHRONUS_H
#define ORACLE_CHRONUS_H

#include "oracle.h"

/* Ordered, as jobs are sorted by it. */
enum oracle_chronus_class {
    ORACLE_LOWEST = -1,
    ORACLE_ACCEPTED = 0,
    ORACLE_UNACCEPTED = 1,
    ORACLE_BEST_EFFORT = 2,
};

enum oracle_chronus_mode { ORACLE_CHRONUS_PLAN, ORACLE_CHRONUS_MILP };

enum oracle_chronus_objective {
    ORACLE_CHRONUS_ADAPTIVE,
    ORACLE_CHRONUS_MAXIMIZE,
    ORACLE_CHRONUS_MINIMIZE,
};

struct oracle_chronus_level {
    long deadline_s; /* absolute, not before the submission, rising from level to level */
    long value;      /* in tenths */
};

struct oracle_chronus_job {
    const char *id;
    long submit_s;
    long duration_s; /* on `gpus` GPUs */
    int gpus;        /* at least 1 */
    /* A job without a level is of the class best effort. One that is flagged and has a level is not
     * (CH-Q9), unless the quirk is put right; then its level is not looked at. */
    bool best_effort;
    const struct oracle_chronus_level *levels;
    size_t level_count;
};

struct oracle_chronus_setting {
    int gpu_count;
    long lease_s;     /* L */
    long check_s;     /* C, divides L and B */
    long admission_s; /* B */
    enum oracle_chronus_mode mode;
    enum oracle_chronus_objective objective; /* of plan mode only its record is affected */
    unsigned cleaned;                        /* of enum oracle_repair */
    long tick_max;                           /* after that many the run counts as endless */
};

/* A lease round with entries: one entry per level of a job that may get a lease, with or without a
 * plan. */
struct oracle_chronus_round {
    long time_s;
    size_t entry_count;
    enum oracle_chronus_objective objective; /* not ORACLE_CHRONUS_ADAPTIVE */
    long granted_gpus;                       /* to the jobs that got the lease */
};

/* Called while a run goes on; either may be NULL. */
struct oracle_chronus_watch {
    void (*round)(void *context, const struct oracle_chronus_round *round);
    /* After each tick that is a multiple of L or B: the indices of the jobs that hold GPUs, in the
     * order of the running list. */
    void (*holders)(void *context, long time_s, const size_t *jobs, size_t job_count);
    void *context;
};

/* What became of a job. If `retired_s` is -1 it had not ended when the run did, and its end, class
 * and deadline mean nothing. */
struct oracle_chronus_job_result {
    double end_s;
    long retired_s; /* the tick that saw the end */
    long started_s; /* the tick that saw it start first */
    long starts;
    enum oracle_chronus_class class;
    bool has_deadline; /* false for best effort */
    long deadline_s;   /* it is judged by, relative to the submission */
    long in_force_s;   /* it was scheduled by: another one if CH-Q7 is put right */
    bool missed;       /* never of best effort */
    long estimated_s;
    long leases;
    /* Credited at starts although it held nothing (CH-Q1). So held_s + waited_s -
     * (retired_s - end_s) = duration_s + starts * 0.5 * (1 + log2 gpus). */
    long waited_s;
    long held_s;
};

struct oracle_chronus_result {
    struct oracle_status status;
    size_t admitted;  /* class ACCEPTED at the end */
    size_t satisfied; /* met their deadline */
    double ends_sum_s;
    double end_last_s;
    long starts;
    long rounds; /* with entries */
    /* Batches at which the admitted jobs that wait for their first plan do not pack by themselves;
     * needs B < L. The reference asks its solver then; here all of such a batch is rejected. */
    long repairs;
    struct oracle_chronus_job_result *jobs; /* in the order given */
    size_t job_count;
};

/* Simulates `jobs`, in the order of the trace file, and fills `result`, which the caller clears. */
void oracle_chronus_run(const struct oracle_chronus_setting *setting,
                        const struct oracle_chronus_job *jobs, size_t job_count,
                        const struct oracle_chronus_watch *watch,
                        struct oracle_chronus_result *result);
void oracle_chronus_result_clear(struct oracle_chronus_result *result);

#endif
