/* gandiva.c - Gandiva: jobs of one size share sets of nodes, packed until a set is full, and take
 * turns where there are more of them than fit; sizes in demand get more sets, others give some up.
 *
 * Deadlines play no role.
 * Source: Xiao et al., Gandiva, OSDI 2018, as the published ElasticFlow artifact computes it. */
#include "scheduler/policies/policy.h"

#include <assert.h>
#include <math.h>

/* GA-Q8: turns change on the clock's full minutes only. */
#define TURN_S 60

struct round {
    const struct view *view;
    plan_t *plan;
    slice_sets_t *sets;
};

static size_t count_jobs(const struct slice_set_class *class)
{
    size_t count = 0;

    for (size_t i = 0; i < class->count; i++)
        count += class->sets[i]->job_count;
    return count;
}

/* GA-Q3: a load is never lowered when a job ends. */
static void join(struct slice_set *set, const struct job *job)
{
    slice_set_append(set, job);
    set->load++;
}

/* The job joins the set in front, which then takes its place by load, before others that have as
 * much. */
static void join_front(struct slice_set_class *class, const struct job *job)
{
    join(class->sets[0], job);
    slice_set_class_sort(class);
}

/* Deals the jobs out again, one for each set in turn. */
static void rebalance(const struct round *round, struct slice_set_class *class)
{
    const size_t count = count_jobs(class);
    const struct job **jobs = arena_alloc(round->plan->scratch, (count + 1) * sizeof(*jobs));
    size_t k = 0;

    for (size_t i = 0; i < class->count; i++) {
        struct slice_set *set = class->sets[i];

        for (size_t j = 0; j < set->job_count; j++)
            jobs[k++] = set->jobs[j];
        set->job_count = 0;
        set->load = 0;
    }
    for (size_t i = 0; i < count; i++)
        join_front(class, jobs[i]);
}

/* GA-Q5: new sets stay empty, and are given up in the same round, where all that were wanted could
 * be made; but where some could not, even if none could, the jobs are dealt out again. */
static bool wants_rebalance(const struct slice_set_class *class, int wanted, int made)
{
    return !(made == wanted && class->nodes == 1);
}

/* Both return whether they changed anything. */
static bool expand(const struct round *round, struct slice_set_class *class, int wanted)
{
    int made = 0;

    while (made < wanted && slice_sets_open(round->sets, class))
        made++;
    if (!wants_rebalance(class, wanted, made))
        return made > 0;
    rebalance(round, class);
    return true;
}

/* GA-Q6: the jobs of a set that is given up move to the others, beyond what those can run. */
static bool shrink(const struct round *round, struct slice_set_class *class, int unwanted)
{
    const int spare = (int)class->count - 1;
    const int count = unwanted < spare ? unwanted : spare;
    const struct job **jobs =
        arena_alloc(round->plan->scratch, (count_jobs(class) + 1) * sizeof(*jobs));
    size_t moved = 0;

    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < class->sets[0]->job_count; k++)
            jobs[moved++] = class->sets[0]->jobs[k];
        slice_sets_close(round->sets, class, 0);
    }
    for (size_t i = 0; i < moved; i++)
        join_front(class, jobs[i]);
    return count > 0;
}

/* GA-Q4: so many sets are too few or too many for `gpus` GPUs, in units of the job and not of the
 * set, which may be several times larger. */
static int sets_for(const struct slice_set_class *class, int gpus)
{
    return (gpus + class->gpus - 1) / class->gpus;
}

/* The GPUs that a class demands and occupies. */
struct demand_of_class {
    int demanded;
    int occupied;
};

static bool adjust_class(const struct round *round, struct slice_set_class *class,
                         const struct demand_of_class *demand, int demanded_in_all)
{
    const double part = (double)demand->demanded / demanded_in_all;
    const int planned = (int)floor(part * round->view->gpu_count);
    const int target = planned < demand->demanded ? planned : demand->demanded;
    const int more = target - demand->occupied;

    if (more > 0)
        return expand(round, class, sets_for(class, more));
    return more < 0 && shrink(round, class, sets_for(class, -more));
}

/* Gives each job size its part of the cluster, by demand. */
static bool adjust(const struct round *round)
{
    struct demand_of_class demands[SLICE_SET_CLASSES];
    bool changed = false;
    int demanded = 0;

    for (int c = 0; c < SLICE_SET_CLASSES; c++) {
        const struct slice_set_class *class = &round->sets->classes[c];
        const int gpus = (int)count_jobs(class) * class->gpus;

        demands[c] = (struct demand_of_class){gpus, (int)class->count * class->nodes *
                                                        round->sets->gpus_per_node};
        demanded += gpus;
    }
    for (int c = 0; c < SLICE_SET_CLASSES; c++)
        if (demands[c].demanded > 0 &&
            adjust_class(round, &round->sets->classes[c], &demands[c], demanded))
            changed = true;
    return changed;
}

/* Whose turn it is holds its GPUs; who waits for his turn is served behind them. */
static void seat_set(const struct round *round, const struct slice_set *set, size_t *served)
{
    for (size_t i = 0; i < set->job_count; i++) {
        const size_t place = set->jobs[i]->place;

        round->plan->shares[place].seated = true;
        if (i < slice_set_running(set))
            round->plan->shares[place].level = set->jobs[i]->scaling->top;
        round->plan->service[(*served)++] = place;
    }
}

/* The plan is what the sets say; those without a set come last. */
static void seat_all(const struct round *round)
{
    size_t served = 0;

    for (int c = 0; c < SLICE_SET_CLASSES; c++)
        for (size_t i = 0; i < round->sets->classes[c].count; i++)
            seat_set(round, round->sets->classes[c].sets[i], &served);
    for (size_t i = 0; i < round->view->job_count; i++)
        if (!round->plan->shares[i].seated)
            round->plan->service[served++] = i;
    assert(served == round->view->job_count);
}

/* GA-Q7: the sets are adjusted before the interval that just ended is credited, so that the jobs
 * which this moves to the front are credited with time that others had. */
static bool rearrange(const struct view *view, plan_t *plan)
{
    const struct round round = {view, plan, plan->slice_sets};

    plan_reset(plan, view);
    if (!adjust(&round))
        return false;
    seat_all(&round);
    return true;
}

static void drop_done(struct slice_set *set)
{
    size_t count = 0;

    for (size_t i = 0; i < set->job_count; i++)
        if (set->jobs[i]->state != JOB_DONE)
            set->jobs[count++] = set->jobs[i];
    set->job_count = count;
}

/* The next turn: those that ran go behind those that waited, and sets that nobody uses any more are
 * given up. Returns whether there was such a set. */
static bool turn(const struct round *round)
{
    const bool change = round->view->now_s % TURN_S == 0;
    bool released = false;

    for (int c = 0; c < SLICE_SET_CLASSES; c++) {
        struct slice_set_class *class = &round->sets->classes[c];
        size_t i = 0;

        while (i < class->count) {
            struct slice_set *set = class->sets[i];

            if (change && set->job_count > slice_set_running(set))
                slice_set_rotate(set, slice_set_running(set));
            drop_done(set);
            if (set->job_count > 0) {
                i++;
                continue;
            }
            slice_sets_close(round->sets, class, i); /* GA-Q12: also one that was never used */
            released = true;
        }
    }
    return released;
}

/* GA-Q1: a set counts as full one job early, and one for a single job always does. */
static bool has_room(const struct slice_set *set)
{
    return set->load + 1 < set->capacity;
}

/* The same, but the set comes behind those that have as much. */
static void take_front(struct slice_set_class *class, const struct job *job)
{
    slice_set_class_rotate(class);
    join(class->sets[class->count - 1], job);
    slice_set_class_sort(class);
}

/* Finds the job a set: the least loaded one if it has room, else a new one, else one that is full
 * already. */
static bool seat(const struct round *round, const struct job *job)
{
    struct slice_set_class *class = slice_sets_class(round->sets, job->gpus_requested);

    if (class->count > 0 && has_room(class->sets[0])) {
        take_front(class, job);
        return true;
    }
    if (class->count > 0) /* GA-Q2: it is the second set that a job is squeezed into */
        slice_set_class_rotate(class);
    if (slice_sets_open(round->sets, class)) {
        join(class->sets[class->count - 1], job);
        slice_set_class_sort(class);
        return true;
    }
    if (class->count == 0)
        return false;
    take_front(class, job);
    return true;
}

/* GA-Q11: whoever comes behind a job that found its place is passed over until a set is given up
 * again. */
static void seat_waiting(const struct round *round, const struct job **waiting, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (seat(round, waiting[i]))
            i++;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    const struct round round = {view, plan, plan->slice_sets};
    const size_t first_arrival = view->job_count - view->arrival_count;
    const struct job **waiting;
    size_t count = 0;
    bool released;

    (void)error;
    plan_reset(plan, view);
    waiting = arena_alloc(plan->scratch, (view->job_count + 1) * sizeof(*waiting));
    released = turn(&round);
    for (size_t i = 0; i < view->job_count; i++)
        if (view->jobs[i]->state == JOB_PENDING &&
            (i < first_arrival || !seat(&round, view->jobs[i])))
            waiting[count++] = view->jobs[i];
    if (released)
        seat_waiting(&round, waiting, count);
    seat_all(&round);
    return 0;
}

const struct policy policy_gandiva = {
    .name = "gandiva",
    .summary = "Gandiva: jobs of one size pack nodes and take turns on them",
    .placement = "gandiva",
    .admission = &admission_everyone,
    .gpus_max = policy_gpus_requested,
    .rearrange = rearrange,
    .allocate = allocate,
    .rules =
        {
            .work = WORK_DURATION,
            .size = SIZE_REQUESTED,
            .too_large = TOO_LARGE_IS_ENDLESS,
            .ends = ENDS_ARE_NOTICED,
            .tick = TICK_AFTER_ARRIVALS, /* GA-Q9 */
            .event = EVENT_LEAVES_FIRST,
            .release = RELEASE_IN_ORDER_OF_SERVICE,
            .adopt = ADOPT_LEVELS,
            .wake = WAKE_NEVER,
            .restart = RESTART_BY_SLOT, /* CO-Q1 */
            .charge = CHARGE_SEATED,
        },
};
