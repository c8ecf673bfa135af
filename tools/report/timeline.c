/* timeline.c - reads timeline.csv and cluster.csv, and checks them as far as a page must rely on
 * them. */
#include "tools/report/results.h"

#include "common/memory.h"

#include <math.h>
#include <string.h>

static size_t find_pool(const struct results *self, const char *name)
{
    size_t pool = self->pool_count - 1;

    while (pool > 0 && strcmp(self->pools[pool].name, name) != 0)
        pool--;
    return pool;
}

/* Checks the time of a row; `before_s` is the time of the row above. */
static int check_time(const struct results *self, const char *file, int64_t line, int64_t at_s,
                      int64_t before_s, struct error *error)
{
    if (at_s < before_s)
        return results_complain(self, file, line, "the row is earlier than the one before it, at",
                                before_s, error);
    if (at_s > RESULTS_TIME_MAX_S)
        return results_complain(self, file, line, "the row is after the last possible time,",
                                RESULTS_TIME_MAX_S, error);
    return 0;
}

static int take_change(struct results *self, const struct audit_change *given, int64_t before_s,
                       struct error *error)
{
    if (check_time(self, "timeline.csv", given->line, given->at_s, before_s, error) < 0)
        return -1;
    if (given->job == AUDIT_NO_JOB)
        return error_set(error,
                         "%s/timeline.csv:%lld: job \"%s\" is not in the trace of the run; "
                         "--trace names it",
                         self->folder, (long long)given->line, given->id);
    if (given->gpus > self->gpus)
        return results_complain(self, "timeline.csv", given->line,
                                "a job holds more GPUs than there are, which is", self->gpus,
                                error);
    self->changes[self->change_count++] =
        (struct results_change){.at_s = given->at_s,
                                .gpus = given->gpus,
                                .job = given->job,
                                .pool = find_pool(self, given->pool),
                                .reason = given->reason};
    return 0;
}

static int take_use(struct results *self, const struct audit_use *given, int64_t before_s,
                    struct error *error)
{
    const bool known = given->efficiency >= 0 && given->efficiency < 1000;

    if (check_time(self, "cluster.csv", given->line, given->at_s, before_s, error) < 0)
        return -1;
    if (given->gpus_up > self->gpus || given->gpus_used > self->gpus)
        return results_complain(self, "cluster.csv", given->line,
                                "more GPUs than there are, which is", self->gpus, error);
    self->moments[self->moment_count++] =
        (struct results_moment){.at_s = given->at_s,
                                .gpus_up = given->gpus_up,
                                .gpus_used = given->gpus_used,
                                .running = given->jobs_running,
                                .waiting = given->jobs_waiting,
                                .efficiency_ppm = known ? llround(given->efficiency * 1e6) : -1};
    return 0;
}

int results_take_timeline(struct results *self, struct error *error)
{
    const struct audit_case *given = self->given;
    int64_t before_s = 0;

    self->changes = xcalloc(given->change_count + 1, sizeof(*self->changes));
    self->moments = xcalloc(given->use_count + 1, sizeof(*self->moments));
    for (size_t i = 0; i < given->change_count; i++) {
        if (take_change(self, &given->changes[i], before_s, error) < 0)
            return -1;
        before_s = given->changes[i].at_s;
    }
    before_s = 0;
    for (size_t i = 0; i < given->use_count; i++) {
        if (take_use(self, &given->uses[i], before_s, error) < 0)
            return -1;
        before_s = given->uses[i].at_s;
    }
    results_sort_changes(self);
    return 0;
}
