/* service.c - the loop of the service: master and clients are heard in turns, then steps are made.
 * Nothing in it waits. */
#include "scheduler/service/service.h"

#include "common/clock.h"
#include "common/descriptors.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/option_places.h"
#include "protocol/timing.h"
#include "scheduler/report/progress.h"
#include "scheduler/service/serving.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAITING_MAX 512 /* requests: two steps of them */
/* For its own files, and some clients. */
#define DESCRIPTORS_LEAST (64 + LINK_DESCRIPTORS_KEPT)

#define DRAINED_BEFORE                                                                             \
    CAUSE_OF_DRAIN "an operator" /* whom states of versions before do not name                     \
                                  */
#define TURN_S 0.005             /* of requests, before what came is heard and steps are made */

int64_t serving_now_s(const struct serving *self)
{
    const double clock = self->driver->clock.runs ? floor(run_clock_now(&self->driver->clock)) : 0;

    return (int64_t)fmax(clock, (double)self->decision.now_s);
}

/* ---- the loop ---- */

static void wake(void *owner)
{
    session_wake(((struct serving *)owner)->driver);
}

static int on_beat(zloop_t *loop, int timer, void *argument)
{
    struct serving *self = argument;

    (void)loop;
    (void)timer;
    clients_beat(self->clients);
    backing_up_begin(self); /* after the first requests and reports, which wait for a start */
    return 0;
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
        wake(self);
}

/* ---- SIGHUP ---- */

static volatile sig_atomic_t reload_asked;

static void on_hangup(int number)
{
    (void)number;
    reload_asked = 1;
}

static void catch_hangup(void)
{
    struct sigaction action = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};

    (void)sigaction(SIGHUP, &action, NULL);
}

static void log_limits(const struct service_limits *limits)
{
    const char *share = limits->shares;

    log_event(&LOG_ABOUT_NOTHING, "reloaded",
              "user_jobs=%" PRId64 " session_requests=%" PRId64 "%s%s", limits->user_jobs,
              limits->session_requests, share ? " promise_share=" : "",
              share ? log_text(share) : "");
}

static void reload(struct serving *self)
{
    struct service_limits *limits = &self->setting.limits;
    struct service_limits fresh = *limits;
    struct error error;

    reload_asked = 0;
    if (!self->setting.reload)
        return;
    if (self->setting.reload(self->setting.reload_owner, &fresh, &error) < 0 ||
        sharing_renew(self, &fresh, &error) < 0) {
        log_event(&LOG_ABOUT_NOTHING, "reload-failed", "cause=%s", log_text(error.text));
        return;
    }
    *limits = fresh;
    clients_limit(self->clients, limits->session_requests);
    log_limits(limits);
}

static int serve(struct serving *self, struct error *error)
{
    while (!progress_stop_asked()) {
        if (reload_asked)
            reload(self);
        take_requests(self);
        if (missing_check(self, error) < 0 || steps_make(self, error) < 0)
            return -1;
        if (backing_up_goes_on(self))
            wake(self);
        session_turn(self->driver, steps_look_ms(self));
    }
    error_set(error, "stopped; jobs run on, and the next start with --state %s goes on with them",
              self->setting.state);
    return 1;
}

/* ---- life ---- */

/* The time at which the state was made. */
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

static int note_node(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    const long node = strtol(key, NULL, 10);

    if (node >= 0 && node < NODES_MAX)
        self->drained[node] = strncmp(body, "drained", strlen("drained")) != 0 ? NULL
                              : !strcmp(body, "drained")                       ? DRAINED_BEFORE
                                                         : ledger_text(self->ledger, body);
    return 0;
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
    return journal_each(self->journal, "node", note_node, self, error) < 0 ? -1 : 0;
}

/* Resumes the run as the journal has it. */
static int resume(struct serving *self, struct error *error)
{
    if (submitting_recall(self, error) < 0 || missing_settle(self, error) < 0)
        return -1;
    if (journal_steps(self->journal) == 0) {
        if (journal_next(self->journal, self->engine, &(struct journaled_step){0}, error) < 0)
            return -1;
        run_clock_start(&self->driver->clock, 0);
        return steps_begin(self, error);
    }
    if (snapshots_recall(self, error) < 0 || steps_replay(self, error) < 0 ||
        submitting_settle(self, error) < 0 || steering_recall(self, error) < 0 ||
        adopting_settle(self, error) < 0)
        return -1;
    run_clock_not_before(&self->driver->clock, self->decision.now_s);
    submitting_catch_up(self);
    steering_catch_up(self);
    if (holds_catch_up(self, error) < 0)
        return -1;
    self->told_kept = self->told.count;
    log_event(&LOG_ABOUT_NOTHING, "resumed", "steps=%" PRId64 " jobs=%" PRIu32,
              journal_steps(self->journal), ledger_next(self->ledger) - 1);
    return 0;
}

static int open_clients(struct serving *self, const struct testbed *testbed, struct error *error)
{
    char path[4096];
    const struct clients_setting setting = {.socket = path,
                                            .listen = self->setting.listen,
                                            .keys = self->driver->keys,
                                            .operators = self->setting.operators,
                                            .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
                                            .waiting_max = WAITING_MAX,
                                            .requests_max = self->setting.limits.session_requests};

    (void)testbed;
    if (self->setting.socket)
        (void)snprintf(path, sizeof(path), "%s", self->setting.socket);
    else
        (void)snprintf(path, sizeof(path), "%s/rubato.sock", self->setting.state);
    self->clients = clients_new(self->driver->loop, &setting, wake, self, error);
    if (!self->clients)
        return -1;
    self->beat = zloop_timer(self->driver->loop, (size_t)HEARTBEAT_MS_DEFAULT, 0, on_beat, self);
    log_event(&LOG_ABOUT_NOTHING, "serving", "socket=%s", log_text(path));
    return 0;
}

static void hear(void *owner, const struct msg_job_report *report)
{
    if (report->state == JOB_REPORT_LOST)
        noting_lost(owner, report);
    else if (report->state == JOB_REPORT_STABLE)
        learning_hear(owner, report);
}

static int open_driver(struct serving *self, const struct testbed *testbed, struct error *error)
{
    const struct testbed_setting setting = {
        .master = testbed->master,
        .keys = testbed->keys,
        .name = testbed->name,
        .time_scale = testbed->time_scale > 0 ? testbed->time_scale : 1,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .stop_asked = progress_stop_asked,
        .journal = self->journal,
        .knows = missing_is_known,
        .program_of = programs_of,
        .program_owner = self,
        .may_use = programs_may_use,
        .use_owner = self,
        .heard = hear,
        .heard_owner = self,
    };

    self->driver = testbed_driver_new(&setting, error);
    if (!self->driver)
        return -1;
    self->questions = questions_new(self->driver->loop, self);
    return testbed_prepare(self->driver, &self->inputs.setting.cluster, error);
}

static int check_cluster(const struct serving *self, struct error *error)
{
    if (self->inputs.setting.cluster.pool_count == 1)
        return 0;
    return error_set(error, "the cluster has several pools, and a real cluster is driven as one");
}

/* An option that a service is told nothing of has the value of the state, as steps that were
 * decided are decided again with it. */
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

static int open_all(struct serving *self, const struct testbed *testbed,
                    const struct simulation *simulation, struct error *error)
{
    if (descriptors_allow(DESCRIPTORS_LEAST, error) < 0 ||
        inputs_read_all_tables(&self->inputs, simulation, error) < 0 ||
        check_cluster(self, error) < 0 || sharing_open(self, error) < 0 ||
        open_journal(self, error) < 0)
        return -1;
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, error);
    if (!self->engine || open_state(self, simulation, error) < 0 ||
        open_driver(self, testbed, error) < 0 || resume(self, error) < 0 ||
        open_clients(self, testbed, error) < 0 || session_open(self->driver, error) < 0)
        return -1;
    self->opened_s = clock_s();
    self->copy_is_due = !self->is_new;
    return journal_loss_is_accepted(self->journal) ? journal_go_on(self->journal, error) : 0;
}

static void close_all(struct serving *self, const struct error *error)
{
    snapshots_give_up(self);
    if (self->clients) {
        steps_abandon(self, error);
        verbs_abandon(self);
    }
    if (self->backs_up)
        clients_fail(self->clients, &self->backs_up, ANSWER_FAILED, "the service ends");
    questions_destroy(&self->questions); /* while those that asked can be answered */
    clients_destroy(&self->clients);
    if (self->driver)
        testbed_close(self->driver, error->text);
    testbed_driver_destroy(&self->driver);
    engine_destroy(&self->engine);
    events_destroy(&self->events);
    profiles_destroy(&self->profiles);
    journal_close(&self->journal);
    arena_destroy(&self->program_texts);
    ledger_destroy(&self->ledger);
    rows_destroy(&self->rows);
    inputs_free(&self->inputs);
    free(self->told.items);
}

int service_run(const struct service *service, const struct testbed *testbed,
                const struct simulation *simulation, struct error *error)
{
    struct serving *self;
    int status;

    if (testbed_settle_user(testbed, error) < 0)
        return -1;
    self = xcalloc(1, sizeof(*self));
    *self = (struct serving){.setting = *service,
                             .ledger = ledger_new(),
                             .rows = rows_new(),
                             .program_texts = arena_new(),
                             .started = (int64_t)time(NULL)};
    log_open("scheduler", testbed->name);
    progress_catch_signals();
    catch_hangup();
    status = open_all(self, testbed, simulation, error);
    if (status == 0)
        status = serve(self, error);
    if (status > 0)
        snapshots_keep(self);
    close_all(self, error);
    free(self);
    return status;
}
