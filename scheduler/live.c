/* live.c - see live.h: `scheduler-live`. */
#include "scheduler/live.h"

#include "scheduler/serve.h"

#include <sys/prctl.h>

/* Names the process `scheduler`, as users, `ps` and `pidof` know it. */
int live_begin(char **words, struct error *error)
{
    (void)words;
    (void)error;
    return prctl(PR_SET_NAME, "scheduler");
}

int live_serve(int argc, char **argv)
{
    return serve_main(argc, argv);
}

int live_run(const struct testbed *testbed, const struct simulation *simulation, char **words,
             struct simulation_result *result, struct error *error)
{
    (void)words;
    return testbed_run(testbed, simulation, result, error);
}
