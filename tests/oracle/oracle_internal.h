/* oracle_internal.h - shared by the oracle's own files. Tests include oracle.h only. */
#ifndef ORACLE_INTERNAL_H
#define ORACLE_INTERNAL_H

#include "oracle.h"

#include <setjmp.h>

/* A call of the oracle: the two numbers that every formula needs, the memory of the call, and the
 * way out when the reference would abort. */
struct oracle_call {
    int gpu_count;
    int slot_s;
    struct oracle_status status;
    struct oracle_block *blocks;
    jmp_buf escape;
};

/* oracle_call.c */

/* Runs `work`, and returns early if it aborts. The outcome is in call->status. */
void oracle_call_run(struct oracle_call *call, void (*work)(void *), void *argument);
void oracle_call_end(struct oracle_call *call); /* frees all memory of the call */

_Noreturn void oracle_abort(struct oracle_call *call, enum oracle_reason reason, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
_Noreturn void oracle_endless(struct oracle_call *call);
_Noreturn void oracle_contested(struct oracle_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* realloc and free for memory of the call. If no memory is left, the process ends. */
void *oracle_resize(struct oracle_call *call, void *old, size_t bytes);
void oracle_free(struct oracle_call *call, void *old);

/* malloc for results, which outlive the call. */
void *oracle_xmalloc(size_t bytes);

struct text {
    char *at;
    size_t length;
    size_t room;
};

void oracle_text_add(struct oracle_call *call, struct text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct oracle_buffer oracle_text_give(const struct text *text);

/* Writes `time_s` as an integer if it is one. */
void oracle_text_add_time(struct oracle_call *call, struct text *text, double time_s);

/* oracle_job.c */

struct job {
    const struct oracle_job *given;
    const struct oracle_table *table; /* NULL if the model has no table */
    const struct oracle_row *row;     /* NULL if the table has no row for the batch size */
    int cap;
    double deadline_s;
    double work_iters;
    int gpus;
    int gpus_next; /* one level up; `gpus` if the job cannot grow */
    double start_s;
    double end_s;      /* as in the event list */
    double end_old_s;  /* time at which the event list still has the end */
    double real_end_s; /* neither aligned nor with overhead; only the EF policies use it */
    bool has_real_end;
    double overhead_s;
    bool cached; /* the cache knows the job's interval of ranks */
    struct oracle_steps plan;
    double gain_s;
    struct oracle_steps candidate_timeline; /* plan and free GPUs if the job grew by a level */
    struct oracle_steps candidate_plan;
    double candidate_end_s;
    double candidate_real_end_s;
    struct oracle_steps edf_plan; /* planned, but not adopted yet */
    double edf_end_s;
    struct node_set *nodes; /* NULL if the job is not placed */

    /* Fields of the baselines, whose jobs hold `gpus` GPUs or none. Their debts are in
     * overhead_s. */
    double ran_s;     /* gandiva: credited time; dlas-gpu: attained service */
    bool ever_waited; /* gandiva: found no place once */
    bool is_running;  /* dlas-gpu uses this field and the next two */
    int queue;
    double seen_s;
    double rate; /* themis uses this field and all below */
    double rest_s;
    double past;
    bool was_shared; /* the next two fields are set */
    double work_before;
    double fraction_before;
    double share;
    int slots_run;
};

struct jobs {
    struct job **at;
    size_t count;
    size_t room;
};

void oracle_jobs_append(struct oracle_call *call, struct jobs *list, struct job *job);
void oracle_jobs_append_all(struct oracle_call *call, struct jobs *list, const struct jobs *more);
bool oracle_jobs_have(const struct jobs *list, const struct job *job);
void oracle_jobs_remove(struct jobs *list, const struct job *job);
void oracle_jobs_drop(struct oracle_call *call, struct jobs *list);

/* A stable sort; `before` must be a strict order. */
void oracle_jobs_sort(struct jobs *list, bool (*before)(const struct job *, const struct job *));
bool oracle_job_is_more_urgent(const struct job *a, const struct job *b);
bool oracle_job_arrived_earlier(const struct job *a, const struct job *b);
bool oracle_job_is_larger(const struct job *a, const struct job *b);
bool oracle_job_gains_more(const struct job *a, const struct job *b);

/* oracle_model.c */

/* Finds the job's table and row and derives its cap. */
void oracle_job_resolve(struct oracle_call *call, struct job *job,
                        const struct oracle_tables *tables, enum oracle_policy policy,
                        const char *gpu_type);
int oracle_level_up(struct oracle_call *call, const struct job *job, int gpus);
int oracle_level_down(struct oracle_call *call, const struct job *job, int gpus);

/* The largest column of at most `gpus` GPUs, without regard to the cap. 0 if there is none. */
int oracle_column_down(struct oracle_call *call, const struct job *job, int gpus);
double oracle_rate(struct oracle_call *call, const struct job *job, int gpus);

/* The seconds that `work_iters` iterations take, not rounded and never infinite. */
double oracle_duration(struct oracle_call *call, double work_iters, double rate);
double oracle_ceil(struct oracle_call *call, double time_s);

/* oracle_timeline.c */

double oracle_align(const struct oracle_call *call, double origin_s, double time_s);

/* The entry at `time_s`, and the last entry before it. NULL if there is none. */
struct oracle_step *oracle_step_at(const struct oracle_steps *list, double time_s);
struct oracle_step *oracle_step_before(const struct oracle_steps *list, double time_s);
int oracle_gpus_at(struct oracle_call *call, const struct oracle_steps *list, double time_s);

/* Set the entry at `time_s`. A timeline gets a new entry at the place of its time, a plan at its
 * end. */
void oracle_timeline_set(struct oracle_call *call, struct oracle_steps *list, double time_s,
                         int gpus);
void oracle_plan_set(struct oracle_call *call, struct oracle_steps *list, double time_s, int gpus);
void oracle_steps_sort(struct oracle_steps *list);
void oracle_steps_compress(struct oracle_steps *list);
void oracle_steps_assign(struct oracle_call *call, struct oracle_steps *to,
                         const struct oracle_steps *from);
void oracle_steps_drop(struct oracle_call *call, struct oracle_steps *list);
struct oracle_steps oracle_steps_give(const struct oracle_steps *list);

/* oracle_planner.c and oracle_edf.c */

/* Plan one job, or the whole list in the order of deadlines on an empty timeline. Write the plans
 * to the jobs and the GPUs that stay free to `timeline`. Return whether all deadlines are met. */
bool oracle_plan_commit(struct oracle_call *call, struct job *job, double now_s,
                        struct oracle_steps *timeline);
bool oracle_edf_commit(struct oracle_call *call, struct job *job, double now_s,
                       struct oracle_steps *timeline);
bool oracle_edf_replan(struct oracle_call *call, struct jobs *list, double now_s,
                       struct oracle_steps *timeline);

/* Plans `job` with gpus_next GPUs from now on, as its candidate, and computes its gain. */
bool oracle_plan_probe(struct oracle_call *call, struct job *job, double now_s,
                       const struct oracle_steps *timeline);

/* oracle_gain.c */

/* Computes job->gain_s and the candidate for growing to job->gpus_next. */
void oracle_gain(struct oracle_call *call, struct job *job, double now_s,
                 const struct oracle_steps *timeline, int spare);

/* oracle_placement.c */

#define ORACLE_LABEL_COUNT 16
extern const int oracle_labels[ORACLE_LABEL_COUNT]; /* ascending */

struct interval {
    int start;
    int length;
};

struct node_sets {
    struct node_set **at;
    size_t count;
    size_t room;
};

struct placement {
    struct oracle_call *call;
    int node_count;
    int gpus_per_node;
    int *ids;                /* by position */
    struct node_set **owner; /* by position; NULL if free */
    int *idle;               /* positions of the free nodes, in the order in which they are taken */
    int idle_count;
    struct node_sets classes[ORACLE_LABEL_COUNT];
    struct interval *cache;
    size_t cache_count;
    size_t cache_room;
};

void oracle_placement_open(struct oracle_call *call, struct placement *self,
                           const struct oracle_cluster *cluster);
void oracle_place(struct placement *self, struct job *job);
void oracle_release(struct placement *self, struct job *job);

/* Sets job->cached of every placed job, and adds the jobs' intervals to the cache. */
void oracle_cache_look(struct placement *self);

/* The used GPUs of the job's node set, and the class that has the set. */
struct oracle_place_step oracle_place_state(const struct job *job);

/* Appends `JOB@RANKxGPUS` for every run of GPUs. */
void oracle_layout_write(const struct placement *self, struct text *text);

/* Appends the runs of GPUs of any cluster. `holders` has an entry for each GPU, NULL for a free
 * one. */
void oracle_layout_write_holders(struct oracle_call *call, const struct job *const *holders,
                                 int gpu_count, struct text *text);

/* oracle_event.c */

struct event {
    long serial; /* 0 for no event */
    double time_s;
    struct jobs starts;
    struct jobs ends;
};

struct events {
    struct event *at;
    size_t count;
    size_t room;
    long serial_last;
};

void oracle_event_add_start(struct oracle_call *call, struct events *events, struct job *job);
void oracle_event_add_end(struct oracle_call *call, struct events *events, struct job *job);
void oracle_event_move_end(struct oracle_call *call, struct events *events, struct job *job);
void oracle_event_add_wakeup(struct oracle_call *call, struct events *events, double time_s);

/* A copy of the event at `time_s`, empty if there is none. */
struct event oracle_event_copy(struct oracle_call *call, const struct events *events,
                               double time_s);
void oracle_event_drop(struct oracle_call *call, struct event *copy);
void oracle_events_remove(struct oracle_call *call, struct events *events, long serial);
void oracle_events_sort(struct events *events);

/* Merges the events that are due within a slot into the first event, and moves on to that event.
 * There must be an event. */
void oracle_events_advance(struct oracle_call *call, struct events *events, double *now_s,
                           double *elapsed_s);

/* oracle_run.c: the common part of all kinds of rounds */

struct run {
    struct oracle_call call;
    const struct oracle_setting *setting;
    const struct oracle_cluster *cluster;
    const struct oracle_tables *tables;
    const struct oracle_job *given;
    size_t job_count;
    long round_max;
    long pass_count;
    struct job *jobs;
    struct events events;
    struct jobs pending; /* admitted, not yet started */
    struct jobs running; /* started, not yet finished, some of them without a GPU */
    struct jobs live;    /* pending and running jobs, in the order that breaks ties */
    struct oracle_steps timeline;
    struct placement placement;
    double now_s;
    double elapsed_s;
    long accepted;
    long declined;
    long rounds;
    struct text jobs_csv;
    struct text rounds_csv;
};

void oracle_run_pass(struct run *run); /* counts a pass of the scheduling loop */
void oracle_run_progress(struct run *run);
void oracle_run_start(struct run *run, struct job *job);
void oracle_run_retire(struct run *run, struct job *job, bool late);

/* Writes the line of a job that has ended. The caller updates the counters. */
void oracle_run_record_end(struct run *run, const struct job *job, double retired_s);

/* Updates the cache and writes the line of the round. All jobs must be placed. */
void oracle_run_record_round(struct run *run);

/* Counts the round, charges the jobs of `charged` unless it is NULL, and moves on to the next
 * event. */
void oracle_run_advance(struct run *run, const struct jobs *charged);

/* oracle_repair.c */
bool oracle_cleaned(const struct run *run, enum oracle_repair repair);

/* oracle_arrival.c: the common part of the baselines (section 1 of their specification). Their
 * events are the arrival queue and have starts only. */

/* Gives every job the GPUs that it asks for, which it keeps for life. */
void oracle_baseline_open(struct run *run);

/* Moves the arrivals within a slot to the end of the slot. The only arrival left keeps its time
 * (CO-Q2). */
void oracle_arrivals_merge(struct run *run);

/* Moves the arrivals within a slot to the end of the slot, even the only one left. */
void oracle_arrivals_merge_all(struct run *run);

/* Takes the jobs that arrive now out of the queue. The caller drops the list. */
struct jobs oracle_arrivals_take(struct run *run);

double oracle_baseline_overhead(const struct run *run, const struct job *job, bool restart);

/* Counts a round. Returns whether it is a restart round. */
bool oracle_baseline_count_round(struct run *run);

/* Takes all jobs off their nodes, in the order of `live` (section 6). */
void oracle_baseline_release(struct run *run);

/* Places the jobs of `running`, which have no nodes, and writes the line of the round. */
void oracle_baseline_place(struct run *run, const struct jobs *running);

/* The whole runs: oracle_ef_round.c, oracle_edf_round.c, oracle_gandiva.c, oracle_dlas.c,
 * oracle_themis.c */

void oracle_run_ef_accessctrl(struct run *run);
void oracle_run_ef(struct run *run);
void oracle_run_edf(struct run *run);
void oracle_run_edf_accessctrl(struct run *run);
void oracle_run_gandiva(struct run *run);
void oracle_run_dlas_gpu(struct run *run);
void oracle_run_themis(struct run *run);

#endif
