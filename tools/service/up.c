/* up.c - `rubato up`: starts a service on this machine, in the background. */
#include "common/clock.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/options_print.h"
#include "common/output.h"
#include "common/shell_word.h"
#include "scheduler/policies/policy.h"
#include "scheduler/run/simulation.h"
#include "tools/local/start.h"
#include "tools/service/answer.h"
#include "tools/service/client.h"
#include "tools/service/household.h"
#include "tools/service/household_folders.h"
#include "tools/service/place.h"
#include "tools/verbs.h"
#include "worker/gpus.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GPUS_EMULATED 8
#define GPUS_MOST     1024
#define LOOK_MS       50
#define CONF          "up.conf"

/* A household with the settings that the user chose, and with all settings. */
struct up {
    struct household asked;     /* as the command line and the kept settings have it */
    struct household household; /* with defaults for the settings that `asked` leaves open */
    const char *state;          /* as the user named it; NULL for this user's state folder */
    double timeout_s;
    char folder[PATH_MAX];
    char programs[PATH_MAX];
    char socket[PATH_MAX];
    char throughputs[PATH_MAX];
};

/* ---- folders ---- */

static int settle_paths(struct up *self, struct error *error)
{
    struct household *asked = &self->asked;
    struct household *household = &self->household;

    if (asked->throughputs && !realpath(asked->throughputs, self->throughputs))
        return error_set(error, "--throughputs: %s: %s", asked->throughputs, strerror(errno));
    if (asked->throughputs)
        asked->throughputs = self->throughputs;
    *household = *asked;
    household->state = self->folder;
    household->programs = self->programs;
    if (!household->socket) {
        if (place_socket_of_state(self->folder, self->socket, sizeof(self->socket), error) < 0 ||
            household_folders_socket(self->socket, error) < 0)
            return -1;
        household->socket = self->socket;
    }
    return start_find_programs(self->programs, sizeof(self->programs), error) < 0
               ? -1
               : place_check_socket(household->socket, error);
}

/* ---- GPUs ---- */

/* A number of GPUs that the user chose is emulated. Without a number, real GPUs of the machine are
 * used, if there are any. */
static int settle_gpus(struct up *self, struct error *error)
{
    struct household *household = &self->household;
    struct gpus found;

    household->emulated = household->gpus > 0;
    if (household->emulated)
        return 0;
    if (gpus_find(0, false, 0, &found, error) < 0)
        return -1;
    household->emulated = !gpus_are_real(&found);
    household->gpus = household->emulated ? GPUS_EMULATED : found.count;
    gpus_clear(&found);
    if (household->emulated)
        self->asked.gpus = household->gpus; /* later starts emulate the same number of GPUs */
    return 0;
}

/* ---- rounds ---- */

/* Gives a policy that counts slots the default slot of `scheduler`, if the user chose none. */
static void settle_slot(struct up *self)
{
    const struct simulation defaults = SIMULATION_DEFAULT;
    const struct policy *policy = policy_find(self->household.policy);

    if (self->household.slot_s == 0 && policy && policy_counts_slots(policy))
        self->household.slot_s = defaults.slot_s;
}

/* ---- start ---- */

/* The number of GPUs that are up, -1 if the service does not answer yet. */
static int64_t ask_gpus(const struct household *self)
{
    const struct client_setting setting = {.socket = self->socket, .timeout_s = 1};
    struct error error;
    service_client_t *client = client_new(&setting, &error);
    json_t *document = json_object();
    struct answer answer;
    int64_t gpus = -1;

    if (client && client_ask(client, "status", document, &answer, &error) == 0) {
        struct fields fields = fields_of("status", answer.object);

        gpus = fields_whole(&fields, "gpus_up");
        json_decref(answer.object);
    }
    json_decref(document);
    client_destroy(&client);
    return gpus;
}

/* Waits until the service has GPUs. The scheduler learns of the worker's GPUs some time after its
 * own start. */
static int await_service(const struct up *self, struct error *error)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    const double until_s = clock_s() + self->timeout_s;

    do {
        if (ask_gpus(&self->household) > 0)
            return 0;
        for (int i = 0; i < HOUSEHOLD_MEMBERS; i++)
            if (household_check(&self->household, (enum household_member)i, error) < 0)
                return -1;
        (void)nanosleep(&pause, NULL);
    } while (clock_s() < until_s);
    return error_set(error, "the service does not answer in %g s; its logs are in %s/logs",
                     self->timeout_s, self->folder);
}

/* Refuses to start a household where another scheduler runs, because that scheduler would not use
 * the household's master. */
static int refuse_strangers(const struct household *self, struct error *error)
{
    pid_t stranger;

    if (household_runs(self->state, HOUSEHOLD_SCHEDULER))
        return 0;
    stranger = household_stranger(self->state);
    if (stranger > 0)
        return error_set(error,
                         "%s: is used by process %ld, which `rubato up` did not start; end that "
                         "process first",
                         self->state, (long)stranger);
    return ask_gpus(self) >= 0
               ? error_set(error, "%s: another service is reached there", self->socket)
               : 0;
}

/* Starts the members that do not run. Sets `started` for each. */
static int start(struct up *self, bool started[HOUSEHOLD_MEMBERS], struct error *error)
{
    struct household *household = &self->household;

    if (refuse_strangers(household, error) < 0)
        return -1;
    for (int i = 0; i < HOUSEHOLD_MEMBERS; i++) {
        started[i] = !household_runs(self->folder, (enum household_member)i);
        if (household_start(household, (enum household_member)i, error) < 0)
            return -1;
    }
    return await_service(self, error);
}

static void undo(const struct up *self, const bool started[HOUSEHOLD_MEMBERS])
{
    struct error ignored;

    for (int i = HOUSEHOLD_MEMBERS - 1; i >= 0; i--)
        if (started[i])
            (void)household_end(self->folder, (enum household_member)i,
                                (int)(self->timeout_s * 1000), &ignored);
}

static void tell(const struct up *self, const bool started[HOUSEHOLD_MEMBERS])
{
    const struct household *household = &self->household;
    char found[PATH_MAX];
    struct error ignored;
    bool all = true;
    bool any = false;

    for (int i = 0; i < HOUSEHOLD_MEMBERS; i++) {
        all = all && started[i];
        any = any || started[i];
    }
    if (!any)
        printf("a service already runs at %s\n", household->socket);
    else if (!all)
        printf("the service at %s goes on\n", household->socket);
    else
        printf("a service runs at %s, with %" PRId64 " %sGPUs\n", household->socket,
               household->gpus, household->emulated ? "emulated " : "");
    printf("rubato submit");
    if (place_socket(NULL, found, sizeof(found), &ignored) < 0 ||
        strcmp(found, household->socket) != 0) {
        printf(" --socket ");
        shell_word_print(household->socket, stdout);
    }
    printf(" --model resnet50 --batch-size 256 --iterations 10000 --deadline +3h\n");
}

/* ---- settings, kept in the state folder ---- */

static int keep_settings(const struct up *self, const struct command *command, struct error *error)
{
    char path[PATH_MAX + 16];
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    output_t *file;

    if (!memory)
        memory_out();
    options_print_config(command, memory);
    (void)fclose(memory);
    (void)snprintf(path, sizeof(path), "%s/" CONF, self->folder);
    (void)unlink(path); /* no output may replace a file that was read as an input */
    file = output_new(path, error);
    if (file)
        output_text(file, text);
    free(text);
    return file ? output_commit(&file, error) : -1;
}

static int run(struct up *self, const struct command *command)
{
    bool started[HOUSEHOLD_MEMBERS] = {false};
    struct error error;

    if (settle_paths(self, &error) < 0 || household_lock(self->folder, &error) < 0 ||
        household_folders_give(self->folder, self->household.operators, &error) < 0 ||
        settle_gpus(self, &error) < 0)
        return options_fail(command, &error);
    settle_slot(self);
    if (start_write_cluster(self->folder, 1, self->household.gpus, &error) < 0 ||
        start(self, started, &error) < 0 || keep_settings(self, command, &error) < 0) {
        undo(self, started);
        (void)options_fail(command, &error);
        return 1;
    }
    tell(self, started);
    return 0;
}

/* ---- the command line ---- */

/* Parses the command line again, with the kept settings of earlier starts before its words. */
static int parse_again(struct up *self, const struct command *command, int argc, char **argv,
                       struct operands *operands, struct error *error)
{
    const char *state = self->state;
    char **words = xcalloc((size_t)argc + 2, sizeof(*words));
    char *config = NULL;
    int parsed = 0;

    if (asprintf(&config, "--config=%s/" CONF, self->folder) < 0)
        memory_out();
    words[0] = argv[0];
    words[1] = config;
    memcpy(words + 2, argv + 1, (size_t)argc * sizeof(*words));
    if (access(config + strlen("--config="), F_OK) == 0)
        parsed = options_parse(command, argc + 1, words, operands, error);
    self->state = state;
    free(words);
    free(config);
    return parsed;
}

int verb_up(int argc, char **argv)
{
    const struct simulation defaults = SIMULATION_DEFAULT;
    struct up up = {
        .asked = {.policy = SIMULATION_OWN_POLICY, .gpu_type = defaults.gpu_type, .grace_s = 30},
        .timeout_s = 60,
    };
    struct household *asked = &up.asked;
    const struct option_spec options[] = {
        OPTION_TEXT("state", "DIR", &up.state,
                    "folder of the service; without it that of this user"),
        OPTION_TEXT("socket", "PATH", &asked->socket,
                    "socket of the service; without it rubato.sock in its folder"),
        OPTION_WHOLE("gpus", "COUNT", &asked->gpus, 0, GPUS_MOST,
                     "so many emulated GPUs; 0: those of this machine, or 8 emulated ones if none "
                     "are found"),
        OPTION_TEXT("gpu-type", "TYPE", &asked->gpu_type, "which throughput table to use"),
        OPTION_TEXT("throughputs", "DIR", &asked->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_CHOICE("policy", "POLICY", &asked->policy, policy_names(),
                      "how GPUs are shared among jobs"),
        OPTION_WHOLE("slot", "SECONDS", &asked->slot_s, 0, 1000000,
                     "time between rounds at least; 0: whenever something happens, or 60 s under a "
                     "policy that counts slots"),
        OPTION_REAL("grace", "SECONDS", &asked->grace_s, 0, 86400,
                    "how long a program may take to save its state when it is asked to stop"),
        OPTION_TEXT("pass-env", "NAMES", &asked->pass_env,
                    "further variables to pass on to programs, with commas between them"),
        OPTION_TEXT("operators", "GROUP", &asked->operators,
                    "group of users who may do what root may, and read all logs and checkpoints"),
        OPTION_REAL("time-scale", "FACTOR", &asked->time_scale, 0, 1000000,
                    "seconds of the service's clock to a second of real time, 0 for 1: to try "
                    "things with emulated GPUs"),
        OPTION_REAL("timeout", "SECONDS", &up.timeout_s, 1, 100000,
                    "how long to wait for the service to answer"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato up",
        .summary = "Start a service on this machine",
        .text = "Starts a master, a worker and a scheduler in the background. Those that run "
                "already go on. An option that is not given has the value of the last start. "
                "`rubato down` ends all three.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int parsed = options_parse(&command, argc, argv, &operands, &error);

    if (parsed == 0)
        parsed = household_folders_make(up.state, up.folder, &error);
    if (parsed == 0)
        parsed = parse_again(&up, &command, argc, argv, &operands, &error);
    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    return run(&up, &command);
}
