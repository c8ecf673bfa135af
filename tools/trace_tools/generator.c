/* generator.c - see generator.h. */
#include "tools/trace_tools/generator.h"

#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/state/submission.h"
#include "tools/trace_tools/gpu_mix.h"
#include "tools/trace_tools/menu.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct generator {
    struct generator_setting setting;
    struct gpu_mix mix;
    menu_t *menu;
    int64_t count;
    double clock_s; /* time since the start of the clock */
    rng_t arrival;
    rng_t duration;
    rng_t length;
    rng_t gpus;
    rng_t model;
    rng_t batch;
    rng_t tightness;
    rng_t best_effort;
};

generator_t *generator_new(const struct generator_setting *setting, const throughput_table_t *table,
                           struct error *error)
{
    const uint64_t seed = (uint64_t)setting->seed;
    generator_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    if (gpu_mix_parse(setting->gpus_mix, &self->mix, error) == 0)
        self->menu = menu_new(table, setting->models, &self->mix, error);
    if (!self->menu) {
        generator_destroy(&self);
        return NULL;
    }
    self->arrival = rng_new(seed, "arrival");
    self->duration = rng_new(seed, "duration");
    self->length = rng_new(seed, "length");
    self->gpus = rng_new(seed, "gpus");
    self->model = rng_new(seed, "model");
    self->batch = rng_new(seed, "batch size");
    self->tightness = rng_new(seed, "tightness");
    self->best_effort = rng_new(seed, "best effort");
    return self;
}

void generator_destroy(generator_t **self)
{
    if (!*self)
        return;
    menu_destroy(&(*self)->menu);
    free(*self);
    *self = NULL;
}

static int64_t at_least_1(double value)
{
    return value < 1.5 ? 1 : llround(value);
}

/* Refuses a time or count that no reader accepts, before it is rounded. */
static int check(const struct generated_job *job, const char *what, double value, double max,
                 const char *options, struct error *error)
{
    if (value <= max)
        return 0;
    return error_set(error, "job %" PRId64 " would have %s of %.4g, more than %g: lower %s",
                     job->number, what, value, max, options);
}

/* Draws the model and the deadline of `job`, which has a number and a duration and arrives at
 * `submit_s`. */
static int draw(generator_t *self, size_t entry, double submit_s, struct generated_job *job,
                struct error *error)
{
    const struct generator_setting *setting = &self->setting;
    const double model_unit = rng_unit(&self->model);
    const double batch_unit = rng_unit(&self->batch);
    const struct choice choice = menu_pick(self->menu, entry, model_unit, batch_unit);
    const double tightness =
        rng_uniform(&self->tightness, setting->tightness.low, setting->tightness.high);
    const double allowed_s = (double)job->duration_s * tightness;
    const double iterations = (double)job->duration_s * choice.rate_iters_per_s;

    job->gpus = self->mix.gpus[entry];
    job->row = choice.row;
    job->best_effort = rng_unit(&self->best_effort) < setting->best_effort_share;
    if (check(job, "a deadline", submit_s + allowed_s + 1, (double)TIME_MAX_S,
              "--start, --arrival-interval, --duration or --tightness", error) < 0 ||
        check(job, "an iteration count", iterations, (double)ITERATIONS_MAX, "--duration", error) <
            0)
        return -1;
    job->submit_s = llround(submit_s);
    job->deadline_s = job->submit_s + llround(allowed_s);
    job->iterations = at_least_1(iterations);
    return 0;
}

int generator_next(generator_t *self, struct generated_job *job, struct error *error)
{
    const struct generator_setting *setting = &self->setting;
    const size_t entry = gpu_mix_pick(&self->mix, rng_unit(&self->gpus));
    const bool is_long = rng_unit(&self->length) < setting->long_share;
    const struct option_range *range = is_long ? &setting->long_duration_s : &setting->duration_s;
    const double drawn_s = rng_log_uniform(&self->duration, range->low, range->high);

    self->clock_s += rng_exponential(&self->arrival, setting->arrival_interval_s);
    job->number = self->count++;
    job->duration_s = at_least_1(drawn_s);
    return draw(self, entry, (double)setting->start_s + self->clock_s, job, error);
}

/* The entry of the mix with the smallest count that is at least `gpus`, or else the entry with the
 * largest count. */
static size_t entry_for(const struct gpu_mix *mix, int gpus)
{
    size_t found = 0;

    for (size_t i = 1; i < mix->count; i++) {
        const bool enough = mix->gpus[i] >= gpus;
        const bool found_enough = mix->gpus[found] >= gpus;

        if (enough != found_enough ? enough : (mix->gpus[i] < mix->gpus[found]) == enough)
            found = i;
    }
    return found;
}

int generator_complete(generator_t *self, struct generated_job *job, struct error *error)
{
    job->number = self->count++;
    return draw(self, entry_for(&self->mix, job->gpus), (double)job->submit_s, job, error);
}
