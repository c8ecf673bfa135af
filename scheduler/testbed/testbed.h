/* testbed.h - a run on a real cluster: the same inputs, engine and results as a simulation, with a
 * master in the place of the model. */
#ifndef TESTBED_TESTBED_H
#define TESTBED_TESTBED_H

#include "common/options.h"
#include "scheduler/run/simulation.h"

struct testbed {
    const char *master; /* ADDRESS:PORT */
    const char *keys;   /* folder, or NULL */
    const char *name;
    const char *state; /* folder, or NULL */
    const char *user;  /* to become, NULL to stay the one that it is */
    bool fast_forward;
    double time_scale;
};

#define TESTBED_DEFAULT                                                                            \
    {                                                                                              \
        .master = "127.0.0.1:6888", .name = "scheduler", .fast_forward = true, .time_scale = 0     \
    }

/* clang-format off */
#define OPTIONS_OF_TESTBED(testbed)                                                                \
    OPTION_TEXT("master", "ADDRESS:PORT", &(testbed)->master,                                      \
                "testbed: where the master listens"),                                              \
    OPTION_TEXT("keys", "DIR", &(testbed)->keys,                                                   \
                "testbed: folder of `rubato keys`; a master on another machine needs it"),         \
    OPTION_TEXT("name", "NAME", &(testbed)->name, "testbed: of this scheduler, and of its key"),   \
    OPTION_TEXT("state", "DIR", &(testbed)->state,                                                 \
                "testbed: keep the run here, so that the same command goes on with it"),           \
    OPTION_TEXT("user", "NAME", &(testbed)->user,                                                  \
                "testbed: become this user for good, where root starts it"),                       \
    OPTION_SWITCH("fastforward", &(testbed)->fast_forward,                                         \
                  "testbed: once all jobs train, jump to the next event"),                         \
    OPTION_REAL("time_scale", "FACTOR", &(testbed)->time_scale, 0, 1000000,                        \
                "testbed: seconds of the run to a second of real time; without a value 1, and "    \
                "fast-forwarded emulated jobs do not wait at all")
/* clang-format on */

/* Becomes the user that was asked for, before anything is read; -1, with `error`, if that cannot be
 * or that user cannot read the keys. */
int testbed_settle_user(const struct testbed *testbed, struct error *error);

/* Runs `simulation` on the cluster of the master; returns as simulation_run does. With a state it
 * goes on where the run stood; a signal that asks to stop leaves no results then, and the jobs to
 * the master. */
int testbed_run(const struct testbed *testbed, const struct simulation *simulation,
                struct simulation_result *result, struct error *error);

#endif
