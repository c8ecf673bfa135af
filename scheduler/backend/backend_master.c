/* backend_master.c - see backend_master.h. */
#include "scheduler/backend/backend_master.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/number.h"
#include "protocol/process_name.h"
#include "scheduler/backend/backend_master_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERHEAD_S_MAX 20
#define PORT_MAX       65535
#define LOOK_MS        100 /* between looks at signals and the clock */

/* ---- the cluster ---- */

static bool all_are_there(const backend_master_t *self)
{
    return self->welcome && session_nodes_up(self) > 0 && session_nodes_up(self) >= self->expected;
}

static bool node_fits(const backend_master_t *self, int position)
{
    const struct node *node = &self->nodes[position];

    return position < self->node_count && node->up && node->gpus >= self->per_node;
}

static bool somebody_fits(const backend_master_t *self)
{
    for (int i = 0; i < self->cluster_nodes && i < self->node_count; i++)
        if (node_fits(self, i))
            return true;
    return false;
}

static int check_nodes(const backend_master_t *self, struct error *error)
{
    for (int i = 0; i < self->node_count; i++)
        if (self->nodes[i].up && self->nodes[i].gpus < self->per_node)
            return error_set(error, "node %s has %d GPUs, but those of --cluster_spec have %d",
                             self->nodes[i].cause, self->nodes[i].gpus, self->per_node);
    return 0;
}

static int open_cluster(void *owner, const struct cluster_spec *spec, struct error *error)
{
    backend_master_t *self = owner;

    self->per_node = spec->gpus_per_node;
    self->cluster_nodes = cluster_spec_nodes(spec);
    if (self->cluster_nodes > NODES_MAX)
        return error_set(error, "a real cluster has at most %d nodes, not %d", NODES_MAX,
                         self->cluster_nodes);
    if (session_open(self, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "waiting", "master=%s", log_text(self->setting.master));
    if (session_wait(self, all_are_there, error) < 0 || check_nodes(self, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "up", "nodes=%d gpus=%d", session_nodes_up(self),
              session_nodes_up(self) * self->per_node);
    for (int i = 0; i < self->node_count; i++)
        self->nodes[i].went = false;
    self->changed = false;
    return 0;
}

static bool node_is_up(void *owner, int position, const char **cause)
{
    const backend_master_t *self = owner;

    if (position >= self->node_count) {
        *cause = "it has never registered";
        return false;
    }
    *cause = self->nodes[position].cause;
    return node_fits(self, position);
}

static const char *node_went(void *owner, int position)
{
    backend_master_t *self = owner;
    struct node *node = &self->nodes[position];
    const bool went = node->went;

    node->went = false;
    return went ? node->why_went : NULL;
}

/* ---- the round ---- */

static bool is_settled(const backend_master_t *self)
{
    return self->settled == self->round;
}

static double clock_of(const backend_master_t *self)
{
    return (double)self->from_s + (clock_s() - self->started_s) * self->setting.time_scale;
}

static int carry_out(void *owner, const struct orders *orders, struct error *error)
{
    backend_master_t *self = owner;

    self->round = (uint64_t)orders->round;
    trained_jobs_begin(self->jobs);
    for (size_t i = 0; i < orders->assignment_count; i++)
        trained_jobs_assign(self->jobs, &orders->assignments[i]);
    if (!self->clock_runs) {
        self->from_s = orders->now_s;
        self->started_s = clock_s();
        self->clock_runs = true;
    }
    orders_send(self, orders);
    return session_wait(self, is_settled, error);
}

static int overhead_s(void *owner, const struct job *job, int modelled_s)
{
    backend_master_t *self = owner;
    const struct trained_job *trained = trained_jobs_at(self->jobs, job->submission->number);
    const int64_t whole_s = (trained->overhead_ms + 999) / 1000;

    if (!trained->planned)
        return modelled_s;
    if (!trained->started) /* it went on undisturbed */
        return trained->emulated || !trained->training ? modelled_s : 0;
    if (trained->emulated)
        return (int)(whole_s < INT32_MAX ? whole_s : INT32_MAX);
    return (int)(whole_s < OVERHEAD_S_MAX ? whole_s : OVERHEAD_S_MAX);
}

static const char *held(void *owner, const struct job *job)
{
    backend_master_t *self = owner;
    const struct trained_job *trained = trained_jobs_at(self->jobs, job->submission->number);

    return trained->held ? trained->cause : NULL;
}

static struct observed observe(void *owner, const struct job *job, double iterations, bool done,
                               int64_t step)
{
    return observation_of(owner, job->submission->number, iterations, done, step);
}

static int64_t left(void *owner, const struct job *job)
{
    return observation_left(owner, job);
}

/* ---- time ---- */

static bool has_changed(const backend_master_t *self)
{
    return self->changed;
}

/* While nothing can run, only somebody else can change that. */
static int wait_for_change(backend_master_t *self, struct error *error)
{
    if (session_nodes_up(self) < self->cluster_nodes && !self->changed) {
        log_event(&LOG_ABOUT_NOTHING, "idle", "nodes=%d of=%d", session_nodes_up(self),
                  self->cluster_nodes);
        return session_wait(self, has_changed, error);
    }
    return 0;
}

static int64_t wait_until(void *owner, int64_t now_s, int64_t next_s, bool idle,
                          struct error *error)
{
    backend_master_t *self = owner;

    if (idle && wait_for_change(self, error) < 0)
        return -1;
    while (!self->setting.fast_forward && clock_of(self) < (double)next_s && !self->changed) {
        const double left_ms = ((double)next_s - clock_of(self)) / self->setting.time_scale * 1000;

        if (session_stop_asked(self))
            return error_set(error, "stopped at %" PRId64 " s of the run", now_s);
        session_turn(self, left_ms < LOOK_MS ? (size_t)(left_ms > 1 ? left_ms : 1) : LOOK_MS);
        orders_resend(self);
    }
    if (!somebody_fits(self) && session_wait(self, somebody_fits, error) < 0)
        return -1;
    if (self->changed) {
        const int64_t at_s = self->setting.fast_forward ? now_s + 1 : (int64_t)clock_of(self);

        self->changed = false;
        next_s = at_s > now_s && at_s < next_s ? at_s : next_s;
    }
    return next_s;
}

static void close_run(void *owner, const char *why)
{
    backend_master_t *self = owner;
    struct writer goodbye;

    if (!self->link)
        return;
    if (self->welcome) {
        msg_reason_pack(MSG_GOODBYE, why, &goodbye);
        link_client_send(self->link, &goodbye);
    }
    log_event(&LOG_ABOUT_NOTHING, "down", "why=%s distrusted=%" PRIu64, log_text(why),
              self->distrusted + trained_jobs_refused(self->jobs));
    link_client_destroy(&self->link);
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

/* Its own keys, and the master's that it will ask for; the endpoint may need them. */
static int find_keys(backend_master_t *self, struct error *error)
{
    const char *folder = self->setting.keys;

    if (folder && !(self->keys = keys_read(folder, self->setting.name, error)))
        return -1;
    if (self->keys && !keys_public_of(self->keys, "master", error))
        return -1;
    return endpoint_check(self->endpoint, self->keys, error);
}

backend_master_t *backend_master_new(const struct backend_master_setting *setting,
                                     struct error *error)
{
    backend_master_t *self;

    if (check_address(setting->master, error) < 0 || check_name(setting->name, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->calls =
        (struct backend){self,    open_cluster, node_is_up, node_went,  carry_out, overhead_s,
                         observe, left,         held,       wait_until, close_run};
    self->setting = *setting;
    self->beat = -1;
    self->jobs = trained_jobs_new();
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "tcp://%s", setting->master);
    zsys_init();
    zsys_handler_set(NULL);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
    if (find_keys(self, error) < 0)
        backend_master_destroy(&self);
    return self;
}

void backend_master_destroy(backend_master_t **self)
{
    if (!*self)
        return;
    link_client_destroy(&(*self)->link);
    zloop_destroy(&(*self)->loop);
    keys_destroy(&(*self)->keys);
    trained_jobs_destroy(&(*self)->jobs);
    if ((*self)->has_plan)
        writer_close(&(*self)->plan);
    free(*self);
    *self = NULL;
}

const struct backend *backend_master_calls(backend_master_t *self)
{
    return &self->calls;
}
