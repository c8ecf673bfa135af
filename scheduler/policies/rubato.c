/* rubato.c - a job is promised its deadline only if a complete plan keeps the promise, and no round
 * leaves the cluster without such a plan. See docs/promises.md. */
#include "scheduler/policies/rubato.h"

#include "common/memory.h"
#include "scheduler/planner/proof.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void *open_memory(const struct policy_setting *setting)
{
    struct rubato *self = xcalloc(1, sizeof(*self));

    self->asked = *(const struct promising *)setting->options;
    node_order_open(&self->order, setting->node_count, setting->gpus_per_node,
                    (int)self->asked.spare_nodes);
    self->stands = side_table_new(sizeof(struct stand));
    in_force_open(&self->in_force);
    self->scratch = arena_new();
    return self;
}

static void close_memory(void *memory)
{
    struct rubato *self = memory;

    idle_close(&self->idle);
    arena_destroy(&self->scratch);
    in_force_close(&self->in_force);
    side_table_destroy(&self->stands);
    node_order_close(&self->order);
    free(self);
}

static void archive_memory(void *memory, struct archive *archive, struct job *const live[],
                           size_t count)
{
    struct rubato *self = memory;

    ARCHIVE(archive, &self->last_s);
    ARCHIVE(archive, &self->tests);
    node_order_archive(&self->order, archive);
    demand_archive(&self->demand, archive);
    experience_archive(&self->experience, archive);
    for (size_t i = 0; i < count; i++)
        stand_archive(side_table_at(self->stands, live[i]), archive, live[i],
                      self->in_force.courses);
}

static void promise_by_hand(void *memory, const struct job *job)
{
    struct rubato *self = memory;
    struct stand *stand = side_table_at(self->stands, job);

    stand->promised = true;
    stand->course = (struct course){.end_s = NEVER_S};
}

static bool stand_by_hand(void *memory, const struct job *job, const int ranks[], int count)
{
    struct rubato *self = memory;

    self->idle.count = 0; /* idle jobs may hold GPUs from now on */
    return stand_on(side_table_at(self->stands, job), &self->order, ranks, count);
}

static void learn(void *memory, const struct job *job)
{
    struct rubato *self = memory;

    if (job->state == JOB_DONE)
        experience_hear_end(&self->experience, job, side_table_at(self->stands, job));
    else
        demand_leave(&self->demand, job);
}

/* ---- results of a round ---- */

static void commit(struct round *round)
{
    struct rubato *memory = round->memory;

    if (!round->continues)
        in_force_renew(&memory->in_force, &round->promised);
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        turns_note(&round->turns, task, &task->stand->turn);
        stand_note(task, round->chains != NULL);
    }
    memory->last_s = round->view->now_s;
    assert(!PROOF_IS_WANTED || in_force_is_proven(&round->planner, &round->promised));
}

/* When the course of a job next gives it more GPUs than now. A job with a promised end is compared
 * by what it holds, another one by its course. */
static int64_t wake_of(const struct round *round, const struct task *task)
{
    const int64_t now_s = round->view->now_s;

    if (task == round->turns.next)
        return round->turns.next_s;
    if (task->promised)
        return course_rise_s(&task->stand->course, now_s, task->now.level);
    return task->planned ? course_rise_s(&task->course, now_s, course_level(&task->course, now_s))
                         : NEVER_S;
}

/* How much GPU time may idle until the next slot. A round begins a slot, and jobs that arrive wait
 * for its end. If no job waits for GPUs, GPUs that come free may idle for as much as such a slot is
 * likely to cost. */
static double patience_of(const struct round *round)
{
    if (round->count < round->view->job_count) /* jobs that were left out wait */
        return 0;
    for (size_t i = 0; i < round->count; i++)
        if (task_may_run(&round->tasks[i]) && round->tasks[i].now.level == 0)
            return 0;
    return demand_lost(&round->memory->demand, round->view->now_s, (double)round->view->slot_s);
}

static void write_plan(const struct round *round, plan_t *plan)
{
    const struct view *view = round->view;

    plan_reset_few(plan, view);
    plan->patience_gpu_s = patience_of(round);
    for (size_t i = 0; i < round->count; i++) {
        const struct task *task = &round->tasks[i];
        struct share *share = &plan->shares[task->job->place];
        const int64_t wake_s = wake_of(round, task);

        plan_allocate(plan, view, task->job->place, task->now.level);
        share->promised = task_is_told(task);
        share->at_risk = planner_is_at_risk(&round->planner, task);
        if (task->promised && round->reserving.losses > 0)
            share->exposure = (struct exposure){
                task_node_s(task, view->now_s, round->memory->order.per_node), task->losses};
        share->step = task->step;
        if (task->planned || task->promised)
            share->finish_s = task->course.end_s - (task->now.level > 0 ? task->charge_s : 0);
        if (task->now.level > 0)
            share->seat = (struct seat){true, task->now.rank, round->memory->order.nodes};
        if (task->now.level == 0)
            share->start_s = wake_s;
        else if (wake_s < share->end_s + task->charge_s)
            share->change_s = wake_s < share->end_s ? wake_s : share->end_s - 1;
    }
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct round round;

    (void)error;
    if (plan->proven)
        return 0;
    round_open(&round, view);
    round_decide(&round);
    commit(&round);
    write_plan(&round, plan);
    return 0;
}

/* Decides the round with its arrivals. A job is declined if it runs on no number of GPUs of the
 * cluster, or wants a promise or nothing and gets none. */
static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const size_t first = view->job_count - view->arrival_count;

    (void)prove;
    if (allocate(view, plan, error) < 0)
        return -1;
    for (size_t k = view->arrival_count; k-- > 0;) {
        const struct job *job = view->jobs[first + k];
        const struct stand *stand = side_table_at(((struct rubato *)view->memory)->stands, job);
        const struct share *share = &plan->shares[job->place];
        const int step = share->promised ? share->step : -1;

        verdicts[k] = stand_verdict(stand, job, stand->runs, step);
        if (verdicts[k].kind == VERDICT_DECLINED)
            plan_drop(plan, first + k);
    }
    plan->proven = true;
    return 0;
}

/* ---- questions ---- */

/* The memory that a round changes before it is committed. Two changes need no copy, as doing them
 * again has no effect: the round hears speeds, and follows the courses in force up to now. */
struct remembered {
    struct demand demand;
    uint64_t tests;
    int *nodes;           /* of the order of nodes */
    struct stand *stands; /* of the tasks, in the round's scratch memory */
};

static void remember(struct remembered *self, const struct rubato *memory)
{
    const size_t size = (size_t)memory->order.count * sizeof(*self->nodes);

    self->demand = memory->demand;
    self->tests = memory->tests;
    self->nodes = xmalloc(size);
    memcpy(self->nodes, memory->order.nodes, size);
}

static void remember_stands(struct remembered *self, const struct round *round)
{
    self->stands = arena_alloc(round->planner.arena, (round->count + 1) * sizeof(*self->stands));
    for (size_t i = 0; i < round->count; i++)
        self->stands[i] = *round->tasks[i].stand;
}

static void put_back(struct remembered *self, const struct round *round)
{
    struct rubato *memory = round->memory;

    for (size_t i = 0; i < round->count; i++)
        *round->tasks[i].stand = self->stands[i];
    memory->demand = self->demand;
    memory->tests = self->tests;
    memcpy(memory->order.nodes, self->nodes, (size_t)memory->order.count * sizeof(*self->nodes));
    free(self->nodes);
}

/* The task of an arrival. Arrivals are the last tasks. */
static const struct task *task_of(const struct round *round, const struct job *job)
{
    size_t i = round->count - 1;

    while (round->tasks[i].job != job)
        i--;
    return &round->tasks[i];
}

static struct verdict ask(const struct view *view, size_t place)
{
    struct remembered before;
    struct round round;
    const struct task *task;
    struct verdict verdict;

    remember(&before, view->memory);
    round_open(&round, view);
    remember_stands(&before, &round);
    round_decide(&round);
    task = task_of(&round, view->jobs[place]);
    verdict = stand_verdict(task->stand, task->job, task_runs(task),
                            task_is_told(task) ? task->step : -1);
    put_back(&before, &round);
    return verdict;
}

static const struct admission admission = {.name = "promising", .promises = true, .decide = decide};

const struct policy policy_rubato = {
    .name = "rubato",
    .summary = "promises a deadline only if a complete plan keeps it, and keeps such a plan",
    .needs_powers = true,
    .open = open_memory,
    .close = close_memory,
    .promise = promise_by_hand,
    .stands = stand_by_hand,
    .learn = learn,
    .archive = archive_memory,
    .keeps_plan = true,
    .admits = true,
    .plans_chains = true,
    .holds_quotes = true,
    .options = &promising_options,
    .terms = promising_terms,
    .admission = &admission,
    .gpus_max = policy_gpus_fastest,
    .allocate = allocate,
    .ask = ask,
};
