/* oracle_gandiva.c - the rounds of `gandiva` (section 2): jobs of one size share sets of whole
 * nodes and take turns there. */
#include "oracle_internal.h"

#include <math.h>
#include <string.h>

struct share_set {
    int *positions; /* of its nodes, in the order they were taken */
    int node_count;
    size_t cap;    /* how many jobs run at once */
    long load;     /* GA-Q3: not the number of its jobs */
    struct jobs q; /* the first `cap` of them run */
};

struct share_sets {
    struct share_set **at;
    size_t count;
    size_t room;
};

struct gandiva {
    struct run *run;
    struct oracle_call *call;
    int node_count;
    int gpus_per_node;
    /* Positions, taken at the front and given back at the end. The specification has only their
     * count; the order is what the published layouts show. */
    int *idle;
    int idle_count;
    struct share_sets classes[ORACLE_LABEL_COUNT];
};

static struct share_sets *class_of(struct gandiva *self, const struct job *job)
{
    for (int i = 0; i < ORACLE_LABEL_COUNT; i++)
        if (oracle_labels[i] == job->gpus)
            return &self->classes[i];
    oracle_abort(self->call, ORACLE_NO_PLACE, "job %s: %d GPUs have no class", job->given->id,
                 job->gpus);
}

static void sets_insert(struct gandiva *self, struct share_sets *sets, size_t index,
                        struct share_set *set)
{
    if (sets->count == sets->room) {
        sets->room = 2 * sets->room + 8;
        sets->at = oracle_resize(self->call, sets->at, sets->room * sizeof(struct share_set *));
    }
    memmove(&sets->at[index + 1], &sets->at[index],
            (sets->count - index) * sizeof(struct share_set *));
    sets->at[index] = set;
    sets->count++;
}

static void sets_append(struct gandiva *self, struct share_sets *sets, struct share_set *set)
{
    sets_insert(self, sets, sets->count, set);
}

static struct share_set *sets_take(struct share_sets *sets, size_t index)
{
    struct share_set *set = sets->at[index];

    memmove(&sets->at[index], &sets->at[index + 1],
            (sets->count - index - 1) * sizeof(struct share_set *));
    sets->count--;
    return set;
}

static void sets_sort(struct share_sets *sets)
{
    for (size_t i = 1; i < sets->count; i++) {
        struct share_set *set = sets->at[i];
        size_t to = i;

        for (; to > 0 && set->load < sets->at[to - 1]->load; to--)
            sets->at[to] = sets->at[to - 1];
        sets->at[to] = set;
    }
}

static int nodes_needed(const struct gandiva *self, int gpus)
{
    return (gpus + self->gpus_per_node - 1) / self->gpus_per_node;
}

/* Takes the nodes of a new set; there must be enough of them. */
static struct share_set *set_new(struct gandiva *self, int gpus)
{
    struct share_set *set = oracle_resize(self->call, NULL, sizeof(*set));
    int nodes = nodes_needed(self, gpus);

    *set = (struct share_set){.positions =
                                  oracle_resize(self->call, NULL, (size_t)nodes * sizeof(int)),
                              .node_count = nodes,
                              .cap = (size_t)(nodes * self->gpus_per_node / gpus)};
    memcpy(set->positions, self->idle, (size_t)nodes * sizeof(int));
    self->idle_count -= nodes;
    memmove(self->idle, self->idle + nodes, (size_t)self->idle_count * sizeof(int));
    return set;
}

/* Gives its nodes back; what it holds of jobs must be in safety. */
static void set_dissolve(struct gandiva *self, struct share_set *set)
{
    for (int i = 0; i < set->node_count; i++)
        self->idle[self->idle_count++] = set->positions[i];
    oracle_jobs_drop(self->call, &set->q);
    oracle_free(self->call, set->positions);
    oracle_free(self->call, set);
}

static void set_add(struct gandiva *self, struct share_set *set, struct job *job)
{
    oracle_jobs_append(self->call, &set->q, job);
    set->load++;
}

static size_t set_running(const struct share_set *set)
{
    return set->q.count < set->cap ? set->q.count : set->cap;
}

/* GA-Q1: a set counts as full one job early. Repaired, it does not. */
static bool set_has_room(const struct gandiva *self, const struct share_set *set)
{
    long load = set->load + 1;

    return load < (long)set->cap ||
           (load == (long)set->cap && oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q1));
}

/* Section 2.3. Returns false if there is no place. */
static bool gandiva_place(struct gandiva *self, struct job *job)
{
    struct share_sets *class = class_of(self, job);
    struct share_set *set;

    if (class->count > 0) {
        set = sets_take(class, 0);
        if (set_has_room(self, set)) {
            set_add(self, set, job);
            sets_append(self, class, set);
            sets_sort(class);
            return true;
        }
        /* GA-Q2: the next set takes its place. Repaired, it stays the first. */
        sets_insert(self, class, oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q2) ? 0 : class->count,
                    set);
    }
    if (nodes_needed(self, job->gpus) <= self->idle_count) {
        set = set_new(self, job->gpus);
        set_add(self, set, job);
        sets_append(self, class, set);
        sets_sort(class);
        return true;
    }
    if (class->count == 0)
        return false;
    set = sets_take(class, 0); /* GA-Q2 */
    set_add(self, set, job);
    sets_append(self, class, set);
    sets_sort(class);
    return true;
}

static void deal_out(struct gandiva *self, struct share_sets *class, struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        set_add(self, class->at[0], jobs->at[i]);
        sets_sort(class);
    }
    oracle_jobs_drop(self->call, jobs);
}

/* GA-Q5: whether the jobs are dealt out anew over a class that got `made` of the `wanted` sets.
 * Repaired, that depends on whether there is a new set. */
static bool class_rebalances(const struct gandiva *self, long made, long wanted, int nodes)
{
    if (oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q5))
        return made > 0;
    return !(made == wanted && nodes == 1);
}

static void class_expand(struct gandiva *self, int index, long wanted)
{
    struct share_sets *class = &self->classes[index];
    int nodes = nodes_needed(self, oracle_labels[index]);
    long room = self->idle_count / nodes;
    long made = wanted < room ? wanted : room;
    struct jobs all = {0};

    for (long i = 0; i < made; i++)
        sets_append(self, class, set_new(self, oracle_labels[index]));
    if (!class_rebalances(self, made, wanted, nodes))
        return;
    for (size_t i = 0; i < class->count; i++) {
        oracle_jobs_append_all(self->call, &all, &class->at[i]->q);
        oracle_jobs_drop(self->call, &class->at[i]->q);
        class->at[i]->load = 0;
    }
    deal_out(self, class, &all);
}

/* GA-Q6: also if what is left cannot run them all. */
static void class_shrink(struct gandiva *self, int index, long given_up)
{
    struct share_sets *class = &self->classes[index];
    struct jobs moved = {0};

    if (given_up > (long)class->count - 1)
        given_up = (long)class->count - 1;
    for (long i = 0; i < given_up; i++) {
        struct share_set *set = sets_take(class, 0);

        oracle_jobs_append_all(self->call, &moved, &set->q);
        set_dissolve(self, set);
    }
    deal_out(self, class, &moved);
}

/* GA-Q4: GPUs too few or too many are divided by those of a job. Repaired, by those of a set, with
 * surplus GPUs that are less than a set kept. */
static void class_adjust(struct gandiva *self, int index, double diff)
{
    int gpus = oracle_labels[index];
    int set_gpus = nodes_needed(self, gpus) * self->gpus_per_node;
    bool clean = oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q4);

    if (diff > 0)
        class_expand(self, index, (long)ceil(diff / (clean ? set_gpus : gpus)));
    if (diff < 0)
        class_shrink(self, index, (long)(clean ? floor(-diff / set_gpus) : ceil(-diff / gpus)));
}

/* Section 2.4. */
static void gandiva_adjust(struct gandiva *self)
{
    double demand[ORACLE_LABEL_COUNT] = {0};
    double occupied[ORACLE_LABEL_COUNT] = {0};
    double total = 0;

    for (int i = 0; i < ORACLE_LABEL_COUNT; i++) {
        const struct share_sets *class = &self->classes[i];

        for (size_t k = 0; k < class->count; k++) {
            demand[i] += (double)class->at[k]->q.count * oracle_labels[i];
            occupied[i] += class->at[k]->node_count * self->gpus_per_node;
        }
        total += demand[i];
    }
    for (int i = 0; i < ORACLE_LABEL_COUNT; i++) {
        double planned;

        if (demand[i] == 0)
            continue;
        planned = floor(demand[i] / total * self->call->gpu_count);
        class_adjust(self, i, fmin(planned, demand[i]) - occupied[i]);
    }
}

/* Credits one job; returns whether that ends it. */
static bool job_credit(struct gandiva *self, struct job *job)
{
    struct run *run = self->run;

    job->ran_s += fmax(run->elapsed_s - job->overhead_s, 0);
    job->overhead_s = 0;
    if (job->ran_s < job->given->duration_s)
        return false;
    job->end_s = run->now_s - (job->ran_s - job->given->duration_s);
    if (job->end_s > job->deadline_s) {
        run->declined++;
        run->accepted--;
    }
    return true;
}

static void set_execute(struct gandiva *self, struct share_set *set, bool rotate)
{
    size_t running = set_running(set);
    struct jobs ended = {0};

    for (size_t i = 0; i < running; i++)
        if (job_credit(self, set->q.at[i]))
            oracle_jobs_append(self->call, &ended, set->q.at[i]);
    for (size_t i = 0; rotate && set->q.count > running && i < running; i++) {
        struct job *job = set->q.at[0];

        oracle_jobs_remove(&set->q, job);
        oracle_jobs_append(self->call, &set->q, job);
    }
    for (size_t i = 0; i < ended.count; i++) {
        /* GA-Q3: the load stays. Repaired, it falls, and the class is sorted again. */
        if (oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q3))
            set->load--;
        oracle_jobs_remove(&set->q, ended.at[i]);
        oracle_jobs_remove(&self->run->running, ended.at[i]);
        oracle_run_record_end(self->run, ended.at[i], self->run->now_s);
    }
    oracle_jobs_drop(self->call, &ended);
}

/* Section 2.5. Returns whether a set was dissolved. */
static bool gandiva_execute(struct gandiva *self)
{
    /* GA-Q8: only when the clock shows a full minute. Repaired, in every round. */
    bool rotate = fmod(self->run->now_s, 60) == 0 || oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q8);
    bool released = false;

    for (int i = 0; i < ORACLE_LABEL_COUNT; i++) {
        struct share_sets *class = &self->classes[i];
        size_t k = 0;

        while (k < class->count) {
            set_execute(self, class->at[k], rotate);
            if (class->at[k]->q.count > 0) {
                k++;
                continue;
            }
            set_dissolve(self, sets_take(class, k)); /* GA-Q12: also if it never held a job */
            released = true;
        }
        if (oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q3))
            sets_sort(class);
    }
    return released;
}

/* GA-Q13: counts at the start what may still come to be late. */
static bool gandiva_try(struct gandiva *self, struct job *job)
{
    struct run *run = self->run;

    if (!gandiva_place(self, job))
        return false;
    oracle_jobs_append(self->call, &run->running, job);
    job->start_s = run->now_s;
    if (!job->given->best_effort)
        run->accepted++;
    return true;
}

static void gandiva_arrive(struct gandiva *self)
{
    struct jobs arriving = oracle_arrivals_take(self->run);

    for (size_t i = 0; i < arriving.count; i++) {
        if (gandiva_try(self, arriving.at[i]))
            continue;
        oracle_jobs_append(self->call, &self->run->pending, arriving.at[i]);
        arriving.at[i]->ever_waited = true;
    }
    oracle_jobs_drop(self->call, &arriving);
}

/* GA-Q11: after every job that finds a place, one is skipped. Repaired, none is. */
static void gandiva_scan(struct gandiva *self)
{
    struct jobs *pending = &self->run->pending;
    size_t i = 0;

    while (i < pending->count) {
        struct job *job = pending->at[i];
        bool placed = gandiva_try(self, job);

        if (placed)
            oracle_jobs_remove(pending, job);
        if (!placed || !oracle_cleaned(self->run, ORACLE_CLEAN_GA_Q11))
            i++;
    }
}

static void set_show(const struct gandiva *self, const struct share_set *set,
                     const struct job **holders)
{
    for (size_t i = 0; i < set_running(set); i++) {
        const struct job *job = set->q.at[i];
        int gpus_per_node = self->gpus_per_node;

        oracle_rate(self->call, job, job->gpus); /* section 1.1: it must exist */
        if (set->node_count == 1) {
            for (int k = 0; k < job->gpus; k++)
                holders[set->positions[0] * gpus_per_node + (int)i * job->gpus + k] = job;
            continue;
        }
        for (int k = 0; k < job->gpus; k++)
            holders[set->positions[k / gpus_per_node] * gpus_per_node + k % gpus_per_node] = job;
    }
}

static void gandiva_record(struct gandiva *self)
{
    struct text *text = &self->run->rounds_csv;
    size_t gpu_count = (size_t)self->call->gpu_count;
    const struct job **holders = oracle_resize(self->call, NULL, gpu_count * sizeof(struct job *));

    for (size_t i = 0; i < gpu_count; i++)
        holders[i] = NULL;
    for (int i = 0; i < ORACLE_LABEL_COUNT; i++)
        for (size_t k = 0; k < self->classes[i].count; k++)
            set_show(self, self->classes[i].at[k], holders);
    oracle_text_add_time(self->call, text, self->run->now_s);
    oracle_text_add(self->call, text, ",");
    oracle_layout_write_holders(self->call, holders, self->call->gpu_count, text);
    oracle_text_add(self->call, text, "\n");
    oracle_free(self->call, holders);
}

static void gandiva_charge(struct gandiva *self)
{
    struct run *run = self->run;
    bool restart = oracle_baseline_count_round(run);

    /* GA-Q10: every job pays in every round. Repaired, none ever does. */
    if (oracle_cleaned(run, ORACLE_CLEAN_GA_Q10))
        return;
    for (size_t i = 0; i < run->running.count; i++)
        run->running.at[i]->overhead_s = oracle_baseline_overhead(run, run->running.at[i], restart);
}

static void gandiva_advance(struct gandiva *self)
{
    struct run *run = self->run;
    double slot_end_s = run->now_s + self->call->slot_s;
    double next_s = slot_end_s;

    if (run->events.count > 0) { /* GA-Q10: there are no debts in the tail */
        gandiva_charge(self);
        oracle_arrivals_merge(run);
        next_s = run->events.at[0].time_s;
        /* GA-Q9: there may be hours without a round. Repaired, there is one in every slot. */
        if (next_s > slot_end_s && oracle_cleaned(run, ORACLE_CLEAN_GA_Q9))
            next_s = slot_end_s;
    }
    run->elapsed_s = next_s - run->now_s;
    run->now_s = next_s;
}

static void gandiva_round(struct gandiva *self)
{
    struct run *run = self->run;
    bool credit_first = oracle_cleaned(run, ORACLE_CLEAN_GA_Q7);
    bool released;

    /* GA-Q7: sets change before the interval is credited. Repaired, they change thereafter. */
    if (!credit_first)
        gandiva_adjust(self);
    released = gandiva_execute(self);
    if (credit_first)
        gandiva_adjust(self);
    for (size_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].ever_waited)
            run->jobs[i].overhead_s = 0;
    gandiva_arrive(self);
    /* GA-Q11: if no set was dissolved no job is tried. Repaired, all are. */
    if (released || oracle_cleaned(run, ORACLE_CLEAN_GA_Q11))
        gandiva_scan(self);
    gandiva_record(self);
    gandiva_advance(self);
}

void oracle_run_gandiva(struct run *run)
{
    struct gandiva self = {.run = run,
                           .call = &run->call,
                           .node_count = run->placement.node_count,
                           .gpus_per_node = run->placement.gpus_per_node,
                           .idle_count = run->placement.node_count};

    oracle_baseline_open(run);
    self.idle = oracle_resize(&run->call, NULL, (size_t)self.node_count * sizeof(int));
    for (int i = 0; i < self.node_count; i++)
        self.idle[i] = i;
    while (run->events.count > 0 || run->pending.count > 0 || run->running.count > 0) {
        oracle_run_pass(run);
        gandiva_round(&self);
    }
}
