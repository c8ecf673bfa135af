/* serve.c - see serve.h. */
#include "scheduler/serve.h"

#include "common/log.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/admission/admission.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/service/service.h"

#include <stdlib.h>
#include <string.h>

/* The command line and the file of --config. */
struct asked {
    bool serve;
    struct service service;
    struct testbed testbed;
    struct simulation simulation;
    policy_values_t *values;
    const struct option_spec *options;
};

static void list_options(struct asked *self)
{
    const struct option_spec options[] = {
        OPTION_SWITCH("serve", &self->serve, "take jobs from clients instead of a trace"),
        OPTION_TEXT("state", "DIR", &self->service.state,
                    "folder of all that outlives the process; made if it is not there"),
        OPTION_TEXT("socket", "PATH", &self->service.socket,
                    "local socket for clients of this machine (DIR/rubato.sock without it)"),
        OPTION_TEXT("listen", "ADDRESS:PORT", &self->service.listen,
                    "also take clients over TCP, by their keys"),
        OPTION_TEXT("operators", "GROUP", &self->service.operators,
                    "group of this machine: its members may do on the local socket what root may"),
        OPTION_TEXT("runs", "DIR", &self->service.runs,
                    "run folder of the workers, for the logs of jobs"),
        OPTION_WHOLE("user_jobs", "JOBS", &self->service.limits.user_jobs, 0, 1000000000,
                     "jobs of one user that wait, are held or run, at most, 0 for no limit; those "
                     "who operate have none"),
        OPTION_WHOLE("session_requests", "REQUESTS", &self->service.limits.session_requests, 0,
                     1000000,
                     "requests of one session that are not answered yet, at most, 0 for no limit"),
        OPTION_WHOLE("user_quotes", "QUOTES", &self->service.limits.user_quotes, 0, 1000000000,
                     "quotes of one user that are held, at most, 0 for no limit; those who operate "
                     "have none"),
        OPTION_WHOLE("quote_hold", "SECONDS", &self->service.limits.quote_s, 0, 1000000,
                     "for so long a quote is held, at most, 0: none is held"),
        OPTION_TEXT("master", "ADDRESS:PORT", &self->testbed.master, "where the master listens"),
        OPTION_TEXT("keys", "DIR", &self->testbed.keys,
                    "folder of `rubato keys`; a master on another machine, and --listen, need it"),
        OPTION_TEXT("name", "NAME", &self->testbed.name, "of this scheduler, and of its key"),
        OPTION_TEXT("user", "NAME", &self->testbed.user,
                    "become this user for good, where root starts it"),
        OPTION_REAL("time_scale", "FACTOR", &self->testbed.time_scale, 0, 1000000,
                    "seconds of the service's clock to a second of real time, 1 without it: for "
                    "tests with emulated GPUs"),
        OPTION_TEXT("cluster_spec", "FILE", &self->simulation.cluster,
                    "how large the cluster may become, CSV or the name of one that came with "
                    "Rubato, such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("schedule", "POLICY", &self->simulation.policy, policy_names(),
                      "how GPUs are shared among jobs"),
        OPTION_CHOICE("scheme", "SCHEME", &self->simulation.placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &self->simulation.admission, admission_names(),
                      ADMISSION_HELP),
        OPTION_WHOLE("scheduling_slot", "SECONDS", &self->simulation.slot_s, 0, 1000000,
                     "time between rounds at least; 0: whenever something happens"),
        OPTION_WHOLE("restart_threshold", "ROUNDS", &self->simulation.restart_threshold, 0,
                     1000000000, "rounds between restarts of all trainers, 0 for none"),
        OPTION_TEXT("gpu_type", "TYPE", &self->simulation.gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &self->simulation.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTIONS_OF_POLICIES(self->values),
        OPTION_WHOLE("node_mtbf", "SECONDS", &self->service.node_mtbf_s, 0, 1000000000000,
                     "mean time between the failures of a node, as far as is known beforehand: it "
                     "counts like one failure that was seen; 0: nothing is known"),
        OPTION_END,
    };

    self->options = policy_values_join(self->values, options);
}

static void asked_open(struct asked *self)
{
    *self = (struct asked){.serve = true,
                           .service = {.limits = SERVICE_LIMITS_DEFAULT},
                           .testbed = TESTBED_DEFAULT,
                           .simulation = SIMULATION_DEFAULT};
    self->testbed.fast_forward = false;
    self->simulation.policy = SIMULATION_OWN_POLICY;
    self->simulation.slot_s = 0;
    self->simulation.restart_threshold = 0;
    self->values = policy_values_new_of_service('_');
    self->simulation.values = self->values;
    list_options(self);
}

static void asked_close(struct asked *self)
{
    policy_values_destroy(&self->values);
}

static struct command command_of(const struct option_spec *options)
{
    return (struct command){
        .name = "scheduler --serve",
        .summary = "Schedule training jobs that clients submit, and keep what they are promised",
        .text = "Clients are the verbs of rubato: submit, list, show and others. All that is "
                "answered is in the state before it is answered; the same command goes on with it. "
                "SIGHUP reads the file of --config again: the limits count from then on.",
        .options = options,
    };
}

/* ---- the same command read again ---- */

struct again {
    int argc;
    char **argv; /* the command line from before it was parsed */
    struct asked *running;
};

static char **copy_words(int argc, char **argv)
{
    char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));

    for (int i = 0; i < argc; i++)
        copy[i] = argv[i];
    return copy;
}

static bool is_limit(const struct option_spec *option)
{
    static const char *const limits[] = {"user_jobs",  "session_requests", "user_quotes",
                                         "quote_hold", "promise_share",    "promise_horizon"};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (!strcmp(option->name, limits[i]))
            return true;
    return false;
}

/* Tells which settings cannot change while the service runs, and keeps their values. */
static void tell_unchanged(const struct option_spec running[], const struct option_spec fresh[])
{
    for (size_t i = 0; running[i].kind != OPTION_KIND_END; i++)
        if (!is_limit(&running[i]) && !option_same(&running[i], &fresh[i]))
            log_event(&LOG_ABOUT_NOTHING, "not-reloaded", "option=%s cause=%s", running[i].name,
                      log_text("it counts from the next start on"));
}

static void take_limits(const struct again *self, const struct asked *fresh,
                        struct service_limits *limits)
{
    const struct policy *policy = policy_find(self->running->simulation.policy);
    void *values = policy_values_copy(fresh->values, policy);
    const struct promise_terms terms =
        policy->terms ? policy->terms(values) : (struct promise_terms){.losses = 0};

    tell_unchanged(self->running->options, fresh->options);
    *limits = fresh->service.limits;
    limits->shares = terms.shares;
    limits->horizon_s = terms.horizon_s;
    free(values);
}

static int read_again(void *owner, struct service_limits *limits, struct error *error)
{
    const struct again *self = owner;
    char **argv = copy_words(self->argc, self->argv);
    struct operands operands = {NULL, 0};
    struct asked fresh;
    struct command command;
    int status;

    asked_open(&fresh);
    command = command_of(fresh.options);
    status = options_parse(&command, self->argc, argv, &operands, error);
    free(argv);
    free(operands.items);
    if (status < 0)
        options_place(error);
    else
        take_limits(self, &fresh, limits);
    asked_close(&fresh);
    return status < 0 ? -1 : 0;
}

static int run(const struct command *command, const struct service *service,
               const struct testbed *testbed, const struct simulation *simulation)
{
    struct simulation found = *simulation;
    struct error error;

    simulation_find_inputs(&found);
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
    if (service_run(service, testbed, &found, &error) < 0)
        return options_fail(command, &error);
    return 0;
}

int serve_main(int argc, char **argv)
{
    struct asked asked;
    struct again again = {argc, copy_words(argc, argv), &asked};
    struct command command;
    struct operands operands = {NULL, 0};
    struct error error;
    int status;

    asked_open(&asked);
    command = command_of(asked.options);
    asked.service.reload = read_again;
    asked.service.reload_owner = &again;
    status = options_parse(&command, argc, argv, &operands, &error);
    if (status < 0)
        status = options_fail(&command, &error);
    else
        status = status > 0 ? 0 : run(&command, &asked.service, &asked.testbed, &asked.simulation);
    free(again.argv);
    asked_close(&asked);
    return status;
}
