/* generator.h - jobs drawn at random from a seed, in order of arrival.
 *
 * Arrivals are a Poisson process. Run times are log-uniform, in one range, or in two if there are
 * long jobs. GPU counts follow a mix. Models and batch sizes come from a throughput table. A
 * deadline is the submission plus the run time times the tightness, which is uniform in a range.
 * Every job draws one number for each purpose from a stream of that purpose, so that changing one
 * parameter leaves the draws for the others unchanged. The scheme is the scheme of the evaluation
 * of ElasticFlow (ASPLOS 2023), with a tightness of 0.5 to 1.5. */
#ifndef TRACE_TOOLS_GENERATOR_H
#define TRACE_TOOLS_GENERATOR_H

#include "common/error.h"
#include "common/options.h"
#include "scheduler/state/throughput.h"

#include <stdbool.h>
#include <stdint.h>

struct generator_setting {
    int64_t seed;
    int64_t start_s; /* start of the clock; the first job comes one gap later */
    double arrival_interval_s;
    struct option_range duration_s;
    double long_share; /* share of the long jobs, whose run times the next fields give */
    struct option_range long_duration_s;
    struct option_range tightness;
    const char *gpus_mix;
    const char *models; /* separated by commas; NULL for the models of menu.h */
    double best_effort_share;
};

struct generated_job {
    int64_t number; /* number of the job, from 0 */
    int64_t submit_s;
    int64_t deadline_s; /* drawn for best-effort jobs too, which do not use it */
    int64_t iterations;
    int64_t duration_s; /* run time on `gpus` GPUs, at least 1 */
    const struct throughput_row *row;
    int gpus;
    bool best_effort;
};

typedef struct generator generator_t;

/* Makes a generator. `table` must outlive the generator. Returns NULL, with `error` naming the
 * option, if the setting is invalid. */
generator_t *generator_new(const struct generator_setting *setting, const throughput_table_t *table,
                           struct error *error);
void generator_destroy(generator_t **self);

/* Draws the next job. Returns -1, with `error`, if the job exceeds the limits of a trace. */
int generator_next(generator_t *self, struct generated_job *job, struct error *error);

/* Draws the fields that `job` lacks: model, batch size, iterations, deadline, best effort.
 * Submission, duration and GPUs are known. The GPUs are rounded up to the next count of the mix, at
 * most the largest. Returns like generator_next. */
int generator_complete(generator_t *self, struct generated_job *job, struct error *error);

#endif
