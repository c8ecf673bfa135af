/* node_faults.c - see node_faults.h. */
#include "scheduler/simulate/node_faults.h"

#include "common/heap.h"
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A node that fails at random. */
struct frail {
    rng_t rng;
    int node;
    bool fails_next; /* false: its next event is a repair */
};

struct node_faults {
    const struct world_setting *setting;
    int node_count;
    struct fault_list stated;
    size_t taken; /* how many stated faults were taken */
    struct frail *frail;
    heap_t *random; /* frail nodes, by the time of their next event */
    bool *gone;
    int gone_count;
};

static void draw_next(node_faults_t *self, struct frail *frail, int64_t from_s)
{
    const int64_t mean_s =
        frail->fails_next ? self->setting->node_mtbf_s : self->setting->node_repair_s;
    const double after_s = ceil(rng_exponential(&frail->rng, (double)mean_s));

    heap_push(self->random, from_s + (after_s > 1 ? (int64_t)after_s : 1), frail);
}

void node_faults_begin(node_faults_t *self, int64_t now_s)
{
    char purpose[32];

    if (self->setting->node_mtbf_s == 0)
        return;
    self->frail = xcalloc((size_t)self->node_count, sizeof(*self->frail));
    for (int node = 0; node < self->node_count; node++) {
        (void)snprintf(purpose, sizeof(purpose), "node %d", node);
        self->frail[node] =
            (struct frail){rng_new((uint64_t)self->setting->seed, purpose), node, true};
        draw_next(self, &self->frail[node], now_s);
    }
}

node_faults_t *node_faults_new(const struct world_setting *setting, int node_count,
                               struct error *error)
{
    node_faults_t *self = xcalloc(1, sizeof(*self));

    self->setting = setting;
    self->node_count = node_count;
    self->random = heap_new();
    self->gone = xcalloc((size_t)node_count, sizeof(*self->gone));
    if (setting->faults && fault_file_read(setting->faults, node_count, &self->stated, error) < 0)
        node_faults_destroy(&self);
    return self;
}

void node_faults_destroy(node_faults_t **self)
{
    if (!*self)
        return;
    heap_destroy(&(*self)->random);
    free((*self)->frail);
    free((*self)->gone);
    fault_list_free(&(*self)->stated);
    free(*self);
    *self = NULL;
}

static int64_t stated_s(const node_faults_t *self)
{
    return self->taken < self->stated.count ? self->stated.items[self->taken].at_s : NEVER_S;
}

static int64_t random_s(const node_faults_t *self)
{
    return heap_count(self->random) > 0 ? heap_first_key(self->random) : NEVER_S;
}

int64_t node_faults_next_s(const node_faults_t *self)
{
    return stated_s(self) < random_s(self) ? stated_s(self) : random_s(self);
}

static struct fault next_random(node_faults_t *self)
{
    const int64_t at_s = random_s(self);
    struct frail *frail = heap_pop(self->random);
    const struct fault fault = {at_s, frail->node, frail->fails_next, false};
    const bool is_spared = fault.gone && self->setting->nodes_down > 0 &&
                           self->gone_count >= self->setting->nodes_down;

    frail->fails_next = is_spared || !frail->fails_next;
    draw_next(self, frail, at_s);
    return is_spared ? (struct fault){at_s, fault.node, self->gone[fault.node], false} : fault;
}

bool node_faults_reserves(const node_faults_t *self)
{
    return self->stated.reserved_count > 0;
}

struct stays node_faults_leave(const node_faults_t *self, int node, int64_t now_s, int64_t until_s)
{
    struct stays stays = stays_whole(now_s, until_s);

    for (size_t i = 0; i < self->stated.reserved_count; i++)
        if (self->stated.reserved[i].node == node)
            stays_leave_out(&stays, self->stated.reserved[i].from_s, self->stated.reserved[i].to_s);
    return stays;
}

/* Takes the next fault. A stated and a random fault of a node may overlap, so some faults change
 * nothing and are skipped. */
bool node_faults_take(node_faults_t *self, int64_t now_s, struct fault *fault)
{
    while (node_faults_next_s(self) <= now_s) {
        *fault = stated_s(self) <= random_s(self) ? self->stated.items[self->taken++]
                                                  : next_random(self);
        if (fault->is_back && !self->gone[fault->node])
            return true;
        if (fault->is_back || self->gone[fault->node] == fault->gone)
            continue;
        self->gone[fault->node] = fault->gone;
        self->gone_count += fault->gone ? 1 : -1;
        return true;
    }
    return false;
}
