/* command_start.c - a user's program is made ready and started, as rubato-launch(7) says. */
#include "executor/command.h"

#include "common/log.h"
#include "executor/checkpoint.h"
#include "executor/launch.h"
#include "executor/run_folder.h"
#include "protocol/job_number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_MODE 0640

static bool is_full(int number)
{
    return number == ENOSPC || number == EDQUOT;
}

/* A full disk costs output, not the run. */
static int go_without_log(const struct command_workload *self, const struct error *why)
{
    const struct log_subject subject = workload_subject(&self->base);

    log_event(&subject, "no-log", "cause=%s", log_text(why->text));
    return 0;
}

/* The user that the program runs as, NULL for the user of this process. */
static const struct child_user *user_of(const struct command_workload *self)
{
    return self->user ? own_user_child(self->user) : NULL;
}

/* A log is its user's, and the group of the log can read what the service shows. -1 with errno. */
static int open_for_user(int folder, const char *name, const struct child_user *user)
{
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    int fd = openat(folder, name, flags | O_CREAT | O_EXCL, LOG_MODE);
    const bool made = fd >= 0;
    int number;

    if (!made && errno == EEXIST)
        fd = openat(folder, name, flags);
    if (fd < 0 ||
        ((!made || fchmod(fd, LOG_MODE) == 0) && (!user || run_folder_give(fd, user->uid) == 0)))
        return fd;
    number = errno;
    (void)close(fd);
    errno = number;
    return -1;
}

/* RUN_DIR/logs/job-J.inc-I.rank-R.log, made of numbers only: names are the user's. */
static int open_log(struct command_workload *self, struct error *error)
{
    const struct workload *base = &self->base;
    const char *run_dir = base->setting->run_dir;
    const int folder = run_folder_open(run_dir, "logs", NULL, true, error);
    const char *name;
    int number;

    if (folder < 0)
        return -1;
    (void)snprintf(self->log_path, sizeof(self->log_path),
                   "%s/logs/job-%s.inc-%" PRIu32 ".rank-%" PRId32 ".log", run_dir,
                   job_number_name(base->prepare.run.job).text, base->prepare.run.incarnation,
                   base->rank);
    name = strrchr(self->log_path, '/') + 1;
    self->log = open_for_user(folder, name, user_of(self));
    number = errno;
    (void)close(folder);
    if (self->log >= 0)
        return 0;
    (void)error_set(error, "%s: cannot be written: %s", self->log_path, strerror(number));
    return is_full(number) ? go_without_log(self, error) : -1;
}

int command_make_ready(struct command_workload *self, struct error *error)
{
    const struct executor_setting *setting = self->base.setting;
    const struct child_user *const user = user_of(self);

    if (checkpoint_folder(setting->run_dir, self->base.prepare.run.job, self->checkpoint_dir,
                          sizeof(self->checkpoint_dir), error) < 0 ||
        (user && checkpoint_folder_give(setting->run_dir, self->base.prepare.run.job, user->uid,
                                        error) < 0) ||
        open_log(self, error) < 0)
        return -1;
    self->devices = launch_devices(&self->base.prepare, setting->visible);
    self->socket = progress_socket_new(error);
    if (self->socket && user)
        progress_socket_hear(self->socket, user->uid);
    return self->socket ? 0 : -1;
}

int command_look(struct command_workload *self, struct error *error)
{
    const struct executor_setting *setting = self->base.setting;
    const struct msg_program *const own = self->base.prepare.run.program;
    char **arguments;

    if (own) {
        self->user = own_user_find(own->user, error);
        return self->user ? 0 : -1;
    }
    if (!setting->program)
        return error_set(error, "--workload=command needs --program=FILE");
    arguments = launch_arguments(NULL, setting->program, setting->python, error);
    launch_words_free(arguments);
    return arguments ? 0 : -1;
}

/* ---- the start ---- */

/* The arguments of the program; NULL with `error`. */
static char **arguments_of(const struct command_workload *self, const struct rank_start *launch,
                           struct error *error)
{
    const struct executor_setting *setting = self->base.setting;
    const struct msg_program *const own = self->base.prepare.run.program;

    return own ? own_program_arguments(own, setting->python)
               : launch_arguments(launch, setting->program, setting->python, error);
}

static char **environment_of(const struct command_workload *self, const struct rank_start *launch)
{
    const struct msg_program *const own = self->base.prepare.run.program;
    char **base = own ? own_program_environment(own, self->user, environ) : NULL;
    char **environment = launch_environment(launch, own ? base : environ);

    launch_words_free(base);
    return environment;
}

static const char *folder_of(const struct command_workload *self)
{
    const struct msg_program *const own = self->base.prepare.run.program;

    return own && *own->folder ? own->folder : NULL;
}

int command_start(struct command_workload *self, int64_t step, bool *again, struct error *error)
{
    struct workload *base = &self->base;
    const struct rank_start launch = {
        .prepare = &base->prepare,
        .devices = self->devices,
        .checkpoint_dir = self->checkpoint_dir,
        .progress = progress_socket_address(self->socket),
        .grace_ms = workload_grace_ms(base),
        .step = step,
    };
    char **arguments = arguments_of(self, &launch, error);
    char **environment;
    struct keeper_setting keeper = {
        .argv = arguments,
        .folder = folder_of(self),
        .user = user_of(self),
        .writes_to = self->checkpoint_dir,
        .log = self->log,
        .log_bytes_max = base->setting->log_bytes_max,
        .kept = base->kept,
        .kept_count = WORKLOAD_KEPT,
    };

    if (!arguments)
        return -1;
    environment = environment_of(self, &launch);
    keeper.environment = environment;
    self->keeper = keeper_new(&keeper, again, error);
    launch_words_free(arguments);
    launch_words_free(environment);
    return self->keeper ? 0 : -1;
}
