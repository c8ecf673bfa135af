/* simulate.c - drives a run without a cluster: every job does what is expected of it, and time
 * jumps from one round to the next. */
#include "scheduler/run/run.h"

static int drive(void *self, run_t *run, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};
    struct decision decision;

    (void)self;
    if (run_begin(run, NULL, 0, &decision, error) < 0)
        return -1;
    while (decision.next_s != NEVER_S) {
        if (run_stop_asked(run))
            return 1;
        if (run_step(run, decision.next_s, &expected, 1, &decision, error) < 0)
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
