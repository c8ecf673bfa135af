/* driver.c - a run on a real cluster from step to step. The engine is told what happened, and its
 * decision goes to the master as a plan. Between steps the session with the master has its turn: no
 * step waits for the master.
 *
 * In real time a step comes when it is due or when something happened, whether trainers are ready
 * or not. When fast-forwarded, the clock jumps once the plan is carried out. Jobs that wait for the
 * lease of a lost node do not hold the clock up. */
#include "scheduler/testbed/driver.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"

#include <stdlib.h>

#define LOOK_MS 100 /* between looks at signals and the clock */

/* ---- the cluster ---- */

static bool some_node_fits(const testbed_driver_t *self)
{
    for (int i = 0; i < capacity_node_count(self->capacity); i++)
        if (capacity_node_gpus(self->capacity, i) > 0)
            return true;
    return false;
}

static int gpus_up(const capacity_t *capacity)
{
    int gpus = 0;

    for (int i = 0; i < capacity_node_count(capacity); i++)
        gpus += capacity_node_gpus(capacity, i);
    return gpus;
}

static int attach(testbed_driver_t *self, struct error *error)
{
    capacity_t *capacity = self->capacity;

    if (capacity_attach(capacity, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "waiting", "master=%s", log_text(self->setting.master.address));
    if (driver_wait(self, capacity_is_resumed(capacity) ? capacity_may_go_on : capacity_is_complete,
                    error) < 0 ||
        capacity_check_nodes(capacity, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "up", "nodes=%d gpus=%d", capacity_nodes_up(capacity),
              gpus_up(capacity));
    capacity_take_nodes(capacity);
    return 0;
}

int testbed_open(void *owner, const struct cluster_spec *spec, struct error *error)
{
    testbed_driver_t *self = owner;
    const struct capacity_source source = master_source_port(self->master);
    const struct capacity_setting setting = {.cluster = spec,
                                             .clock = &self->clock,
                                             .fast_forward = self->setting.fast_forward,
                                             .time_scale = self->setting.time_scale,
                                             .heartbeat_ms = self->setting.master.heartbeat_ms,
                                             .wake = driver_wake,
                                             .owner = self};

    if (cluster_spec_nodes(spec) > NODES_MAX)
        return error_set(error, "a real cluster has at most %d nodes, not %d", NODES_MAX,
                         cluster_spec_nodes(spec));
    self->capacity = capacity_new(&setting, &source);
    if (keeping_open(self, error) < 0)
        return -1;
    return self->over ? 0 : attach(self, error);
}

/* ---- steps ---- */

/* Stores the decision, and then sends it to the master. Its effects are heard between steps. */
static int carry_out(testbed_driver_t *self, run_t *run, const struct decision *decision,
                     struct error *error)
{
    run_clock_start(&self->clock, decision->now_s);
    self->told_idle = false;
    (void)FAILPOINT("step-decided");
    if (decision->round > 0 && capacity_order(self->capacity, run_engine(run), decision, error) < 0)
        return -1;
    if (keeping_commit(self, error) < 0)
        return -1;
    (void)FAILPOINT("step-kept");
    decision_log(run_engine(run), decision);
    capacity_pass_orders(self->capacity);
    (void)FAILPOINT("plan-sent");
    return 0;
}

/* Takes the first step. Nodes may be missing from the start. */
static int begin(testbed_driver_t *self, run_t *run, struct decision *decision, struct error *error)
{
    const struct occurrences *news = capacity_news(self->capacity);

    capacity_begin_news(self->capacity);
    capacity_tell_nodes(self->capacity);
    if (run_begin(run, news->items, news->count, decision, error) < 0)
        return -1;
    return carry_out(self, run, decision, error);
}

static int step(testbed_driver_t *self, run_t *run, int64_t now_s, struct decision *decision,
                struct error *error)
{
    const struct occurrences *news = capacity_news(self->capacity);

    capacity_begin_news(self->capacity);
    if (capacity_tell_jobs(self->capacity, run_engine(run), now_s, error) < 0)
        return -1;
    capacity_tell_nodes(self->capacity);
    if (run_step(run, now_s, news->items, news->count, decision, error) < 0)
        return -1;
    return carry_out(self, run, decision, error);
}

/* Tells the engine what starts cost: ends, and so the next step, come later. No round is held for
 * that. */
static int tell_paid(testbed_driver_t *self, run_t *run, struct decision *decision,
                     struct error *error)
{
    capacity_t *capacity = self->capacity;
    const struct occurrences *news = capacity_news(capacity);

    if (!capacity_has_starts(capacity) ||
        (self->setting.fast_forward && !capacity_is_settled(capacity)))
        return 0;
    capacity_begin_news(capacity);
    capacity_tell_starts(capacity, run_engine(run), decision->now_s);
    if (news->count == 0)
        return 0;
    if (run_step(run, decision->now_s, news->items, news->count, decision, error) < 0)
        return -1;
    (void)FAILPOINT("paid-decided");
    if (keeping_commit(self, error) < 0)
        return -1;
    (void)FAILPOINT("paid-kept");
    capacity_pass_orders(capacity);
    return 0;
}

/* ---- when the next step is ---- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether the policy holds GPUs back for later slots, and a job could use them. */
static bool waits_for_slot(run_t *run, const struct decision *decision)
{
    const int gpus = cluster_gpus_up(decision->cluster);

    if (!policy_find(run_simulation(run)->policy)->holds_back)
        return false;
    for (size_t i = 0; i < decision->live_count; i++)
        if (decision->live[i]->submission->gpus_requested <= gpus)
            return true;
    return false;
}

/* Whether nothing runs, and nothing will until nodes come. */
static bool is_stuck(const testbed_driver_t *self, run_t *run, const struct decision *decision)
{
    const struct engine_status status = engine_status(run_engine(run));

    return decision->holding_count == 0 && decision->live_count > 0 &&
           status.settled + status.live == status.jobs &&
           capacity_nodes_up(self->capacity) < capacity_node_count(self->capacity) &&
           !waits_for_slot(run, decision);
}

static void tell_idle(testbed_driver_t *self)
{
    if (!self->told_idle)
        log_event(&LOG_ABOUT_NOTHING, "idle", "nodes=%d of=%d", capacity_nodes_up(self->capacity),
                  capacity_node_count(self->capacity));
    self->told_idle = true;
}

/* Whether the fast-forwarded clock may jump to the next step: the plan is carried out. */
static bool may_jump(testbed_driver_t *self, run_t *run, const struct decision *decision,
                     int64_t *at_s)
{
    const bool called = capacity_calls_for_step(self->capacity);

    *at_s = called ? earlier(decision->now_s + 1, decision->next_s) : decision->next_s;
    if (!capacity_is_settled(self->capacity))
        return false;
    if (called)
        return true;
    if (is_stuck(self, run, decision)) {
        tell_idle(self);
        return false;
    }
    return !capacity_all_wait(self->capacity);
}

/* Whether a step is due in real time, or something happened before. Trainers of a job that is done
 * by the clock may be a moment late, and are waited for. */
static bool is_time(testbed_driver_t *self, run_t *run, const struct decision *decision,
                    int64_t *at_s)
{
    const double clock = run_clock_now(&self->clock);

    run_clock_look(&self->clock);
    *at_s = decision->next_s;
    if (capacity_looks_for_step(self->capacity, run_engine(run), decision->now_s,
                                run_simulation(run)->slot_s) &&
        clock >= (double)(decision->now_s + 1)) {
        *at_s = clock < (double)decision->next_s ? (int64_t)clock : decision->next_s;
        return true;
    }
    return clock >= (double)decision->next_s &&
           !capacity_awaits_end(self->capacity, run_engine(run), decision->next_s);
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

/* Hears the master until a step is due, at `*at_s`. Returns as struct driver says. */
static int await_step(testbed_driver_t *self, run_t *run, struct decision *decision, int64_t *at_s,
                      struct error *error)
{
    for (;;) {
        if (driver_stop_asked(self))
            return 1;
        if (capacity_check(self->capacity, error) < 0 || tell_paid(self, run, decision, error) < 0)
            return -1;
        if (may_step(self, run, decision, at_s))
            return 0;
        driver_turn(self, look_ms(self, decision));
    }
}

static int end(testbed_driver_t *self, struct error *error)
{
    if (driver_wait(self, capacity_is_settled, error) < 0)
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
    int status = capacity_is_resumed(self->capacity) ? keeping_replay(self, run, &decision, error)
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
    capacity_attend(((testbed_driver_t *)owner)->capacity);
}

void testbed_close(void *owner, const char *why)
{
    testbed_driver_t *self = owner;

    if (self->capacity)
        capacity_detach(self->capacity, why, self->over || !self->setting.journal);
}

/* ---- life ---- */

testbed_driver_t *testbed_driver_new(const struct testbed_setting *setting, struct error *error)
{
    testbed_driver_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->clock.scale = setting->time_scale;
    zsys_init();
    zsys_handler_set(NULL);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    self->master = master_source_new(self->loop, &setting->master, error);
    if (!self->master)
        testbed_driver_destroy(&self);
    return self;
}

void testbed_driver_destroy(testbed_driver_t **self)
{
    if (!*self)
        return;
    capacity_destroy(&(*self)->capacity);
    master_source_destroy(&(*self)->master);
    zloop_destroy(&(*self)->loop);
    free(*self);
    *self = NULL;
}
