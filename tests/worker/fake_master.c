/* fake_master.c - see fake_master.h. */
#include "tests/worker/fake_master.h"

#include "common/clock.h"
#include "common/descendants.h"
#include "common/memory.h"
#include "protocol/link.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nothing takes this long unless it hangs. */
#define GUARD_US 600000000

#define LOOK_MS       2
#define PARTS_KEPT    256
#define ARGUMENTS_MAX 48
#define GPUS_KEPT     64

struct fake_master {
    zloop_t *loop;
    link_server_t *server;
    link_peer_t *worker;
    folder_t *folder;
    int64_t lease_ms;
    char port[8];
    pid_t pid;
    bool answers;
    char *log;
    int32_t gpus;
    char kind[32];
    char uuids[GPUS_KEPT][96];
    int64_t memory_mib[GPUS_KEPT];
    bool gone[GPUS_KEPT];
    int32_t idle;
    int64_t grouped_ms;
    struct msg_part parts[PARTS_KEPT];
    char causes[PARTS_KEPT][1024];
    size_t part_count;
    bool (*condition)(void *context);
    void *context;
    bool holds;
    int64_t guard_us;
};

/* ---- what the worker says ---- */

static void note(fake_master_t *self, const struct msg_part *part)
{
    size_t place = 0;

    while (place < self->part_count && (self->parts[place].job != part->job ||
                                        self->parts[place].incarnation != part->incarnation))
        place++;
    assert_true(place < PARTS_KEPT);
    if (place == self->part_count)
        self->part_count++;
    self->parts[place] = *part;
    (void)snprintf(self->causes[place], sizeof(self->causes[place]), "%s", part->cause);
    self->parts[place].cause = self->causes[place];
}

static void note_gpus(fake_master_t *self, const struct msg_gpu *gpus, size_t count)
{
    self->gpus = (int32_t)count;
    for (size_t i = 0; i < count && i < GPUS_KEPT; i++) {
        (void)snprintf(self->uuids[i], sizeof(self->uuids[i]), "%s", gpus[i].uuid);
        self->memory_mib[i] = gpus[i].memory_mib;
        self->gone[i] = gpus[i].gone;
    }
}

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    fake_master_t *self = owner;
    struct msg_worker_hello worker;
    struct msg_worker_welcome welcome = {
        .node = 7,
        .heartbeat_ms = FAKE_HEARTBEAT_MS,
        .lease_ms = self->lease_ms,
    };
    struct writer out;

    if (strcmp(hello->role, "worker") != 0)
        return error_set(error, "only workers here");
    if (!self->answers) /* a welcome is an answer, too */
        return error_set(error, "no worker is answered now");
    if (msg_worker_hello_unpack(in, &worker, error) < 0)
        return -1;
    self->worker = peer;
    (void)snprintf(self->kind, sizeof(self->kind), "%s", worker.kind);
    note_gpus(self, worker.gpus, worker.gpu_count);
    for (size_t i = 0; i < worker.part_count; i++)
        note(self, &worker.parts[i]);
    welcome.stamp_us = worker.stamp_us;
    msg_worker_welcome_pack(&welcome, &out);
    link_peer_send(peer, &out);
    return 0;
}

static int on_heartbeat(fake_master_t *self, reader_t *in, struct error *error)
{
    struct msg_worker_heartbeat heartbeat;
    struct msg_lease lease;
    struct writer out;

    if (msg_worker_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    self->idle = heartbeat.trainers_idle;
    for (size_t i = 0; i < heartbeat.part_count; i++)
        note(self, &heartbeat.parts[i]);
    lease.stamp_us = heartbeat.stamp_us;
    if (!self->answers)
        return 0;
    msg_lease_pack(&lease, &out);
    link_peer_send(self->worker, &out);
    return 0;
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    fake_master_t *self = owner;
    struct msg_report report;
    struct msg_gpus gpus;

    (void)peer;
    if (type == MSG_HEARTBEAT)
        return on_heartbeat(self, in, error);
    if (type == MSG_GPUS && msg_gpus_unpack(in, &gpus, error) == 0) {
        note_gpus(self, gpus.gpus, gpus.gpu_count);
        return 0;
    }
    assert_int_equal(type, MSG_REPORT);
    if (msg_report_unpack(in, &report, error) < 0)
        fail_msg("%s", error->text);
    if (report.grouped)
        self->grouped_ms = report.took_ms;
    else
        note(self, &report.part);
    return 0;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    fake_master_t *self = owner;

    (void)cause;
    if (self->worker == peer)
        self->worker = NULL;
}

static const struct link_server_calls calls = {
    .hello = on_hello,
    .message = on_message,
    .gone = on_gone,
};

/* ---- waiting ---- */

static int on_look(zloop_t *loop, int timer, void *owner)
{
    fake_master_t *self = owner;

    (void)loop;
    (void)timer;
    self->holds = self->condition(self->context);
    return self->holds || clock_boot_us() > self->guard_us ? -1 : 0;
}

/* Whether `condition` came to hold within the guard. */
static bool await(fake_master_t *self, bool (*condition)(void *context), void *context)
{
    self->condition = condition;
    self->context = context;
    self->guard_us = clock_boot_us() + GUARD_US;
    self->holds = condition(context);
    if (!self->holds)
        (void)zloop_start(self->loop);
    return self->holds; /* by now it may be over again, as with processes that come and go */
}

void fake_master_await(fake_master_t *self, bool (*condition)(void *context), void *context,
                       const char *what)
{
    if (await(self, condition, context))
        return;
    (void)fputs(fake_master_log(self), stderr); /* more than a message of cmocka holds */
    fail_msg("waited in vain for %s; the log is above", what);
}

struct wanted {
    fake_master_t *self;
    uint64_t job;
    uint32_t incarnation;
    enum part_state state;
    const char *text;
    int times;
    int32_t gpus;
};

static bool part_is(void *context)
{
    const struct wanted *wanted = context;
    const struct msg_part *part = fake_master_part(wanted->self, wanted->job, wanted->incarnation);

    return part && part->state == wanted->state;
}

void fake_master_await_part(fake_master_t *self, uint64_t job, uint32_t incarnation,
                            enum part_state state)
{
    struct wanted wanted = {.self = self, .job = job, .incarnation = incarnation, .state = state};
    char what[96];

    (void)snprintf(what, sizeof(what), "job %" PRIu64 ".%" PRIu32 " to be %s", job, incarnation,
                   part_state_name(state));
    fake_master_await(self, part_is, &wanted, what);
}

static bool is_idle(void *context)
{
    const struct wanted *wanted = context;

    return wanted->self->idle == wanted->gpus;
}

void fake_master_await_idle(fake_master_t *self, int32_t gpus)
{
    struct wanted wanted = {.self = self, .gpus = gpus};

    self->idle = -1; /* until the next heartbeat */
    fake_master_await(self, is_idle, &wanted, "idle trainers");
}

static bool log_has(void *context)
{
    const struct wanted *wanted = context;
    const char *at = fake_master_log(wanted->self);
    int times = 0;

    while ((at = strstr(at, wanted->text))) {
        times++;
        at++;
    }
    return times >= wanted->times;
}

void fake_master_await_log(fake_master_t *self, const char *text, int times)
{
    struct wanted wanted = {.self = self, .text = text, .times = times};

    fake_master_await(self, log_has, &wanted, text);
}

static bool no_process_is_left(void *context)
{
    struct descendant *found;
    size_t count;

    (void)context;
    descendants_reap(NULL, 0);
    count = descendants_of(getpid(), &found);
    free(found);
    return count == 0;
}

void fake_master_await_no_process(fake_master_t *self)
{
    fake_master_await(self, no_process_is_left, NULL, "all processes to be gone");
}

/* ---- the worker ---- */

static bool is_there(void *context)
{
    const fake_master_t *self = context;

    return self->worker != NULL;
}

static _Noreturn void become_worker(fake_master_t *self, const char *const arguments[])
{
    const char *bin = getenv("RUBATO_BIN");
    const int log = open(folder_file(self->folder, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int out = open(folder_file(self->folder, "out"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const char *argv[ARGUMENTS_MAX] = {
        "worker", "-P", self->port, "-r", folder_file(self->folder, "run"), "--name", "node-a"};
    char path[4096];
    size_t count = 7;

    for (size_t i = 0; arguments[i]; i++) {
        assert_true(count + 1 < ARGUMENTS_MAX);
        argv[count++] = arguments[i];
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is killed leaves nothing either */
    (void)dup2(log, STDERR_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)snprintf(path, sizeof(path), "%s/worker", bin ? bin : "build/bin");
    execv(path, (char **)(uintptr_t)argv);
    perror(path);
    _exit(127);
}

void fake_master_launch(fake_master_t *self, const char *const arguments[])
{
    assert_int_equal(self->pid, 0);
    self->pid = fork();
    assert_true(self->pid >= 0);
    if (self->pid == 0)
        become_worker(self, arguments);
}

void fake_master_start(fake_master_t *self, const char *const arguments[])
{
    fake_master_launch(self, arguments);
    fake_master_await(self, is_there, self, "the worker's hello");
}

struct exit_wait {
    fake_master_t *self;
    int status;
};

static bool has_exited(void *context)
{
    struct exit_wait *wait = context;

    if (wait->self->pid != 0 && waitpid(wait->self->pid, &wait->status, WNOHANG) == wait->self->pid)
        wait->self->pid = 0;
    return wait->self->pid == 0;
}

int fake_master_wait_exit(fake_master_t *self)
{
    struct exit_wait wait = {self, 0};

    fake_master_await(self, has_exited, &wait, "the worker's end");
    return WIFEXITED(wait.status) ? WEXITSTATUS(wait.status) : 128 + WTERMSIG(wait.status);
}

fake_master_t *fake_master_new(int64_t lease_ms)
{
    static const struct link_server_setting setting = {
        .endpoint = "tcp://127.0.0.1:*",
        .heartbeat_ms = FAKE_HEARTBEAT_MS,
    };
    fake_master_t *self = xcalloc(1, sizeof(*self));
    struct error error;

    zsys_init();
    zsys_handler_set(NULL);
    descendants_adopt();
    self->folder = folder_new();
    self->loop = zloop_new();
    self->lease_ms = lease_ms;
    self->answers = true;
    self->grouped_ms = -1;
    self->server = link_server_new(self->loop, &setting, &calls, self, &error);
    assert_non_null(self->server);
    (void)snprintf(self->port, sizeof(self->port), "%s",
                   strrchr(link_server_endpoint(self->server), ':') + 1);
    (void)zloop_timer(self->loop, LOOK_MS, 0, on_look, self);
    return self;
}

void fake_master_destroy(fake_master_t **self)
{
    bool clean = true;

    if (!*self)
        return;
    if ((*self)->pid != 0) {
        struct exit_wait wait = {*self, 0};

        (void)kill((*self)->pid, SIGTERM);
        clean = await(*self, has_exited, &wait);
    }
    clean = clean && await(*self, no_process_is_left, NULL);
    if (!clean) /* the next test shall not find any of it */
        while (descendants_kill(getpid(), NULL, 0) > 0)
            descendants_reap(NULL, 0);
    descendants_reap(NULL, 0);
    link_server_destroy(&(*self)->server);
    zloop_destroy(&(*self)->loop);
    folder_destroy(&(*self)->folder);
    free((*self)->log);
    free(*self);
    *self = NULL;
    if (!clean)
        fail_msg("processes were left");
}

pid_t fake_master_worker(const fake_master_t *self)
{
    return self->pid;
}

folder_t *fake_master_folder(const fake_master_t *self)
{
    return self->folder;
}

const char *fake_master_log(fake_master_t *self)
{
    free(self->log);
    self->log = folder_has(self->folder, "log") ? folder_read(self->folder, "log") : xstrdup("");
    return self->log;
}

int32_t fake_master_gpus(const fake_master_t *self)
{
    return self->gpus;
}

const char *fake_master_kind(const fake_master_t *self)
{
    return self->kind;
}

const char *fake_master_uuid(const fake_master_t *self, int32_t gpu)
{
    return self->uuids[gpu];
}

bool fake_master_gone(const fake_master_t *self, int32_t gpu)
{
    assert_true(gpu < GPUS_KEPT);
    return self->gone[gpu];
}

int64_t fake_master_memory(const fake_master_t *self, int32_t gpu)
{
    return self->memory_mib[gpu];
}

const struct msg_part *fake_master_part(const fake_master_t *self, uint64_t job,
                                        uint32_t incarnation)
{
    for (size_t i = 0; i < self->part_count; i++)
        if (self->parts[i].job == job && self->parts[i].incarnation == incarnation)
            return &self->parts[i];
    return NULL;
}

int64_t fake_master_grouped_ms(const fake_master_t *self)
{
    return self->grouped_ms;
}

void fake_master_answer(fake_master_t *self, bool answers)
{
    self->answers = answers;
}

/* ---- what the test says ---- */

struct msg_run fake_run(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus)
{
    static int32_t numbers[GPUS_KEPT];
    static int32_t ranks[GPUS_KEPT];

    for (int32_t i = 0; i < gpus; i++) {
        numbers[i] = first + i;
        ranks[i] = i;
    }
    return (struct msg_run){
        .job = job,
        .incarnation = incarnation,
        .name = "a job",
        .model = "resnet50",
        .batch_size = 128,
        .iterations = 1000,
        .deadline_s = 3600,
        .overhead_ms = -1,
        .rate = 10,
        .fast_forward = true,
        .nodes = 1,
        .world = gpus,
        .rendezvous_address = "127.0.0.1",
        .rendezvous_port = 9000,
        .gpu_count = (size_t)gpus,
        .gpus = numbers,
        .ranks = ranks,
    };
}

static void send_message(fake_master_t *self, struct writer *out)
{
    assert_non_null(self->worker);
    link_peer_send(self->worker, out);
}

void fake_master_run(fake_master_t *self, const struct msg_run *run)
{
    struct writer out;

    msg_run_pack(run, &out);
    send_message(self, &out);
}

void fake_master_begin(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step)
{
    const struct msg_begin begin = {job, incarnation, step};
    struct writer out;

    msg_begin_pack(&begin, &out);
    send_message(self, &out);
}

void fake_master_update(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step)
{
    const struct msg_update update = {job, incarnation, step, 1000};
    struct writer out;

    msg_update_pack(&update, &out);
    send_message(self, &out);
}

void fake_master_stop(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step,
                      enum stop_why why, int64_t grace_ms)
{
    const struct msg_stop stop = {job, incarnation, step, why, grace_ms};
    struct writer out;

    msg_stop_pack(&stop, &out);
    send_message(self, &out);
}

void fake_master_group(fake_master_t *self, uint64_t job, uint32_t incarnation)
{
    int32_t ranks[] = {0, 1};
    const struct msg_group group = {
        .job = job, .incarnation = incarnation, .source = -1, .rank_count = 2, .ranks = ranks};
    struct writer out;

    msg_group_pack(&group, &out);
    send_message(self, &out);
}

void fake_master_say(fake_master_t *self, int type)
{
    struct writer out;

    msg_bare_pack(type, &out);
    send_message(self, &out);
}

void fake_master_bring_up(fake_master_t *self, const struct msg_run *run, int64_t step)
{
    fake_master_run(self, run);
    fake_master_await_part(self, run->job, run->incarnation, PART_READY);
    fake_master_begin(self, run->job, run->incarnation, step);
    fake_master_await_part(self, run->job, run->incarnation, PART_STABLE);
}

pid_t fake_master_trainer(fake_master_t *self, int32_t gpu)
{
    char text[64];
    const char *last = NULL;
    const char *at;

    (void)snprintf(text, sizeof(text), " gpu=%" PRId32 " pid=", gpu);
    for (const char *line = fake_master_log(self); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        at = strstr(line, "event=trainer-started");
        if (!at || (strchr(line, '\n') && at > strchr(line, '\n')))
            continue;
        at = strstr(at, text);
        if (at && (!strchr(line, '\n') || at < strchr(line, '\n')))
            last = at + strlen(text);
    }
    if (!last)
        fail_msg("no trainer of GPU %d was started", (int)gpu);
    return last ? (pid_t)strtol(last, NULL, 10) : 0;
}
