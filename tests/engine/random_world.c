/* random_world.c - see random_world.h. */
#include "tests/engine/random_world.h"

#include <stdio.h>
#include <string.h>

int pick(rng_t *rng, int count)
{
    return (int)rng_below(rng, (uint64_t)count);
}

bool chance(rng_t *rng, double probability)
{
    return rng_unit(rng) < probability;
}

size_t pick_rows(rng_t *rng, const tables_t *tables, const struct throughput_row *rows[4])
{
    const throughput_table_t *table = tables_for_engine(tables);
    const bool with_irregular = chance(rng, 0.15);
    const size_t wanted = 1 + rng_below(rng, 4);
    size_t count = 0;

    while (count < wanted) {
        const struct throughput_row *row =
            throughput_row_at(table, rng_below(rng, throughput_count(table)));

        if (with_irregular || strcmp(row->model, "resnet50_cifar10") != 0)
            rows[count++] = row;
    }
    return count;
}

static void shuffle(rng_t *rng, struct oracle_job *jobs, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = rng_below(rng, i);
        const struct oracle_job job = jobs[k];

        jobs[k] = jobs[i - 1];
        jobs[i - 1] = job;
    }
}

void random_world_settle(struct random_world *self, rng_t *rng)
{
    if (chance(rng, 0.3))
        shuffle(rng, self->jobs, self->world.job_count);
    for (size_t i = 0; i < self->world.job_count; i++) {
        (void)snprintf(self->ids[i], sizeof(self->ids[i]), "job-%zu", i);
        self->jobs[i].id = self->ids[i];
        self->jobs[i].row = (int)i;
    }
}
