/* main.c - the trainer: one process for each GPU of a node, started and ended by the node's
 * worker. */
#include "common/clock.h"
#include "common/descendants.h"
#include "common/descriptors.h"
#include "common/log.h"
#include "common/options.h"
#include "common/output.h"
#include "executor/faults.h"
#include "executor/kept_end.h"
#include "executor/launch.h"
#include "executor/signals.h"
#include "executor/trainer.h"
#include "protocol/link.h"
#include "protocol/timing.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    struct executor_setting executor;
    const char *worker;
    const char *node;
    int64_t gpu;
    double grace_s;
    double stable_after_s;
    int64_t log_mib;
    int64_t node_lock;
};

/* The process: a trainer_t, the link to its worker, and one loop. */
struct process {
    const struct options *options;
    trainer_t *trainer;
    zloop_t *loop;
    link_client_t *link;
    int signals;
    int timer;     /* timer of the loop, -1 for none */
    int progress;  /* descriptor that the loop looks at, -1 for none */
    bool welcomed; /* the worker has welcomed this process since the start */
    bool asked;    /* the process was asked to end */
    bool ended;
};

static int64_t now_us(void)
{
    return clock_boot_us();
}

/* Ends the loop, from a timer: a handler of messages cannot end the loop. */
static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

static void end_if_done(struct process *self)
{
    struct writer out;

    if (!self->asked || self->ended || !trainer_is_empty(self->trainer))
        return;
    msg_goodbye_pack("asked to end", &out);
    link_client_send(self->link, &out);
    self->ended = true;
    (void)zloop_timer(self->loop, 0, 1, leave, self);
}

static int on_timer(zloop_t *loop, int timer, void *owner);
static int on_progress(zloop_t *loop, zmq_pollitem_t *item, void *owner);

static void watch_progress(struct process *self)
{
    const int descriptor = trainer_descriptor(self->trainer);
    zmq_pollitem_t item = {.fd = self->progress, .events = ZMQ_POLLIN};

    if (descriptor == self->progress)
        return;
    if (self->progress >= 0)
        zloop_poller_end(self->loop, &item);
    item.fd = self->progress = descriptor;
    if (descriptor >= 0)
        (void)zloop_poller(self->loop, &item, on_progress, self);
}

static void arm_timer(struct process *self)
{
    const int64_t due_us = trainer_due_us(self->trainer);
    const int64_t left_us = due_us - now_us();

    if (self->timer >= 0)
        (void)zloop_timer_end(self->loop, self->timer);
    self->timer = -1;
    if (due_us < INT64_MAX)
        self->timer = zloop_timer(self->loop, left_us > 0 ? (size_t)(left_us / 1000 + 1) : 0, 1,
                                  on_timer, self);
}

/* Follows up on anything that happened. -1 ends the loop. */
static int settle(struct process *self)
{
    end_if_done(self);
    watch_progress(self);
    arm_timer(self);
    return self->ended ? -1 : 0;
}

static int on_timer(zloop_t *loop, int timer, void *owner)
{
    struct process *self = owner;

    (void)loop;
    (void)timer;
    self->timer = -1;
    trainer_tick(self->trainer, now_us());
    return settle(self);
}

static int on_progress(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct process *self = owner;

    (void)loop;
    (void)item;
    trainer_tick(self->trainer, now_us());
    trainer_readable(self->trainer, now_us());
    return settle(self);
}

static void shut_down(struct process *self)
{
    trainer_shutdown(self->trainer, self->asked, now_us());
    self->asked = true;
}

static void reap(struct process *self)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        trainer_child_ended(self->trainer, pid, status, now_us());
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct process *self = owner;
    int number;

    (void)loop;
    (void)item;
    trainer_tick(self->trainer, now_us());
    while ((number = signals_next(self->signals)) != 0) {
        if (number == SIGCHLD)
            reap(self);
        else if (signals_ask_end(number))
            shut_down(self);
    }
    return settle(self);
}

/* ---- what the worker says ---- */

static int on_welcome(struct process *self, reader_t *in, struct error *error)
{
    struct msg_trainer_welcome welcome;

    if (msg_trainer_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    if (!self->welcomed)
        (void)printf("trainer %" PRId64 " is started\ntrainer %" PRId64 " idles\n",
                     self->options->gpu, self->options->gpu);
    (void)fflush(stdout);
    self->welcomed = true;
    trainer_report_again(self->trainer);
    return 0;
}

static int on_heartbeat(struct process *self, reader_t *in, struct error *error)
{
    struct msg_trainer_lease lease;
    struct msg_trainer_heartbeat heartbeat;
    struct writer out;

    if (msg_trainer_lease_unpack(in, &lease, error) < 0)
        return -1;
    trainer_lease(self->trainer, lease.lease_until_us, now_us());
    if (!trainer_heartbeat(self->trainer, &heartbeat))
        return 0;
    msg_trainer_heartbeat_pack(&heartbeat, &out);
    link_client_send(self->link, &out);
    return 0;
}

static int on_prepare(struct process *self, reader_t *in, struct error *error)
{
    struct msg_prepare prepare;

    if (msg_prepare_unpack(in, &prepare, error) < 0)
        return -1;
    if (prepare.run.gpu_count != 1 || prepare.run.gpus[0] != self->options->gpu)
        return error_set(error, "PREPARE is not for GPU %" PRId64, self->options->gpu);
    trainer_prepare(self->trainer, &prepare, now_us());
    return 0;
}

static int on_begin(struct process *self, reader_t *in, struct error *error)
{
    struct msg_begin begin;

    if (msg_begin_unpack(in, &begin, error) < 0)
        return -1;
    trainer_begin(self->trainer, &begin, now_us());
    return 0;
}

static int on_update(struct process *self, reader_t *in, struct error *error)
{
    struct msg_update update;

    if (msg_update_unpack(in, &update, error) < 0)
        return -1;
    trainer_update(self->trainer, &update, now_us());
    return 0;
}

static int on_stop(struct process *self, reader_t *in, struct error *error)
{
    struct msg_stop stop;

    if (msg_stop_unpack(in, &stop, error) < 0)
        return -1;
    trainer_stop(self->trainer, &stop, now_us());
    return 0;
}

static int on_group(struct process *self, reader_t *in, struct error *error)
{
    struct msg_group group;

    if (msg_group_unpack(in, &group, error) < 0)
        return -1;
    trainer_group(self->trainer, &group, now_us());
    return 0;
}

static int on_shutdown(struct process *self, reader_t *in, struct error *error)
{
    if (msg_bare_unpack(in, error) < 0)
        return -1;
    shut_down(self);
    return 0;
}

static const struct {
    int type;
    int (*handle)(struct process *self, reader_t *in, struct error *error);
} handlers[] = {
    {MSG_WELCOME, on_welcome}, {MSG_HEARTBEAT, on_heartbeat}, {MSG_PREPARE, on_prepare},
    {MSG_BEGIN, on_begin},     {MSG_UPDATE, on_update},       {MSG_STOP, on_stop},
    {MSG_GROUP, on_group},     {MSG_SHUTDOWN, on_shutdown},
};

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct process *self = owner;
    int result = error_set(error, "a message of type %d is not for a trainer", type);

    trainer_tick(self->trainer, now_us());
    for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++)
        if (handlers[i].type == type)
            result = handlers[i].handle(self, in, error);
    (void)settle(self);
    return result;
}

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct process *self = owner;
    const struct msg_trainer_hello hello = {
        .gpu = (int32_t)self->options->gpu,
        .pid = getpid(),
    };
    char name[24];

    (void)snprintf(name, sizeof(name), "%" PRId64, self->options->gpu);
    msg_trainer_hello_pack(name, version, &hello, out);
}

/* A silent worker may only be stopped, and a worker that is gone takes this process along: until
 * the case is clear the lease decides. */
static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    (void)owner;
    (void)cause;
    return !refused;
}

static const struct link_client_calls calls = {say_hello, on_message, on_gone};

static void send_report(void *owner, const struct msg_rank_report *report)
{
    const struct process *self = owner;
    struct writer out;

    msg_rank_report_pack(report, &out);
    link_client_send(self->link, &out);
}

static int serve(struct process *self, struct error *error)
{
    const struct link_client_setting link = {
        .endpoint = self->options->worker,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .server = "worker",
    };
    zmq_pollitem_t signals = {.fd = self->signals, .events = ZMQ_POLLIN};

    self->link = link_client_new(self->loop, &link, &calls, self, error);
    if (!self->link)
        return -1;
    (void)zloop_poller(self->loop, &signals, on_signal, self);
    (void)zloop_start(self->loop);
    link_client_destroy(&self->link);
    return 0;
}

static void keep_end(void *owner, const struct msg_prepare *prepare, const struct msg_part *part)
{
    const struct process *self = owner;
    const struct log_subject subject = {(int64_t)part->job, part->incarnation, prepare->node,
                                        self->options->gpu};
    struct error error;

    if (kept_end_write(self->options->executor.run_dir, self->options->node, prepare, part,
                       &error) < 0)
        log_event(&subject, "end-not-kept", "cause=%s", log_text(error.text));
}

static int run(const struct options *options, struct error *error)
{
    struct process self = {.options = options, .timer = -1, .progress = -1};
    struct log_subject subject = LOG_ABOUT_NOTHING;
    const struct trainer_setting setting = {
        .executor = &options->executor,
        .gpu = (int32_t)options->gpu,
        .locks = getenv("RUBATO_GPU_LOCKS"),
        .report = send_report,
        .keep_end = keep_end,
        .owner = &self,
    };
    int result;

    self.signals = signals_open_service(true);
    descendants_adopt();
    zsys_init();
    zsys_handler_set(NULL);
    subject.gpu = options->gpu;
    log_event(&subject, "started", "pid=%ld", (long)getpid());
    self.trainer = trainer_new(&setting);
    self.loop = zloop_new();
    result = serve(&self, error);
    zloop_destroy(&self.loop);
    trainer_destroy(&self.trainer);
    log_event(&subject, "stopped", NULL);
    return result;
}

/* Checks that options_parse cannot make. */
static int check(struct options *options, struct error *error)
{
    struct faults faults;

    if (!options->worker)
        return error_set(error, "--worker is missing: trainers are started by `worker`");
    if (!options->executor.run_dir)
        return error_set(error, "--run-dir is missing");
    options->executor.grace_ms = (int64_t)(options->grace_s * 1000);
    options->executor.stable_after_ms = (int64_t)(options->stable_after_s * 1000);
    options->executor.log_bytes_max = options->log_mib << 20;
    options->executor.node_lock = (int)options->node_lock;
    if (options->node_lock > 0 && fcntl(options->executor.node_lock, F_SETFD, FD_CLOEXEC) < 0)
        return error_set(error, "--node-lock: there is no descriptor %" PRId64, options->node_lock);
    return faults_read(options->executor.faults, 0, 0, &faults, error);
}

/* The process of an emulated fault, in the place of a program: a process that does nothing but
 * be hard to get rid of. */
static _Noreturn void pretend(bool deaf, bool parent)
{
    if (deaf)
        (void)signal(SIGTERM, SIG_IGN);
    if (parent && fork() == 0) {
        (void)setsid();
        (void)signal(SIGTERM, SIG_IGN);
        (void)signal(SIGHUP, SIG_IGN);
        (void)fork();
    }
    for (;;)
        (void)pause();
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"auto", "emulated", "command", NULL};
    static const char *const prints[] = {"nothing", "variables", "placeholders", NULL};
    const char *print = "nothing";
    bool deaf = false;
    bool parent = false;
    struct options given = {
        .executor = {.kind = "auto", .python = "python3", .visible = "", .checkpoint_every_s = 600},
        .node = "node",
        .grace_s = GRACE_MS_DEFAULT / 1000.0,
        .stable_after_s = 5,
        .log_mib = 64,
    };
    const struct option_spec options[] = {
        OPTION_TEXT("worker", "ENDPOINT", &given.worker, "local socket of the worker"),
        OPTION_TEXT("node", "NAME", &given.node, "name of the node, for logs"),
        OPTION_WHOLE("gpu", "NUMBER", &given.gpu, 0, 1023, "which GPU of the node is its own"),
        OPTION_TEXT("visible", "DEVICES", &given.executor.visible,
                    "all GPUs of the node as CUDA_VISIBLE_DEVICES has them"),
        OPTION_TEXT("run-dir", "DIR", &given.executor.run_dir,
                    "folder of checkpoints and logs, the same on all nodes"),
        OPTION_CHOICE("workload", "KIND", &given.executor.kind, kinds, "what it runs"),
        OPTION_TEXT("program", "FILE", &given.executor.program,
                    "arguments of the users' program, one a line"),
        OPTION_TEXT("python", "PROGRAM", &given.executor.python,
                    "what runs a program whose name ends in .py"),
        OPTION_REAL("grace", "SECONDS", &given.grace_s, 0, 86400, "between SIGTERM and SIGKILL"),
        OPTION_REAL("stable-after", "SECONDS", &given.stable_after_s, 0, 86400,
                    "how long a program that says nothing runs before it counts as stable"),
        OPTION_WHOLE("checkpoint-interval", "SECONDS", &given.executor.checkpoint_every_s, 0,
                     1000000000, "between periodic checkpoints, 0 for none"),
        OPTION_WHOLE("log-limit", "MIB", &given.log_mib, 1, 1048576,
                     "how much is kept of what one rank writes"),
        OPTION_WHOLE("node-lock", "DESCRIPTOR", &given.node_lock, 0, 1048576,
                     "lock of the worker, to be held to the end; 0 for none"),
        OPTION_TEXT("faults", "SPEC", &given.executor.faults, FAULTS_HELP),
        OPTION_SWITCH("pretend-deaf", &deaf, "for faults: be a process that ignores SIGTERM"),
        OPTION_SWITCH("pretend-parent", &parent,
                      "for faults: be a process whose children leave its group"),
        OPTION_CHOICE("print-launch", "WHAT", &print, prints,
                      "print what programs are told at their start, as roff, and stop"),
        OPTION_END,
    };
    const struct command command = {
        .name = "trainer",
        .summary = "Drive one GPU of a node; started by worker",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    char name[300];
    int parsed;

    descriptors_open_standard();
    parsed = options_parse(&command, argc, argv, &operands, &error);
    if (parsed > 0)
        return 0;
    if (parsed == 0 && (deaf || parent))
        pretend(deaf, parent);
    if (parsed == 0 && strcmp(print, "nothing") != 0) {
        (!strcmp(print, "variables") ? launch_print_variables : launch_print_placeholders)(stdout);
        return output_check_stdout(&error) < 0 ? options_fail(&command, &error) : 0;
    }
    if (parsed < 0 || check(&given, &error) < 0)
        return options_fail(&command, &error);
    (void)snprintf(name, sizeof(name), "%.255s.%" PRId64, given.node, given.gpu);
    log_open("trainer", name);
    return run(&given, &error) < 0 ? options_fail(&command, &error) : 0;
}
