/* plan_player.c - in the place of the scheduler: plays plans for one job to a master, one after the
 * other.
 *
 *   plan_player --iterations=60 --batch-size=16 --next=FIFO 0,1,2,3 0,1 4,5
 *
 * With --program="FILE ARGUMENT..." the job brings that along, and a variable MINE=1.
 *
 * Each plan gives job 0 the ranks named; the next one is played when a line comes out of the pipe
 * of --next. A line on standard output says each time that the job is stable. Exit status 0: it is
 * done, under the last plan; 1: it was lost, held or not done in time. */
#include "common/options.h"
#include "protocol/link.h"
#include "protocol/scheduler_master.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RANKS_OF_A_PLAN 64
#define WORDS_MAX       16
#define DEADLINE_MS     600000 /* guards against hanging */
#define BEAT_MS         100    /* no master of a test hears of us more rarely */

struct played {
    int32_t ranks[RANKS_OF_A_PLAN];
    size_t count;
};

struct player {
    const char *master;
    const char *model;
    const char *pipe; /* path, or NULL */
    char *program;    /* words, or NULL */
    int64_t iterations;
    int64_t batch_size;
    struct played *plans;
    size_t plan_count;
    size_t next; /* plans[next - 1] is in force */
    int64_t step;
    int64_t workers_expected;
    link_client_t *link;
    int status; /* -1 before the end */
};

/* ---- what is played ---- */

static int parse_plan(const char *text, struct played *plan, struct error *error)
{
    const char *at = text;
    char *end;

    do {
        if (plan->count == RANKS_OF_A_PLAN)
            return error_set(error, "%s: too many ranks", text);
        plan->ranks[plan->count++] = (int32_t)strtol(at, &end, 10);
        if (end == at)
            return error_set(error, "%s: expected a rank", text);
        at = end + 1;
    } while (*end == ',');
    return end[-1] == ',' || *end ? error_set(error, "%s: expected RANK,RANK...", text) : 0;
}

static void send_program(struct player *self)
{
    static const char *variables[] = {"MINE=1"};
    const char *words[WORDS_MAX];
    struct msg_program program = {
        .arguments = words, .folder = "/", .variable_count = 1, .variables = variables, .user = ""};
    struct writer out;

    for (char *word = strtok(self->program, " "); word && program.argument_count < WORDS_MAX;
         word = strtok(NULL, " "))
        words[program.argument_count++] = word;
    msg_program_pack(&program, &out);
    link_client_send(self->link, &out);
}

static void send_plan(struct player *self)
{
    struct played *played = &self->plans[self->next++];
    struct msg_planned_job job = {
        .name = "example",
        .model = self->model,
        .batch_size = (int32_t)self->batch_size,
        .iterations = self->iterations,
        .step = self->step,
        .deadline_s = INT64_MAX,
        .rate = 10,
        .rank_count = played->count,
        .ranks = played->ranks,
    };
    const struct msg_plan plan = {
        .round = self->next,
        .at_s = (int64_t)self->next,
        .time_scale = 1,
        .job_count = 1,
        .jobs = &job,
    };
    struct writer out;

    msg_plan_pack(&plan, &out);
    link_client_send(self->link, &out);
}

static void end(struct player *self, int status)
{
    struct writer out;

    if (self->status >= 0)
        return;
    msg_goodbye_pack("all is played", &out);
    link_client_send(self->link, &out);
    self->status = status;
}

/* ---- what the master says ---- */

static int on_nodes(struct player *self, reader_t *in, struct error *error)
{
    struct msg_nodes nodes;
    int64_t up = 0;

    if (msg_nodes_unpack(in, &nodes, error) < 0)
        return -1;
    for (size_t i = 0; i < nodes.count; i++)
        up += nodes.nodes[i].up;
    if (self->next > 0 || up != self->workers_expected)
        return 0;
    if (self->program)
        send_program(self);
    send_plan(self);
    return 0;
}

static int on_welcome(struct player *self, reader_t *in, struct error *error)
{
    struct msg_scheduler_welcome welcome;

    if (msg_scheduler_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    self->workers_expected = welcome.workers_expected;
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    return 0;
}

static int on_report(struct player *self, reader_t *in, struct error *error)
{
    struct msg_job_report report;

    if (msg_job_report_unpack(in, &report, error) < 0)
        return -1;
    if (report.state == JOB_REPORT_STABLE && report.round == self->next) {
        printf("plan %zu: incarnation %" PRIu32 " is stable at step %" PRId64 " after %" PRId64
               " ms at %.3g iterations/s\n",
               self->next, report.incarnation, report.step, report.overhead_ms, report.rate);
        (void)fflush(stdout);
    } else if (report.state == JOB_REPORT_DONE) {
        end(self, self->next == self->plan_count ? 0 : 1);
    } else if (report.state == JOB_REPORT_LOST || report.state == JOB_REPORT_HELD) {
        (void)fprintf(stderr, "plan_player: lost at step %" PRId64 ": %s\n", report.step,
                      report.cause);
        end(self, 1);
    }
    return 0;
}

static int on_progress(struct player *self, reader_t *in, struct error *error)
{
    struct msg_master_heartbeat heartbeat;

    if (msg_master_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    for (size_t i = 0; i < heartbeat.count; i++)
        self->step = heartbeat.progress[i].step;
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    switch (type) {
    case MSG_WELCOME:
        return on_welcome(owner, in, error);
    case MSG_NODES:
        return on_nodes(owner, in, error);
    case MSG_JOB_REPORT:
        return on_report(owner, in, error);
    case MSG_HEARTBEAT:
        return on_progress(owner, in, error);
    default:
        return 0;
    }
}

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct msg_hello hello = {.version = version, .role = "scheduler", .name = "plan_player"};

    (void)owner;
    msg_hello_pack(&hello, 0, out);
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct player *self = owner;

    if (self->status < 0 && (refused || self->next > 0)) {
        (void)fprintf(stderr, "plan_player: %s\n", cause);
        self->status = 1;
    }
    return true;
}

/* ---- time ---- */

static int on_next(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct player *self = owner;
    char byte;

    (void)loop;
    if (read(item->fd, &byte, 1) == 1 && byte == '\n' && self->next < self->plan_count)
        send_plan(self);
    return 0;
}

static int on_beat(zloop_t *loop, int timer, void *owner)
{
    struct player *self = owner;
    struct writer beat;

    (void)loop;
    (void)timer;
    writer_open(&beat, MSG_HEARTBEAT, 0);
    if (link_client_in_session(self->link))
        link_client_send(self->link, &beat);
    else
        writer_close(&beat);
    return 0;
}

/* Whether the end was reached is looked at here, so that a goodbye is on its way before the loop
 * ends. */
static int on_look(zloop_t *loop, int timer, void *owner)
{
    const struct player *self = owner;

    (void)loop;
    (void)timer;
    return self->status >= 0 ? -1 : 0;
}

static int on_deadline(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)fprintf(stderr, "plan_player: not done in time\n");
    end(owner, 1);
    return 0;
}

static int play(struct player *self, struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    const struct link_client_setting setting = {.endpoint = self->master, .heartbeat_ms = BEAT_MS};
    zmq_pollitem_t next = {.fd = -1, .events = ZMQ_POLLIN};
    zloop_t *loop;

    if (self->pipe && (next.fd = open(self->pipe, O_RDWR | O_CLOEXEC)) < 0)
        return error_set(error, "%s: %s", self->pipe, strerror(errno));
    zsys_init();
    zsys_handler_set(NULL);
    loop = zloop_new();
    self->link = link_client_new(loop, &setting, &calls, self, error);
    if (self->link) {
        if (next.fd >= 0)
            (void)zloop_poller(loop, &next, on_next, self);
        (void)zloop_timer(loop, BEAT_MS, 0, on_beat, self);
        (void)zloop_timer(loop, 10, 0, on_look, self);
        (void)zloop_timer(loop, DEADLINE_MS, 1, on_deadline, self);
        (void)zloop_start(loop);
        if (self->status < 0) /* interrupted */
            self->status = 1;
    }
    link_client_destroy(&self->link);
    zloop_destroy(&loop);
    if (next.fd >= 0)
        (void)close(next.fd);
    return self->status;
}

int main(int argc, char **argv)
{
    struct player self = {
        .master = "tcp://127.0.0.1:6888",
        .model = "resnet50_cifar10",
        .iterations = 60,
        .batch_size = 16,
        .status = -1,
    };
    const char *program = NULL;
    const struct option_spec options[] = {
        OPTION_TEXT("program", "WORDS", &program, "that the job brings along"),
        OPTION_TEXT("master", "ENDPOINT", &self.master, "where the master listens"),
        OPTION_TEXT("next", "FILE", &self.pipe,
                    "pipe out of which a line comes for each next plan"),
        OPTION_TEXT("model", "MODEL", &self.model, "of the job"),
        OPTION_WHOLE("iterations", "COUNT", &self.iterations, 1, 1000000000, "of the job"),
        OPTION_WHOLE("batch-size", "SAMPLES", &self.batch_size, 1, 1000000, "of the job"),
        OPTION_END,
    };
    const struct command command = {
        .name = "plan_player",
        .summary = "Play plans for one job to a master",
        .operands = "RANKS...",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    self.program = program ? strdup(program) : NULL;
    self.plan_count = operands.count;
    self.plans = calloc(operands.count + 1, sizeof(*self.plans));
    for (size_t i = 0; status == 0 && i < operands.count; i++)
        status = parse_plan(operands.items[i], &self.plans[i], &error);
    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected plans");
    free(operands.items);
    if (status == 0) {
        status = play(&self, &error);
        status = status < 0 ? options_fail(&command, &error) : status;
    } else {
        status = status < 0 ? options_fail(&command, &error) : 0;
    }
    free(self.plans);
    free(self.program);
    return status;
}
