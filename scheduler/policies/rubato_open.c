/* rubato_open.c - see rubato.h. */
#include "scheduler/policies/rubato.h"

#include <math.h>

/* A held quote is planned as a job that begins at the end of its holding time. */
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
    chains_enter(task, round->view->child_count > 0);
    enter_quote(task);
    task->only_promised = task->waits || (!task->known && job->submission->promise_or_decline);
    turn_enter(&stand->turn, task);
    reserve_enter(&stand->reserve, &round->reserving, task);
    if (task->held > 0)
        task->held_rank =
            node_order_moved(&memory->order, stand->rank, task_gpus(task, task->held));
}

/* Counts the demand of an arrival. A held quote counts once it is taken. */
static void hear_demand(const struct round *round, const struct task *task)
{
    const bool was_heard = task->known && !task->stand->quoted;

    if (!was_heard && task->stand->denied.known_until_s == 0 &&
        !submission_is_quote(task->job->submission))
        demand_hear(&round->memory->demand, &round->planner, task);
}

static void sort_out(struct round *round, struct task *task)
{
    pricing_until(&round->pricing, task, task->deadline_s);
    if (!task->promised)
        soft_open(&round->pricing, task, round->first_step);
    horizon_look(&round->pricing, task, round->first_step);
    task->drives = task->promised || isfinite(task->price);
    if (task->drives || task_may_run(task))
        task_list_append(task->promised ? &round->promised
                         : task->drives ? &round->open
                                        : &round->turns.tasks,
                         task);
    if (!task->known && task->drives)
        newcomer_meet(&round->newcomer, task, chains_arrivals(round->chains, task));
    hear_demand(round, task);
}

/* Whether the job may be left out of rounds: nothing of it is remembered or planned. With spare
 * nodes no job is left out, as those are lent in another order. */
static bool may_be_idle(const struct rubato *memory, const struct job *job)
{
    const struct stand *stand = side_table_at(memory->stands, job);

    return !job_holds(job) && job->start_s == NOT_STARTED_S && stand->known && stand->best_effort &&
           !stand->promised && stand->reserve.level == 0 && stand->reserve.owed_s <= 0 &&
           memory->order.spares == 0 && !memory->asked.looks_at_all;
}

static void enter_tasks(struct round *round)
{
    const struct view *view = round->view;
    struct idle *idle = &round->memory->idle;

    idle_open_round(idle, view, planner_gpus_now(&round->planner));
    round->tasks = arena_alloc(round->planner.arena, (view->job_count + 1) * sizeof(struct task));
    for (size_t i = 0; i < view->job_count; i++)
        if (view->child_count > 0 ||
            (!idle_rests(idle, i) &&
             !(may_be_idle(round->memory, view->jobs[i]) && idle_is(idle, i))))
            enter_task(round, &round->tasks[round->count++], view->jobs[i]);
}

void round_open(struct round *round, const struct view *view)
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
    if (round->planner.closures.count > 0)
        planner_clear(&round->planner, view->now_s);
    for (size_t i = 0; i < round->count; i++)
        sort_out(round, &round->tasks[i]);
    pricing_renew_load(&round->pricing);
    task_list_sort(&round->promised, arena);
    task_list_sort(&round->open, arena);
    task_list_sort(&round->turns.tasks, arena);
}
