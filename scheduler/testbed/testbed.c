/* testbed.c - see testbed.h. */
#include "scheduler/testbed/testbed.h"

#include "common/failpoint.h"
#include "common/log.h"
#include "common/privileges.h"
#include "protocol/timing.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/progress.h"
#include "scheduler/testbed/driver.h"

#include <stdio.h>
#include <string.h>

/* ---- the state ---- */

#define OVER "over" /* document of a finished run: the folder of its results */

static int check_not_over(journal_t *journal, const char *folder, struct error *error)
{
    const char *where;
    const int got = journal_get(journal, "run", OVER, &where, error);

    if (got <= 0)
        return got;
    return error_set(error, "%s: the run is over%s%s; name another folder for another run", folder,
                     *where ? ", its results are in " : "", where);
}

/* Checks that an option has the value that it had when the run began. */
static int settle(journal_t *journal, const char *folder, const char *option, const char *now,
                  struct error *error)
{
    const char *then;
    const int got = journal_get(journal, "option", option, &then, error);

    if (got == 0)
        return journal_put(journal, "option", option, now, error);
    if (got < 0 || !strcmp(then, now))
        return got < 0 ? -1 : 0;
    return error_set(error, "%s: is the state of a run with --%s=%s, not %s", folder, option, then,
                     *now ? now : "without it");
}

static int settle_options(journal_t *journal, const struct testbed *testbed,
                          const struct simulation *simulation, struct error *error)
{
    const char *folder = testbed->state;
    char scale[32];

    (void)snprintf(scale, sizeof(scale), "%.17g", testbed->time_scale);
    if (settle(journal, folder, "name", testbed->name, error) < 0 ||
        settle(journal, folder, "fastforward", testbed->fast_forward ? "True" : "False", error) <
            0 ||
        settle(journal, folder, "time_scale", scale, error) < 0)
        return -1;
    return settle(journal, folder, "log_path", simulation->log_path ? simulation->log_path : "",
                  error);
}

static int check_state(journal_t *journal, const struct testbed *testbed,
                       const struct simulation *simulation, struct error *error)
{
    if (check_not_over(journal, testbed->state, error) < 0 || journal_begin(journal, error) < 0)
        return -1;
    if (settle_options(journal, testbed, simulation, error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}

/* Marks the run as over, so that its results are written once. */
static int close_run(journal_t *journal, const struct simulation *simulation, struct error *error)
{
    const char *where = simulation->log_path ? simulation->log_path : "";

    (void)FAILPOINT("results-written");
    if (journal_begin(journal, error) == 0 && journal_put(journal, "run", OVER, where, error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}

/* ---- the run ---- */

static int run(const struct testbed_setting *setting, const struct simulation *simulation,
               struct simulation_result *result, struct error *error)
{
    testbed_driver_t *self = testbed_driver_new(setting, error);
    const struct driver driver = {.self = self,
                                  .is_real = !simulation->only_check,
                                  .journal = setting->journal,
                                  .open = testbed_open,
                                  .drive = testbed_drive,
                                  .attend = testbed_attend,
                                  .close = testbed_close};
    int status;

    if (!self)
        return -1;
    status = run_execute(simulation, &driver, result, error);
    testbed_driver_destroy(&self);
    return status;
}

static int run_with_state(const struct testbed *testbed, struct testbed_setting *setting,
                          const struct simulation *simulation, struct simulation_result *result,
                          struct error *error)
{
    int status = -1;

    setting->journal = journal_open(testbed->state, error);
    if (!setting->journal)
        return -1;
    journal_back_up(setting->journal);
    if (check_state(setting->journal, testbed, simulation, error) == 0)
        status = run(setting, simulation, result, error);
    if (status == 0 && close_run(setting->journal, simulation, error) < 0)
        status = -1;
    (void)FAILPOINT("run-over");
    journal_close(&setting->journal);
    return status;
}

int testbed_settle_user(const struct testbed *testbed, struct error *error)
{
    if (!testbed->user)
        return 0;
    if (privileges_drop(testbed->user, error) < 0)
        return -1;
    return testbed->keys ? privileges_check_folder("keys", testbed->keys, false, error) : 0;
}

int testbed_run(const struct testbed *testbed, const struct simulation *simulation,
                struct simulation_result *result, struct error *error)
{
    struct testbed_setting setting = {
        .master = {.address = testbed->master,
                   .keys = testbed->keys,
                   .name = testbed->name,
                   .heartbeat_ms = HEARTBEAT_MS_DEFAULT},
        .fast_forward = testbed->fast_forward,
        .time_scale = testbed->time_scale > 0 || testbed->fast_forward ? testbed->time_scale : 1,
        .stop_asked = progress_stop_asked,
    };

    if (policy_check_real(policy_find(simulation->policy), error) < 0 ||
        testbed_settle_user(testbed, error) < 0)
        return -1;
    log_open("scheduler", testbed->name);
    if (!testbed->state || simulation->only_check)
        return run(&setting, simulation, result, error);
    return run_with_state(testbed, &setting, simulation, result, error);
}
