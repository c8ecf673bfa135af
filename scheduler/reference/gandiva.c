/* gandiva.c - Gandiva: jobs of the same size share sets of nodes. Jobs are packed until a set is
 * full, and take turns if more jobs than fit share a set. Sizes in demand get more sets, other
 * sizes give some up.
 *
 * Deadlines play no role.
 *
 * Source: Xiao et al., Gandiva, OSDI 2018, as the published ElasticFlow artifact computes it. */
#include "scheduler/reference/gandiva_turns.h"

#include "common/memory.h"

#include <stdlib.h>

static size_t count_jobs(const struct slice_set_class *class)
{
    size_t count = 0;

    for (size_t i = 0; i < class->count; i++)
        count += class->sets[i]->job_count;
    return count;
}

static void join(slice_sets_t *sets, struct slice_set *set, const struct job *job)
{
    slice_sets_append(sets, set, job);
    set->load++;
}

/* Deals the jobs of `class` out anew, to each set in turn. */
static void rebalance(const struct gandiva_round *round, struct slice_set_class *class)
{
    if (class->count == 1) {
        class->sets[0]->load = (int)class->sets[0]->job_count;
        return;
    }
    for (size_t i = 0; i < class->count; i++) {
        slice_sets_move_out(round->sets, class->sets[i]);
        class->sets[i]->load = 0;
    }
    slice_sets_deal(round->sets, class);
}

/* GA-Q5: if all wanted sets could be made, they stay empty and are given up in the same round. If
 * some could not be made, or none, the jobs are dealt out again. */
bool gandiva_rebalance_in_need(const struct slice_set_class *class, int wanted, int made)
{
    return !(made == wanted && class->nodes == 1);
}

bool gandiva_rebalance_if_made(const struct slice_set_class *class, int wanted, int made)
{
    (void)class;
    (void)wanted;
    return made > 0;
}

/* Opens up to `wanted` sets. Returns whether sets or jobs changed. */
static bool expand(const struct gandiva_round *round, struct slice_set_class *class, int wanted)
{
    int made = 0;

    while (made < wanted && slice_sets_open(round->sets, class))
        made++;
    if (!round->rules->rebalances(class, wanted, made))
        return made > 0;
    rebalance(round, class);
    return true;
}

/* Gives up `unwanted` sets, but keeps one. Returns whether sets changed. GA-Q6: the jobs of a set
 * that is given up move to the other sets, beyond the number that these can run. */
static bool shrink(const struct gandiva_round *round, struct slice_set_class *class, int unwanted)
{
    const int spare = (int)class->count - 1;
    const int count = unwanted < spare ? unwanted : spare;

    if (count == 0)
        return false;
    for (int i = 0; i < count; i++)
        slice_sets_move_out(round->sets, class->sets[i]);
    slice_sets_close(round->sets, class, 0, (size_t)count);
    slice_sets_deal(round->sets, class);
    return true;
}

/* The number of sets that `gpus` GPUs are too few or too many by. GA-Q4: counted in units of the
 * job, not of the set, which may be several times larger. */
int gandiva_sets_by_job(const struct slice_set_class *class, int gpus, int gpus_per_node)
{
    (void)gpus_per_node;
    return (gpus + class->gpus - 1) / class->gpus;
}

/* GA-Q4 put right: enough sets to cover missing GPUs, but no more than the spare GPUs fill. */
int gandiva_sets_short(const struct slice_set_class *class, int gpus, int gpus_per_node)
{
    return (gpus + class->nodes * gpus_per_node - 1) / (class->nodes * gpus_per_node);
}

int gandiva_sets_spare(const struct slice_set_class *class, int gpus, int gpus_per_node)
{
    return gpus / (class->nodes * gpus_per_node);
}

/* A class with jobs, and the GPUs that it demands. */
struct deadline_demand {
    struct slice_set_class *class;
    int64_t gpus; /* more than any cluster has, if many jobs wait */
};

static bool adjust_class(const struct gandiva_round *round, const struct deadline_demand *demand,
                         int64_t demanded_in_all)
{
    struct slice_set_class *class = demand->class;
    const double part = (double)demand->gpus / (double)demanded_in_all;
    const int planned = (int)(part * round->gpu_count);
    const int target = planned < demand->gpus ? planned : (int)demand->gpus;
    const int per_node = round->sets->gpus_per_node;
    const int more = target - (int)class->count * class->nodes * per_node;

    if (more > 0)
        return expand(round, class, round->rules->sets_short(class, more, per_node));
    return more < 0 && shrink(round, class, round->rules->sets_spare(class, -more, per_node));
}

/* Gives each job size its part of the cluster, by demand. */
bool gandiva_adjust(const struct gandiva_round *round)
{
    struct deadline_demand demands[SLICE_SET_CLASSES];
    size_t count = 0;
    bool changed = false;
    int64_t demanded = 0;

    for (int c = 0; c < round->sets->class_count; c++) {
        struct slice_set_class *class = &round->sets->classes[c];
        const int64_t gpus = (int64_t)count_jobs(class) * class->gpus;

        if (gpus > 0)
            demands[count++] = (struct deadline_demand){class, gpus};
        demanded += gpus;
    }
    for (size_t i = 0; i < count; i++)
        if (adjust_class(round, &demands[i], demanded))
            changed = true;
    return changed;
}

void gandiva_count_ends(struct slice_set_class *class)
{
    for (size_t i = 0; i < class->count; i++)
        class->sets[i]->load = (int)class->sets[i]->job_count;
    slice_set_class_sort(class);
}

/* GA-Q8: turns change on the clock's full minutes only, which rounds may never meet. */
bool gandiva_turn_by_minute(int64_t now_s)
{
    return now_s % 60 == 0;
}

bool gandiva_turn_each_round(int64_t now_s)
{
    (void)now_s;
    return true;
}

/* Only jobs that ran can be done. */
static void take_turns(const struct gandiva_round *round, struct slice_set *set, bool change,
                       bool any_done)
{
    const size_t ran = slice_set_running(set);
    const bool any_waits = set->job_count > ran;
    const size_t left = any_done ? slice_sets_drop_done(round->sets, set, ran) : ran;

    if (change && any_waits)
        slice_sets_rotate(round->sets, set, left);
}

/* Starts the next turn: jobs that ran go after jobs that waited, and sets that no job uses any more
 * are given up. Returns whether a set was given up, or nodes changed. */
static bool turn(const struct gandiva_round *round, const struct view *view)
{
    const bool change = round->rules->is_turn(view->now_s);
    bool released = round->sets->nodes_changed;

    round->sets->nodes_changed = false;
    for (int c = 0; c < round->sets->class_count; c++) {
        struct slice_set_class *class = &round->sets->classes[c];
        size_t i = 0;

        while (i < class->count) {
            struct slice_set *set = class->sets[i];

            take_turns(round, set, change, view->end_count > 0);
            if (set->job_count > 0) {
                i++;
                continue;
            }
            slice_sets_close(round->sets, class, i, 1); /* GA-Q12: also a set that was never used */
            released = true;
        }
        if (round->rules->note_ends)
            round->rules->note_ends(class);
    }
    return released;
}

/* GA-Q1: a set counts as full one job early, and a set for a single job always counts as full. */
bool gandiva_has_room_by_one(const struct slice_set *set)
{
    return set->load + 1 < set->capacity;
}

bool gandiva_has_room(const struct slice_set *set)
{
    return set->load + 1 <= set->capacity;
}

/* GA-Q2: a set without room goes to the end, so that the job is squeezed into the second set. */
void gandiva_rotate_sets(struct slice_set_class *class)
{
    slice_set_class_rotate(class);
}

void gandiva_keep_sets(struct slice_set_class *class)
{
    (void)class;
}

/* Joins the job to the first set, which then comes after the sets of equal load. */
static void take_front(slice_sets_t *sets, struct slice_set_class *class, const struct job *job)
{
    slice_set_class_rotate(class);
    join(sets, class->sets[class->count - 1], job);
    slice_set_class_sort(class);
}

/* Finds a set for the job: the least loaded set if it has room, else a new set, else a full set. */
static bool find_set(const struct gandiva_round *round, const struct job *job)
{
    struct slice_set_class *class = slice_sets_class(round->sets, job->submission->gpus_requested);

    if (class->count > 0 && round->rules->has_room(class->sets[0])) {
        take_front(round->sets, class, job);
        return true;
    }
    if (class->count > 0)
        round->rules->pass_over(class);
    if (slice_sets_open(round->sets, class)) {
        join(round->sets, class->sets[class->count - 1], job);
        slice_set_class_sort(class);
        return true;
    }
    if (class->count == 0)
        return false;
    take_front(round->sets, class, job);
    return true;
}

/* Looks for a set for the waiting `job`. Returns whether there is one. */
static bool seat(const struct gandiva_round *round, const struct job *job)
{
    if (!find_set(round, job))
        return false;
    round->seats->waiting[slice_set_class_of(job)]--;
    list_append(&round->seats->found, job);
    return true;
}

/* GA-Q11: after a job that found its place the next job is passed over until a set is given up
 * again. */
void gandiva_seat_every_other(const struct gandiva_round *round, const struct job *const waiting[],
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (seat(round, waiting[i]))
            i++;
}

void gandiva_seat_all_waiting(const struct gandiva_round *round, const struct job *const waiting[],
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)seat(round, waiting[i]);
}

/* Whether some waiting job would find a set. */
static bool any_finds_set(const struct gandiva_round *round)
{
    for (int c = 0; c < round->sets->class_count; c++) {
        const struct slice_set_class *class = &round->sets->classes[c];

        if (round->seats->waiting[c] > 0 &&
            (class->count > 0 || class->nodes <= round->sets->free_count))
            return true;
    }
    return false;
}

/* Seats arrivals, then waiting jobs if `may_seat_waiting`. Arrivals come last among the jobs
 * without a set; an arrival that finds no set waits with the others. */
static void seat_jobs(const struct gandiva_round *round, const struct jobs *pending,
                      size_t arrivals, bool may_seat_waiting, arena_t *scratch)
{
    const size_t first_arrival = pending->count - arrivals;
    const struct job **waiting;
    size_t count = first_arrival;

    if (arrivals == 0 && !(may_seat_waiting && any_finds_set(round)))
        return;
    arena_reset(scratch);
    waiting = arena_alloc(scratch, (pending->count + 1) * sizeof(*waiting));
    for (size_t i = first_arrival; i < pending->count; i++) {
        round->seats->waiting[slice_set_class_of(pending->items[i])]++;
        if (!seat(round, pending->items[i]))
            waiting[count++] = pending->items[i];
    }
    if (!may_seat_waiting || !any_finds_set(round))
        return;
    for (size_t i = 0; i < first_arrival; i++)
        waiting[i] = pending->items[i];
    round->rules->seat_waiting(round, waiting, count);
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    const struct gandiva_memory *memory = view->memory;
    const struct gandiva_round round = gandiva_round_of(view->memory, view->rules, view->gpu_count);
    const bool released = turn(&round, view);

    (void)error;
    if (!round.rules->adjusts_before)
        (void)gandiva_adjust(&round);
    seat_jobs(&round, memory->pending, view->arrival_count,
              released || !round.rules->seats_after_release, plan->scratch);
    return 0;
}

static void *open_memory(const struct policy_setting *setting)
{
    struct gandiva_memory *memory = xcalloc(1, sizeof(*memory));

    memory->adjusted = -1;
    memory->sets = slice_sets_new(setting->node_count, setting->gpus_per_node);
    memory->jobs = side_table_new(sizeof(struct gandiva_job));
    return memory;
}

static void close_memory(void *opened)
{
    struct gandiva_memory *memory = opened;

    side_table_destroy(&memory->jobs);
    slice_sets_destroy(&memory->sets);
    free(memory->seats.found.items);
    free(memory);
}

static const struct reference_rules rules = {
    .loop =
        {
            .carries_overhead = false, /* GA-Q10 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_retires,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_round,
            .merge = merge_unless_sole,
            .tick_s = tick_after_arrivals, /* GA-Q9 */
        },
    .sharing.gandiva = {.has_room = gandiva_has_room_by_one,
                        .pass_over = gandiva_rotate_sets,
                        .note_ends = NULL, /* GA-Q3: a load is never lowered when a job ends */
                        .sets_short = gandiva_sets_by_job,
                        .sets_spare = gandiva_sets_by_job,
                        .rebalances = gandiva_rebalance_in_need,
                        .adjusts_before = true, /* GA-Q7, see gandiva_advance */
                        .is_turn = gandiva_turn_by_minute,
                        .seats_after_release = true,
                        .seat_waiting = gandiva_seat_every_other},
};

const struct policy policy_gandiva = {
    .name = "gandiva",
    .summary = "Gandiva: jobs of one size pack nodes and take turns on them",
    .needs_powers = true,
    .placement = "gandiva",
    .plans_past_deadlines = true,
    .open = open_memory,
    .close = close_memory,
    .admission = &admission_everyone,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .rules = &rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .measure = MEASURE_SECONDS,
            .check = requested_check_size,
            .announce = artifact_announce,
            .forget = artifact_forget,
            .expect = requested_expect_duration,
            .credit = artifact_credit,
            .pay = artifact_pay,
            .collect = artifact_collect_first,
            .retire = artifact_retire,
            .release = gandiva_release,
            .adopt = gandiva_adopt,
            .gather = gandiva_gather,
            .place = gandiva_place,
            .lose_node = gandiva_lose_node,
            .gain_node = gandiva_gain_node,
            .charge = gandiva_charge,
            .foresee = requested_foresee,
            .advance = gandiva_advance,
            .restart_rounds = artifact_restart_by_slot, /* CO-Q1 */
        },
};
