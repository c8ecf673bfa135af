/* assignment.c - see assignment.h. */
#include "master/assignment.h"

#include "common/log.h"
#include "common/memory.h"
#include "master/assignment_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static const struct ending ending_paused = {STOP_PAUSED, -1, -1, "goodbye"};

assignment_t *assignment_new(const struct msg_scheduler_welcome *welcome,
                             const struct scheduler_calls *calls, void *owner)
{
    assignment_t *self = xcalloc(1, sizeof(*self));

    self->welcome = *welcome;
    self->calls = calls;
    self->calls_owner = owner;
    return self;
}

void assignment_use(assignment_t *self, dispatch_t *dispatch)
{
    self->dispatch = dispatch;
}

/* ---- jobs ---- */

static void forget_plan(struct job *job)
{
    free((char *)(uintptr_t)job->plan.name);
    free((char *)(uintptr_t)job->plan.model);
    free(job->plan.ranks);
    memset(&job->plan, 0, sizeof(job->plan));
}

static struct job *job_new(assignment_t *self, uint64_t number)
{
    struct job *job = xcalloc(1, sizeof(*job));

    job->number = number;
    job->checkpoint = -1;
    job->settled = true;
    HASH_ADD(hh, self->table, number, sizeof(job->number), job);
    DL_APPEND(self->all, job);
    return job;
}

static void job_free(assignment_t *self, struct job *job)
{
    assert(job->settled);
    if (!job->orphan)
        HASH_DEL(self->table, job);
    DL_DELETE(self->all, job);
    forget_plan(job);
    free(job);
}

static struct job *job_find(const assignment_t *self, uint64_t number)
{
    struct job *found;

    HASH_FIND(hh, self->table, &number, sizeof(number), found);
    return found;
}

/* What is remembered of a job that is not planned: a checkpoint to go on from, and that it is held. */
static bool is_worth_keeping(const struct job *job)
{
    const bool goes_on = job->checkpoint >= 0 && !job->done && job->stop.why == STOP_PAUSED;

    return job->planned || job->alive > 0 || job->stop_due ||
           (!job->orphan && (job->held || goes_on));
}

void assignment_destroy(assignment_t **self)
{
    struct job *job;
    struct job *next;

    if (!*self)
        return;
    DL_FOREACH_SAFE((*self)->all, job, next)
    {
        job->settled = true;
        job_free(*self, job);
    }
    free((*self)->name);
    free((*self)->taken);
    free(*self);
    *self = NULL;
}

int64_t job_step(const struct job *job)
{
    return job->checkpoint >= 0 ? job->checkpoint : job->plan.step;
}

/* ---- starting and stopping ---- */

/* The parts of a job: its ranks, which rise, cut where the node changes. */
struct parts {
    struct launch_part *items;
    size_t count;
    int32_t *gpus;
    int32_t *ranks;
};

static struct parts parts_of(const assignment_t *self, const struct job *job)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    const size_t count = job->plan.rank_count;
    struct parts parts = {xcalloc(count, sizeof(*parts.items)), 0,
                          xcalloc(count, sizeof(*parts.gpus)),
                          xcalloc(count, sizeof(*parts.ranks))};

    for (size_t i = 0; i < count; i++) {
        struct node *node = registry_find(registry, job->plan.ranks[i]);

        parts.gpus[i] = job->plan.ranks[i] - node->first_rank;
        parts.ranks[i] = (int32_t)i;
        if (parts.count == 0 || parts.items[parts.count - 1].node != node) {
            parts.items[parts.count] = (struct launch_part){node, (int32_t)parts.count, 0,
                                                            &parts.gpus[i], &parts.ranks[i]};
            parts.count++;
        }
        parts.items[parts.count - 1].gpu_count++;
    }
    return parts;
}

static void parts_clear(struct parts *parts)
{
    free(parts->items);
    free(parts->gpus);
    free(parts->ranks);
}

static struct msg_run run_of(const struct job *job, const struct parts *parts)
{
    const struct msg_planned_job *plan = &job->plan;

    return (struct msg_run){.job = job->number,
                            .name = plan->name,
                            .model = plan->model,
                            .batch_size = plan->batch_size,
                            .iterations = plan->iterations,
                            .step = job_step(job),
                            .deadline_s = plan->deadline_s,
                            .overhead_ms = (int64_t)plan->overhead_s * 1000,
                            .rate = plan->rate,
                            .fast_forward = job->fast_forward,
                            .time_scale = job->time_scale,
                            .nodes = (int32_t)parts->count,
                            .world = (int32_t)plan->rank_count};
}

/* The first node of the job's GPUs that is not there; NULL, with a cause, if a GPU is of no node at
 * all. True if all are. */
static bool nodes_are_up(const assignment_t *self, const struct job *job, const char **cause)
{
    const registry_t *registry = dispatch_registry(self->dispatch);

    for (size_t i = 0; i < job->plan.rank_count; i++) {
        const struct node *node = registry_find(registry, job->plan.ranks[i]);

        if (!node) {
            *cause = "no worker has registered these GPUs";
            return false;
        }
        if (node->state == NODE_DOWN || node->state == NODE_RETURNING) {
            *cause = node->cause[0] ? node->cause : "its node is not up";
            return false;
        }
    }
    return true;
}

void job_start(assignment_t *self, struct job *job, int64_t now_us)
{
    const char *cause;
    struct parts parts;

    assert(!job->current);
    if (!nodes_are_up(self, job, &cause)) {
        job_lose(self, job, cause);
        return;
    }
    parts = parts_of(self, job);
    job->current = dispatch_start(self->dispatch,
                                  &(struct launch){.run = run_of(job, &parts),
                                                   .may_begin = true,
                                                   .part_count = parts.count,
                                                   .parts = parts.items,
                                                   .item = job},
                                  now_us);
    job->last_number = job->current->number;
    job->alive++;
    parts_clear(&parts);
}

void job_stop(assignment_t *self, struct job *job, const struct ending *ending, int64_t now_us)
{
    struct incarnation *incarnation = job->current;

    if (!incarnation)
        return;
    job->current = NULL;
    dispatch_stop(self->dispatch, incarnation, ending, now_us);
}

/* ---- what the dispatch tells ---- */

static int64_t begin_step(void *owner, const struct incarnation *incarnation)
{
    (void)owner;
    return job_step(incarnation->item);
}

/* The job's end is told also if it was told to stop a moment before. */
static void on_done(assignment_t *self, struct job *job, int64_t now_us)
{
    job->done = true;
    job->lost = false;
    job_stop(self, job, &(struct ending){STOP_DONE, -1, -1, "done"}, now_us);
    report_state(self, job, JOB_REPORT_DONE, job->plan.iterations, "");
}

/* It was to save its state before it goes on elsewhere, and did not. */
static void check_saved(assignment_t *self, struct job *job, const struct incarnation *incarnation)
{
    const int64_t known = incarnation_first(incarnation)->step;
    const int64_t reached = incarnation->ending.step > known ? incarnation->ending.step : known;

    if (incarnation->begun_us < 0 || incarnation->checkpointed || !job->planned || job->lost ||
        !job->current || incarnation->fault != FAULT_NONE || job_step(job) >= reached)
        return;
    report_state(self, job, JOB_REPORT_LOST, job_step(job), "it stopped without a checkpoint");
}

static void on_over(assignment_t *self, struct job *job, struct incarnation *incarnation,
                    int64_t now_us)
{
    job->alive--;
    if (job->current == incarnation)
        job->current = NULL;
    if (incarnation_is_done(incarnation))
        on_done(self, job, now_us);
    else
        check_saved(self, job, incarnation);
    if (job->alive == 0 && job->stop_due) {
        job->stop_due = false;
        report_state(self, job, JOB_REPORT_STOPPED, job_step(job), "");
    }
}

static void on_changed(void *owner, struct incarnation *incarnation, int64_t now_us)
{
    assignment_t *self = owner;
    struct job *job = incarnation->item;
    /* One that is over only when it is told to stop below comes again. */
    const bool over = incarnation->phase == INCARNATION_OVER;

    if (incarnation->checkpoint > job->checkpoint)
        job->checkpoint = incarnation->checkpoint;
    if (!job->orphan)
        job_look_for_faults(self, job, incarnation, now_us);
    if (job->current == incarnation && incarnation_is_stable(incarnation) &&
        job->told_stable != incarnation->number)
        report_stable(self, job);
    if (over)
        on_over(self, job, incarnation, now_us);
    report_settle(self, job);
    report_if_settled(self);
    if (!is_worth_keeping(job))
        job_free(self, job);
}

static void on_node_changed(void *owner, const struct node *node, int64_t now_us)
{
    (void)node;
    (void)now_us;
    report_nodes(owner);
}

const struct dispatch_watch assignment_watch = {on_changed, on_node_changed, begin_step, NULL};

/* ---- plans ---- */

/* Lets go of everything: the jobs of a scheduler that is gone are none of the next one's. */
static void start_from_nothing(assignment_t *self, int64_t now_us)
{
    struct job *job;
    struct job *next;

    HASH_ITER(hh, self->table, job, next)
    {
        job_stop(self, job, &ending_paused, now_us);
        job->planned = job->stop_due = job->held = false;
        if (!job->settled)
            self->unsettled--;
        job->settled = true;
        HASH_DEL(self->table, job);
        job->orphan = true;
        if (!is_worth_keeping(job))
            job_free(self, job);
    }
    self->round = 0;
    self->told_settled = true;
    assert(self->unsettled == 0);
}

static int check_job(assignment_t *self, const struct msg_planned_job *job, struct error *error)
{
    for (size_t i = 0; i < job->rank_count; i++) {
        const int32_t rank = job->ranks[i];

        if (rank < 0 || rank >= RANKS_MAX || (i > 0 && rank <= job->ranks[i - 1]))
            return error_set(error, "plan: the GPUs of job %" PRIu64 " do not rise", job->job);
        while ((size_t)rank >= self->taken_capacity) {
            const size_t before = self->taken_capacity;

            self->taken = grow_array(self->taken, before, &self->taken_capacity, sizeof(uint64_t));
            memset(self->taken + before, 0, (self->taken_capacity - before) * sizeof(*self->taken));
        }
        if (self->taken[rank] == self->checks)
            return error_set(error,
                             "plan: GPU %" PRId32 " is given to job %" PRIu64 " and to another one",
                             rank, job->job);
        self->taken[rank] = self->checks;
    }
    if (job->rank_count == 0)
        return error_set(error, "plan: job %" PRIu64 " has no GPU", job->job);
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* No job stands there twice, be it to run or to stop. */
static int check_once(const struct msg_plan *plan, struct error *error)
{
    const size_t count = plan->job_count + plan->stop_count;
    uint64_t *numbers = xcalloc(count, sizeof(*numbers));
    int status = 0;

    for (size_t i = 0; i < plan->job_count; i++)
        numbers[i] = plan->jobs[i].job;
    for (size_t i = 0; i < plan->stop_count; i++)
        numbers[plan->job_count + i] = plan->stops[i].job;
    qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (size_t i = 1; i < count && status == 0; i++)
        if (numbers[i] == numbers[i - 1])
            status = error_set(error, "plan: job %" PRIu64 " stands there twice", numbers[i]);
    free(numbers);
    return status;
}

static int check_plan(assignment_t *self, const struct msg_plan *plan, struct error *error)
{
    if (plan->round == 0)
        return error_set(error, "plan: rounds are counted from 1");
    if (check_once(plan, error) < 0)
        return -1;
    self->checks++;
    for (size_t i = 0; i < plan->job_count; i++)
        if (check_job(self, &plan->jobs[i], error) < 0)
            return -1;
    return 0;
}

/* Whether it is the work, on the GPUs, that the job was last planned for. */
static bool is_same(const struct job *job, const struct msg_plan *plan,
                    const struct msg_planned_job *planned)
{
    const struct msg_planned_job *before = &job->plan;

    return before->rank_count == planned->rank_count &&
           !memcmp(before->ranks, planned->ranks, planned->rank_count * sizeof(*planned->ranks)) &&
           before->batch_size == planned->batch_size && before->iterations == planned->iterations &&
           !strcmp(before->model, planned->model) && !strcmp(before->name, planned->name) &&
           job->fast_forward == plan->fast_forward && job->time_scale == plan->time_scale;
}

static void copy_plan(struct job *job, const struct msg_plan *plan,
                      const struct msg_planned_job *planned)
{
    forget_plan(job);
    job->plan = *planned;
    job->plan.name = xstrdup(planned->name);
    job->plan.model = xstrdup(planned->model);
    job->plan.ranks = xcalloc(planned->rank_count, sizeof(*planned->ranks));
    memcpy(job->plan.ranks, planned->ranks, planned->rank_count * sizeof(*planned->ranks));
    job->fast_forward = plan->fast_forward;
    job->time_scale = plan->time_scale;
}

/* Stops what changes, so that workers hear of that before they hear of what comes. */
static void stop_changed(assignment_t *self, const struct msg_plan *plan,
                         const struct msg_planned_job *planned, int64_t now_us)
{
    const struct ending ending = {STOP_PAUSED, plan->fast_forward ? planned->step : -1, -1,
                                  plan->restart ? "restart" : "plan"};
    struct job *job = job_find(self, planned->job);

    if (!job)
        job = job_new(self, planned->job);
    job->planned = true;
    memset(&job->stop, 0, sizeof(job->stop));
    if (job->current && (plan->restart || !is_same(job, plan, planned)))
        job_stop(self, job, &ending, now_us);
    copy_plan(job, plan, planned);
}

static void stop_dropped(assignment_t *self, const struct msg_plan *plan,
                         const struct msg_planned_stop *stop, int64_t now_us)
{
    struct job *job = job_find(self, stop->job);

    if (!job) {
        report_stopped_unknown(self, stop);
        return;
    }
    job->stop = *stop;
    job->stop_due = true;
    job_stop(self, job,
             &(struct ending){stop->why, plan->fast_forward ? stop->step : -1, -1, "plan"}, now_us);
}

/* Those that stand nowhere in the plan. */
static void stop_unnamed(assignment_t *self, int64_t now_us)
{
    struct job *job;
    struct job *next;

    HASH_ITER(hh, self->table, job, next)
    {
        if (job->planned)
            continue;
        job_stop(self, job, &(struct ending){STOP_PAUSED, -1, -1, "plan"}, now_us);
        job->lost = false;
        if (job->alive == 0 && job->stop_due) {
            job->stop_due = false;
            report_state(self, job, JOB_REPORT_STOPPED, job_step(job), "");
        }
    }
}

static void start_planned(assignment_t *self, const struct msg_planned_job *planned, int64_t now_us)
{
    struct job *job = job_find(self, planned->job);

    job->lost = false;
    job->stop_due = false;
    if (job->held)
        report_state(self, job, JOB_REPORT_HELD, job_step(job), job->cause);
    else if (job->done)
        report_state(self, job, JOB_REPORT_DONE, job->plan.iterations, "");
    else if (!job->current)
        job_start(self, job, now_us);
    else if (job->fast_forward)
        dispatch_update(self->dispatch, job->current, planned->step);
}

static void carry_out(assignment_t *self, const struct msg_plan *plan, int64_t now_us)
{
    struct job *job;
    struct job *next;

    self->round = plan->round;
    self->told_settled = false;
    HASH_ITER(hh, self->table, job, next)
    {
        job->planned = false;
    }
    for (size_t i = 0; i < plan->job_count; i++)
        stop_changed(self, plan, &plan->jobs[i], now_us);
    for (size_t i = 0; i < plan->stop_count; i++)
        stop_dropped(self, plan, &plan->stops[i], now_us);
    stop_unnamed(self, now_us);
    if (plan->restart)
        dispatch_restart(self->dispatch);
    for (size_t i = 0; i < plan->job_count; i++)
        start_planned(self, &plan->jobs[i], now_us);
}

/* Counts all jobs anew, and forgets those of which nothing is left. */
static void review(assignment_t *self)
{
    struct job *job;
    struct job *next;

    HASH_ITER(hh, self->table, job, next)
    {
        report_settle(self, job);
        if (!is_worth_keeping(job))
            job_free(self, job);
    }
}

/* The plan in force came again: perhaps its answers were lost. */
static void answer_again(assignment_t *self, const struct msg_plan *plan)
{
    for (size_t i = 0; i < plan->job_count; i++)
        if (job_find(self, plan->jobs[i].job))
            report_again(self, job_find(self, plan->jobs[i].job));
    for (size_t i = 0; i < plan->stop_count; i++) {
        const struct job *job = job_find(self, plan->stops[i].job);

        if (!job || job->alive == 0)
            report_stopped_unknown(self, &plan->stops[i]);
    }
    self->told_settled = false;
    report_if_settled(self);
}

/* Whether `plan` has the jobs of the plan in force. */
static bool is_in_force(const assignment_t *self, const struct msg_plan *plan)
{
    size_t planned = 0;

    for (const struct job *job = self->table; job; job = job->hh.next)
        planned += job->planned;
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = job_find(self, plan->jobs[i].job);

        if (!job || !job->planned || !is_same(job, plan, &plan->jobs[i]))
            return false;
    }
    return planned == plan->job_count;
}

/* The first plan of a scheduler tells whether it is the one that was there before. */
static bool is_of_another(const assignment_t *self, const struct msg_plan *plan)
{
    return !self->same_name || plan->round < self->round ||
           (plan->round == self->round && !is_in_force(self, plan));
}

int assignment_plan(assignment_t *self, const struct msg_plan *plan, int64_t now_us,
                    struct error *error)
{
    if (check_plan(self, plan, error) < 0)
        return -1;
    if (self->ends)
        return 0;
    if (self->unproved && is_of_another(self, plan))
        start_from_nothing(self, now_us);
    self->unproved = false;
    if (plan->round < self->round) {
        self->stale++;
    } else if (plan->round == self->round) {
        answer_again(self, plan);
    } else {
        carry_out(self, plan, now_us);
        review(self);
    }
    dispatch_flush(self->dispatch, now_us);
    report_if_settled(self);
    return 0;
}

/* ---- the scheduler ---- */

void assignment_hello(assignment_t *self, const char *name)
{
    assert(!self->present);
    self->same_name = self->name && !strcmp(self->name, name);
    free(self->name);
    self->name = xstrdup(name);
    self->present = true;
    self->unproved = true;
    self->calls->welcome(self->calls_owner, &self->welcome);
    report_nodes(self);
}

void assignment_gone(assignment_t *self, bool goodbye, int64_t now_us)
{
    self->present = false;
    if (!goodbye)
        return;
    start_from_nothing(self, now_us);
    dispatch_flush(self->dispatch, now_us);
}

void assignment_end(assignment_t *self, int64_t now_us)
{
    self->ends = true;
    start_from_nothing(self, now_us);
    dispatch_flush(self->dispatch, now_us);
}

uint64_t assignment_stale(const assignment_t *self)
{
    return self->stale;
}
