/* bed.c - see bed.h. */
#include "tests/master/bed.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_OF_TEST 64
#define JOBS_OF_TEST  64
#define RANKS_OF_TEST 64

struct bed {
    int64_t now_us;
    uint32_t lock; /* of hellos */
    int64_t ahead_us;
    int64_t late_us;
    dispatch_t *dispatch;
    plan_run_t *plan_run;
    char *sent;
    size_t sent_size;
    FILE *out;
    size_t leases;
    struct error error;
};

/* ---- what it sends ---- */

static void put_numbers(FILE *out, const int32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, i > 0 ? ",%" PRId32 : "%" PRId32, numbers[i]);
}

static void on_welcome(void *owner, const struct worker_node *node,
                       const struct msg_worker_welcome *welcome)
{
    const bed_t *self = owner;

    assert_int_equal(welcome->node, node->number);
    assert_int_equal(welcome->first_rank, node->first_rank);
    (void)fprintf(self->out, "n%" PRId32 " welcome\n", node->number);
}

/* Of a message that comes now. */
static int64_t stamp_us(const bed_t *self)
{
    return self->now_us + self->ahead_us - self->late_us;
}

static void on_lease(void *owner, const struct worker_node *node, const struct msg_lease *lease)
{
    bed_t *self = owner;

    (void)node;
    assert_int_equal(lease->stamp_us, stamp_us(self));
    self->leases++;
}

static void on_run(void *owner, const struct worker_node *node, const struct msg_run *run)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "n%" PRId32 " run %" PRIu64 ".%" PRIu32 " gpus ", node->number,
                  run->job, run->incarnation);
    put_numbers(self->out, run->gpus, run->gpu_count);
    (void)fputs(" ranks ", self->out);
    put_numbers(self->out, run->ranks, run->gpu_count);
    (void)fprintf(self->out, " of %" PRId32 " at %s:%" PRId32 " step %" PRId64, run->world,
                  run->rendezvous_address, run->rendezvous_port, run->step);
    if (run->program)
        (void)fprintf(self->out, " program %s", run->program->arguments[0]);
    (void)fputs("\n", self->out);
}

static void on_begin(void *owner, const struct worker_node *node, const struct msg_begin *begin)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "n%" PRId32 " begin %" PRIu64 ".%" PRIu32 " step %" PRId64 "\n",
                  node->number, begin->job, begin->incarnation, begin->step);
}

static void on_update(void *owner, const struct worker_node *node, const struct msg_update *update)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "n%" PRId32 " update %" PRIu64 ".%" PRIu32 " step %" PRId64 "\n",
                  node->number, update->job, update->incarnation, update->step);
}

static void on_stop(void *owner, const struct worker_node *node, const struct msg_stop *stop)
{
    static const char *const why[] = {"paused", "done", "cancelled"};
    const bed_t *self = owner;

    (void)fprintf(
        self->out,
        "n%" PRId32 " stop %" PRIu64 ".%" PRIu32 " %s step %" PRId64 " grace %" PRId64 "\n",
        node->number, stop->job, stop->incarnation, why[stop->why], stop->step, stop->grace_ms);
}

static void on_group(void *owner, const struct worker_node *node, const struct msg_group *group)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "n%" PRId32 " group %" PRIu64 ".%" PRIu32 " ranks ", node->number,
                  group->job, group->incarnation);
    put_numbers(self->out, group->ranks, group->rank_count);
    (void)fprintf(self->out, " source %" PRId32 "\n", group->source);
}

static void on_restart(void *owner, const struct worker_node *node)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "n%" PRId32 " restart\n", node->number);
}

static const struct worker_calls worker_calls = {
    on_welcome, on_lease, on_run, on_begin, on_update, on_stop, on_group, on_restart,
};

static void on_scheduler_welcome(void *owner, const struct msg_scheduler_welcome *welcome)
{
    const bed_t *self = owner;

    assert_int_equal(welcome->workers_expected, 2);
    (void)fputs("scheduler welcome\n", self->out);
}

static void on_nodes(void *owner, const struct msg_nodes *nodes)
{
    const bed_t *self = owner;

    (void)fputs("nodes", self->out);
    for (size_t i = 0; i < nodes->count; i++) {
        const struct msg_node *node = &nodes->nodes[i];

        (void)fputs(node->up ? " up" : " down", self->out);
        if (node->up && node->cause[0])
            (void)fprintf(self->out, " with %" PRId32 " (%s)", node->gpus, node->cause);
    }
    (void)fputc('\n', self->out);
}

static void on_job_report(void *owner, const struct msg_job_report *report)
{
    static const char *const states[] = {"stable", "stopped", "done", "lost", "held", "waiting"};
    const bed_t *self = owner;

    (void)fprintf(self->out, "job %" PRIu64 ".%" PRIu32 " %s step %" PRId64, report->job,
                  report->incarnation, states[report->state], report->step);
    if (report->state == JOB_REPORT_STABLE)
        (void)fprintf(self->out, " overhead %" PRId64 " rate %g", report->overhead_ms,
                      report->rate);
    if (report->state == JOB_REPORT_DONE && self->now_us - report->ended_us > BED_SECOND_US / 2)
        (void)fprintf(self->out, " ended %" PRId64 " s before",
                      (self->now_us - report->ended_us + BED_SECOND_US / 2) / BED_SECOND_US);
    if (report->cause[0])
        (void)fprintf(self->out, ": %s", report->cause);
    (void)fputc('\n', self->out);
}

static void on_settled(void *owner, const struct msg_settled *settled)
{
    const bed_t *self = owner;

    (void)fprintf(self->out, "settled %" PRIu64 "\n", settled->round);
}

static void on_progress(void *owner, const struct msg_master_heartbeat *heartbeat)
{
    const bed_t *self = owner;

    for (size_t i = 0; i < heartbeat->count; i++)
        (void)fprintf(self->out, "progress %" PRIu64 ".%" PRIu32 " at %" PRId64 "\n",
                      heartbeat->progress[i].job, heartbeat->progress[i].incarnation,
                      heartbeat->progress[i].step);
}

static const struct scheduler_calls scheduler_calls = {
    on_scheduler_welcome, on_nodes, on_job_report, on_settled, on_progress,
};

/* ---- life ---- */

static void open_out(bed_t *self)
{
    self->out = open_memstream(&self->sent, &self->sent_size);
    assert_non_null(self->out);
}

static bed_t *bed_alloc(void)
{
    bed_t *self = xcalloc(1, sizeof(*self));

    self->now_us = 1000 * BED_SECOND_US;
    open_out(self);
    return self;
}

static dispatch_t *make_dispatch(bed_t *self, const struct dispatch_watch *watch, void *owner,
                                 size_t expected, int64_t stable_within_us)
{
    const struct dispatch_setting setting = {
        .heartbeat_us = BED_HEARTBEAT_US,
        .lease_us = BED_LEASE_US,
        .started_us = self->now_us,
        .workers_expected = expected,
        .stable_within_us = stable_within_us,
        .keeps = self->plan_run != NULL,
    };

    return dispatch_new(&setting, &worker_calls, self, watch, owner);
}

bed_t *bed_new_for(const struct dispatch_watch *watch, void *owner)
{
    bed_t *self = bed_alloc();

    self->dispatch = make_dispatch(self, watch, owner, 1, 0);
    return self;
}

static bed_t *bed_new_with(size_t workers, int64_t stable_within_us)
{
    static const struct msg_scheduler_welcome welcome = {1000, 10000, 2};
    bed_t *self = bed_alloc();

    self->plan_run = plan_run_new(&welcome, &scheduler_calls, self);
    self->dispatch =
        make_dispatch(self, &plan_run_watch, self->plan_run, workers, stable_within_us);
    plan_run_use(self->plan_run, self->dispatch);
    return self;
}

bed_t *bed_new_expecting(size_t workers)
{
    return bed_new_with(workers, 0);
}

bed_t *bed_new_bounded(void)
{
    return bed_new_with(1, BED_STABLE_US);
}

bed_t *bed_new(void)
{
    return bed_new_expecting(1);
}

void bed_destroy(bed_t **self)
{
    plan_run_destroy(&(*self)->plan_run);
    dispatch_destroy(&(*self)->dispatch);
    (void)fclose((*self)->out);
    free((*self)->sent);
    free(*self);
    *self = NULL;
}

dispatch_t *bed_dispatch(bed_t *self)
{
    return self->dispatch;
}

plan_run_t *bed_plan_run(bed_t *self)
{
    return self->plan_run;
}

int64_t bed_now_us(const bed_t *self)
{
    return self->now_us;
}

void bed_pass(bed_t *self, int64_t us)
{
    self->now_us += us;
    dispatch_tick(self->dispatch, self->now_us);
    if (self->plan_run)
        plan_run_tick(self->plan_run, self->now_us);
}

/* ---- words ---- */

/* The next word up to one of `ends`, which is taken too; "" at the end. */
static char *next_word(char **text, const char *ends)
{
    char *word = *text + strspn(*text, " ");
    const size_t length = strcspn(word, ends);

    *text = word + length;
    if (**text)
        *(*text)++ = '\0';
    return word;
}

static enum part_state state_of(const char *name)
{
    for (int state = PART_PREPARING; state <= PART_FAILED; state++)
        if (!strcmp(part_state_name((enum part_state)state), name))
            return (enum part_state)state;
    fail_msg("there is no state \"%s\"", name);
    return PART_FAILED;
}

static struct msg_part read_part(const bed_t *self, char *text, int32_t *nodes)
{
    struct msg_part part = {.step = -1, .checkpoint = -1, .retry = true, .gpu = -1, .cause = ""};
    char *at = text;

    *nodes = 1;
    part.job = strtoull(next_word(&at, "."), NULL, 10);
    part.incarnation = (uint32_t)strtoul(next_word(&at, " "), NULL, 10);
    part.state = state_of(next_word(&at, " "));
    for (const char *word = next_word(&at, " "); *word; word = next_word(&at, " ")) {
        if (!strcmp(word, "step"))
            part.step = strtoll(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "checkpoint"))
            part.checkpoint = strtoll(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "overhead"))
            part.overhead_ms = strtoll(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "rate"))
            part.rate = strtod(next_word(&at, " "), NULL);
        else if (!strcmp(word, "before"))
            part.ended_us = stamp_us(self) - strtoll(next_word(&at, " "), NULL, 10) * BED_SECOND_US;
        else if (!strcmp(word, "of"))
            *nodes = (int32_t)strtol(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "gpu"))
            part.gpu = (int32_t)strtol(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "noretry"))
            part.retry = false;
        else if (!strcmp(word, "cause"))
            part.cause = next_word(&at, " ");
        else
            fail_msg("what is \"%s\" of a part?", word);
    }
    return part;
}

/* `text` is kept by the parts. */
static size_t read_parts(const bed_t *self, char *text, struct msg_part parts[], int32_t nodes[])
{
    size_t count = 0;
    char *at = text;

    for (char *part = next_word(&at, ","); *part; part = next_word(&at, ",")) {
        assert_true(count < PARTS_OF_TEST);
        parts[count] = read_part(self, part, &nodes[count]);
        count++;
    }
    return count;
}

/* ---- workers ---- */

static struct worker_node *node_at(const bed_t *self, int number)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    size_t place = 0;

    while (registry_at(registry, place)->number != number)
        place++;
    return registry_at(registry, place);
}

static struct msg_run run_of(const struct msg_part *part, int32_t nodes, int32_t node, int32_t gpus,
                             int32_t numbers[])
{
    struct msg_run run = {.job = part->job,
                          .incarnation = part->incarnation,
                          .name = "job",
                          .model = "vgg16",
                          .batch_size = 64,
                          .iterations = 1000,
                          .rate = 2.5,
                          .fast_forward = true,
                          .node_rank = nodes > 1 ? node : 0,
                          .nodes = nodes,
                          .world = nodes * gpus,
                          .rendezvous_address = "a0",
                          .rendezvous_port = 9000,
                          .gpu_count = (size_t)gpus,
                          .gpus = numbers,
                          .ranks = numbers + gpus};

    for (int32_t i = 0; i < gpus; i++) {
        run.gpus[i] = i;
        run.ranks[i] = run.node_rank * gpus + i;
    }
    return run;
}

static int say_hello(bed_t *self, int worker, int gpus, const char *parts, bool numbered)
{
    struct msg_gpu gpu[RANKS_OF_TEST];
    struct msg_part held[PARTS_OF_TEST];
    struct msg_run runs[PARTS_OF_TEST];
    int32_t nodes[PARTS_OF_TEST];
    int32_t numbers[PARTS_OF_TEST][2 * RANKS_OF_TEST];
    struct msg_worker_hello hello = {.port = 9000, .kind = "emulated", .gpus = gpu, .parts = held};
    char *text = xstrdup(parts);
    char name[16];
    char address[16];
    struct worker_node *node;
    int number;

    for (int i = 0; i < gpus; i++)
        gpu[i] = (struct msg_gpu){"", 1000, false};
    (void)snprintf(name, sizeof(name), "w%d", worker);
    (void)snprintf(address, sizeof(address), "a%d", worker);
    hello.address = address;
    hello.stamp_us = stamp_us(self);
    hello.lock = self->lock;
    hello.gpu_count = (size_t)gpus;
    hello.part_count = read_parts(self, text, held, nodes);
    hello.numbered = numbered;
    hello.node = worker;
    hello.first_rank = worker * gpus;
    hello.runs = runs;
    hello.run_count = numbered ? hello.part_count : 0;
    for (size_t i = 0; i < hello.run_count; i++) {
        runs[i] = run_of(&held[i], nodes[i], worker, gpus, numbers[i]);
        if (held[i].incarnation > hello.named)
            hello.named = held[i].incarnation;
    }
    node = dispatch_admit(self->dispatch, name, &hello, &self->error);
    number = node ? node->number : -1;
    if (node)
        dispatch_hello(self->dispatch, node, &hello, self->now_us);
    free(text);
    return number;
}

void bed_lock(bed_t *self, uint32_t lock)
{
    self->lock = lock;
}

void bed_clocks(bed_t *self, int64_t ahead_us, int64_t late_us)
{
    self->ahead_us = ahead_us;
    self->late_us = late_us;
}

int bed_hello(bed_t *self, int worker, int gpus, const char *parts)
{
    return say_hello(self, worker, gpus, parts, false);
}

int bed_return(bed_t *self, int worker, int gpus, const char *parts)
{
    return say_hello(self, worker, gpus, parts, true);
}

void bed_gpus(bed_t *self, int node, const char *gpus)
{
    struct msg_gpu found[RANKS_OF_TEST];
    struct msg_gpus said = {.gpus = found};
    char *text = xstrdup(gpus);
    char *at = text;

    for (const char *word = next_word(&at, " "); *word; word = next_word(&at, " "))
        found[said.gpu_count++] = (struct msg_gpu){word + (*word == '!'), 1000, *word == '!'};
    dispatch_gpus(self->dispatch, node_at(self, node), &said, self->now_us);
    free(text);
}

void bed_goodbye(bed_t *self, int node)
{
    dispatch_gone(self->dispatch, node_at(self, node), GONE_FOR_GOOD, "goodbye", self->now_us);
}

void bed_break(bed_t *self, int node)
{
    dispatch_gone(self->dispatch, node_at(self, node), GONE_BROKEN, "closed", self->now_us);
}

void bed_silent(bed_t *self, int node)
{
    dispatch_gone(self->dispatch, node_at(self, node), GONE_FOR_GOOD, "silent", self->now_us);
}

void bed_beat(bed_t *self, int node, const char *parts)
{
    struct msg_part held[PARTS_OF_TEST];
    int32_t nodes[PARTS_OF_TEST];
    char *text = xstrdup(parts);
    const struct msg_worker_heartbeat heartbeat = {stamp_us(self), 0,
                                                   read_parts(self, text, held, nodes), held};

    dispatch_heartbeat(self->dispatch, node_at(self, node), &heartbeat, self->now_us);
    free(text);
}

void bed_says(bed_t *self, int node, const char *part)
{
    int32_t nodes;
    char *text = xstrdup(part);
    const struct msg_report report = {read_part(self, text, &nodes), false, 0};

    dispatch_report(self->dispatch, node_at(self, node), &report, self->now_us);
    free(text);
}

void bed_all_say(bed_t *self, const int nodes[], size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++)
        bed_says(self, nodes[i], part);
}

void bed_grouped(bed_t *self, int node, uint64_t job, uint32_t incarnation, int64_t took_ms)
{
    const struct msg_report report = {
        .part = {.job = job, .incarnation = incarnation, .state = PART_READY, .cause = ""},
        .grouped = true,
        .took_ms = took_ms};

    dispatch_report(self->dispatch, node_at(self, node), &report, self->now_us);
}

/* ---- the scheduler ---- */

void bed_scheduler(bed_t *self, const char *name)
{
    plan_run_hello(self->plan_run, name);
}

void bed_scheduler_gone(bed_t *self, bool goodbye)
{
    plan_run_gone(self->plan_run, goodbye, self->now_us);
}

struct plan_text {
    struct msg_plan plan;
    struct msg_planned_job jobs[JOBS_OF_TEST];
    struct msg_planned_stop stops[JOBS_OF_TEST];
    int32_t ranks[JOBS_OF_TEST][RANKS_OF_TEST];
};

static void read_stop(struct plan_text *text, char *at)
{
    struct msg_planned_stop *stop = &text->stops[text->plan.stop_count++];
    const char *why;

    stop->job = strtoull(next_word(&at, " "), NULL, 10);
    why = next_word(&at, " ");
    stop->why = !strcmp(why, "done")        ? STOP_DONE
                : !strcmp(why, "cancelled") ? STOP_CANCELLED
                                            : STOP_PAUSED;
    stop->step = strtoll(next_word(&at, " "), NULL, 10);
}

static void read_job(struct plan_text *text, uint64_t job, char *at)
{
    const size_t place = text->plan.job_count++;
    struct msg_planned_job *planned = &text->jobs[place];
    char *ranks;

    *planned = (struct msg_planned_job){.job = job,
                                        .name = "job",
                                        .model = "vgg16",
                                        .batch_size = 64,
                                        .iterations = 1000,
                                        .deadline_s = INT64_MAX,
                                        .overhead_s = 2,
                                        .rate = 2.5,
                                        .ranks = text->ranks[place]};
    assert_string_equal(next_word(&at, " "), "on");
    ranks = next_word(&at, " ");
    for (const char *rank = next_word(&ranks, ","); *rank; rank = next_word(&ranks, ","))
        text->ranks[place][planned->rank_count++] = (int32_t)strtol(rank, NULL, 10);
    for (const char *word = next_word(&at, " "); *word; word = next_word(&at, " ")) {
        if (!strcmp(word, "from"))
            planned->step = strtoll(next_word(&at, " "), NULL, 10);
        else if (!strcmp(word, "batch"))
            planned->batch_size = (int32_t)strtol(next_word(&at, " "), NULL, 10);
        else
            fail_msg("what is \"%s\" of a planned job?", word);
    }
}

static void read_plan(struct plan_text *text, char *at)
{
    for (char *item = next_word(&at, ";"); *item; item = next_word(&at, ";")) {
        const char *word = next_word(&item, " ");

        if (!strcmp(word, "restart"))
            text->plan.restart = true;
        else if (!strcmp(word, "slow"))
            text->plan.fast_forward = false;
        else if (!strcmp(word, "stop"))
            read_stop(text, item);
        else
            read_job(text, strtoull(word, NULL, 10), item);
    }
}

void bed_program(bed_t *self, uint64_t job, const char *file)
{
    const struct msg_program program = {
        .job = job, .argument_count = 1, .arguments = &file, .folder = "", .user = ""};

    plan_run_program(self->plan_run, &program);
}

int bed_plan(bed_t *self, uint64_t round, const char *plan)
{
    struct plan_text *text = xcalloc(1, sizeof(*text));
    char *copy = xstrdup(plan);
    int status;

    text->plan = (struct msg_plan){
        .round = round, .fast_forward = true, .jobs = text->jobs, .stops = text->stops};
    read_plan(text, copy);
    text->plan.time_scale = text->plan.fast_forward ? 0 : 1;
    status = plan_run_take(self->plan_run, &text->plan, self->now_us, &self->error);
    free(copy);
    free(text);
    return status;
}

const char *bed_refusal(const bed_t *self)
{
    return self->error.text;
}

/* ---- what was sent ---- */

void bed_skip(bed_t *self)
{
    (void)fclose(self->out);
    free(self->sent);
    open_out(self);
}

void bed_expect(bed_t *self, const char *lines)
{
    (void)fflush(self->out);
    assert_string_equal(self->sent, lines);
    bed_skip(self);
}

bool bed_sent(const bed_t *self, const char *line)
{
    const size_t length = strlen(line);

    (void)fflush(self->out);
    for (const char *at = self->sent; *at; at = strchr(at, '\n') + 1)
        if (!strncmp(at, line, length))
            return true;
    return false;
}

size_t bed_leases(const bed_t *self)
{
    return self->leases;
}
