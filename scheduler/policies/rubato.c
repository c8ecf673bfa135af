/* rubato.c - a job is promised its deadline only if a complete plan keeps it, and nothing is done
 * that leaves no such plan. See docs/promises.md. */
#include "scheduler/policies/rubato.h"

#include "common/memory.h"
#include "scheduler/planner/proof.h"

#include <assert.h>
#include <math.h>
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

static void learn(void *memory, const struct job *job)
{
    struct rubato *self = memory;

    experience_hear_end(&self->experience, job, side_table_at(self->stands, job));
}

/* ---- the jobs of a round ---- */

/* A promise for the sake of jobs that wait ends once no job waits. */
static void enter_chain(const struct round *round, struct task *task)
{
    const bool any_waits = round->view->child_count > 0;

    if (task->promised && any_waits && task->stand->due_s > 0) {
        task->is_divided = task->deadline_s != task->stand->due_s;
        task->deadline_s = task->stand->due_s;
    }
    if (task->deadline_s == DEADLINE_NONE_S)
        task->promised = false;
    task->waits = any_waits && job_waits(task->job);
}

/* A quote that is held is planned from the last moment on at which it may be taken. */
static void enter_quote(struct task *task)
{
    if (!submission_is_quote(task->job->submission))
        return;
    task->waits = true;
    task->earliest_s = task->job->submission->quoted_until_s;
}

static void enter_task(struct round *round, struct task *task, const struct job *job)
{
    struct rubato *memory = round->memory;
    struct stand *stand = side_table_at(memory->stands, job);
    const double confidence = submission_confidence(job->submission, memory->asked.confidence);

    *task = (struct task){
        .job = job, .stand = stand, .scaling = job->scaling, .is_watched = confidence > 0};
    if (!stand->known)
        experience_margins(&memory->experience, job, confidence, stand);
    stand_enter(task);
    planner_enter(task);
    soft_enter(task);
    experience_hear(&memory->experience, job, stand);
    enter_chain(round, task);
    enter_quote(task);
    task->only_promised = task->waits || (!task->known && job->submission->promise_or_decline);
    turn_enter(&stand->turn, task);
    reserve_enter(&stand->reserve, &round->reserving, task);
    if (task->held > 0)
        task->held_rank =
            node_order_moved(&memory->order, stand->rank, task_gpus(task, task->held));
}

/* A quote that is held is no arrival before it is taken. */
static void hear_demand(const struct round *round, const struct task *task)
{
    const bool was_heard = task->known && !task->stand->quoted;

    if (!was_heard && !submission_is_quote(task->job->submission))
        demand_hear(&round->memory->demand, &round->planner, task);
}

static void sort_out(struct round *round, struct task *task)
{
    pricing_until(&round->pricing, task, task->deadline_s);
    if (!task->promised)
        soft_open(&round->pricing, task, round->first_step);
    task->drives = task->promised || isfinite(task->price);
    if (task->drives || task_may_run(task))
        task_list_append(task->promised ? &round->promised
                         : task->drives ? &round->open
                                        : &round->turns.tasks,
                         task);
    if (!task->known && task->drives)
        newcomer_meet(&round->newcomer, task, chains_is_single(round->chains, task));
    hear_demand(round, task);
}

/* Nothing is remembered, or planned, of such a job. Spare nodes are lent in another order. */
static bool may_be_idle(const struct rubato *memory, const struct job *job)
{
    const struct stand *stand = side_table_at(memory->stands, job);

    return job->level == 0 && job->start_s == NOT_STARTED_S && stand->known && stand->best_effort &&
           !stand->promised && stand->reserve.level == 0 && stand->reserve.owed_s <= 0 &&
           memory->order.spares == 0 && !memory->asked.looks_at_all;
}

static void enter_tasks(struct round *round)
{
    const struct view *view = round->view;
    struct idle *idle = &round->memory->idle;

    idle_open_round(idle, view, round->planner.gpus);
    round->tasks = arena_alloc(round->planner.arena, (view->job_count + 1) * sizeof(struct task));
    for (size_t i = 0; i < view->job_count; i++)
        if (view->child_count > 0 ||
            (!idle_rests(idle, i) &&
             !(may_be_idle(round->memory, view->jobs[i]) && idle_is(idle, i))))
            enter_task(round, &round->tasks[round->count++], view->jobs[i]);
}

static void open_round(struct round *round, const struct view *view)
{
    struct rubato *memory = view->memory;
    arena_t *arena = memory->scratch;

    arena_reset(arena);
    node_order_renew(&memory->order, view->cluster);
    *round = (struct round){.memory = memory,
                            .view = view,
                            .most = SIZE_MAX,
                            .reserving = {.since_s = view->now_s - memory->last_s,
                                          .losses = (int)memory->asked.spare_nodes,
                                          .node_loss_s = memory->asked.node_loss_s}};
    planner_open(&round->planner, view, &memory->order, memory->asked.node_loss_s, arena);
    round->pricing = (struct pricing){.planner = &round->planner,
                                      .demand = &memory->demand,
                                      .promised = &round->promised,
                                      .objective = memory->asked.objective,
                                      .holds_losses = memory->asked.spare_nodes > 0};
    round->newcomer = (struct newcomer){.pricing = &round->pricing, .open = &round->open};
    enter_tasks(round);
    if (view->child_count > 0)
        round->chains = chains_open(&round->pricing, round->tasks, round->count);
    round->promised = task_list_open(arena, round->count, task_latest_start);
    round->joint = (struct joint){.planner = &round->planner, .tasks = &round->promised};
    round->open = task_list_open(arena, round->count, task_unit_price);
    round->turns = turns_open(&round->planner, &memory->idle, round->count);
    seating_open(&round->seating, &round->planner, round->tasks, round->count);
    for (size_t i = 0; i < round->count; i++)
        sort_out(round, &round->tasks[i]);
    pricing_renew_load(&round->pricing);
    task_list_sort(&round->promised, arena);
    task_list_sort(&round->open, arena);
    task_list_sort(&round->turns.tasks, arena);
}

/* ---- one try at a round ---- */

/* A promised job with little slack had better not pay for a move. */
static double weight_of(const struct round *round, const struct task *task)
{
    if (!task->promised)
        return task->drives ? 1 : 1e-3;
    if (round->continues)
        return INFINITY;
    return 2 + 1000 / fmax(1, (double)(task->deadline_s - task->course.end_s));
}

static int free_gpus(const struct round *round)
{
    int gpus = round->planner.gpus;

    for (size_t i = 0; i < round->count; i++)
        gpus -= task_gpus(&round->tasks[i], round->tasks[i].level);
    return gpus;
}

/* Gives GPUs that no course needs now to jobs that can be in time, promised ones of these only if
 * they may grow and under high load before all others, and what is left to jobs in turns. */
static void hand_out(struct round *round, bool grows)
{
    struct offers offers = offers_open(&round->planner, round->count, free_gpus(round));

    if (grows)
        offers_add(&offers, &round->promised);
    if (round->pricing.load > LOAD_HIGH)
        offers_serve(&offers);
    offers_add(&offers, &round->open);
    offers_serve(&offers);
    turns_serve(&round->turns, offers.gpus);
}

/* Gives each job its GPUs and their places. False if a promised one finds no place. */
static bool share_out(struct round *round, bool grows)
{
    bool settled;

    do {
        for (size_t i = 0; i < round->count; i++) {
            struct task *task = &round->tasks[i];

            task->level = task->planned ? course_level(&task->course, round->view->now_s) : 0;
            task->weight = weight_of(round, task);
        }
        hand_out(round, grows && !round->continues);
        settled = seating_settle(&round->seating, round->continues);
    } while (settled && turns_missed(&round->turns));
    return settled;
}

/* Promised jobs get some of the GPUs that no course needs now, and are planned anew for the sake of
 * jobs without a promise, only if all of that is `bold`. */
static bool try_round(struct round *round, bool bold)
{
    for (size_t i = 0; i < round->count; i++)
        if (!round->joint.is_planned || !round->tasks[i].promised)
            planner_reset(&round->tasks[i]);
    if (!round->joint.is_planned)
        round->promised.planned = 0;
    if (round->continues)
        in_force_follow(&round->planner, &round->promised);
    else if (!round->joint.is_planned && !joint_plan(&round->joint))
        return false;
    round->joint.is_planned = false;
    promise_plan_open(round, bold);
    return share_out(round, bold) && (round->continues || safety_holds(round));
}

static bool try_both_ways(struct round *round)
{
    return try_round(round, true) || try_round(round, false);
}

/* Promises what can be, and carries it through. */
static bool promise_and_try(struct round *round)
{
    for (size_t i = 0; i < round->count; i++)
        planner_reset(&round->tasks[i]);
    if (promise_open(round) && try_both_ways(round))
        return true;
    promise_take_back(round);
    return false;
}

/* Only the jobs that just arrived are promised, and the cheapest of these if they are too many. */
static bool promise_fewer(struct round *round)
{
    round->only_new = true;
    for (round->most = round->taken; round->most > 0; round->most = round->taken / 2)
        if (promise_and_try(round))
            return true;
    return false;
}

/* Blocks that ran together may be others' by the time they are wanted: where the round is not safe
 * they are not counted on. */
static bool promise_warm_or_fewer(struct round *round, uint32_t warm)
{
    const bool is_tried = round->newcomer.is_tried;

    round->only_new = false;
    round->most = SIZE_MAX;
    round->planner.warm = warm;
    round->searches = true;
    if (promise_and_try(round))
        return true;
    if (is_tried != round->newcomer.is_tried)
        return false;
    round->searches = false;
    round->planner.warm = 0;
    return (warm != 0 && promise_and_try(round)) || promise_fewer(round);
}

/* Promises the newcomer its deadline, as it is or as an earlier one, and carries that through. */
static bool promise_newcomer(struct round *round)
{
    struct newcomer *newcomer = &round->newcomer;
    const uint32_t warm = round->planner.warm;
    bool holds = false;

    for (bool any = newcomer_open(newcomer); any && !holds;
         any = newcomer->is_tried && newcomer_shorten(newcomer))
        holds = promise_warm_or_fewer(round, warm);
    if (!holds)
        round->planner.warm = warm;
    return holds;
}

/* Where more nodes are gone than are in reserve, what courses keep for losses to come is spent
 * before a promise is given up; if that is of use. */
static bool try_spent(struct round *round)
{
    int *losses = reserve_losses(&round->promised, round->planner.arena);

    while (reserve_spend_all(&round->promised, &round->memory->order))
        if (try_both_ways(round))
            return true;
    reserve_restore(&round->promised, losses);
    return false;
}

/* The best steps of soft deadlines are tried first. */
static bool promise_steps(struct round *round)
{
    const uint32_t warm = round->planner.warm;

    do {
        if (promise_warm_or_fewer(round, warm))
            return true;
    } while (soft_fall_all(&round->pricing, &round->open, &round->first_step));
    return false;
}

/* Without a promise to the newcomer. */
static bool try_others(struct round *round)
{
    return promise_steps(round) || try_both_ways(round);
}

/* Whether a round is safe that gives the newcomer nothing. */
static bool holds_without(struct round *round)
{
    bool holds;

    task_list_remove(&round->open, round->newcomer.task);
    holds = try_others(round);
    promise_take_back(round);
    while (round->first_step > 0 &&
           soft_fall_all(&round->pricing, &round->open, &round->first_step))
        continue;
    task_list_insert(&round->open, round->newcomer.task);
    return holds;
}

static void decide_all(struct round *round)
{
    /* Where nodes are in reserve a newcomer may be promised beside the courses in force, which must
     * not hang on how its own deadline would be served. */
    bool beside = false;

    if (promise_newcomer(round))
        return;
    if (round->newcomer.task && round->reserving.losses > 0)
        beside = !holds_without(round);
    if (!beside && try_others(round))
        return;
    round->continues = in_force_holds(&round->planner, &round->promised);
    if (beside && round->continues)
        (void)newcomer_open(&round->newcomer);
    if (round->continues && round->reserving.losses > 0)
        promise_beside(round);
    while (!try_both_ways(round) && !round->continues && !try_spent(round))
        safety_give_up(round);
}

static void decide_round(struct round *round)
{
    decide_all(round);
    if (round->newcomer.is_tried)
        newcomer_close(&round->newcomer);
}

/* ---- what comes of it ---- */

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

/* When the course of a job has it hold more: more than it does, if its end is promised. */
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

/* A round begins a slot, for the end of which arrivals wait. Where no job waits for GPUs that come
 * free they may idle for as much as such a slot is likely to cost. */
static double patience_of(const struct round *round)
{
    if (round->count < round->view->job_count) /* those that are left out wait */
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
        share->promised = task->promised && !task->job->submission->best_effort;
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
    open_round(&round, view);
    decide_round(&round);
    commit(&round);
    write_plan(&round, plan);
    return 0;
}

/* The round is decided with its arrivals. A job that runs on no number of GPUs that there is, or
 * that wants a promise or nothing and gets none, is turned away. */
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
        const int step = stand->promised ? plan->shares[job->place].step : -1;

        verdicts[k] = stand_verdict(stand, job, stand->runs, step);
        if (verdicts[k].kind == VERDICT_DECLINED)
            plan_drop(plan, first + k);
    }
    plan->proven = true;
    return 0;
}

/* ---- questions ---- */

/* The memory that a round changes before it is committed. Speeds that it hears are known
 * from then on, and the courses in force are followed up to now: again that changes nothing. */
struct remembered {
    struct demand demand;
    uint64_t tests;
    int *nodes;           /* of the order */
    struct stand *stands; /* of the tasks, in the scratch of the round */
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

/* The arrivals are the last tasks. */
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
    open_round(&round, view);
    remember_stands(&before, &round);
    decide_round(&round);
    task = task_of(&round, view->jobs[place]);
    verdict =
        stand_verdict(task->stand, task->job, task_runs(task), task->promised ? task->step : -1);
    put_back(&before, &round);
    return verdict;
}

static const struct admission admission = {.name = "promising", .promises = true, .decide = decide};

const struct policy policy_rubato = {
    .name = "rubato",
    .summary = "promises a deadline only if a complete plan keeps it, and keeps such a plan",
    .open = open_memory,
    .close = close_memory,
    .promise = promise_by_hand,
    .learn = learn,
    .archive = archive_memory,
    .keeps_plan = true,
    .plans_chains = true,
    .holds_quotes = true,
    .options = &promising_options,
    .terms = promising_terms,
    .admission = &admission,
    .gpus_max = policy_gpus_fastest,
    .allocate = allocate,
    .ask = ask,
};
