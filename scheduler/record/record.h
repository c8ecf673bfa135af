/* clang-format off */
/* record.h - the log of a run: all that the engine was told, and all that it decided.
 *
 * A record is text, a line for each thing, and needs neither trace nor tables to be replayed:
 *
 *   rubato-record 4 by="0.9.0"                   the version of the format, and of the program
 *   setting policy="ef" rules="reference" placement="elastic" gpu_type="A100" slot=60 restart=100
 *                                                admission="everyone" after that, if the run
 *                                                chose one
 *   cluster switches=1 nodes=16 gpus=4           nodes of a switch, GPUs of a node;
 *                                                ` type="T4"` if it is named. A line for each pool
 *   promises objective=value spare-nodes=1 node-loss=700         the options of a policy that has
 *                                                some, in the words of its table (policy_options.h)
 *   check 0123456789abcdef
 *   step 1 at=0
 *   row 0 model="vgg16" batch=128 rates=1:2.5,2:4.5,4:-    before the first job of that row
 *   < submitted 0 id="a" model="vgg16" batch=128 row=0 submit=0 deadline=3600 iterations=500 gpus=2
 *     duration=-1 line=2 levels=3600:10          in one line; done=120 after the iterations of a
 *                                                job that was suspended; "best-effort" follows the
 *                                                id if it is, and rows=0,- the row, of each pool of
 *                                                several; share="bob" of=0.3 horizon=86400 before
 *                                                the levels, for each share that is limited
 *   < as-expected                                of all jobs, exactly as engine_expect gives it
 *   < expected first=0 count=12                  progress exactly as engine_expect gives it
 *   < progress 7 iterations=30 worked=60 pace=0.5 ...
 *   < cancelled 7, suspended, paid, failed, node-up, node-draining, node-gone, timer
 *   < node-up 0 until=1000 again=2000:9000,9900:never   a node that is there again later, from when
 *                                                to when
 *   < taken 7 id="a" ...                         a quote that was held, submitted with quoted=90
 *                                                before its gpus, as the job that it becomes
 *   < eased 7 id="a" ...                         a promised job, with a later deadline
 *   by-clock                                     the decision may hang on the time of a solver
 *   > round=1 ...                                what was decided, see decision_text.h
 *   check 0123456789abcdef                       of all bytes before this line
 *   ...
 *   end 17 over                                  or stopped, or failed because="..."
 *   check 0123456789abcdef
 *
 * The lines of a step are written when it has been decided. */
/* clang-format on */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "common/error.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/policy_options.h"

#include <stdbool.h>
#include <stdint.h>

/* Older versions are read, too. Version 1 does not tell which GPUs a node lacks. Up to version 2 a
 * withdrawn promise, and a job that slips, is called at-risk, and a promise at risk thin-margin. Up
 * to version 3 no node is known to be there again. */
#define RECORD_VERSION 4

/* The setting of a run; the texts are lent. */
struct record_setting {
    const char *policy;
    const char *rules;
    const char *placement;
    const char *admission; /* NULL for the policy's own */
    const char *gpu_type;
    struct cluster_spec cluster;
    int64_t slot_s;
    int64_t restart_threshold;
    const struct policy_options *options; /* options of the policy, NULL for none */
    const void *values;                   /* values of these options, settled */
};

enum record_end { RECORD_OVER, RECORD_STOPPED, RECORD_FAILED };

typedef struct record record_t;

/* Starts the record that will be at `path`, see common/output.h. Without `forced` an existing file
 * stays, see output_claim. `at_once`: each step is written to the file before the next one begins.
 * NULL with `error`. */
record_t *record_new(const char *path, bool forced, const struct record_setting *setting,
                     bool at_once, struct error *error);

/* Records the occurrences that `engine` is about to be told, and returns a copy that the caller
 * must pass to the engine, lent until the next call. */
const struct occurrence *record_occurrences(record_t *self, engine_t *engine, int64_t now_s,
                                            const struct occurrence occurrences[], size_t count);

/* Records the decision, or with a NULL `decision` that the step failed with `error`. `by_clock`:
 * the decision may depend on elapsed time. */
void record_decision(record_t *self, const struct decision *decision, bool by_clock,
                     const struct error *error);

/* Ends the record; `why` is the cause of a failed run. -1, with `error`, if the file could not be
 * written. */
int record_commit(record_t **self, enum record_end end, const char *why, struct error *error);
void record_destroy(record_t **self);

/* Says on stderr where the record of a run is; does nothing if `path` is NULL. */
void record_tell(const char *program, const char *path);

#endif
