/* simulate.c - drives a run without a cluster: every job does what is expected of it, and time jumps from one
 * round to the next. */
#include "scheduler/run/run.h"

static int drive(void *self, run_t *run, struct error *error)
{
    struct decision decision;

    (void)self;
    if (run_begin(run, &decision, error) < 0)
        return -1;
    while (decision.next_s != NEVER_S) {
        const int64_t now_s = decision.next_s;
        struct occurrence *progress;
        long count;

        if (run_stop_asked(run))
            return 1;
        count = engine_expect(run_engine(run), now_s, &progress, error);
        if (count < 0 ||
            run_step(run, now_s, progress, (size_t)count, &decision, error) < 0)
            return -1;
    }
    return 0;
}

int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *error)
{
    static const struct driver simulator = {.drive = drive};

    return run_execute(simulation, &simulator, result, error);
}
