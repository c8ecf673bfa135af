/* steady.c - see steady.h. */
#include "tests/policies/steady.h"

#include "tests/support/test.h"

#include <math.h>

#define MODEL      "resnet50"
#define BATCH_SIZE 64

/* As many iterations as fit: more than one a second, so that the time for them rounds up to
 * that. */
static double iterations_of(const tables_t *a100, const struct steady_job *job)
{
    const struct throughput_row *row = tables_row(a100, MODEL, BATCH_SIZE);

    for (int i = 0; i < row->level_count; i++)
        if (row->gpus[i] == job->gpus)
            return floor(job->seconds * row->iters_per_s[i]);
    fail_msg("nothing was measured on %d GPUs", job->gpus);
    return 0;
}

void steady_world(struct steady_world *self, const char *policy, const tables_t *a100,
                  const struct steady_job *jobs, size_t count)
{
    assert_true(count <= STEADY_JOBS_MAX);
    self->world = (struct world){.policy = policy,
                                 .tables = a100,
                                 .cluster = {1, 1, 4},
                                 .slot_s = 60,
                                 .jobs = self->jobs,
                                 .job_count = count};
    for (size_t i = 0; i < count; i++)
        self->jobs[i] = (struct oracle_job){.id = jobs[i].id,
                                            .row = (int)i,
                                            .submit_s = jobs[i].submit_s,
                                            .iterations = iterations_of(a100, &jobs[i]),
                                            .deadline_s = 1000000,
                                            .model = MODEL,
                                            .batch_size = BATCH_SIZE,
                                            .num_gpu = jobs[i].gpus};
}
