/* serving.c - the life of the service's heart: it is opened where its state stood, has its turns,
 * and is closed. The heart knows no socket: jobs run where a source of capacity has them, and
 * requests come from clients that others hear. */
#include "scheduler/service/serving.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/option_places.h"
#include "protocol/timing.h"
#include "scheduler/state/cluster_spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_S 0.005 /* of real time that a turn gives to requests */

/* ---- turns ---- */

int64_t serving_now_s(const struct serving *self)
{
    const double clock = self->clock.runs ? floor(run_clock_now(&self->clock)) : 0;

    return (int64_t)fmax(clock, (double)self->decision.now_s);
}

static void take_requests(struct serving *self)
{
    const double until_s = clock_s() + TURN_S;
    struct request *request;

    while (!self->waits_for_step && self->told.count < CHANGES_MAX && clock_s() < until_s &&
           (request = clients_next(self->clients))) {
        if (!strcmp(request->verb, "submit") && !missing_may_number(self)) {
            clients_put_back(self->clients, &request);
            break;
        }
        verbs_take(self, request);
    }
    if (clock_s() >= until_s)
        self->wake(self->wake_owner);
}

int serving_turn(struct serving *self, struct error *error)
{
    capacity_send_orders(self->capacity);
    take_requests(self);
    if (missing_check(self, error) < 0 || steps_make(self, error) < 0)
        return -1;
    if (backing_up_goes_on(self))
        self->wake(self->wake_owner);
    return 0;
}

/* ---- the state ---- */

/* Reads the time at which the state was made. A new state gets the present time. */
static int settle_epoch(struct serving *self, struct error *error)
{
    const char *body;
    char text[24];
    const int got = journal_get(self->journal, "service", "epoch", &body, error);

    if (got < 0)
        return -1;
    if (got > 0) {
        self->epoch = strtoll(body, NULL, 10);
        return 0;
    }
    self->epoch = (int64_t)time(NULL);
    (void)snprintf(text, sizeof(text), "%" PRId64, self->epoch);
    if (journal_begin(self->journal, error) < 0 ||
        journal_put(self->journal, "service", "epoch", text, error) < 0)
        return -1;
    return journal_commit(self->journal, error);
}

static int open_state(struct serving *self, const struct simulation *simulation,
                      struct error *error)
{
    const struct record_setting recorded = inputs_recorded(&self->inputs, simulation);

    if (journal_settle(self->journal, &recorded, error) < 0 || settle_epoch(self, error) < 0)
        return -1;
    self->run = journal_run(self->journal);
    self->events = events_new(self->journal, error);
    if (!self->events)
        return -1;
    self->profiles = profiles_new(self->journal, error);
    if (!self->profiles)
        return -1;
    return nodes_recall(self, error);
}

/* Resumes the run from the journal. */
static int resume(struct serving *self, struct error *error)
{
    if (submitting_recall(self, error) < 0 || missing_settle(self, error) < 0)
        return -1;
    if (journal_steps(self->journal) == 0) {
        if (journal_next(self->journal, self->engine, &(struct journaled_step){0}, error) < 0)
            return -1;
        run_clock_start(&self->clock, 0);
        return steps_begin(self, error);
    }
    if (snapshots_recall(self, error) < 0 || steps_replay(self, error) < 0 ||
        submitting_settle(self, error) < 0 || steering_recall(self, error) < 0 ||
        adopting_settle(self, error) < 0)
        return -1;
    run_clock_not_before(&self->clock, self->decision.now_s);
    submitting_catch_up(self);
    steering_catch_up(self);
    if (holds_catch_up(self, error) < 0)
        return -1;
    self->told_kept = self->told.count;
    log_event(&LOG_ABOUT_NOTHING, "resumed", "steps=%" PRId64 " jobs=%" PRIu32,
              journal_steps(self->journal), ledger_next(self->ledger) - 1);
    return 0;
}

static void hear(void *owner, const struct msg_job_report *report)
{
    if (report->state == JOB_REPORT_LOST)
        noting_lost(owner, report);
    else if (report->state == JOB_REPORT_STABLE)
        learning_hear(owner, report);
}

static void ask_turn(void *owner)
{
    const struct serving *self = owner;

    self->wake(self->wake_owner);
}

static void open_capacity(struct serving *self, const struct capacity_source *source)
{
    const struct capacity_setting setting = {.cluster = &self->inputs.setting.cluster,
                                             .clock = &self->clock,
                                             .time_scale = self->clock.scale,
                                             .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
                                             .wake = ask_turn,
                                             .knows = missing_is_known,
                                             .program_of = programs_of,
                                             .may_use = programs_may_use,
                                             .heard = hear,
                                             .replaced = nodes_replaced,
                                             .owner = self};

    self->capacity = capacity_new(&setting, source);
    self->drains = xcalloc((size_t)capacity_node_count(self->capacity), sizeof(*self->drains));
    self->again = xcalloc((size_t)capacity_node_count(self->capacity), sizeof(*self->again));
}

static int check_cluster(const struct serving *self, struct error *error)
{
    const struct cluster_spec *cluster = &self->inputs.setting.cluster;

    if (policy_check_real(self->inputs.setting.policy, error) < 0)
        return -1;
    if (cluster_spec_nodes(cluster) > NODES_MAX)
        return error_set(error, "a real cluster has at most %d nodes, not %d", NODES_MAX,
                         cluster_spec_nodes(cluster));
    return 0;
}

/* Takes each option that the service was not given from the state: the steps of the journal are
 * decided again, with the same options. */
static int settle_untold(struct serving *self, struct error *error)
{
    const struct policy_options *options = self->inputs.setting.policy->options;

    for (const struct policy_option *item = options ? options->items : NULL;
         item && item->spec.kind; item++) {
        if (item->of_service && !option_places_has(item->spec.name) &&
            journal_option(self->journal, options, item, self->inputs.options, error) < 0)
            return -1;
    }
    return 0;
}

static int open_journal(struct serving *self, struct error *error)
{
    self->journal = journal_open(self->setting.state, error);
    return self->journal ? settle_untold(self, error) : -1;
}

/* ---- life ---- */

struct serving *serving_new(const struct service *service, const char *name, double time_scale,
                            zloop_t *loop, void (*wake)(void *owner), void *wake_owner)
{
    struct serving *self = xcalloc(1, sizeof(*self));

    *self = (struct serving){.setting = *service,
                             .name = name,
                             .loop = loop,
                             .wake = wake,
                             .wake_owner = wake_owner,
                             .clock = {.scale = time_scale},
                             .ledger = ledger_new(),
                             .rows = rows_new(),
                             .program_texts = arena_new(),
                             .started = (int64_t)time(NULL)};
    self->questions = questions_new(loop, self);
    return self;
}

int serving_open(struct serving *self, const struct simulation *simulation,
                 const struct capacity_source *source, struct error *error)
{
    if (inputs_read_all_tables(&self->inputs, simulation, error) < 0 ||
        inputs_refuse_ends(&self->inputs, "a service", error) < 0 ||
        check_cluster(self, error) < 0 || sharing_open(self, error) < 0 ||
        open_journal(self, error) < 0)
        return -1;
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, error);
    if (!self->engine)
        return -1;
    open_capacity(self, source);
    return open_state(self, simulation, error) < 0 ||
                   capacity_recall(self->capacity, self->journal, error) < 0 ||
                   resume(self, error) < 0
               ? -1
               : 0;
}

int serving_begin(struct serving *self, struct error *error)
{
    if (capacity_attach(self->capacity, error) < 0)
        return -1;
    self->opened_s = clock_s();
    self->copy_is_due = !self->is_new;
    return journal_loss_is_accepted(self->journal) ? journal_go_on(self->journal, error) : 0;
}

/* Answers all requests that still wait. */
static void answer_all(struct serving *self, const struct error *error)
{
    if (self->clients) {
        steps_abandon(self, error);
        verbs_abandon(self);
    }
    if (self->backs_up)
        clients_fail(self->clients, &self->backs_up, ANSWER_FAILED, "the service ends");
}

void serving_destroy(struct serving **serving, const struct error *error)
{
    struct serving *self = *serving;

    snapshots_give_up(self);
    answer_all(self, error);
    questions_destroy(&self->questions); /* while its clients can be answered */
    if (self->capacity)
        capacity_detach(self->capacity, error->text, false);
    capacity_destroy(&self->capacity);
    engine_destroy(&self->engine);
    events_destroy(&self->events);
    holdings_close(self);
    profiles_destroy(&self->profiles);
    journal_close(&self->journal);
    arena_destroy(&self->program_texts);
    ledger_destroy(&self->ledger);
    rows_destroy(&self->rows);
    inputs_free(&self->inputs);
    free(self->reservations.items);
    free(self->again);
    free(self->drains);
    free(self->told.items);
    free(self);
    *serving = NULL;
}
