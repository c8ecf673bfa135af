/* crew.c - see crew.h. */
#include "tools/local/crew.h"

#include "common/child.h"
#include "common/error.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/report/report.h"
#include "tools/local/daemon.h"
#include "tools/local/figures.h"
#include "tools/local/keeper.h"
#include "tools/local/start.h"
#include "tools/local/story.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESULTS_FOLDER "results" /* in the folder of the run, for --json without --results */
#define ENDING_S       10        /* time to end for the processes, beyond the grace of their jobs */
#define SUSPECT_MS     3000      /* time for the scheduler to end after another process has ended */

enum stage {
    STAGE_CHECKING, /* the scheduler, then a worker, checks its options and ends */
    STAGE_STARTING, /* the master does not listen yet */
    STAGE_RUNNING,
    STAGE_ENDING, /* the scheduler has ended or was told to end; the other processes end after it */
    STAGE_STOPPING, /* all processes were told to end */
    STAGE_KILLING,
};

enum { MASTER, SCHEDULER, FIRST_WORKER };

struct crew {
    const struct crew_setting *setting;
    const char *results; /* folder of the scheduler's results, NULL for none */
    struct daemon *daemons;
    int count; /* number of daemons that were started */
    enum stage stage;
    int checks;     /* number of checks that were started */
    int64_t due_ms; /* when the next stage begins; INT64_MAX for never */
    int signals;
    int stopped_by; /* signal that stopped the run, 0 for none */
    char endpoint[128];
    char counts[2 * DAEMON_LINE_BYTES]; /* figures that the scheduler has printed */
    char far[DAEMON_LINE_BYTES];        /* the scheduler's last words on its progress */
    bool suspected; /* a process ended in order while the scheduler still seemed to run; `error`
                       names that process */
    bool failed;
    struct error error;
    struct error unprinted; /* why some output could not be printed; "" if all was printed */
};

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- command lines ---- */

static void say_master(const struct crew *self, struct command_words *words)
{
    words_add(words, "%s/master", self->setting->programs);
    words_add(words, "--port=0");
    words_add(words, "--workers=%" PRId64, self->setting->nodes);
    words_add(words, "--heartbeat=1");
    words_add(words, "--lease=10");
    words_add(words, "--once");
}

static void say_worker(const struct crew *self, int node, struct command_words *words)
{
    const struct crew_setting *setting = self->setting;
    const char *port = strrchr(self->endpoint, ':');

    words_add(words, "%s/worker", setting->programs);
    words_add(words, "--name=node-%d", node);
    words_add(words, "--master-ip=127.0.0.1");
    if (port)
        words_add(words, "--master-port=%s", port + 1);
    words_add(words, "--address=127.0.0.1");
    words_add(words, "--port=%d", start_first_port(node));
    words_add(words, "--gpus=%" PRId64, setting->gpus / setting->nodes);
    words_add(words, "--run-dir=%s", setting->run_dir);
    words_add(words, "--workload=%s", setting->workload);
    words_add(words, "--grace=%g", setting->grace_s);
    words_add(words, setting->real_gpus ? "--real-gpus" : "--emulate");
    words_add_text(words, "program", setting->program);
    words_add_text(words, "python", setting->python);
    words_add_text(words, "pass-env", setting->pass_env);
    words_add_text(words, "gpu-type", setting->gpu_type);
    words_add_text(words, "throughputs", setting->throughputs);
}

/* Adds the policies' options by the names that the scheduler has for them. */
static void say_options(const policy_values_t *values, struct command_words *words)
{
    const struct option_spec *option = NULL;

    while ((option = policy_values_next(values, option))) {
        char *value = option_text(option);
        char *name = xstrdup(option->name);

        for (char *c = name; *c; c++)
            if (*c == '-')
                *c = '_';
        words_add_text(words, name, value);
        free(name);
        free(value);
    }
}

static void say_scheduler(const struct crew *self, struct command_words *words)
{
    const struct crew_setting *setting = self->setting;

    words_add(words, "%s/scheduler", setting->programs);
    words_add(words, "--simulation=False");
    if (*self->endpoint)
        words_add(words, "--master=%s", strstr(self->endpoint, "//") + 2);
    words_add(words, "--cluster_spec=%s/cluster.csv", setting->run_dir);
    words_add_text(words, "trace_file", setting->trace);
    words_add_text(words, "schedule", setting->policy);
    words_add_text(words, "rules", setting->rules);
    words_add_text(words, "scheme", setting->placement);
    words_add_text(words, "admission", setting->admission);
    words_add_text(words, "gpu_type", setting->gpu_type);
    words_add_text(words, "throughputs", setting->throughputs);
    words_add_text(words, "log_path", self->results);
    words_add_text(words, "record", setting->record);
    if (setting->forced)
        words_add(words, "--force");
    words_add(words, "--scheduling_slot=%" PRId64, setting->slot_s);
    words_add(words, "--restart_threshold=%" PRId64, setting->restart_threshold);
    say_options(setting->values, words);
    words_add(words, "--fastforward=%s", setting->fast_forward ? "True" : "False");
    words_add(words, "--print");
    if (setting->time_scale > 0)
        words_add(words, "--time_scale=%.17g", setting->time_scale);
}

/* ---- start ---- */

static int start(struct crew *self, const char *name, const struct command_words *words)
{
    const char *logs = self->stage == STAGE_CHECKING ? NULL : self->setting->logs;

    if (daemon_start(&self->daemons[self->count], name, words->items, logs, &self->error) < 0)
        return -1;
    self->count++;
    return 0;
}

static int start_master(struct crew *self)
{
    struct command_words words = {.memory = arena_new()};
    int result;

    say_master(self, &words);
    result = start(self, "master", &words);
    self->due_ms = now_ms() + (int64_t)ENDING_S * 1000;
    arena_destroy(&words.memory);
    return result;
}

static int start_scheduler(struct crew *self)
{
    struct command_words words = {.memory = arena_new()};
    int result;

    say_scheduler(self, &words);
    result = start(self, "scheduler", &words);
    arena_destroy(&words.memory);
    return result;
}

static int start_worker(struct crew *self, int node)
{
    struct command_words words = {.memory = arena_new()};
    char name[32];
    int result;

    (void)snprintf(name, sizeof(name), "worker-node-%d", node);
    say_worker(self, node, &words);
    result = start(self, name, &words);
    arena_destroy(&words.memory);
    return result;
}

/* Starts a check of a program's inputs, so that a mistake in the trace or in an option is told
 * before there is a cluster. All workers have the same options, so that one of them is enough. */
static int start_check(struct crew *self, const char *name)
{
    struct command_words words = {.memory = arena_new()};
    int result;

    if (!strcmp(name, "scheduler"))
        say_scheduler(self, &words);
    else
        say_worker(self, 0, &words);
    words_add(&words, "--check");
    result = start(self, name, &words);
    arena_destroy(&words.memory);
    return result;
}

/* Starts the next check, or the master after the last check. */
static int start_next(struct crew *self)
{
    static const char *const checked[] = {"scheduler", "worker"};

    self->count = 0;
    if (self->checks < (int)(sizeof(checked) / sizeof(checked[0])))
        return start_check(self, checked[self->checks++]);
    self->stage = STAGE_STARTING;
    return start_master(self);
}

/* ---- the end ---- */

static void enter(struct crew *self, enum stage stage)
{
    const bool has_end = stage == STAGE_ENDING || stage == STAGE_STOPPING;

    if (stage <= self->stage)
        return;
    self->stage = stage;
    self->due_ms =
        has_end ? now_ms() + (int64_t)((self->setting->grace_s + ENDING_S) * 1000) : INT64_MAX;
    if (stage == STAGE_STOPPING)
        daemons_signal(self->daemons, self->count, SIGTERM);
    else if (stage == STAGE_KILLING)
        daemons_signal(self->daemons, self->count, SIGKILL);
}

static void fail(struct crew *self)
{
    self->failed = true;
    enter(self, STAGE_STOPPING);
}

/* Ends the run after a signal. The first signal goes to the scheduler: it takes leave of the
 * master, which ends its workers. A second signal kills all processes. */
static void stop(struct crew *self, int signal)
{
    if (self->stopped_by) {
        enter(self, STAGE_KILLING);
        return;
    }
    self->stopped_by = signal;
    if (self->stage != STAGE_RUNNING || self->count <= SCHEDULER ||
        self->daemons[SCHEDULER].pid == 0) {
        enter(self, STAGE_STOPPING);
        return;
    }
    enter(self, STAGE_ENDING);
    daemon_signal(&self->daemons[SCHEDULER], SIGTERM);
}

static bool ended_well(const struct daemon *daemon)
{
    return WIFEXITED(daemon->status) && WEXITSTATUS(daemon->status) == 0;
}

/* Whether the daemon is a scheduler that has finished its run and says, by exit status 1, that jobs
 * failed. */
static bool has_failed_jobs(const struct crew *self, const struct daemon *daemon)
{
    return self->count > SCHEDULER && daemon == &self->daemons[SCHEDULER] && *self->counts &&
           WIFEXITED(daemon->status) && WEXITSTATUS(daemon->status) == 1;
}

/* Whether the daemon ended too early or with a failure. */
static bool is_failure(const struct crew *self, const struct daemon *daemon)
{
    if (self->stopped_by || self->failed || self->stage >= STAGE_STOPPING)
        return false;
    if (has_failed_jobs(self, daemon))
        return false;
    return !ended_well(daemon) ||
           (self->stage < STAGE_ENDING && daemon != &self->daemons[SCHEDULER]);
}

/* Gives the scheduler some time to end, too. A process that ends with the scheduler may be seen to
 * have ended before it. */
static void suspect(struct crew *self, const struct daemon *daemon)
{
    daemon_explain(daemon, &self->error);
    self->suspected = true;
    enter(self, STAGE_ENDING);
    self->due_ms = now_ms() + SUSPECT_MS;
}

static void checked(struct crew *self, const struct daemon *daemon)
{
    const int result = ended_well(daemon) ? start_next(self) : daemon_repeat(daemon, &self->error);

    if (result < 0)
        fail(self);
}

/* Flushes standard output. The run goes on if that fails, because its results are worth more than
 * its output. */
static void flush(struct crew *self)
{
    struct error error;

    if (output_check_stdout(&error) < 0 && !*self->unprinted.text)
        self->unprinted = error;
}

/* Prints the figures as the scheduler printed them, or as JSON. */
static void print_figures(struct crew *self)
{
    struct error error;

    if (!self->setting->json)
        (void)fputs(self->counts, stdout);
    else if (figures_print(self->results, &error) < 0 && !*self->unprinted.text)
        self->unprinted = error;
    flush(self);
}

static void ended(struct crew *self, const struct daemon *daemon)
{
    if (self->stage == STAGE_CHECKING) {
        checked(self, daemon);
        return;
    }
    if (is_failure(self, daemon)) {
        if (ended_well(daemon) && self->stage == STAGE_RUNNING) {
            suspect(self, daemon);
            return;
        }
        daemon_explain(daemon, &self->error);
        fail(self);
        return;
    }
    if (self->suspected && daemon == &self->daemons[SCHEDULER]) {
        self->suspected = false;
        self->due_ms = now_ms() + (int64_t)((self->setting->grace_s + ENDING_S) * 1000);
    }
    if (self->count > SCHEDULER && daemon == &self->daemons[SCHEDULER] && !self->stopped_by) {
        print_figures(self);
        enter(self, STAGE_ENDING);
    }
}

/* ---- output of the daemons ---- */

static void master_said(struct crew *self, const char *line)
{
    if (self->stage != STAGE_STARTING || !story_is(line, "up") ||
        !story_value(line, "endpoint", self->endpoint, sizeof(self->endpoint)))
        return;
    enter(self, STAGE_RUNNING);
    if (start_scheduler(self) < 0)
        fail(self);
    for (int node = 0; node < self->setting->nodes && !self->failed; node++)
        if (start_worker(self, node) < 0)
            fail(self);
}

static void scheduler_said(struct crew *self, const char *line)
{
    char told[DAEMON_LINE_BYTES];
    char shown[DAEMON_LINE_BYTES];

    if (!story_tell(line, (int)self->setting->gpus, told, sizeof(told)))
        return;
    (void)input_printable(shown, sizeof(shown), told, strlen(told));
    (void)fprintf(self->setting->json ? stderr : stdout, "%s\n", shown);
    flush(self);
    if (story_is(line, "plan"))
        memcpy(self->far, shown, sizeof(shown));
}

static void heard(void *owner, struct daemon *daemon, const char *line, bool is_log)
{
    struct crew *self = owner;
    const size_t used = strlen(self->counts);

    if (is_log && daemon == &self->daemons[MASTER])
        master_said(self, line);
    else if (is_log && daemon == &self->daemons[SCHEDULER])
        scheduler_said(self, line);
    else if (!is_log && daemon == &self->daemons[SCHEDULER])
        (void)snprintf(self->counts + used, sizeof(self->counts) - used, "%s\n", line);
}

/* ---- the loop ---- */

static int timeout_ms(const struct crew *self)
{
    const int64_t left = self->due_ms - now_ms();

    if (self->due_ms == INT64_MAX)
        return -1;
    return left < 0 ? 0 : (int)left;
}

static void overdue(struct crew *self)
{
    if (self->stage == STAGE_STARTING) {
        error_set(&self->error, "the master does not begin to listen");
        fail(self);
        return;
    }
    if (self->suspected) {
        fail(self);
        return;
    }
    enter(self, self->stage + 1);
}

static void read_signal(struct crew *self)
{
    struct signalfd_siginfo info;

    while (read(self->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        stop(self, (int)info.ssi_signo);
}

static void attend(struct crew *self, struct pollfd *polls)
{
    const int count =
        self->count; /* `heard` may start daemons meanwhile, which have no entry in `polls` */
    const int ready = daemons_wait(self->daemons, count, self->signals, timeout_ms(self), polls);

    if (ready == 0)
        overdue(self);
    if (ready <= 0)
        return;
    if (polls[0].revents)
        read_signal(self);
    for (int i = 0; i < count; i++)
        if (daemon_attend(&self->daemons[i], &polls[1 + i * DAEMON_POLLS], heard, self))
            ended(self, &self->daemons[i]);
}

/* Whether a stopped scheduler has written results. It has if it ran rounds and ended with the
 * status of a stop, not of an error. */
static bool has_results(const struct crew *self)
{
    const int status = self->daemons[SCHEDULER].status;

    return self->setting->results && *self->far && WIFEXITED(status) &&
           WEXITSTATUS(status) == 128 + SIGINT;
}

/* Prints the scheduler's sentence about failed jobs, without the scheduler's name. Returns the exit
 * status. */
static int tell_failed(const struct crew *self, const struct command *command)
{
    struct error error;

    if (!has_failed_jobs(self, &self->daemons[SCHEDULER]))
        return 0;
    (void)daemon_repeat(&self->daemons[SCHEDULER], &error);
    (void)options_fail(command, &error);
    return 1;
}

static int conclude(const struct crew *self)
{
    const struct command command = {.name = "rubato local"};
    struct error error;

    if (self->failed || self->suspected)
        return options_fail(&command, &self->error);
    if (!self->stopped_by)
        report_tell(command.name, self->setting->results);
    if (!self->stopped_by && *self->unprinted.text)
        return options_fail(&command, &self->unprinted);
    if (!self->stopped_by)
        return tell_failed(self, &command);
    error_set(&error, "stopped %s%s%s", *self->far ? self->far : "before the first round",
              has_results(self) ? "; what was done until then is in " : "",
              has_results(self) ? self->setting->results : "");
    (void)options_fail(&command, &error);
    return 128 + self->stopped_by;
}

int crew_run(void *setting)
{
    const struct crew_setting *wanted = setting;
    const size_t most = (size_t)wanted->nodes + FIRST_WORKER;
    struct crew self = {
        .setting = wanted,
        .daemons = xcalloc(most, sizeof(struct daemon)),
        .due_ms = INT64_MAX,
        .signals = keeper_signals(),
    };
    struct pollfd *polls = xcalloc(1 + most * DAEMON_POLLS, sizeof(*polls));
    char results[PATH_MAX + sizeof(RESULTS_FOLDER)];
    int status;

    (void)snprintf(results, sizeof(results), "%s/" RESULTS_FOLDER, wanted->run_dir);
    self.results = wanted->json && !wanted->results ? results : wanted->results;
    assert(self.signals >= 0);
    if (start_write_cluster(wanted->run_dir, wanted->nodes, wanted->gpus / wanted->nodes,
                            &self.error) < 0 ||
        start_next(&self) < 0)
        fail(&self);
    while (daemons_run(self.daemons, self.count))
        attend(&self, polls);
    status = conclude(&self);
    free(polls);
    free(self.daemons);
    (void)close(self.signals);
    return status;
}
