/* oracle.h - the decisions of the reference policies, computed slowly and word by word.
 *
 * Tests compare the engine with the oracle: whole simulated runs and single steps of
 * `ef-accessctrl`, `ef`, `edf` and `edf-accessctrl`, and whole runs of the baselines `gandiva`,
 * `dlas-gpu` and `themis`. The oracle is a transcription of the behavioural specifications of the
 * published ElasticFlow artifact, without regard to speed. Section numbers in the comments are
 * those of the specifications. EF-Qnn and, of the baselines, CO-Qn, GA-Qn, TI-Qn and TH-Qn are
 * their quirks, marked where they occur. The oracle shares no code with the project and needs libc
 * and libm only. Compile it with -ffp-contract=off.
 *
 * Times are seconds in doubles. The oracle keeps nothing between calls. Inputs are lent for one
 * call. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>

/* The deadline of a best-effort job, printed as 2^63-1. */
#define ORACLE_FOREVER_S 9223372036854775807.0

#define ORACLE_TEXT_MAX 160

enum oracle_policy {
    ORACLE_EF_ACCESSCTRL,
    ORACLE_EF,
    ORACLE_EDF,
    ORACLE_EDF_ACCESSCTRL,
    ORACLE_GANDIVA,
    ORACLE_DLAS_GPU,
    ORACLE_THEMIS,
};

enum oracle_outcome {
    ORACLE_DONE,
    ORACLE_ABORT,     /* the reference stops with an error, which `reason` and `text` explain */
    ORACLE_ENDLESS,   /* more rounds than the caller allows, which is taken for a livelock */
    ORACLE_CONTESTED, /* a round of `chronus` that only a solver can settle, named by `text` */
};

/* The items of section 19. */
enum oracle_reason {
    ORACLE_NO_REASON,
    ORACLE_BAD_INPUT,   /* a model without a table, a batch size without a row, num_gpu = 0 */
    ORACLE_NO_LEVEL,    /* a GPU count that is no column of the table is needed */
    ORACLE_BAD_CELL,    /* an empty cell is used, or a time is computed from a `0` or `nan` cell */
    ORACLE_NO_PLACE,    /* the placement fails, or the GPU count has no class */
    ORACLE_NOT_PLACED,  /* a job without nodes is released */
    ORACLE_NOT_RUNNING, /* a job that waits or has left ends */
    ORACLE_NO_TIME_PASSED,  /* progress over an interval that is not positive */
    ORACLE_PLAN_CHECK,      /* a check of the planner itself fails */
    ORACLE_NOTHING_COUNTED, /* accepted + declined = 0; counters and records are complete */
};

enum oracle_cell_kind { ORACLE_CELL_NUMBER, ORACLE_CELL_NAN, ORACLE_CELL_EMPTY };

struct oracle_cell {
    enum oracle_cell_kind kind;
    double iters_per_s; /* valid if the cell is a number */
};

struct oracle_row {
    long batch_size;
    const struct oracle_cell *cells; /* one for each level of the table */
};

struct oracle_table {
    const char *model;
    const int *levels; /* GPU counts, ascending */
    size_t level_count;
    const struct oracle_row *rows;
    size_t row_count;
};

struct oracle_cluster {
    int switches;
    int nodes_per_switch;
    int gpus_per_node;
};

struct oracle_job {
    const char *id;
    int row; /* row in the trace file, from 0, which is the job's name in layouts */
    bool best_effort;
    double submit_s;
    double iterations;
    double deadline_s; /* ignored if best_effort */
    const char *model;
    long batch_size;
    long num_gpu;      /* -1 if the trace has no such column; only the baselines need it */
    double duration_s; /* duration on num_gpu GPUs; only the baselines use it */
};

/* The quirks of the baselines and of chronus that a run may correct, one bit each. A comment at the
 * code of each repair explains the repair. For all repairs but those of dlas-gpu the specification
 * gives counts, which the oracle reproduces. */
enum oracle_repair {
    ORACLE_CLEAN_GA_Q1 = 1 << 0,
    ORACLE_CLEAN_GA_Q2 = 1 << 1,
    ORACLE_CLEAN_GA_Q3 = 1 << 2,
    ORACLE_CLEAN_GA_Q4 = 1 << 3,
    ORACLE_CLEAN_GA_Q5 = 1 << 4,
    ORACLE_CLEAN_GA_Q7 = 1 << 5,
    ORACLE_CLEAN_GA_Q8 = 1 << 6,
    ORACLE_CLEAN_GA_Q9 = 1 << 7,
    ORACLE_CLEAN_GA_Q10 = 1 << 8,
    ORACLE_CLEAN_GA_Q11 = 1 << 9,
    ORACLE_CLEAN_TI_Q1 = 1 << 10,
    ORACLE_CLEAN_TI_Q3 = 1 << 11,
    ORACLE_CLEAN_TH_Q1 = 1 << 12,
    ORACLE_CLEAN_TH_Q3 = 1 << 13,
    ORACLE_CLEAN_TH_Q5 = 1 << 14,
    ORACLE_CLEAN_TH_Q6 = 1 << 15,
    ORACLE_CLEAN_CH_Q1 = 1 << 16,
    ORACLE_CLEAN_CH_Q2 = 1 << 17,
    ORACLE_CLEAN_CH_Q6 = 1 << 18,
    ORACLE_CLEAN_CH_Q7 = 1 << 19,
    ORACLE_CLEAN_CH_Q8 = 1 << 20,
    ORACLE_CLEAN_CH_Q9 = 1 << 21,
    ORACLE_CLEAN_CH_Q10 = 1 << 22,
    ORACLE_CLEAN_CH_Q17 = 1 << 23,
    ORACLE_CLEAN_CH_Q18 = 1 << 24,
    ORACLE_CLEAN_TI_Q11 = 1 << 25,
};

/* The bit of the quirk `tag`, 0 if it is none of these quirks. */
unsigned oracle_repair_of(const char *tag);

struct oracle_setting {
    enum oracle_policy policy;
    int slot_s;           /* at least 1 */
    const char *gpu_type; /* chooses the rule for the cap; the caller chooses the tables */
    unsigned cleaned;     /* bits of enum oracle_repair; 0 to follow the reference in everything */
};

struct oracle_tables {
    const struct oracle_table *at;
    size_t count;
};

/* The outcome of a call. */
struct oracle_status {
    enum oracle_outcome outcome;
    enum oracle_reason reason;
    char text[ORACLE_TEXT_MAX];
};

struct oracle_buffer {
    char *text; /* ends with a NUL */
    size_t length;
};

struct oracle_run_result {
    struct oracle_status status;
    long accepted;
    long declined;
    long rounds; /* rounds after which an event is left, as the reference counts them */
    struct oracle_buffer jobs_csv;
    struct oracle_buffer rounds_csv;
};

/* Simulates `jobs`, in the order of the trace file, and fills `result`, which the caller clears.
 *
 * After an abort or an endless run the result has what was counted and written so far.
 *
 * round_max  passes of the scheduling loop after which the run counts as endless */
void oracle_run(const struct oracle_setting *setting, const struct oracle_cluster *cluster,
                const struct oracle_tables *tables, const struct oracle_job *jobs, size_t job_count,
                long round_max, struct oracle_run_result *result);
void oracle_run_result_clear(struct oracle_run_result *result);

/* An entry of a timeline (GPUs free from then on) or of a plan (GPUs held from then on). */
struct oracle_step {
    double time_s;
    int gpus;
};

struct oracle_steps {
    struct oracle_step *at;
    size_t count;
    size_t room;
};

struct oracle_plan_query {
    const struct oracle_tables *tables;
    const char *gpu_type;
    int gpu_count; /* GPUs of the cluster */
    int slot_s;
    const char *model;
    long batch_size;
    int cap; /* largest usable GPU count; 0 for the rule of section 3.6 */
    double now_s;
    double work_iters;
    double deadline_s;
    const struct oracle_step *timeline; /* ascending, the first entry at now_s */
    size_t timeline_count;
    int forced_gpus; /* GPUs to hold now, 0 for a normal planning; the fields below are for forced
                        jobs only */
    int held_gpus;   /* GPUs held before */
    const struct oracle_step *held_plan;
    size_t held_plan_count;
    double held_end_s;
};

struct oracle_plan_result {
    struct oracle_status status;
    bool met;                 /* the deadline is met */
    double end_s;             /* E, or newE of the EDF planner */
    double real_end_s;        /* R; unused by the EDF planner */
    double gain_s;            /* further GPU seconds for each further GPU, in a forced planning */
    struct oracle_steps plan; /* compressed, as a job keeps it */
    struct oracle_steps timeline; /* compressed; GPUs that are free afterwards */
};

/* The deadline planner of the EF policies (section 11). The caller clears `result`. */
void oracle_plan(const struct oracle_plan_query *query, struct oracle_plan_result *result);

/* The planner of the EDF policies (section 14). It takes no forced GPU count. */
void oracle_edf_plan(const struct oracle_plan_query *query, struct oracle_plan_result *result);
void oracle_plan_result_clear(struct oracle_plan_result *result);

struct oracle_place_step {
    int class_label; /* label of the class that has the job's node set, right after the job was
                        placed */
    int used_gpus;   /* used GPUs of that node set, right after the job was placed */
};

struct oracle_place_result {
    struct oracle_status status;
    struct oracle_place_step *steps; /* one for each placed job */
    size_t step_count;
    struct oracle_buffer layout; /* as in rounds.csv, where the index of a job is its name */
};

/* Places jobs of the given sizes one after another on an empty cluster (section 10). The caller
 * clears `result`. If a job finds no place, the result has the jobs placed before. */
void oracle_place_sizes(const struct oracle_cluster *cluster, const int *sizes, size_t size_count,
                        struct oracle_place_result *result);
void oracle_place_result_clear(struct oracle_place_result *result);

#endif
