/* oracle_chronus.h - the decisions of the reference's lease-based scheduler, computed slowly and
 * word by word.
 *
 * The oracle is a transcription of the behavioural specification of `chronus`, sections 1 to 10, 12
 * and 13. Section numbers in the comments are those of the specification. CH-Qnn are its quirks,
 * marked where they occur. Like the rest of the oracle, the transcription shares no code with the
 * project. There is no solver: a run in milp mode ends as ORACLE_CONTESTED at a round that the
 * closed form of section 13 does not settle.
 *
 * Times are whole seconds, except the ends of jobs. */
#ifndef ORACLE_CHRONUS_H
#define ORACLE_CHRONUS_H

#include "oracle.h"

/* In the order in which jobs are sorted. */
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
    long deadline_s; /* absolute, at or after the submission, later for each level */
    long value;      /* in tenths */
};

struct oracle_chronus_job {
    const char *id;
    long submit_s;
    long duration_s; /* duration on `gpus` GPUs */
    int gpus;        /* at least 1 */
    /* A job without a level has the class best effort. A flagged job with a level has another class
     * (CH-Q9). If the quirk is put right, the level of such a job is ignored. */
    bool best_effort;
    const struct oracle_chronus_level *levels;
    size_t level_count;
};

struct oracle_chronus_setting {
    int gpu_count;
    long lease_s;     /* L */
    long check_s;     /* C, a divisor of L and B */
    long admission_s; /* B */
    enum oracle_chronus_mode mode;
    enum oracle_chronus_objective
        objective;    /* in plan mode only the record of a round depends on it */
    unsigned cleaned; /* bits of enum oracle_repair */
    long tick_max;    /* number of ticks after which the run counts as endless */
};

/* A lease round with entries. Each level of a job that may get a lease is an entry, with or without
 * a plan. */
struct oracle_chronus_round {
    long time_s;
    size_t entry_count;
    enum oracle_chronus_objective objective; /* not ORACLE_CHRONUS_ADAPTIVE */
    long granted_gpus;                       /* GPUs of the jobs that got the lease */
};

/* Called during a run. Each function may be NULL. */
struct oracle_chronus_watch {
    void (*round)(void *context, const struct oracle_chronus_round *round);
    /* Called after each tick that is a multiple of L or B, with the indices of the jobs that hold
     * GPUs, in the order of the running list. */
    void (*holders)(void *context, long time_s, const size_t *jobs, size_t job_count);
    void *context;
};

/* The outcome of a job. If `retired_s` is -1, the run ended before the job, whose end, class and
 * deadline are meaningless. */
struct oracle_chronus_job_result {
    double end_s;
    long retired_s; /* tick that sees the end */
    long started_s; /* tick that sees the first start */
    long starts;
    enum oracle_chronus_class class;
    bool has_deadline; /* false for best effort */
    long deadline_s;   /* deadline by which the job is judged, relative to the submission */
    long in_force_s; /* deadline by which the job was scheduled, which differs if CH-Q7 is put right
                      */
    bool missed;     /* false for best effort */
    long estimated_s;
    long leases;
    /* Seconds credited at starts for time without GPUs (CH-Q1). Hence held_s + waited_s -
     * (retired_s - end_s) = duration_s + starts * 0.5 * (1 + log2 gpus). */
    long waited_s;
    long held_s;
};

struct oracle_chronus_result {
    struct oracle_status status;
    size_t admitted;  /* jobs of class ACCEPTED at the end */
    size_t satisfied; /* jobs that met their deadline */
    double ends_sum_s;
    double end_last_s;
    long starts;
    long rounds; /* lease rounds with entries */
    /* Batches whose admitted jobs that wait for their first plan do not pack by themselves, which
     * needs B < L. The reference then asks its solver. The oracle rejects the whole batch. */
    long repairs;
    struct oracle_chronus_job_result *jobs; /* in the order of the input */
    size_t job_count;
};

/* Simulates `jobs`, in the order of the trace file, and fills `result`, which the caller clears. */
void oracle_chronus_run(const struct oracle_chronus_setting *setting,
                        const struct oracle_chronus_job *jobs, size_t job_count,
                        const struct oracle_chronus_watch *watch,
                        struct oracle_chronus_result *result);
void oracle_chronus_result_clear(struct oracle_chronus_result *result);

#endif
