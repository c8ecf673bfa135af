/* capacity.c - see capacity.h: which nodes there are, and how the source stands. */
#include "scheduler/capacity/capacity_state.h"

#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

/* ---- the source ---- */

int capacity_attach(capacity_t *self, struct error *error)
{
    return self->source.attach(self->source.self, self, error);
}

void capacity_attend(capacity_t *self)
{
    if (self->source.attend)
        self->source.attend(self->source.self);
}

void capacity_detach(capacity_t *self, const char *why, bool over)
{
    self->source.detach(self->source.self, why, over);
    self->is_attached = false;
}

int capacity_check(const capacity_t *self, struct error *error)
{
    if (*self->unread.text)
        return error_set(error, "%s", self->unread.text);
    return self->source.check ? self->source.check(self->source.self, error) : 0;
}

bool capacity_is_attached(const capacity_t *self)
{
    return self->is_attached;
}

bool capacity_knows_nodes(const capacity_t *self)
{
    return self->heard_nodes;
}

bool capacity_knows_parts(const capacity_t *self)
{
    return self->heard_parts;
}

bool capacity_knows_steps(const capacity_t *self)
{
    return self->heard_steps;
}

uint64_t capacity_unknown_job(const capacity_t *self)
{
    return self->unknown;
}

int64_t capacity_expected(const capacity_t *self)
{
    return self->expected;
}

uint64_t capacity_distrusted(const capacity_t *self)
{
    return self->distrusted + trained_jobs_refused(self->jobs);
}

/* ---- nodes ---- */

int capacity_node_count(const capacity_t *self)
{
    return self->cluster_nodes;
}

const struct capacity_node *capacity_node(const capacity_t *self, int position)
{
    assert(position >= 0 && position < self->cluster_nodes);
    return &self->nodes[position];
}

int capacity_nodes_up(const capacity_t *self)
{
    int count = 0;

    for (int i = 0; i < self->cluster_nodes; i++)
        count += self->nodes[i].up;
    return count;
}

int capacity_node_gpus(const capacity_t *self, int position)
{
    const struct capacity_node *node = &self->nodes[position];

    const int most = capacity_place_gpus(self, position);

    if (!node->up)
        return 0;
    return node->gpus < most ? node->gpus : most;
}

int capacity_place_gpus(const capacity_t *self, int position)
{
    return places_pool(self, position)->gpus_per_node;
}

bool capacity_is_complete(const capacity_t *self)
{
    const int up = capacity_nodes_up(self);

    return self->is_attached && up > 0 && up >= self->expected;
}

bool capacity_may_go_on(const capacity_t *self)
{
    return self->is_attached && self->heard_nodes &&
           (self->setting.fast_forward || self->heard_steps) &&
           (capacity_is_complete(self) || clock_s() >= self->welcome_s + self->hold_s);
}

int capacity_check_nodes(const capacity_t *self, struct error *error)
{
    for (int i = 0; i < self->cluster_nodes; i++)
        if (self->nodes[i].up && self->nodes[i].gpus < capacity_place_gpus(self, i))
            return error_set(error, "node %s has %d GPUs, but those of --cluster_spec have %d",
                             self->nodes[i].cause, self->nodes[i].gpus,
                             capacity_place_gpus(self, i));
    return 0;
}

/* Whether a node differs from what the engine was last told of it, perhaps by an earlier
 * process. */
static bool nodes_changed(const capacity_t *self)
{
    for (int i = 0; self->resumed && i < self->cluster_nodes; i++)
        if (capacity_node_gpus(self, i) !=
            (self->nodes[i].told_gone ? 0 : self->nodes[i].told_gpus))
            return true;
    return false;
}

void capacity_take_nodes(capacity_t *self)
{
    for (int i = 0; i < self->cluster_nodes; i++)
        self->nodes[i].went = false;
    self->changed = nodes_changed(self);
}

/* ---- jobs ---- */

const struct trained_job *capacity_job(const capacity_t *self, uint64_t number)
{
    return trained_jobs_find(self->jobs, number);
}

bool capacity_is_settled(const capacity_t *self)
{
    return self->settled == self->round;
}

bool capacity_all_wait(const capacity_t *self)
{
    bool some_wait = false;

    for (const struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next) {
        if (job->planned && job->training)
            return false;
        some_wait = some_wait || (job->planned && job->waits);
    }
    return some_wait;
}

/* ---- life ---- */

capacity_t *capacity_new(const struct capacity_setting *setting,
                         const struct capacity_source *source)
{
    capacity_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->source = *source;
    self->heartbeat_ms = setting->heartbeat_ms;
    self->jobs = trained_jobs_new();
    self->news.texts = arena_new();
    places_open(self);
    return self;
}

void capacity_destroy(capacity_t **self)
{
    if (!*self)
        return;
    trained_jobs_destroy(&(*self)->jobs);
    if ((*self)->has_plan)
        writer_close(&(*self)->plan);
    arena_destroy(&(*self)->news.texts);
    text_free(&(*self)->text);
    free((*self)->news.items);
    free((*self)->nodes);
    free((*self)->places);
    free(*self);
    *self = NULL;
}
