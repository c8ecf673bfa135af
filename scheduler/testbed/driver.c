/* driver.c - a run on a real cluster from step to step. The engine is told what happened, its
 * decision goes to the master as a plan, and between steps the session with the master has its
 * turn: no step waits for it.
 *
 * In real time a step comes when it is due, or when something happened, whether trainers are ready
 * or not. Fast-forwarded the clock jumps once the plan is carried out, but for jobs that wait for
 * the lease of a node that is gone. */
#include "scheduler/testbed/driver.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/number.h"
#include "protocol/process_name.h"
#include "protocol/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MAX 65535
#define LOOK_MS  100 /* between looks at signals and the clock */

/* ---- the cluster ---- */

static bool all_are_there(const testbed_driver_t *self)
{
    return self->welcome && session_nodes_up(self) > 0 && session_nodes_up(self) >= self->expected;
}

static bool some_node_fits(const testbed_driver_t *self)
{
    for (int i = 0; i < self->cluster_nodes; i++)
        if (node_gpus(self, i) > 0)
            return true;
    return false;
}

static int check_nodes(const testbed_driver_t *self, struct error *error)
{
    for (int i = 0; i < self->node_count; i++)
        if (self->nodes[i].up && self->nodes[i].gpus < self->per_node)
            return error_set(error, "node %s has %d GPUs, but those of --cluster_spec have %d",
                             self->nodes[i].cause, self->nodes[i].gpus, self->per_node);
    return 0;
}

/* Nodes that the engine was told of, be it by a scheduler before, are as they were told. */
static bool nodes_changed(const testbed_driver_t *self)
{
    for (int i = 0; self->resumed && i < self->cluster_nodes; i++)
        if (node_gpus(self, i) != (self->nodes[i].told_gone ? 0 : self->nodes[i].told_gpus))
            return true;
    return false;
}

/* Whether a run that goes on may: a master that was started anew gets its nodes back first, and in
 * real time it says where trainers are. */
static bool may_go_on(const testbed_driver_t *self)
{
    return self->welcome && self->node_count > 0 &&
           (self->setting.fast_forward || self->heard_beat) &&
           (all_are_there(self) || clock_s() >= self->welcome_s + self->lease_s);
}

static int open_session(testbed_driver_t *self, struct error *error)
{
    if (session_open(self, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "waiting", "master=%s", log_text(self->setting.master));
    if (session_wait(self, self->resumed ? may_go_on : all_are_there, error) < 0 ||
        check_nodes(self, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "up", "nodes=%d gpus=%d", session_nodes_up(self),
              session_nodes_up(self) * self->per_node);
    for (int i = 0; i < self->node_count; i++)
        self->nodes[i].went = false;
    self->changed = nodes_changed(self);
    return 0;
}

int testbed_prepare(testbed_driver_t *self, const struct cluster_spec *spec, struct error *error)
{
    self->per_node = spec->pools[0].gpus_per_node;
    self->cluster_nodes = cluster_spec_nodes(spec);
    if (self->cluster_nodes > NODES_MAX)
        return error_set(error, "a real cluster has at most %d nodes, not %d", NODES_MAX,
                         self->cluster_nodes);
    for (int i = 0; i < self->cluster_nodes; i++)
        self->nodes[i].told_gpus = self->per_node;
    return keeping_open(self, error);
}

int testbed_open(void *owner, const struct cluster_spec *spec, struct error *error)
{
    testbed_driver_t *self = owner;

    if (testbed_prepare(self, spec, error) < 0)
        return -1;
    return self->over ? 0 : open_session(self, error);
}

/* ---- steps ---- */

/* The decision is kept, and goes to the master; its effects are heard between steps. */
static int carry_out(testbed_driver_t *self, run_t *run, const struct decision *decision,
                     struct error *error)
{
    run_clock_start(&self->clock, decision->now_s);
    self->due_since_s = 0;
    self->told_idle = false;
    self->paid = self->paid || decision->round > 0;
    (void)FAILPOINT("step-decided");
    if (decision->round > 0 && orders_make(self, run_engine(run), decision, error) < 0)
        return -1;
    if (keeping_commit(self, error) < 0)
        return -1;
    (void)FAILPOINT("step-kept");
    decision_log(run_engine(run), decision);
    orders_send(self);
    (void)FAILPOINT("plan-sent");
    return 0;
}

/* The first step: nodes may be missing from the start. */
static int begin(testbed_driver_t *self, run_t *run, struct decision *decision, struct error *error)
{
    news_clear(self);
    news_of_nodes(self);
    if (run_begin(run, self->news.items, self->news.count, decision, error) < 0)
        return -1;
    return carry_out(self, run, decision, error);
}

static int step(testbed_driver_t *self, run_t *run, int64_t now_s, struct decision *decision,
                struct error *error)
{
    news_clear(self);
    if (news_of_jobs(self, run_engine(run), now_s, error) < 0)
        return -1;
    news_of_nodes(self);
    self->changed = false;
    if (run_step(run, now_s, self->news.items, self->news.count, decision, error) < 0)
        return -1;
    return carry_out(self, run, decision, error);
}

static bool is_settled(const testbed_driver_t *self)
{
    return self->settled == self->round;
}

/* The costs of starts put off ends, and with them the next step. They are no round of their own. */
static int tell_paid(testbed_driver_t *self, run_t *run, struct decision *decision,
                     struct error *error)
{
    if (!self->paid || (self->setting.fast_forward && !is_settled(self)))
        return 0;
    news_clear(self);
    news_of_starts(self, run_engine(run), decision->now_s);
    if (self->news.count == 0)
        return 0;
    if (run_step(run, decision->now_s, self->news.items, self->news.count, decision, error) < 0)
        return -1;
    (void)FAILPOINT("paid-decided");
    if (keeping_commit(self, error) < 0)
        return -1;
    (void)FAILPOINT("paid-kept");
    return 0;
}

/* ---- when the next step is ---- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether the jobs of the plan in force only wait for leases of nodes that are gone. */
static bool all_wait(const testbed_driver_t *self)
{
    bool some_wait = false;

    for (const struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next) {
        if (job->planned && job->training)
            return false;
        some_wait = some_wait || (job->planned && job->waits);
    }
    return some_wait;
}

/* On leases GPUs are left free for slots to come. */
static bool waits_for_slot(run_t *run, const struct decision *decision)
{
    const int gpus = cluster_gpus_up(decision->cluster);

    if (!policy_find(run_simulation(run)->policy)->lends)
        return false;
    for (size_t i = 0; i < decision->live_count; i++)
        if (decision->live[i]->submission->gpus_requested <= gpus)
            return true;
    return false;
}

/* Whether nothing runs, and nothing will before nodes come. */
static bool is_stuck(const testbed_driver_t *self, run_t *run, const struct decision *decision)
{
    const struct engine_status status = engine_status(run_engine(run));

    return decision->holding_count == 0 && decision->live_count > 0 &&
           status.settled + status.live == status.jobs &&
           session_nodes_up(self) < self->cluster_nodes && !waits_for_slot(run, decision);
}

static void tell_idle(testbed_driver_t *self)
{
    if (!self->told_idle)
        log_event(&LOG_ABOUT_NOTHING, "idle", "nodes=%d of=%d", session_nodes_up(self),
                  self->cluster_nodes);
    self->told_idle = true;
}

/* Fast-forwarded: once all that can is done. */
static bool may_jump(testbed_driver_t *self, run_t *run, const struct decision *decision,
                     int64_t *at_s)
{
    *at_s = self->changed ? earlier(decision->now_s + 1, decision->next_s) : decision->next_s;
    if (!is_settled(self))
        return false;
    if (self->changed)
        return true;
    if (is_stuck(self, run, decision)) {
        tell_idle(self);
        return false;
    }
    return !all_wait(self);
}

/* The clock says that a job is done: its trainers may be a moment late. */
static bool awaits_end(testbed_driver_t *self, run_t *run, int64_t now_s)
{
    const double patience_s = (double)(HEARTBEATS_MISSED * self->setting.heartbeat_ms) / 1000;

    if (self->due_since_s <= 0)
        self->due_since_s = clock_s();
    return self->welcome && clock_s() - self->due_since_s <= patience_s &&
           news_is_near(self, run_engine(run), now_s);
}

/* In real time: when it is due, and before if something happened. */
static bool is_time(testbed_driver_t *self, run_t *run, const struct decision *decision,
                    int64_t *at_s)
{
    const double clock = run_clock_now(&self->clock);

    run_clock_look(&self->clock);
    *at_s = decision->next_s;
    if (!self->changed)
        self->changed =
            news_of_slowness(self, run_engine(run), decision->now_s, run_simulation(run)->slot_s);
    if (self->changed && clock >= (double)(decision->now_s + 1)) {
        *at_s = clock < (double)decision->next_s ? (int64_t)clock : decision->next_s;
        return true;
    }
    return clock >= (double)decision->next_s && !awaits_end(self, run, decision->next_s);
}

static bool may_step(testbed_driver_t *self, run_t *run, const struct decision *decision,
                     int64_t *at_s)
{
    if (!some_node_fits(self))
        return false;
    return self->setting.fast_forward ? may_jump(self, run, decision, at_s)
                                      : is_time(self, run, decision, at_s);
}

static size_t look_ms(const testbed_driver_t *self, const struct decision *decision)
{
    double left_ms;

    if (self->setting.fast_forward)
        return LOOK_MS;
    left_ms =
        ((double)decision->next_s - run_clock_now(&self->clock)) / self->setting.time_scale * 1000;
    if (left_ms > 0 && left_ms < LOOK_MS)
        return left_ms > 1 ? (size_t)left_ms : 1;
    return LOOK_MS;
}

/* Hears the master until the next step is to be made, at `*at_s`. Returns as struct driver has
 * it. */
static int await_step(testbed_driver_t *self, run_t *run, struct decision *decision, int64_t *at_s,
                      struct error *error)
{
    for (;;) {
        if (session_stop_asked(self))
            return 1;
        if (session_check(self, error) < 0 || tell_paid(self, run, decision, error) < 0)
            return -1;
        if (may_step(self, run, decision, at_s))
            return 0;
        session_turn(self, look_ms(self, decision));
    }
}

static int end(testbed_driver_t *self, struct error *error)
{
    if (session_wait(self, is_settled, error) < 0)
        return -1;
    (void)FAILPOINT("run-settled");
    if (keeping_end(self, error) < 0)
        return -1;
    (void)FAILPOINT("run-ended");
    return 0;
}

int testbed_drive(void *owner, run_t *run, struct error *error)
{
    testbed_driver_t *self = owner;
    struct decision decision;
    int64_t at_s;
    int status = self->resumed ? keeping_replay(self, run, &decision, error)
                               : begin(self, run, &decision, error);

    while (status == 0 && decision.next_s != NEVER_S) {
        status = await_step(self, run, &decision, &at_s, error);
        if (status == 0)
            status = step(self, run, at_s, &decision, error);
    }
    return status == 0 && !self->over ? end(self, error) : status;
}

void testbed_attend(void *owner)
{
    session_beat(owner);
}

void testbed_close(void *owner, const char *why)
{
    testbed_driver_t *self = owner;
    struct writer goodbye;

    if (!self->link)
        return;
    if (self->welcome && (self->over || !self->setting.journal)) {
        msg_goodbye_pack(why, &goodbye);
        link_client_send(self->link, &goodbye);
    }
    log_event(&LOG_ABOUT_NOTHING, "down", "why=%s distrusted=%" PRIu64, log_text(why),
              self->distrusted + trained_jobs_refused(self->jobs));
    link_client_destroy(&self->link);
    self->welcome = false;
}

/* ---- life ---- */

static int check_address(const char *address, struct error *error)
{
    const char *colon = strrchr(address, ':');
    int64_t port;

    if (colon && colon > address &&
        number_parse_whole(colon + 1, strlen(colon + 1), 1, PORT_MAX, &port) == NUMBER_OK)
        return 0;
    return error_set(error, "--master: expected ADDRESS:PORT, found \"%s\"", address);
}

static int check_name(const char *name, struct error *error)
{
    return process_name_check(name, error) < 0 ? error_prefix(error, "--name") : 0;
}

/* Finds the scheduler's keys, and the master's, that the session needs. The endpoint may need them.
 */
static int find_keys(testbed_driver_t *self, struct error *error)
{
    const char *folder = self->setting.keys;

    if (folder && !(self->keys = keys_read(folder, self->setting.name, error)))
        return -1;
    if (self->keys && !keys_public_of(self->keys, "master", error))
        return -1;
    return endpoint_check(self->endpoint, self->keys, error);
}

testbed_driver_t *testbed_driver_new(const struct testbed_setting *setting, struct error *error)
{
    testbed_driver_t *self;

    if (check_address(setting->master, error) < 0 || check_name(setting->name, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->setting = *setting;
    self->beat = -1;
    self->clock.scale = setting->time_scale;
    self->jobs = trained_jobs_new();
    self->news.texts = arena_new();
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "tcp://%s", setting->master);
    zsys_init();
    zsys_handler_set(NULL);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    if (find_keys(self, error) < 0)
        testbed_driver_destroy(&self);
    return self;
}

void testbed_driver_destroy(testbed_driver_t **self)
{
    if (!*self)
        return;
    link_client_destroy(&(*self)->link);
    zloop_destroy(&(*self)->loop);
    keys_destroy(&(*self)->keys);
    trained_jobs_destroy(&(*self)->jobs);
    if ((*self)->has_plan)
        writer_close(&(*self)->plan);
    arena_destroy(&(*self)->news.texts);
    text_free(&(*self)->text);
    free((*self)->news.items);
    free(*self);
    *self = NULL;
}
