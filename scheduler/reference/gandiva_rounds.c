/* gandiva_rounds.c - see gandiva_rounds.h. */
#include "scheduler/reference/gandiva_turns.h"

#include <assert.h>

static struct gandiva_memory *memory_of(const engine_t *self)
{
    return self->memory;
}

static size_t count_without_set(const struct gandiva_memory *memory)
{
    size_t count = 0;

    for (int c = 0; c < memory->sets->class_count; c++)
        count += memory->seats.waiting[c];
    return count;
}

void gandiva_adopt(engine_t *self)
{
    if (memory_of(self)->sets->turns_changed || self->arrivals.count > 0) {
        gandiva_serve(self);
        assert(count_without_set(memory_of(self)) == self->pending.count);
    }
    for (size_t i = 0; i < self->arrivals.count; i++)
        if (self->arrivals.items[i]->state == JOB_PENDING)
            gandiva_job_of(memory_of(self), self->arrivals.items[i])->turned_away = true;
}

/* ---- which nodes ---- */

static void open_set(struct layout *layout, const struct slice_set *from, int gpus_per_node)
{
    const int set_index = layout->set_count++;
    int *nodes = layout->chosen + layout->nodes_taken;

    layout->sets[set_index] = (struct node_set){.nodes = nodes,
                                                .node_count = from->node_count,
                                                .capacity = from->node_count * gpus_per_node,
                                                .label = from->gpus,
                                                .class_label = from->gpus,
                                                .first_held = -1,
                                                .last_held = -1};
    layout->nodes_taken += from->node_count;
    for (int i = 0; i < from->node_count; i++) {
        nodes[i] = from->nodes[i];
        layout->set_of_node[nodes[i]] = set_index;
    }
}

static void place_set(engine_t *self, const struct slice_set *set, struct layout *layout,
                      int gpus_per_node)
{
    const size_t running = slice_set_running(set);

    if (running == 0)
        return;
    open_set(layout, set, gpus_per_node);
    for (size_t i = 0; i < running; i++)
        layout_hold(layout, layout->set_count - 1, job_table_at(self->jobs, set->jobs[i]->row),
                    set->gpus);
}

/* Jobs hold the nodes of their sets, side by side in the order of their turns. */
int gandiva_place(engine_t *self, struct error *error)
{
    const slice_sets_t *sets = memory_of(self)->sets;
    struct layout *layout;

    (void)error;
    if (!self->layout_is_old)
        return 0;
    self->layout_is_old = self->nodes_changed = false;
    cluster_vacate(self->cluster);
    layout = cluster_clear(self->cluster, self->live.count);
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            place_set(self, sets->classes[c].sets[k], layout, sets->gpus_per_node);
    return 0;
}

void gandiva_lose_node(engine_t *self, int node)
{
    slice_sets_t *sets = memory_of(self)->sets;

    slice_sets_lose_node(sets, node);
    for (size_t i = 0; i < sets->moved_count; i++)
        round_unseat(self, job_table_at(self->jobs, sets->moved[i]->row));
    sets->moved_count = 0;
    jobs_keep(&self->running, JOB_RUNNING);
}

void gandiva_gain_node(engine_t *self, int node)
{
    slice_sets_gain_node(memory_of(self)->sets, node);
}

/* Counts the jobs that wait for a set. Arrivals are counted once they look for a set. */
static void count_waiting(engine_t *self)
{
    struct gandiva_seats *seats = &memory_of(self)->seats;

    for (int c = 0; c < SLICE_SET_CLASSES; c++)
        seats->waiting[c] = 0;
    for (size_t i = 0; i + self->admitted < self->pending.count; i++)
        seats->waiting[slice_set_class_of(self->pending.items[i])]++;
}

/* Removes jobs that ended early or lost their nodes from their sets. */
static void drop_ended(engine_t *self)
{
    slice_sets_t *sets = memory_of(self)->sets;

    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++) {
            struct slice_set *set = sets->classes[c].sets[k];

            (void)slice_sets_drop_done(sets, set, set->job_count);
        }
    gandiva_serve(self);
    count_waiting(self);
}

/* The policy seats jobs that wait for a set. */
int gandiva_release(engine_t *self, struct error *error)
{
    (void)error;
    memory_of(self)->pending = &self->pending;
    if (self->disturbance[0] || self->early_ends > 0)
        drop_ended(self);
    return 0;
}

/* ---- overheads and time ---- */

static void note_charge(engine_t *self)
{
    struct gandiva_memory *memory = memory_of(self);

    memory->charges++;
    for (int c = 0; c < memory->sets->class_count; c++)
        memory->charge_s[c] = prices_of_new(self->prices, memory->sets->classes[c].gpus);
}

/* GA-Q10: every job that just moved or waits for its turn pays again. */
void gandiva_charge(engine_t *self)
{
    struct gandiva_memory *memory = memory_of(self);

    memory->charged = !event_queue_is_empty(artifact_of(self)->events);
    if (!memory->charged)
        return;
    note_charge(self);
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (job->state == JOB_RUNNING)
            job->overhead_s = memory->charge_s[slice_set_class_of(job)];
    }
}

/* GA-Q10: a job that found no place when it arrived never pays for its wait. */
static void forgive_turned_away(engine_t *self)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (!job_holds(job) && gandiva_job_of(memory_of(self), job)->turned_away)
            job->overhead_s = 0;
    }
}

/* Whether node sets changed. */
static bool adjust(engine_t *self)
{
    const struct gandiva_round round = gandiva_round_of(
        memory_of(self), self->setting.policy->rules, cluster_gpus_up(self->cluster));

    return round.rules->adjusts_before && gandiva_adjust(&round);
}

/* GA-Q7: node sets change before the interval to come is credited, so jobs that move to the front
 * are credited with time of other jobs. A step without a round changes no sets. */
int gandiva_advance(engine_t *self, struct error *error)
{
    if (artifact_advance(self, error) < 0)
        return -1;
    if (memory_of(self)->adjusted != self->status.rounds && adjust(self))
        gandiva_adopt(self);
    memory_of(self)->adjusted = self->status.rounds;
    if (memory_of(self)->charged)
        forgive_turned_away(self);
    memory_of(self)->charged = false;
    return 0;
}
