/* scaling.c - see scaling.h. */
#include "scheduler/state/scaling.h"

#include "common/plural.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool is_regular(const struct scaling *self)
{
    for (int level = 1; level <= self->whole; level++)
        if (!(self->rate[level] > self->rate[level - 1]))
            return false;
    return self->whole > 0;
}

static bool is_complete(const struct scaling *self)
{
    for (int level = 1; level <= self->whole; level++)
        if (!(self->rate[level] > 0))
            return false;
    return self->whole > 0 && self->gpus[1] == 1;
}

void scaling_fill(struct scaling *self, const struct throughput_row *row, int gpus_max,
                  int cluster_gpus)
{
    const int whole_gpus = gpus_max < cluster_gpus ? gpus_max : cluster_gpus;

    assert(gpus_max > 0);
    assert(cluster_gpus > 0);
    *self =
        (struct scaling){.row = row, .gpus_max = gpus_max, .whole_gpus = whole_gpus, .whole = -1};
    for (int i = 0; i < row->level_count && row->gpus[i] <= gpus_max; i++) {
        self->top = i + 1; /* even if the job is slower on this level */
        self->gpus[i + 1] = row->gpus[i];
        self->block[i + 1] = scaling_block(row->gpus[i]);
        self->rate[i + 1] = row->iters_per_s[i];
        /* An empty cell is never ruled out: the artifact looks at it, and aborts. */
        if (isnan(self->rate[i + 1]) && !row->marked_nan[i])
            self->peak[i + 1] = HUGE_VAL;
        else
            self->peak[i + 1] =
                self->rate[i + 1] > self->peak[i] ? self->rate[i + 1] : self->peak[i];
        self->fastest[i + 1] =
            self->rate[i + 1] > self->rate[self->fastest[i]] ? (uint8_t)(i + 1) : self->fastest[i];
        if (self->block[i + 1] <= cluster_gpus)
            self->reach = i + 1;
        if (row->gpus[i] == whole_gpus)
            self->whole = i + 1;
    }
    for (int free_class = 1; free_class < SCALING_CLASSES; free_class++)
        for (int level = 1; level <= self->top; level++)
            if (scaling_class(self->block[level]) <= free_class)
                self->fit[free_class] = (uint8_t)level;
    self->regular = is_regular(self);
    self->complete = is_complete(self);
}

/* Complains of a GPU count of the row, with the place of the count in its file. Returns -1. */
static int complain_of_count(const struct throughput_row *row, int gpus, const char *rest,
                             struct error *error)
{
    char place[512] = "";

    if (row->file)
        (void)snprintf(place, sizeof(place), "%s:%" PRId64 ": ", row->file, row->line);
    return error_set(error,
                     "%smodel %s: GPU counts must be powers of two under this policy, found %d; %s",
                     place, row->model, gpus, rest);
}

int scaling_init(struct scaling *self, const struct throughput_row *row, int gpus_max,
                 int cluster_gpus, struct error *error)
{
    scaling_fill(self, row, gpus_max, cluster_gpus);
    for (int level = 1; level <= self->top && row->level_count > 1; level++)
        if (self->gpus[level] != self->block[level])
            return complain_of_count(row, self->gpus[level],
                                     "fifo, fifo-first-fit and srtf take any", error);
    return 0;
}

bool scaling_is_in_blocks(const struct scaling *self)
{
    return self->gpus[self->top] == self->block[self->top];
}

int scaling_complain_of_size(const struct scaling *self, struct error *error)
{
    return complain_of_count(
        self->row, self->gpus[self->top],
        "fifo, fifo-first-fit and srtf take any, and rubato takes a single one", error);
}

void scaling_init_fixed(struct scaling *self, int gpus)
{
    *self = (struct scaling){.gpus_max = gpus,
                             .top = 1,
                             .reach = 1,
                             .whole_gpus = gpus,
                             .whole = 1,
                             .gpus = {0, gpus},
                             .block = {0, scaling_block(gpus)},
                             .rate = {0, NAN}};
}

int scaling_complain(const struct scaling *self, int level, struct error *error)
{
    if (level < 0)
        return error_set(error,
                         "model %s, batch size %d: the throughput table has no column for %d "
                         "GPU%s, the most that such a job may use on this cluster",
                         self->row->model, self->row->batch_size, self->whole_gpus,
                         PLURAL(self->whole_gpus));
    return error_set(error,
                     "model %s, batch size %d: the throughput table has no usable rate on %d GPUs",
                     self->row->model, self->row->batch_size, self->gpus[level]);
}
