/* engine.h - decides which job holds which GPUs: a step function of occurrences.
 *
 * The engine is fed what happened since the last step and gives a decision. It opens no file and no
 * socket, reads no clock and starts no process. Jobs and nodes come and go at any time.
 *
 *   credit -> retire -> admit -> allocate -> adopt -> place -> charge -> advance
 *
 * is one round, see policies/stages.h. A step holds a round if one is due, or if an occurrence
 * calls for one: a submission, a job or node that is lost, progress that is not as expected, a
 * timer. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "common/error.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/occurrence.h"
#include "scheduler/placement/placement.h"
#include "scheduler/planner/survival.h"
#include "scheduler/policies/policy.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/job_table.h"

#include <stdint.h>

struct engine_setting {
    const struct policy *policy; /* lent, like the rest */
    const struct placement *placement;
    struct cluster_spec cluster;
    const char *cluster_name; /* path of the file that describes it, NULL for none */
    const char *gpu_type;     /* of pools without a type of their own */
    int64_t slot_s;
    int64_t restart_threshold; /* rounds between restarts of all trainers, 0 for none */
    const void *options;       /* settled options of the policy alone; NULL for the defaults */
    const struct stop *stop;   /* as in struct policy_setting */
    bool lists_holdings; /* decisions list holdings; unnecessary where nothing is carried out */
    bool sets_aside;     /* decisions may omit live jobs that no round has to look at */
};

/* The progress of a run. */
struct engine_status {
    int64_t now_s;
    int64_t rounds;
    int64_t jobs; /* number of jobs submitted so far */
    int64_t deadline_jobs;
    int64_t live;
    int64_t settled;  /* done, declined, failed or cancelled */
    int64_t accepted; /* the published artifact's counters: with a deadline, started, not found
                         late */
    int64_t declined; /* number of these declined, found late or failed */
    int64_t first_submit_s;
    int64_t last_retired_s;
    int64_t held_gpu_s; /* GPU seconds held */
    bool disturbed;     /* a deviation, or an occurrence outside of the times of rounds, came at any
                           time */
};

typedef struct engine engine_t;

/* An engine without jobs, all nodes of its cluster up. NULL, with `error`, if the policy cannot
 * work on such a cluster. */
engine_t *engine_new(const struct engine_setting *setting, struct error *error);
void engine_destroy(engine_t **self);

/* -1, with `error`, if the policy cannot run `submission`; a step with this submission fails for
 * that reason. */
int engine_check(engine_t *self, const struct submission *submission, struct error *error);

/* One step, at `now_s`, which never goes back. -1, with `error`, where the run cannot go on. */
int engine_step(engine_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count,
                struct decision *decision, struct error *error);

/* The expected progress of the jobs that hold GPUs, up to `now_s`, as OCCURRENCE_PROGRESS in the
 * order of service. Lent until the next engine_expect or engine_step. Returns their number, -1 with
 * `error`. */
long engine_expect(engine_t *self, int64_t now_s, struct occurrence **progress,
                   struct error *error);

/* Whether an occurrence that says that `job` is done ends the job although the job holds no GPU:
 * the job was done before it lost its GPUs. The policies of the reference, whose rounds find ended
 * jobs themselves, accept ends only while a job holds GPUs. */
bool engine_ends_without_gpus(const engine_t *self, const struct job *job);

/* Whether the policy can tell its verdict on an arrival without deciding. */
bool engine_can_ask(const engine_t *self);

/* Has `ask` called with `owner` in the round in which the job with that number arrives, before its
 * verdict. Only within `ask` may engine_ask be called, which returns the verdict for the present
 * submission of the job: all of the submission but its number may have been changed. -1, with
 * `error`, if the policy cannot run such a job. */
typedef void engine_ask_fn(void *owner);
void engine_ask_at_arrival(engine_t *self, uint64_t number, engine_ask_fn *ask, void *owner);
int engine_ask(engine_t *self, struct verdict *verdict, struct error *error);

/* The record of the job with that number, NULL if the job is over or unknown. */
const struct job *engine_job(const engine_t *self, uint64_t number);

/* Whether a job waits for the end of the job with that number, known or not. */
bool engine_awaits(const engine_t *self, uint64_t number);

/* The job with that number, which is live, is promised to end by `deadline_s`, its deadline or a
 * step of it, from now on, without asking the policy: another version has promised it. */
void engine_promise(engine_t *self, uint64_t number, int64_t deadline_s);

/* The measure that jobs are done by. */
/* A job, and the GPUs that it held, rising and counted through all nodes. */
struct taken_over {
    uint64_t job;
    const int *ranks;
    int count; /* at least 1 */
};

/* The jobs hold these GPUs from now on, and other jobs hold none, as another version decided. A job
 * that is not live, or whose GPUs are not all present, holds none. Does nothing if the policy has
 * stages of its own for placement. The next step decides from there. Returns how many jobs hold
 * their GPUs. */
size_t engine_take_over(engine_t *self, const struct taken_over held[], size_t count);

enum work_measure engine_measure(const engine_t *self);

/* engine_rate: the expected iterations/s of `job` on its GPUs. engine_iterations_done: its
 * iterations done. engine_whole_s: the seconds on its GPUs after which a job that is measured in
 * seconds is done. */
double engine_rate(const engine_t *self, const struct job *job);
int64_t engine_iterations_done(const engine_t *self, const struct job *job);
int64_t engine_whole_s(const engine_t *self, const struct job *job);

struct engine_status engine_status(const engine_t *self);

/* The failures of nodes up to `now_s` or the last step, if no failure came since then. A node fails
 * if it is gone that was up and did not drain. Nodes that never came do not count, nor do two or
 * more if these are all that were up: their common network broke, or an operator stopped them
 * all. */
struct failures engine_failures(const engine_t *self, int64_t now_s);

/* The policy's memory, for its reports. */
void *engine_policy_memory(const engine_t *self);

/* The state of the engine, as the decision of a step without occurrences. */
void engine_stands(const engine_t *self, struct decision *decision);

#endif
