/* rubato.c - a job is promised its deadline only if a complete plan keeps it, and nothing is done
 * that leaves no such plan. See docs/promises.md. */
#include "scheduler/policies/rubato.h"

#include "common/memory.h"
#include "common/sort.h"

#include <math.h>
#include <stdlib.h>

/* ---- memory ---- */

static void *open_memory(const struct policy_setting *setting)
{
    struct rubato *self = xcalloc(1, sizeof(*self));

    self->stands = side_table_new(sizeof(struct stand));
    self->courses = arena_new();
    self->next_courses = arena_new();
    self->scratch = arena_new();
    self->options = setting->options;
    return self;
}

static void close_memory(void *memory)
{
    struct rubato *self = memory;

    arena_destroy(&self->scratch);
    arena_destroy(&self->next_courses);
    arena_destroy(&self->courses);
    side_table_destroy(&self->stands);
    free(self);
}

/* ---- the jobs of a round ---- */

/* As the job is now. */
static void reset_task(struct task *task)
{
    task->left = task->job->iterations_left;
    task->held = task->job->level;
    task->debt_s = task->job->overhead_s;
    task->planned = false;
    task->level = 0;
}

/* The fastest level up to each. */
static void find_usable(struct task *task)
{
    const struct scaling *scaling = task->scaling;
    int best = 0;

    for (int level = 0; level <= scaling->top; level++) {
        if (level > 0 && scaling->rate[level] > scaling->rate[best])
            best = level;
        task->usable[level] = (uint8_t)best;
    }
}

/* The least GPU-seconds that end the job in time if it begins now. */
static double price_of(const struct planner *planner, const struct task *task)
{
    const double left_s = (double)(task->deadline_s - planner->view->now_s);
    double least = INFINITY;

    for (int level = 1; level <= task->usable[task->scaling->reach]; level++) {
        const double cost_s =
            level == task->held ? task->debt_s : planner_price_now(planner, task_gpus(task, level));
        const double need_s = cost_s + task->left / task->scaling->rate[level];

        if (task->usable[level] == level && need_s <= left_s)
            least = fmin(least, task_gpus(task, level) * need_s);
    }
    return least;
}

static void enter_task(struct round *round, size_t place)
{
    struct task *task = &round->tasks[place];
    const struct job *job = round->view->jobs[place];

    *task = (struct task){.job = job,
                          .stand = side_table_at(round->memory->stands, job),
                          .scaling = job->scaling,
                          .deadline_s = job->submission->best_effort ? DEADLINE_NONE_S
                                                                     : job->submission->deadline_s};
    reset_task(task);
    find_usable(task);
    task->promised = task->stand->promised;
}

static void sort_out(struct round *round, struct task *task)
{
    task->price = task->job->submission->best_effort ? INFINITY : price_of(&round->planner, task);
    if (task->promised)
        round->promised[round->promised_count++] = task;
    else if (isfinite(task->price))
        round->open[round->open_count++] = task;
    else
        round->rest[round->rest_count++] = task;
    if (!task->stand->known && isfinite(task->price))
        price_note_arrival(round->memory, round->view, task);
}

static int by_deadline(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a;
    const struct task *y = *(struct task *const *)b;

    if (x->deadline_s != y->deadline_s)
        return x->deadline_s < y->deadline_s ? -1 : 1;
    return x->job->arrival < y->job->arrival ? -1 : x->job->arrival > y->job->arrival;
}

static int by_price(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a;
    const struct task *y = *(struct task *const *)b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return x->job->arrival < y->job->arrival ? -1 : x->job->arrival > y->job->arrival;
}

static int by_arrival(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a;
    const struct task *y = *(struct task *const *)b;

    return x->job->arrival < y->job->arrival ? -1 : x->job->arrival > y->job->arrival;
}

static void sort_tasks(struct task **tasks, size_t count,
                       int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(tasks, count, sizeof(struct task *), compare);
}

static void open_round(struct round *round, const struct view *view)
{
    struct rubato *memory = view->memory;
    const size_t size = (view->job_count + 1) * sizeof(struct task *);

    arena_reset(memory->scratch);
    *round = (struct round){.memory = memory, .view = view, .count = view->job_count};
    planner_open(&round->planner, view, memory->scratch);
    round->tasks = arena_alloc(memory->scratch, (view->job_count + 1) * sizeof(*round->tasks));
    round->promised = arena_alloc(memory->scratch, size);
    round->open = arena_alloc(memory->scratch, size);
    round->rest = arena_alloc(memory->scratch, size);
    for (size_t i = 0; i < view->job_count; i++)
        enter_task(round, i);
    place_find_warm(round);
    for (size_t i = 0; i < view->job_count; i++)
        sort_out(round, &round->tasks[i]);
    sort_tasks(round->promised, round->promised_count, by_deadline);
    sort_tasks(round->open, round->open_count, by_price);
    sort_tasks(round->rest, round->rest_count, by_arrival);
}

/* ---- new promises ---- */

static void insert_by_deadline(struct task **tasks, size_t count, struct task *task)
{
    for (; count > 0 && by_deadline(&tasks[count - 1], &task) > 0; count--)
        tasks[count] = tasks[count - 1];
    tasks[count] = task;
}

static void remove_task(struct task **tasks, size_t *count, const struct task *task)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++)
        if (tasks[i] != task)
            tasks[kept++] = tasks[i];
    *count = kept;
}

/* Whether all that are promised anything can be with `task` as one of them. */
static bool fits_too(struct round *round, struct task *task)
{
    insert_by_deadline(round->promised, round->promised_count, task);
    round->is_planned = planner_find_all(&round->planner, round->promised,
                                         round->promised_count + 1, round->view->now_s);
    if (round->is_planned) {
        round->promised_count++;
        return true;
    }
    round->promised_count++;
    remove_task(round->promised, &round->promised_count, task);
    return false;
}

/* Standard deviations of the work to come that a promise leaves room for: more than one at arrival
 * costs promises, less costs jobs; a later promise may wait until it is certain. */
#define MARGIN_AT_ARRIVAL 1
#define MARGIN_LATER      8
#define MARGIN_TOGETHER   (-2)

/* Jobs that were not promised when they arrived are tried so often in a round. */
#define TRIES 4

static void promise(struct round *round)
{
    int failures = 0;

    for (size_t i = 0; i < round->open_count; i++) {
        struct task *task = round->open[i];

        if ((task->stand->known && failures >= TRIES) ||
            !price_holds(round, task, task->stand->known ? MARGIN_LATER : MARGIN_AT_ARRIVAL))
            continue;
        if (fits_too(round, task)) {
            task->promised = true;
            round->fresh++;
        } else if (task->stand->known) {
            failures++;
        }
    }
    for (size_t i = 0; i < round->promised_count; i++)
        remove_task(round->open, &round->open_count, round->promised[i]);
}

static void take_back_promises(struct round *round)
{
    round->is_planned = false;
    for (size_t i = 0; i < round->promised_count; i++) {
        struct task *task = round->promised[i];

        if (task->stand->promised)
            continue;
        task->promised = false;
        round->open[round->open_count++] = task;
    }
    for (size_t i = 0; i < round->open_count; i++)
        remove_task(round->promised, &round->promised_count, round->open[i]);
    sort_tasks(round->open, round->open_count, by_price);
    round->fresh = 0;
}

/* ---- one try at a round ---- */

/* Jobs without a promise are planned into what is left; one that finds no room may have it if all
 * find some when they are planned anew together. */
static void plan_open(struct round *round)
{
    struct task **together =
        arena_alloc(round->planner.arena, (round->count + 1) * sizeof(*together));
    size_t count = round->promised_count;
    bool joint = !round->continues;

    for (size_t i = 0; i < count; i++)
        together[i] = round->promised[i];
    for (size_t i = 0; i < round->open_count; i++) {
        struct task *task = round->open[i];

        if (planner_find(&round->planner, task)) {
            planner_reserve(&round->planner, &task->course, task->scaling);
            insert_by_deadline(together, count++, task);
            continue;
        }
        if (!joint || !price_holds(round, task, MARGIN_TOGETHER))
            continue;
        insert_by_deadline(together, count, task);
        joint = planner_find_all(&round->planner, together, count + 1, round->view->now_s);
        count++;
        if (joint)
            continue;
        remove_task(together, &count, task);
        (void)planner_find_all(&round->planner, together, count, round->view->now_s);
        task->planned = false;
    }
}

static void follow_courses(struct round *round)
{
    planner_clear(&round->planner, round->view->now_s);
    for (size_t i = 0; i < round->promised_count; i++) {
        struct task *task = round->promised[i];
        struct course course = task->stand->course;

        while (course.count > 1 && course.pieces[1].at_s <= round->view->now_s) {
            course.pieces++;
            course.count--;
        }
        course.pieces[0].at_s = round->view->now_s;
        task->course = course;
        task->planned = true;
        if (course.end_s > round->view->now_s)
            planner_reserve(&round->planner, &course, task->scaling);
    }
}

static bool ends_before(const struct task *task, int64_t at_s, int64_t now_s, int64_t *end_s)
{
    if (task->now.level == 0)
        return false;
    *end_s = now_s + task->charge_s +
             (int64_t)ceil(task->job->iterations_left / task->scaling->rate[task->now.level] +
                           ROUNDING_S);
    return *end_s <= at_s;
}

/* As the job is when the next round may be. */
static void advance_task(const struct round *round, struct task *task)
{
    const double slot_s = (double)round->planner.slot_s;

    task->left = task->job->iterations_left;
    task->held = task->now.level;
    task->debt_s = fmax(0, task->charge_s - slot_s);
    if (task->held > 0)
        task->left -= task->scaling->rate[task->held] * fmax(0, slot_s - task->charge_s);
}

static bool is_made_to_fail(struct rubato *memory)
{
    const uint64_t each = memory->options ? memory->options->fails_each : 0;

    /* Source of the step: splitmix64, Steele et al., OOPSLA 2014. */
    memory->tests += 0x9e3779b97f4a7c15u;
    return each > 0 && (memory->tests >> 32) % each == 0;
}

/* Whether a complete plan ends all promised jobs in time after what this round has them hold. */
static bool is_safe(struct round *round)
{
    const int64_t from_s = round->view->now_s + round->planner.slot_s;
    struct task **tasks =
        arena_alloc(round->planner.arena, (round->promised_count + 1) * sizeof(*tasks));
    size_t count = 0;

    if (is_made_to_fail(round->memory))
        return false;
    for (size_t i = 0; i < round->promised_count; i++) {
        struct task *task = round->promised[i];
        int64_t end_s;

        if (ends_before(task, from_s, round->view->now_s, &end_s)) {
            if (end_s > task->deadline_s)
                return false;
            task->course = (struct course){NULL, 0, end_s, 0};
            continue;
        }
        advance_task(round, task);
        tasks[count++] = task;
    }
    return planner_find_all(&round->planner, tasks, count, from_s) &&
           place_courses(round, tasks, count);
}

/* What each job holds. Of the GPUs that no course needs now promised jobs get some only if `grows`.
 */
static bool try_round(struct round *round, bool grows)
{
    for (size_t i = 0; i < round->count; i++)
        if (!round->is_planned || !round->tasks[i].promised)
            reset_task(&round->tasks[i]);
    if (round->continues)
        follow_courses(round);
    else if (!round->is_planned && !planner_find_all(&round->planner, round->promised,
                                                     round->promised_count, round->view->now_s))
        return false;
    round->is_planned = false;
    plan_open(round);
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        task->level = task->planned ? place_level_at(&task->course, round->view->now_s) : 0;
        task->wake_s = NEVER_S;
        for (int k = 0; k < task->course.count && task->planned && task->wake_s == NEVER_S; k++)
            if (task->course.pieces[k].at_s > round->view->now_s &&
                task->course.pieces[k].level > task->level)
                task->wake_s = task->course.pieces[k].at_s;
    }
    growth_hand_out(round, grows && !round->continues);
    if (!place_now(round))
        return false;
    return round->continues || is_safe(round);
}

/* ---- what comes of it ---- */

static struct course keep_course(const struct round *round, const struct task *task)
{
    const struct course *course = &task->course;
    struct course kept = {.count = course->count + 1, .end_s = course->end_s};

    kept.pieces =
        arena_alloc(round->memory->next_courses, (size_t)kept.count * sizeof(*kept.pieces));
    kept.pieces[0] = task->now;
    for (int i = 0; i < course->count; i++)
        kept.pieces[i + 1] = course->pieces[i];
    return kept;
}

static void commit(struct round *round)
{
    struct rubato *memory = round->memory;
    arena_t *old = memory->courses;

    for (size_t i = 0; i < round->promised_count && !round->continues; i++)
        round->promised[i]->stand->course = keep_course(round, round->promised[i]);
    if (!round->continues) {
        memory->courses = memory->next_courses;
        memory->next_courses = old;
        arena_reset(old);
    }
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        task->stand->known = true;
        task->stand->runs = task->usable[task->scaling->reach] > 0;
        task->stand->promised = task->promised;
        task->stand->rank = task->now.rank;
    }
}

/* When a job is to hold more than it does from now on. */
static int64_t wake_of(const struct round *round, const struct task *task)
{
    const struct course *course = &task->stand->course;

    if (!task->promised)
        return task->now.level == 0 || task->planned ? task->wake_s : NEVER_S;
    for (int i = 0; i < course->count; i++)
        if (course->pieces[i].at_s > round->view->now_s &&
            course->pieces[i].level > task->now.level)
            return course->pieces[i].at_s;
    return NEVER_S;
}

static void write_plan(const struct round *round, plan_t *plan)
{
    const struct view *view = round->view;

    plan_reset(plan, view);
    for (size_t i = 0; i < round->count; i++) {
        const struct task *task = &round->tasks[i];
        struct share *share = &plan->shares[i];
        const int64_t wake_s = wake_of(round, task);

        plan_allocate(plan, view, i, task->now.level);
        share->promised = task->promised;
        if (task->planned || task->promised)
            share->finish_s = task->course.end_s - (task->now.level > 0 ? task->charge_s : 0);
        if (task->now.level > 0)
            share->seat = (struct seat){true, task->now.rank};
        if (task->now.level == 0)
            share->start_s = wake_s;
        else if (wake_s < share->end_s + task->charge_s)
            share->change_s = wake_s < share->end_s ? wake_s : share->end_s - 1;
    }
}

/* ---- after a disturbance ---- */

static bool is_up(const struct round *round, const struct piece *piece, int gpus)
{
    const cluster_t *cluster = round->view->cluster;
    const int per_node = cluster_gpus_per_node(cluster);

    for (int rank = piece->rank; rank < piece->rank + gpus; rank++)
        if (!cluster_is_up(cluster, rank / per_node))
            return false;
    return true;
}

/* Whether the courses in force end all promised jobs in time. They do unless something went
 * otherwise than planned since, told or not. */
static bool courses_hold(struct round *round)
{
    for (size_t i = 0; i < round->promised_count; i++) {
        struct task *task = round->promised[i];
        const struct course *course = &task->stand->course;

        reset_task(task);
        if (!planner_keeps(&round->planner, task, course))
            return false;
        for (int k = 0; k < course->count; k++)
            if (course->pieces[k].level > 0 &&
                !is_up(round, &course->pieces[k], task_gpus(task, course->pieces[k].level)))
                return false;
    }
    return true;
}

/* The most expensive of the first `count` promised jobs is promised nothing any more. */
static void withdraw_one(struct round *round, size_t count)
{
    struct task *most = round->promised[0];

    for (size_t i = 1; i < count; i++)
        if (round->promised[i]->price > most->price)
            most = round->promised[i];
    most->promised = false;
    remove_task(round->promised, &round->promised_count, most);
    if (isfinite(most->price))
        round->open[round->open_count++] = most;
    else
        round->rest[round->rest_count++] = most;
    sort_tasks(round->open, round->open_count, by_price);
}

/* Promises are given up, as few as can be, until a plan keeps the others. Source of the choice:
 * Moore, Management Science 15(1), 1968: of the jobs up to the first that is late, the longest. */
static void withdraw(struct round *round)
{
    bool done = false;

    while (!done) {
        size_t planned = 0;

        planner_clear(&round->planner, round->view->now_s);
        for (; planned < round->promised_count; planned++) {
            struct task *task = round->promised[planned];

            reset_task(task);
            if (!planner_find(&round->planner, task))
                break;
            planner_reserve(&round->planner, &task->course, task->scaling);
        }
        if (planned < round->promised_count) {
            withdraw_one(round, planned + 1);
            continue;
        }
        done = try_round(round, true) || try_round(round, false);
        if (!done && planned > 0)
            withdraw_one(round, planned);
        else
            done = true;
    }
}

/* Promises what can be, and carries it through. */
static bool promise_and_try(struct round *round)
{
    for (size_t i = 0; i < round->count; i++)
        reset_task(&round->tasks[i]);
    round->is_planned = planner_find_all(&round->planner, round->promised, round->promised_count,
                                         round->view->now_s);
    if (!round->is_planned)
        return false;
    promise(round);
    return try_round(round, true) || try_round(round, false);
}

/* Blocks that ran together may be others' by the time they are wanted: then they are not counted
 * on. */
static void decide_round(struct round *round)
{
    if (promise_and_try(round))
        return;
    take_back_promises(round);
    if (round->planner.warm != 0) {
        round->planner.warm = 0;
        if (promise_and_try(round))
            return;
        take_back_promises(round);
    }
    if (try_round(round, true) || try_round(round, false))
        return;
    round->continues = true;
    if (courses_hold(round)) {
        (void)try_round(round, true);
        return;
    }
    round->continues = false;
    withdraw(round);
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct round round;

    (void)error;
    if (plan->proven)
        return 0;
    open_round(&round, view);
    decide_round(&round);
    commit(&round);
    write_plan(&round, plan);
    return 0;
}

static struct verdict verdict_of(const struct view *view, const struct job *job)
{
    const struct rubato *memory = view->memory;
    const struct stand *stand = side_table_at(memory->stands, job);

    if (!stand->runs)
        return verdict_decline(REASON_TOO_LARGE);
    return stand->promised ? verdict_promise(job) : verdict_try(job, REASON_NO_ROOM);
}

/* The round is decided with its arrivals. A job that runs on no number of GPUs that there is is
 * turned away. */
static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const size_t first = view->job_count - view->arrival_count;
    bool all_run = true;

    (void)prove;
    if (allocate(view, plan, error) < 0)
        return -1;
    for (size_t k = 0; k < view->arrival_count; k++) {
        verdicts[k] = verdict_of(view, view->jobs[first + k]);
        all_run = all_run && verdicts[k].kind != VERDICT_DECLINED;
    }
    plan->proven = all_run; /* else the jobs of the view become others */
    return 0;
}

static const struct admission admission = {.name = "promising", .promises = true, .decide = decide};

const struct policy policy_rubato = {
    .name = "rubato",
    .summary = "promises a deadline only if a complete plan keeps it, and keeps such a plan",
    .open = open_memory,
    .close = close_memory,
    .admission = &admission,
    .gpus_max = policy_gpus_fastest,
    .allocate = allocate,
};
