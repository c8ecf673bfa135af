/* verb.c - `rubato local`: runs a whole testbed on this machine. */
#include "common/data_file.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/admission/admission.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/result_folder.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/run/simulation.h"
#include "tools/local/crew.h"
#include "tools/local/keeper.h"
#include "tools/local/start.h"
#include "tools/slot_note.h"
#include "tools/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES_MOST 256
#define GPUS_MOST  2048

static const char *const workloads[] = {"auto", "emulated", "command", NULL};

/* ---- folders ---- */

/* Refuses a folder that has files, because a job would take those of an earlier run for its own. */
static int check_empty(const char *path, struct error *error)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = true;

    if (!folder)
        return error_set(error, "--run-dir: %s: %s", path, strerror(errno));
    while ((entry = readdir(folder)))
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    (void)closedir(folder);
    return empty ? 0 : error_set(error, "--run-dir: %s is not empty: each run needs its own", path);
}

/* ---- the run ---- */

static void tell_slot(const struct command *command, const struct crew_setting *setting)
{
    const struct simulation simulation = {.trace = data_file(DATA_TRACES, setting->trace),
                                          .slot_s = setting->slot_s};
    char note[SLOT_NOTE_BYTES];

    if (slot_note(&simulation, note))
        (void)fprintf(stderr, "%s: %s\n", command->name, note);
}

static int run(const struct command *command, struct crew_setting *setting)
{
    char programs[PATH_MAX];
    char temporary[PATH_MAX] = "";
    struct error error;
    int status;

    if (start_find_programs(programs, sizeof(programs), &error) < 0)
        return options_fail(command, &error);
    if (setting->run_dir) {
        if (output_make_folder(setting->run_dir, &error) < 0 ||
            check_empty(setting->run_dir, &error) < 0)
            return options_fail(command, &error);
        setting->logs = setting->run_dir;
    } else {
        if (start_make_temporary(temporary, sizeof(temporary), &error) < 0)
            return options_fail(command, &error);
        setting->run_dir = temporary;
    }
    setting->programs = programs;
    status = keeper_run(crew_run, setting, *temporary ? temporary : NULL, &error);
    if (status == 0 || status == 1)
        tell_slot(command, setting);
    return status < 0 ? options_fail(command, &error) : status;
}

static int check(struct crew_setting *setting, const struct operands *operands, struct error *error)
{
    const bool emulated = !strcmp(setting->workload, "emulated");

    if (!setting->trace && operands->count == 1)
        setting->trace = operands->items[0];
    else if (!setting->trace || operands->count > 0)
        return error_set(error, "expected one trace, found %zu",
                         operands->count + (setting->trace != NULL));
    if (setting->gpus % setting->nodes != 0)
        return error_set(
            error, "--gpus: %" PRId64 " GPUs cannot be shared out equally to %" PRId64 " nodes",
            setting->gpus, setting->nodes);
    if (setting->real_gpus && setting->nodes > 1)
        return error_set(error,
                         "--real-gpus: this machine is one node, and --nodes=%" PRId64
                         " would share its GPUs",
                         setting->nodes);
    if (!setting->program && !strcmp(setting->workload, "command"))
        return error_set(error, "--workload=command needs --program");
    if (setting->program && !emulated)
        setting->fast_forward = false;
    return 0;
}

int verb_local(int argc, char **argv)
{
    const struct simulation defaults = SIMULATION_DEFAULT;
    struct crew_setting setting = {
        .policy = SIMULATION_OWN_POLICY,
        .rules = defaults.rules,
        .gpu_type = defaults.gpu_type,
        .slot_s = defaults.slot_s,
        .restart_threshold = defaults.restart_threshold,
        .values = policy_values_new('-'),
        .gpus = 8,
        .nodes = 1,
        .workload = "auto",
        .grace_s = 30,
        .fast_forward = true,
    };
    const struct option_spec options[] = {
        OPTION_TEXT("trace", "FILE", &setting.trace, "jobs to run, CSV; the operand does as well"),
        OPTION_CHOICE("policy", "POLICY", &setting.policy, policy_choices(),
                      "how GPUs are shared among jobs"),
        OPTION_WORDS("rules", "RULES", &setting.rules, rules_words(),
                     "reference, clean, or the quirks of the reference to put right, with commas "
                     "between them"),
        OPTION_CHOICE("placement", "SCHEME", &setting.placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &setting.admission, admission_names(), ADMISSION_HELP),
        OPTION_WHOLE("gpus", "COUNT", &setting.gpus, 1, GPUS_MOST, "GPUs of all nodes together"),
        OPTION_WHOLE("nodes", "COUNT", &setting.nodes, 1, NODES_MOST,
                     "nodes, each with a worker of its own, among which the GPUs are shared out"),
        OPTION_WHOLE("slot", "SECONDS", &setting.slot_s, 1, 1000000,
                     "length of a scheduling slot" SLOT_NOTE_HELP),
        OPTION_WHOLE("restart-threshold", "ROUNDS", &setting.restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none"),
        OPTION_TEXT("gpu-type", "TYPE", &setting.gpu_type, "which throughput table to use"),
        OPTION_TEXT("throughputs", "DIR", &setting.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTIONS_OF_POLICIES(setting.values),
        OPTION_TEXT("results", "DIR", &setting.results, RESULTS_HELP),
        OPTION_SWITCH("force", &setting.forced, RESULTS_FORCE_HELP),
        OPTION_TEXT("record", "FILE", &setting.record, RECORD_HELP),
        OPTION_SWITCH("json", &setting.json,
                      "print the figures of the run as JSON, and events on standard error"),
        OPTION_SWITCH("fastforward", &setting.fast_forward,
                      "once all jobs train, jump to the next event; never with programs"),
        OPTION_REAL("time-scale", "FACTOR", &setting.time_scale, 0, 1000000,
                    "seconds of the run to a second of real time; 0: without a wait if "
                    "fast-forwarded, otherwise 1"),
        OPTION_CHOICE("workload", "KIND", &setting.workload, workloads,
                      "what trainers run: the program of --program or an emulation of training; "
                      "auto takes the program if there is one"),
        OPTION_TEXT("program", "FILE", &setting.program,
                    "the training program and its arguments, one a line, as for the worker"),
        OPTION_TEXT("python", "PROGRAM", &setting.python,
                    "what runs a program whose name ends in .py (python3 without it)"),
        OPTION_TEXT("pass-env", "NAMES", &setting.pass_env,
                    "further variables to pass on to programs, with commas between them"),
        OPTION_REAL("grace", "SECONDS", &setting.grace_s, 0, 86400,
                    "how long a program may take to save its state when it is asked to stop"),
        OPTION_SWITCH("real-gpus", &setting.real_gpus,
                      "use GPUs of this machine, as one node; otherwise they are emulated"),
        OPTION_TEXT("run-dir", "DIR", &setting.run_dir,
                    "keep checkpoints and the logs of all processes in this folder, which must be "
                    "new or empty"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato local",
        .summary = "Run one policy on a trace with a master, workers and trainers on this machine",
        .operands = "[TRACE]",
        .text =
            "Starts a master, a worker for each node and the scheduler on the loopback interface, "
            "prints a line for each event, and stops everything. The last two lines on standard "
            "output are the numbers of accepted and of declined jobs; with --json it has the "
            "figures and nothing else.",
        .options = policy_values_join(setting.values, options),
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && check(&setting, &operands, &error) < 0)
        status = -1;
    free(operands.items);
    if (status != 0)
        status = status < 0 ? options_fail(&command, &error) : 0;
    else
        status = run(&command, &setting);
    policy_values_destroy(&setting.values);
    return status;
}
