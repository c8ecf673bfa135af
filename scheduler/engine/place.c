/* place.c - the last stages of a round: which GPUs each job holds, what that costs it, and when the
 * scheduler has to look again. */
#include "scheduler/engine/round.h"

#include "common/memory.h"

#include <assert.h>

static void request(engine_t *self, struct job *job, size_t *count)
{
    self->requests =
        grow_array(self->requests, *count, &self->request_capacity, sizeof(*self->requests));
    self->requests[(*count)++] = (struct placement_request){.job = job, .gpus = job_gpus(job)};
}

static int most_gpus(const struct jobs *jobs)
{
    int most = 0;

    for (size_t i = 0; i < jobs->count; i++)
        most = job_gpus(jobs->items[i]) > most ? job_gpus(jobs->items[i]) : most;
    return most;
}

/* The jobs that hold from `least` to `most` GPUs, in their order. */
static void request_between(engine_t *self, const struct jobs *jobs, int least, int most,
                            size_t *count)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (job_gpus(jobs->items[i]) >= least && job_gpus(jobs->items[i]) <= most)
            request(self, jobs->items[i], count);
}

/* By falling size, equal ones in their order; sizes are powers of two. Most of a backlog holds
 * nothing, so those who hold something are picked out first. */
static void request_by_size(engine_t *self, const struct jobs *jobs, int most, size_t *count)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i]->level > 0)
            jobs_append(&self->scratch, jobs->items[i]);
    for (; most > 0; most /= 2)
        request_between(self, &self->scratch, most / 2 + 1, most, count);
}

/* By falling size, equal ones in the order of their arrival. */
static void request_in_place(engine_t *self, struct job *job, size_t *count)
{
    struct placement_request own;
    size_t i = *count;

    request(self, job, count);
    own = self->requests[i];
    for (; i > 0 && job_compare_size(job, self->requests[i - 1].job) < 0; i--)
        self->requests[i] = self->requests[i - 1];
    self->requests[i] = own;
}

/* For jobs of fixed size: those that went on are in order already. */
static size_t request_by_arrival(engine_t *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->placed_count; i++) {
        struct job *job = self->placed[i].job;

        if (job->state == JOB_RUNNING && job->level > 0 && job->resumed_s < self->now_s)
            request(self, job, &count);
    }
    for (size_t i = 0; i < self->live.count; i++)
        if (self->live.items[i]->level > 0 && self->live.items[i]->resumed_s == self->now_s)
            request_in_place(self, self->live.items[i], &count);
    return count;
}

static size_t request_all(engine_t *self)
{
    const int per_node = cluster_gpus_per_node(self->cluster);
    size_t count = 0;

    switch (self->rules->place) {
    case PLACE_AS_SERVED:
        request_between(self, &self->live, 1, most_gpus(&self->live), &count);
        break;
    case PLACE_BY_START:
        request_between(self, &self->running, per_node, most_gpus(&self->running), &count);
        request_by_size(self, &self->running, per_node - 1, &count);
        break;
    case PLACE_BY_SIZE_AND_ARRIVAL:
        return request_by_arrival(self);
    case PLACE_BY_SIZE:
    case PLACE_BY_SIZE_AND_RESORT:
        request_by_size(self, &self->live, most_gpus(&self->live), &count);
        break;
    }
    return count;
}

/* The order of service follows the sizes; those without a GPU come last. */
static void serve_by_size(engine_t *self, size_t placed)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < self->live.count; i++)
        if (self->live.items[i]->level == 0)
            jobs_append(&self->scratch, self->live.items[i]);
    assert(placed + self->scratch.count == self->live.count);
    for (size_t i = 0; i < placed; i++)
        self->live.items[i] = self->requests[i].job;
    for (size_t i = 0; i < self->scratch.count; i++)
        self->live.items[placed + i] = self->scratch.items[i];
}

/* Looks up every job's ranks in the order of the nodes, and on a node in that of placement. A job
 * on several nodes is looked up at the first of them. */
static void visit_groups(engine_t *self)
{
    const struct layout *layout = cluster_layout(self->cluster);
    const int per_node = cluster_gpus_per_node(self->cluster);
    const int nodes = cluster_node_count(self->cluster);
    int left = layout->held_count;

    for (size_t i = 0; i < self->live.count; i++)
        self->live.items[i]->visited = false;
    for (int node = 0; node < nodes && left > 0; node++) {
        const int set = layout->set_of_node[node];

        for (int i = set < 0 ? -1 : layout->sets[set].first_held; i >= 0;
             i = layout->held[i].next) {
            struct job *job = layout->held[i].job;
            const int rank = node * per_node + layout->held[i].first;

            if (!job->visited) {
                job->cached = overheads_visit(self->overheads, rank, job_gpus(job));
                left--;
            }
            job->visited = true;
        }
    }
}

static uint64_t digest(uint64_t ranks, int rank, int gpus)
{
    return (ranks ^ ((uint64_t)rank << 20 | (uint64_t)gpus)) * 0x9e3779b97f4a7c15u + 1;
}

/* Who holds other GPUs than in the round before: EF-Q20 put right. Works on what visit_groups
 * walks over, but to the last node of every job. */
static void note_moves(engine_t *self)
{
    const struct layout *layout = cluster_layout(self->cluster);
    const int per_node = cluster_gpus_per_node(self->cluster);

    for (size_t i = 0; i < self->live.count; i++) {
        self->live.items[i]->ranks_before = self->live.items[i]->ranks;
        self->live.items[i]->ranks = 0;
    }
    for (int node = 0; node < cluster_node_count(self->cluster); node++) {
        const int set = layout->set_of_node[node];

        for (int i = set < 0 ? -1 : layout->sets[set].first_held; i >= 0;
             i = layout->held[i].next) {
            struct job *job = layout->held[i].job;
            const int rank = node * per_node + layout->held[i].first;

            job->ranks = digest(job->ranks, rank, layout->held[i].gpus);
        }
    }
}

/* Whether the requests are those that gave the layout in force. */
static bool is_placed(const engine_t *self, size_t count)
{
    if (self->order_matters || self->layout_is_empty || count != self->placed_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (self->requests[i].job != self->placed[i].job ||
            self->requests[i].gpus != self->placed[i].gpus)
            return false;
    return true;
}

static void keep_requests(engine_t *self, size_t count)
{
    if (count > self->placed_capacity) {
        self->placed_capacity = 2 * count;
        self->placed = xrealloc(self->placed, self->placed_capacity * sizeof(*self->placed));
    }
    for (size_t i = 0; i < count; i++)
        self->placed[i] = self->requests[i];
    self->placed_count = count;
}

/* Places the first `count` requests, unless they are placed already. */
static int place_requests(engine_t *self, size_t count, struct error *error)
{
    const struct placement *placement = self->setting.placement;

    if (is_placed(self, count))
        return 0;
    self->layout_is_empty = false;
    keep_requests(self, count);
    if (placement->revise)
        return placement->revise(self->cluster, self->requests, count,
                                 cluster_revise(self->cluster), error);
    if (!self->order_matters)
        cluster_vacate(self->cluster);
    return placement->place(self->cluster, self->requests, count,
                            cluster_clear(self->cluster, self->live.count), error);
}

static void place_turns(engine_t *self)
{
    cluster_vacate(self->cluster);
    self->setting.placement->place_turns(self->cluster, self->plan->slice_sets, self->jobs,
                                         cluster_clear(self->cluster, self->live.count));
}

/* Whether what a job pays depends on the GPUs that it holds, in every round anew. */
static bool counts_ranks(const engine_t *self)
{
    return self->rules->charge == CHARGE_RUNNING || self->rules->charge == CHARGE_LIVE;
}

/* Whether the same jobs hold as many GPUs as they did, and that says it all. */
static bool is_as_before(const engine_t *self)
{
    return !self->layout_is_old && !counts_ranks(self) &&
           (self->plan->slice_sets ||
            (self->rules->place == PLACE_BY_SIZE_AND_ARRIVAL && !self->order_matters));
}

int round_place(engine_t *self, struct error *error)
{
    size_t count;

    if (is_as_before(self))
        return 0;
    self->layout_is_old = false;
    if (self->plan->slice_sets) {
        place_turns(self);
        return 0;
    }
    count = request_all(self);
    if (place_requests(self, count, error) < 0)
        return -1;
    if (self->rules->place == PLACE_BY_SIZE_AND_RESORT)
        serve_by_size(self, count);
    if (counts_ranks(self)) {
        visit_groups(self);
        if (self->rules->pays == PAYS_FOR_CHANGES)
            note_moves(self);
    }
    return 0;
}

/* The earliest planned change of all jobs, if it comes before every event. EF-Q44: ends carry no
 * overhead yet, so that it hardly ever does. */
static void wake_earliest(engine_t *self)
{
    const struct event *first = event_queue_first(self->events);
    int64_t earliest_s = NEVER_S;

    for (size_t i = 0; i < self->plan->count; i++)
        if (self->plan->shares[i].change_s < earliest_s)
            earliest_s = self->plan->shares[i].change_s;
    if (earliest_s != NEVER_S && (!first || earliest_s < first->at_s))
        event_queue_add_wake(self->events, earliest_s);
}

/* EF-Q13: every planned change of a running job, also one that only repeats its end (EF-Q12). */
static void wake_each(engine_t *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        const int64_t change_s = self->plan->shares[self->running.items[i]->place].change_s;

        if (change_s != NEVER_S)
            event_queue_add_wake(self->events, change_s);
    }
}

/* EF-Q13 put right: the next planned change of any job, be it a start, wakes the scheduler and is not
 * lost to an end that moves over it; what was waited for before is forgotten, as all is planned anew
 * in every round. Most changes are planned for when another job ends. They need no waking: that end
 * is about to move behind its overhead, and not before then are the GPUs free. */
static void wake_next(engine_t *self)
{
    int64_t next_s = NEVER_S;

    event_queue_await_no_more(self->events, self->wake_s);
    for (size_t i = 0; i < self->plan->count; i++) {
        const int64_t change_s = self->plan->shares[i].change_s;

        if (change_s < next_s && !event_queue_has(self->events, change_s))
            next_s = change_s;
    }
    if (next_s != NEVER_S)
        event_queue_await(self->events, next_s);
    self->wake_s = next_s;
}

/* Whether the job has to pay for this round. */
static bool has_to_pay(const engine_t *self, const struct job *job)
{
    if (self->rules->pays == PAYS_ALWAYS)
        return true;
    if (self->rules->pays == PAYS_FOR_STARTS)
        return job->resumed_s == self->now_s;
    return job->ranks != job->ranks_before || overheads_restart(self->overheads);
}

int round_price(const engine_t *self, const struct job *job)
{
    switch (self->rules->charge) {
    case CHARGE_RUNNING:
    case CHARGE_LIVE:
        return has_to_pay(self, job) ? overheads_of(self->overheads, job_gpus(job), job->cached)
                                     : 0;
    case CHARGE_RESUMED:
        return overheads_restart(self->overheads) || job->resumed_s == self->now_s
                   ? overheads_of(self->overheads, job_gpus(job), false)
                   : 0;
    case CHARGE_SEATED:
        return overheads_of(self->overheads, job->submission->gpus_requested, false);
    case CHARGE_NOBODY:
        break;
    }
    return 0;
}

/* The same, or what it really was. */
static int pays(const engine_t *self, const struct job *job)
{
    const struct backend *backend = self->setting.backend;
    const int price = round_price(self, job);

    return backend ? backend->overhead_s(backend->self, job, price) : price;
}

static void charge_jobs(engine_t *self, const struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->items[i];

        if (job->level == 0)
            continue;
        if (has_to_pay(self, job))
            job->overhead_s = pays(self, job);
        if (job->overhead_s > 0)
            event_queue_move_end(self->events, job, job->end_s + job->overhead_s);
    }
}

/* The end is where the job gets when it is left alone. */
static void charge_resumed(engine_t *self)
{
    const bool restart = overheads_restart(self->overheads);
    const bool foreseen = restart || self->rules->foresees == FORESEES_OVERHEAD;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (job->level == 0)
            continue;
        if (restart || job->resumed_s == self->now_s)
            job->overhead_s = pays(self, job);
        job->end_s = self->now_s + job->submission->duration_s - job->attained_s +
                     (foreseen ? job->overhead_s : 0);
    }
}

/* GA-Q10: everybody pays again, whoever just moved or waits for his turn. */
static void charge_seated(engine_t *self)
{
    for (size_t i = 0; i < self->live.count; i++)
        if (self->live.items[i]->state == JOB_RUNNING)
            self->live.items[i]->overhead_s = pays(self, self->live.items[i]);
}

void round_charge(engine_t *self)
{
    if (self->rules->wake == WAKE_EARLIEST)
        wake_earliest(self);
    else if (self->rules->wake == WAKE_EACH)
        wake_each(self);
    else if (self->rules->wake == WAKE_NEXT)
        wake_next(self);
    if (self->rules->charge == CHARGE_RESUMED)
        charge_resumed(self);
    if (!event_queue_first(self->events))
        return;
    if (self->rules->charge == CHARGE_RUNNING)
        charge_jobs(self, &self->running);
    else if (self->rules->charge == CHARGE_LIVE)
        charge_jobs(self, &self->live);
    else if (self->rules->charge == CHARGE_SEATED)
        charge_seated(self);
}
