/* trial.c - see trial.h. */
#include "tools/trace_search/trial.h"

#include "common/memory.h"
#include "common/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct trial {
    const struct trial_setting *setting;
    size_t order[WANTED_MAX]; /* the order in which policies are asked, by index in `wanted` */
    int fd;
    char path[64]; /* path under which a reader finds the file in memory */
};

trial_t *trial_new(const struct trial_setting *setting, struct error *error)
{
    trial_t *self = xcalloc(1, sizeof(*self));

    self->setting = setting;
    for (size_t i = 0; i < setting->wanted.count; i++)
        self->order[i] = i;
    self->fd = memfd_create("trace", MFD_CLOEXEC);
    if (self->fd < 0) {
        error_set(error, "no memory for a trace: %s", strerror(errno));
        free(self);
        return NULL;
    }
    (void)snprintf(self->path, sizeof(self->path), "/proc/self/fd/%d", self->fd);
    return self;
}

void trial_destroy(trial_t **self)
{
    if (!*self)
        return;
    (void)close((*self)->fd);
    free(*self);
    *self = NULL;
}

static int write_trace(const trial_t *self, int64_t seed, struct error *error)
{
    struct recipe recipe = self->setting->recipe;
    output_t *output;
    int status;

    recipe.setting.seed = seed;
    if (ftruncate(self->fd, 0) < 0 || lseek(self->fd, 0, SEEK_SET) < 0)
        return error_set(error, "no memory for a trace: %s", strerror(errno));
    output = output_on(self->fd, "a trace in memory");
    status = recipe_write(&recipe, self->setting->table, ',', output, error);
    if (status == 0)
        status = output_commit(&output, error);
    output_destroy(&output);
    return status;
}

/* Runs the policy of `row`. Returns 1 if the counts are those of `row`, 0 if not, -1 with `error`
 * if the policy cannot run. */
static int ask(const trial_t *self, const struct wanted_counts *row, struct error *error)
{
    struct simulation simulation = self->setting->simulation;
    struct simulation_result result;

    simulation.trace = self->path;
    simulation.policy = row->policy;
    simulation.counts_only = true;
    if (simulation_run(&simulation, &result, error) != 0)
        return error_prefix(error, row->policy);
    return result.figures.accepted == row->accepted && result.figures.declined == row->declined;
}

/* Moves a policy that turned a seed down one place forward. In time the policy that turns most
 * seeds down is asked first, and most seeds cost one simulation. */
static void promote(trial_t *self, size_t place)
{
    const size_t promoted = self->order[place];

    if (place == 0)
        return;
    self->order[place] = self->order[place - 1];
    self->order[place - 1] = promoted;
}

int trial_of(trial_t *self, int64_t seed, struct error *error)
{
    const struct wanted *wanted = &self->setting->wanted;
    size_t failed = wanted->count;

    if (write_trace(self, seed, error) < 0)
        return -1;
    for (size_t place = 0; place < wanted->count; place++) {
        const size_t row = self->order[place];
        struct error why;
        const int verdict = ask(self, &wanted->rows[row], &why);

        if (verdict == 0) {
            promote(self, place);
            return 0;
        }
        if (verdict < 0 && row < failed) {
            failed = row;
            *error = why;
        }
    }
    return failed < wanted->count ? -1 : 1;
}
