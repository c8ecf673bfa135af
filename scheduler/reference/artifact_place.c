/* artifact_place.c - the order in which jobs are placed, and the layout that each round makes anew
 * while all nodes are there. */
#include "scheduler/reference/artifact.h"

#include <assert.h>
#include <limits.h>

void request_as_served(engine_t *self)
{
    round_request_between(self, &self->live, 1, INT_MAX);
}

/* Requests places for all jobs that hold GPUs, by falling size from `most`, a power of two, and in
 * their order for equal sizes. Most jobs of a backlog hold no GPU, so the jobs that hold some are
 * picked out first. */
static void request_falling(engine_t *self, const struct jobs *jobs, int most)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (job_holds(jobs->items[i]))
            jobs_append(&self->scratch, jobs->items[i]);
    for (; most > 0; most /= 2)
        round_request_between(self, &self->scratch, most / 2 + 1, most);
}

/* Requests places for the largest jobs first, equal sizes in the order of service. */
void request_by_size(engine_t *self)
{
    request_falling(self, &self->live, jobs_most_gpus(&self->live));
}

/* Requests places for whole nodes in the order of start, then for smaller jobs by falling size. */
void request_by_start(engine_t *self)
{
    const int per_node = cluster_gpus_per_node(self->cluster);

    round_request_between(self, &self->running, per_node, INT_MAX);
    request_falling(self, &self->running, per_node - 1);
}

/* Inserts the request of `job` by falling size, equal sizes in the order of arrival. */
static void request_in_place(engine_t *self, struct job *job)
{
    struct requests *requests = &self->requests;
    struct placement_request own;
    size_t i = requests->count;

    round_request(self, job);
    own = requests->items[i];
    for (; i > 0 && job_compare_size(job, requests->items[i - 1].job) < 0; i--)
        requests->items[i] = requests->items[i - 1];
    requests->items[i] = own;
}

/* Requests places for jobs of fixed size. Jobs that went on are in order already. */
void request_by_arrival(engine_t *self)
{
    const struct requests *placed = &artifact_of(self)->placed;

    for (size_t i = 0; i < placed->count; i++) {
        struct job *job = placed->items[i].job;

        if (job->state == JOB_RUNNING && job_holds(job) && job->resumed_s < self->now_s)
            round_request(self, job);
    }
    for (size_t i = 0; i < self->live.count; i++)
        if (job_holds(self->live.items[i]) && self->live.items[i]->resumed_s == self->now_s)
            request_in_place(self, self->live.items[i]);
}

/* Orders live jobs by size, as they are placed. Jobs without a GPU come last. */
void reorder_by_size(engine_t *self)
{
    const size_t placed = self->requests.count;

    self->scratch.count = 0;
    for (size_t i = 0; i < self->live.count; i++)
        if (!job_holds(self->live.items[i]))
            jobs_append(&self->scratch, self->live.items[i]);
    assert(placed + self->scratch.count == self->live.count);
    for (size_t i = 0; i < placed; i++)
        self->live.items[i] = self->requests.items[i].job;
    for (size_t i = 0; i < self->scratch.count; i++)
        self->live.items[placed + i] = self->scratch.items[i];
    places_forget(&self->places, 0);
}

/* Whether the jobs of a set are looked up at each of its nodes, as if each node held all of them.
 * True for a set of several nodes that several jobs share; only nodes of no power of two have such
 * sets. */
static bool is_seen_again(const struct node_set *set, int per_node)
{
    return set->node_count > 1 && set->class_label < per_node;
}

/* Visits jobs in the order of the nodes, and on a node in the order of placement: EF-Q17, EF-Q18. A
 * job that has several nodes to itself is looked up at the first node; its other nodes mostly come
 * next. */
void look_at_groups(engine_t *self)
{
    const struct layout *layout = cluster_layout(self->cluster);
    const int per_node = cluster_gpus_per_node(self->cluster);
    const bool plain_nodes = (per_node & (per_node - 1)) == 0;
    const int nodes = cluster_node_count(self->cluster);
    int left = layout->held_count;
    int looked_at = -1; /* the set last looked at as a whole */

    prices_begin_visit(self->prices);
    for (int node = 0; node < nodes && (left > 0 || !plain_nodes); node++) {
        const int set = layout->set_of_node[node];
        bool again;

        if (set < 0 || set == looked_at)
            continue;
        again = is_seen_again(&layout->sets[set], per_node);
        looked_at = again ? -1 : set;
        for (int i = layout->sets[set].first_held; i >= 0; i = layout->held[i].next)
            left -= prices_visit_job(self->prices, layout->held[i].job,
                                     node * per_node + layout->held[i].first, again);
    }
}

/* EF-Q20 put right: visits groups of jobs, and also notes moved jobs. */
void look_at_moves(engine_t *self)
{
    look_at_groups(self);
    prices_note_moves(self->prices, self->cluster);
}

static int place_anew(engine_t *self, struct error *error)
{
    if (!artifact_of(self)->order_matters)
        cluster_vacate(self->cluster);
    return self->setting.placement->place(self->cluster, self->requests.items, self->requests.count,
                                          cluster_clear(self->cluster, self->live.count), error);
}

/* Whether engine->requests gave the layout in force. */
static bool is_placed(const engine_t *self)
{
    const struct requests *placed = &artifact_of(self)->placed;
    const struct requests *now = &self->requests;

    if (self->nodes_changed || now->count != placed->count)
        return false;
    for (size_t i = 0; i < now->count; i++)
        if (now->items[i].job != placed->items[i].job ||
            now->items[i].gpus != placed->items[i].gpus)
            return false;
    return true;
}

/* Remembers engine->requests as those of the layout in force. */
static void keep_requests(engine_t *self)
{
    struct requests *placed = &artifact_of(self)->placed;

    if (self->requests.count > placed->capacity) {
        placed->capacity = 2 * self->requests.count;
        placed->items = xrealloc(placed->items, placed->capacity * sizeof(*placed->items));
    }
    for (size_t i = 0; i < self->requests.count; i++)
        placed->items[i] = self->requests.items[i];
    placed->count = self->requests.count;
}

/* Places the requests. The artifact knows no node that leaves or comes: after such a change jobs
 * stay where they are. Jobs also stay once a job finds no place in a run that was disturbed, or
 * where EF-Q40 is put right. */
static int place_requests(engine_t *self, struct error *error)
{
    const struct placement *placement = self->setting.placement;
    struct artifact *memory = artifact_of(self);

    if (!memory->order_matters && is_placed(self))
        return 0;
    memory->jobs_stay = memory->jobs_stay || self->nodes_changed;
    self->nodes_changed = false;
    keep_requests(self);
    if (!memory->jobs_stay) {
        if (place_anew(self, error) == 0)
            return 0;
        if (!self->status.disturbed && !loop_rules_of(self)->spreads)
            return -1;
        cluster_vacate(self->cluster);
        memory->jobs_stay = true;
    }
    return placement->revise(self->cluster, self->requests.items, self->requests.count,
                             cluster_revise(self->cluster), error);
}

/* Whether jobs hold the same GPUs as before, as the same jobs hold as many and nothing else
 * matters. */
static bool is_as_before(const engine_t *self)
{
    return !self->layout_is_old && !loop_rules_of(self)->look &&
           loop_rules_of(self)->request == request_by_arrival && !artifact_of(self)->order_matters;
}

int artifact_place(engine_t *self, struct error *error)
{
    const struct loop_rules *rules = loop_rules_of(self);

    if (is_as_before(self))
        return 0;
    self->layout_is_old = false;
    self->requests.count = 0;
    rules->request(self);
    if (place_requests(self, error) < 0)
        return -1;
    if (rules->reorder)
        rules->reorder(self);
    if (rules->look)
        rules->look(self);
    return 0;
}
