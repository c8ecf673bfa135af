/* serve.c - see serve.h. */
#include "scheduler/serve.h"

#include "common/options.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/run/promising_options.h"
#include "scheduler/service/service.h"

#include <string.h>

bool serve_is_asked(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--serve"))
            return true;
    return false;
}

static int run(const struct command *command, const struct service *service,
               const struct testbed *testbed, const struct simulation *simulation)
{
    struct error error;

    if (!service->state) {
        error_set(&error, "--state is missing");
        return options_fail(command, &error);
    }
    if (service->listen && !testbed->keys) {
        error_set(&error, "--listen needs --keys: clients over TCP are known by their keys");
        return options_fail(command, &error);
    }
    if (testbed_settle_user(testbed, &error) < 0)
        return options_fail(command, &error);
    if (service_run(service, testbed, simulation, &error) < 0)
        return options_fail(command, &error);
    return 0;
}

int serve_main(int argc, char **argv)
{
    struct service service = {.limits = SERVICE_LIMITS_DEFAULT};
    struct testbed testbed = TESTBED_DEFAULT;
    struct simulation simulation = SIMULATION_DEFAULT;
    bool serve = true;
    const struct option_spec options[] = {
        OPTION_SWITCH("serve", &serve, "take jobs from clients instead of a trace"),
        OPTION_TEXT("state", "DIR", &service.state,
                    "folder of all that outlives the process; made if it is not there"),
        OPTION_TEXT("socket", "PATH", &service.socket,
                    "local socket for clients of this machine (DIR/rubato.sock without it)"),
        OPTION_TEXT("listen", "ADDRESS:PORT", &service.listen,
                    "also take clients over TCP, by their keys"),
        OPTION_TEXT("runs", "DIR", &service.runs,
                    "run folder of the workers, for the logs of jobs"),
        OPTION_WHOLE("user_jobs", "JOBS", &service.limits.user_jobs, 0, 1000000000,
                     "jobs of one user that wait, are held or run, at most, 0 for no limit; those "
                     "who operate have none"),
        OPTION_WHOLE("session_requests", "REQUESTS", &service.limits.session_requests, 0, 1000000,
                     "requests of one session that are not answered yet, at most, 0 for no limit"),
        OPTION_TEXT("master", "ADDRESS:PORT", &testbed.master, "where the master listens"),
        OPTION_TEXT("keys", "DIR", &testbed.keys,
                    "folder of `rubato keys`; a master on another machine, and --listen, need it"),
        OPTION_TEXT("name", "NAME", &testbed.name, "of this scheduler, and of its key"),
        OPTION_TEXT("user", "NAME", &testbed.user,
                    "become this user for good, where root starts it"),
        OPTION_REAL("time_scale", "FACTOR", &testbed.time_scale, 0, 1000000,
                    "seconds of the service's clock to a second of real time, 1 without it: for "
                    "tests with emulated GPUs"),
        OPTION_TEXT("cluster_spec", "FILE", &simulation.cluster,
                    "how large the cluster may become, CSV or the name of one that came with "
                    "Rubato, such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("schedule", "POLICY", &simulation.policy, policy_names(),
                      "how GPUs are shared among jobs"),
        OPTION_CHOICE("scheme", "SCHEME", &simulation.placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_WHOLE("scheduling_slot", "SECONDS", &simulation.slot_s, 0, 1000000,
                     "time between rounds at least; 0: whenever something happens"),
        OPTION_WHOLE("restart_threshold", "ROUNDS", &simulation.restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none"),
        OPTION_TEXT("gpu_type", "TYPE", &simulation.gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTIONS_OF_PROMISES(&simulation, "_"),
        OPTION_END,
    };
    const struct command command = {
        .name = "scheduler --serve",
        .summary = "Schedule training jobs that clients submit, and keep what they are promised",
        .text = "Clients are the verbs of rubato: submit, list, show and others. All that is "
                "answered is in the state before it is answered; the same command goes on with it.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int parsed;

    testbed.fast_forward = false;
    simulation.policy = SIMULATION_OWN_POLICY;
    simulation.slot_s = 0;
    simulation.restart_threshold = 0;
    parsed = options_parse(&command, argc, argv, &operands, &error);
    if (parsed < 0)
        return options_fail(&command, &error);
    simulation_find_inputs(&simulation);
    return parsed > 0 ? 0 : run(&command, &service, &testbed, &simulation);
}
