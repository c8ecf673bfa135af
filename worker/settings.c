/* settings.c - see settings.h. */
#include "worker/settings.h"

#include "common/option_places.h"
#include "common/options.h"
#include "common/output.h"
#include "common/privileges.h"
#include "executor/faults.h"
#include "executor/launch.h"
#include "executor/run_folder.h"
#include "protocol/process_name.h"
#include "protocol/timing.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORT_MAX     65535
#define RUN_DIR_MODE 0711

static const struct command described = {.name = "worker"};

int worker_settings_fail(const struct error *error)
{
    return options_fail(&described, error);
}

bool worker_settings_emulate_training(const struct worker_settings *self)
{
    if (strcmp(self->workload, "auto") != 0)
        return !strcmp(self->workload, "emulated");
    return !self->program;
}

/* Makes the run folder. A worker that runs programs of several users gets a folder that these
 * users can enter, whatever the umask; an existing folder stays as it is. */
static int settle_run_dir(struct worker_settings *self, struct error *error)
{
    static char folder[PATH_MAX];
    const int made = output_make_folder(self->run_dir, error);

    if (made < 0)
        return error_prefix(error, "--run-dir");
    if (!realpath(self->run_dir, folder) || access(folder, W_OK | X_OK) < 0)
        return error_set(error, "--run-dir: %s: %s", self->run_dir, strerror(errno));
    if (self->check)
        output_remove_folders(self->run_dir, made);
    else if (made > 0 && privileges_run_others())
        (void)chmod(folder, RUN_DIR_MODE);
    else if (privileges_run_others())
        run_folder_close(folder);
    self->run_dir = folder;
    return 0;
}

/* Makes the checks that the table cannot state, and completes settings from this machine. */
static int check(struct worker_settings *self, struct error *error)
{
    static char host[HOST_NAME_MAX + 1];
    struct faults faults;

    if (self->user && privileges_drop_but_run_others(self->user, error) < 0)
        return -1;
    if (!self->name) {
        if (gethostname(host, sizeof(host)) < 0)
            return error_set(error, "--name is missing: this node has none: %s", strerror(errno));
        self->name = host;
    }
    if (process_name_check(self->name, error) < 0)
        return error_prefix(error, "--name");
    if (self->emulate && self->real_gpus)
        return error_set(error, "--real-gpus and --emulate exclude each other");
    if (strcmp(self->workload, "command") == 0 && !self->program)
        return error_set(error, "--workload=command needs --program=FILE");
    if (self->program && launch_check(self->program, self->python, error) < 0)
        return error_prefix(error, "--program");
    if (faults_read(self->faults, 0, 0, &faults, error) < 0)
        return -1;
    return settle_run_dir(self, error);
}

int worker_settings_parse(struct worker_settings *self, int argc, char **argv, int *status)
{
    static const char *const kinds[] = {"auto", "emulated", "command", NULL};
    const struct option_spec options[] = {
        OPTION_LETTER_TEXT('i', "master-ip", "ADDRESS", &self->master_address,
                           "where the master listens"),
        OPTION_LETTER_WHOLE('P', "master-port", "PORT", &self->master_port, 1, PORT_MAX,
                            "on which port the master listens"),
        OPTION_LETTER_WHOLE(
            'p', "port", "PORT", &self->port, 1, PORT_MAX,
            "first of the ports at which ranks of a job meet if its rank 0 is on this node"),
        OPTION_LETTER_WHOLE(
            'n', "gpus", "COUNT", &self->gpu_count, 0, 1024,
            "how many GPUs this node gives, 0 for all it has; where it has fewer, those; if it has "
            "none that can be found, as many are made up until its driver shows some"),
        OPTION_LETTER_TEXT('A', "group-address", "ADDRESS", &self->group_address,
                           "taken for the artifact's sake: the master says where ranks meet"),
        OPTION_LETTER_WHOLE('g', "group-port", "PORT", &self->group_port, 1, PORT_MAX,
                            "taken for the artifact's sake, likewise"),
        OPTION_LETTER_WHOLE(
            'w', "group-world", "COUNT", &self->group_world, 0, 65536,
            "taken for the artifact's sake: the master knows how many GPUs all nodes have"),
        OPTION_LETTER_TEXT('r', "run-dir", "DIR", &self->run_dir,
                           "folder of checkpoints and logs, the same on all nodes"),
        OPTION_LETTER_TEXT('x', "python", "PROGRAM", &self->python,
                           "what runs a program whose name ends in .py"),
        OPTION_SWITCH("dynamic_requests", &self->dynamic_requests,
                      "taken for the artifact's sake: jobs always come as they are planned"),
        OPTION_WHOLE("scheduler_port", "PORT", &self->scheduler_port, 1, PORT_MAX,
                     "taken for the artifact's sake: only the master talks to the scheduler"),
        OPTION_TEXT("scheduler_addr", "ADDRESS", &self->scheduler_address,
                    "taken for the artifact's sake, likewise"),
        OPTION_TEXT("name", "NAME", &self->name,
                    "name of this node, another one for each worker; without it that of the host"),
        OPTION_TEXT(
            "address", "ADDRESS", &self->address,
            "address under which other nodes reach this one; without it the address on the way to "
            "the master"),
        OPTION_TEXT("keys", "DIR", &self->keys,
                    "folder with the keys of this node, needed if the master is on another one"),
        OPTION_TEXT("user", "NAME", &self->user,
                    "become this user, where root starts it, with no more rights than it takes to "
                    "run programs of jobs as their users, but for root"),
        OPTION_TEXT("gpu-type", "TYPE", &self->gpu_type,
                    "type of the GPUs, as the cluster file of the scheduler names it; also to look "
                    "speeds up that the master does not know"),
        OPTION_TEXT("throughputs", "DIR", &self->throughputs,
                    "folder of the tables in which they are looked up"),
        OPTION_CHOICE(
            "workload", "KIND", &self->workload, kinds,
            "what trainers run: the program of --program, or an emulation of training; auto "
            "takes the program if there is one"),
        OPTION_TEXT("program", "FILE", &self->program,
                    "the training program and its arguments, one a line; {model}, {batch_size}, "
                    "{iterations}, {step}, {job}, {name}, {checkpoint_dir} and {rank} in them are "
                    "replaced; see rubato-launch(7)"),
        OPTION_TEXT("pass-env", "NAMES", &self->pass_env,
                    "variables to pass on to programs besides PATH, HOME, LANG, TZ, LC_* and "
                    "RUBATO_*, with commas between them"),
        OPTION_REAL("grace", "SECONDS", &self->grace_s, 0, 86400,
                    "how long a program may take to save its state when it is asked to stop"),
        OPTION_REAL("stable-after", "SECONDS", &self->stable_after_s, 0, 86400,
                    "how long a program that says nothing runs before it counts as training"),
        OPTION_WHOLE("checkpoint-interval", "SECONDS", &self->checkpoint_every_s, 0, 1000000000,
                     "between the checkpoints of a job, 0 for none but those of stops: of an "
                     "emulated one in emulated time, of a program that understands SIGUSR1; longer "
                     "where they would take more than a twentieth of the time"),
        OPTION_WHOLE("log-limit", "MIB", &self->log_mib, 1, 1048576,
                     "how much is kept of what one rank of a program writes"),
        OPTION_SWITCH("emulate", &self->emulate, "never look for real GPUs"),
        OPTION_SWITCH("real-gpus", &self->real_gpus,
                      "end, instead of making GPUs up, if this node has none that can be found"),
        OPTION_SWITCH("check", &self->check,
                      "check all that can be, and stop before anything is started"),
        OPTION_SWITCH("list-gpus", &self->list_gpus,
                      "list the GPUs that the driver shows, a line UUID, MIB for each, and end"),
        OPTION_WHOLE("gpu-memory", "MIB", &self->gpu_memory_mib, 0, 16777216,
                     "memory of each GPU where it cannot be found out, 0 for unknown"),
        OPTION_TEXT("trainer", "FILE", &self->trainer,
                    "the trainer program; without it the one beside this program"),
        OPTION_TEXT("faults", "SPEC", &self->faults, FAULTS_HELP),
        OPTION_END,
    };
    const struct command command = {
        .name = described.name,
        .summary = "Look after the GPUs of one node for a master",
        .text =
            "Starts a trainer for each GPU, and again when one dies. What runs on the GPUs is held "
            "by a lease: cut off from the master, the worker ends it when the lease is over. "
            "SIGTERM "
            "stops everything with a checkpoint, a second one at once.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    *status = 0;
    self->says_type = option_places_has("gpu-type");
    if (parsed > 0)
        return 1;
    if (parsed == 0 && (self->list_gpus || check(self, &error) == 0))
        return 0;
    *status = options_fail(&command, &error);
    return 2;
}
