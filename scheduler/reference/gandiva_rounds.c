/* gandiva_rounds.c - see gandiva_rounds.h. */
#include "scheduler/reference/gandiva_rounds.h"

#include <assert.h>

static struct gandiva_memory *memory_of(const engine_t *self)
{
    return self->memory;
}

/* ---- what jobs hold ---- */

/* The jobs of a set have their places in it, and the first ones their turns. */
static size_t seat_set(engine_t *self, const struct slice_set *set, struct job **served)
{
    const size_t running = slice_set_running(set);
    const size_t count = set->job_count;

    for (size_t i = 0; i < count; i++) {
        struct job *job = job_table_at(self->jobs, set->jobs[i]->row);

        if (i >= running)
            round_hold(self, job, 0);
        else if (job->level == 0)
            round_hold(self, job, job->scaling->top);
        if (job->state == JOB_PENDING)
            round_start(self, job);
        served[i] = job;
    }
    return count;
}

/* Jobs are served in the order of the slice sets and of the turns in them; those without a set come
 * last, in the order of their admission. */
static void serve_by_turns(engine_t *self)
{
    slice_sets_t *sets = memory_of(self)->sets;
    const struct jobs live = self->live;
    struct job **served;
    size_t count = 0;

    sets->turns_changed = false;
    self->layout_is_old = true;
    list_reserve(&self->scratch, live.count);
    served = self->scratch.items;
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            count += seat_set(self, sets->classes[c].sets[k], served + count);
    for (size_t i = 0; i < self->pending.count; i++)
        if (self->pending.items[i]->state == JOB_PENDING)
            served[count++] = self->pending.items[i];
    assert(count == live.count);
    self->scratch.count = count;
    self->live = self->scratch;
    self->scratch = live;
    places_forget(&self->places, 0);
}

static inline void adopt_turns(engine_t *self)
{
    if (memory_of(self)->sets->turns_changed)
        serve_by_turns(self);
}

void gandiva_adopt(engine_t *self)
{
    adopt_turns(self);
    for (size_t i = 0; i < self->arrivals.count; i++)
        if (self->arrivals.items[i]->state == JOB_PENDING)
            *(bool *)side_table_at(memory_of(self)->turned_away, self->arrivals.items[i]) = true;
    round_drop_started(self);
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

/* Jobs that ended before they were done, or lost their nodes, take no more turns. */
int gandiva_drop_ended(engine_t *self, struct error *error)
{
    slice_sets_t *sets = memory_of(self)->sets;

    (void)error;
    if (!self->disturbance[0] && self->early_ends == 0)
        return 0;
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            (void)slice_sets_drop_done(sets, sets->classes[c].sets[k],
                                       sets->classes[c].sets[k]->job_count);
    adopt_turns(self);
    round_drop_started(self);
    return 0;
}

/* ---- overheads and time ---- */

/* GA-Q10: every job pays again, if it just moved or waits for its turn. */
void gandiva_charge(engine_t *self)
{
    memory_of(self)->charged = !event_queue_is_empty(artifact_of(self)->events);
    if (!memory_of(self)->charged)
        return;
    for (size_t i = 0; i < self->live.count; i++)
        if (self->live.items[i]->state == JOB_RUNNING)
            self->live.items[i]->overhead_s =
                prices_of_new(self->prices, self->live.items[i]->submission->gpus_requested);
}

/* GA-Q10: a job that found no place when it arrived never pays for what it waited. */
static void forgive_turned_away(engine_t *self)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (job->level == 0 && *(bool *)side_table_at(memory_of(self)->turned_away, job))
            job->overhead_s = 0;
    }
}

/* Whether node sets changed. */
static bool adjust(engine_t *self)
{
    const struct gandiva_round round =
        gandiva_round_of(self->memory, self->setting.policy->rules, cluster_gpus_up(self->cluster));

    return round.rules->adjusts_before && gandiva_adjust(&round);
}

/* GA-Q7: node sets change before the interval to come is credited, so that the jobs which this
 * moves to the front are credited with time that others have. A step without a round changes
 * none. */
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
