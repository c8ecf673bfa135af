/* stages.h - how a round is done: a function for each stage. Those that a policy leaves out are
 * done the plain way, which engine/stages.h declares; a policy of our own leaves out all.
 *
 *   expect -> (step) -> credit -> collect -> retire -> admit -> release -> allocate -> adopt
 *          -> place -> charge -> advance
 *
 * Functions that return int return -1 with `error` if the run cannot go on, 0 if it can. */
#ifndef POLICIES_STAGES_H
#define POLICIES_STAGES_H

#include "common/error.h"
#include "scheduler/state/job.h"
#include "scheduler/state/progress.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;

struct stages {
    /* The memory of these stages beside the policy's; given up by `close`. */
    void *(*open)(struct engine *engine);
    void (*close)(void *memory);

    /* The measure that jobs are done by, and the seconds after which a job done by seconds is done.
     */
    enum work_measure measure;
    int64_t (*whole_s)(const struct engine *engine, const struct job *job);

    /* Whether `job` can run at all; gives it its scaling. */
    int (*check)(struct engine *engine, struct job *job, struct error *error);

    /* `job` is going to arrive, at `at_s` or now: at its submission, or later if it waited for
     * other jobs to end. */
    void (*announce)(struct engine *engine, struct job *job, int64_t at_s);

    /* `job` is over before its end: nothing of it is due any more. */
    void (*forget)(struct engine *engine, struct job *job);

    /* The progress of `job`, which holds GPUs, in the interval up to `now_s`, if all goes as
     * planned. */
    int (*expect)(struct engine *engine, const struct job *job, struct interval interval,
                  struct progress *progress, struct error *error);

    /* Enters into the books what it did. */
    void (*credit)(struct engine *engine, struct job *job, const struct progress *progress);

    /* `job` pays so much for its start, resize or move, other than was charged. */
    void (*pay)(struct engine *engine, struct job *job, int overhead_s);

    /* Fills engine->arrivals and engine->due with what is due now. */
    int (*collect)(struct engine *engine, struct error *error);

    /* Ends the jobs of engine->due that are done. */
    int (*retire)(struct engine *engine, struct error *error);

    /* Takes GPUs off jobs before the plan is made; NULL where placement does all. */
    int (*release)(struct engine *engine, struct error *error);

    /* Makes the plan what jobs hold; `adopt_proof` that of an admission, while more are to come. */
    void (*adopt)(struct engine *engine);
    void (*adopt_proof)(struct engine *engine);

    int (*place)(struct engine *engine, struct error *error);

    /* Everything on `node` is lost, and the node with it, or it is there again. NULL: nothing
     * beyond what the engine does. */
    void (*lose_node)(struct engine *engine, int node);
    void (*gain_node)(struct engine *engine, int node);

    /* Each job pays for its start, resize or move, which puts off its end. */
    void (*charge)(struct engine *engine);

    /* When `job` will be done as things stand; NEVER_S if that is open. */
    int64_t (*foresee)(const struct engine *engine, const struct job *job);

    /* Whether `job` keeps its deadline if it is done at `foreseen_s`. */
    bool (*in_time)(const struct engine *engine, const struct job *job, int64_t foreseen_s);

    /* Live jobs that a stage set aside are in engine->live and engine->pending again; NULL if none
     * ever are. Called once something goes otherwise than planned: none may be set aside then. */
    void (*gather)(struct engine *engine);

    /* When the next round is due, in engine->next_s; NEVER_S if nothing is. */
    int (*advance)(struct engine *engine, struct error *error);

    /* Every so many rounds all trainers restart; 0 for never. */
    int64_t (*restart_rounds)(const struct engine *engine);
};

#endif
