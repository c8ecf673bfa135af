/* disturbance.c - what a real cluster does against the plan: nodes that leave and come back, jobs that are slower
 * than their table says, stand still or fail. A run that was disturbed is planned anew with what is left. The
 * books of a job that was itself disturbed follow what was really done: reference rules that retire a job by
 * the clock alone (EF-Q14, EF-Q33) do not apply to it any more. */
#include "scheduler/engine/round.h"

#include "common/log.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct log_subject about_job(const struct job *job)
{
    return (struct log_subject){(int64_t)job->submission->number, LOG_NONE, LOG_NONE, LOG_NONE};
}

static void disturb(engine_t *self, const char *cause)
{
    self->troubled = true;
    (void)snprintf(self->disturbance, sizeof(self->disturbance), "%s", cause);
}

/* ---- nodes ---- */

static void rescale(engine_t *self)
{
    const int gpus = cluster_gpus_up(self->cluster);
    /* A job is planned on powers of two: what is beyond the largest is for others. */
    int usable = 1;

    assert(gpus > 0); /* the backend waits for a node */
    while (2 * usable <= gpus)
        usable *= 2;
    for (size_t i = 0; i < self->scalings.count; i++) {
        struct scaling *scaling = self->scalings.items[i];
        struct error ignored; /* the row was good when the run began */

        if (scaling->row)
            (void)scaling_init(scaling, scaling->row, scaling->gpus_max,
                               usable < scaling->gpus_max ? usable : gpus, &ignored);
    }
}

/* Takes a job off the set on which it took turns: it waits for another one. */
static void unseat(engine_t *self, struct job *job)
{
    if (job->state != JOB_RUNNING)
        return;
    round_hold(self, job, 0);
    job->state = JOB_PENDING;
    self->accepted -= !job->submission->best_effort; /* counts again when it goes on */
    jobs_append(&self->pending, job);
}

static void lose_seats(engine_t *self, int node)
{
    slice_sets_t *sets = self->plan->slice_sets;

    slice_sets_lose_node(sets, node);
    for (size_t i = 0; i < sets->moved_count; i++)
        unseat(self, &self->jobs[sets->moved[i]->arrival]);
    sets->moved_count = 0;
    jobs_keep(&self->running, JOB_RUNNING, JOB_RUNNING);
}

/* Nobody holds a GPU until the next placement. */
static int vacate(engine_t *self, struct error *error)
{
    self->layout_is_old = self->layout_is_empty = true;
    if (!self->order_matters || self->plan->slice_sets) {
        cluster_vacate(self->cluster);
        return 0;
    }
    if (round_release_all(self, &self->live, error) < 0)
        return -1;
    (void)cluster_clear(self->cluster, self->live.count);
    return 0;
}

static void change_node(engine_t *self, int node, bool up, const char *cause)
{
    char text[256];
    const struct log_subject about = {LOG_NONE, LOG_NONE, node, LOG_NONE};

    cluster_set_up(self->cluster, node, up);
    if (self->plan->slice_sets && up)
        slice_sets_gain_node(self->plan->slice_sets, node);
    else if (self->plan->slice_sets)
        lose_seats(self, node);
    (void)snprintf(text, sizeof(text), "node %d %s%s%s", node, up ? "joined" : "left",
                   cause && *cause ? ": " : "", cause ? cause : "");
    log_event(&about, up ? "node-up" : "node-down", "at=%" PRId64 " cause=%s", self->now_s,
              log_text(text));
    report_disturbance(self->report, self->now_s, up ? "node-up" : "node-down", NULL, node, text);
    disturb(self, text);
}

/* What became of a node since the round before: why it left, what the backend says of it now that it is there; NULL
 * for what did not happen. A node that left and is back has both. */
struct node_news {
    const char *left;
    const char *joined;
};

static struct node_news ask_for_news(const engine_t *self, int node)
{
    const struct backend *backend = self->setting.backend;
    const bool was_up = cluster_is_up(self->cluster, node);
    const char *went = backend->node_went(backend->self, node);
    const char *cause = "";
    const bool up = backend->node_is_up(backend->self, node, &cause);
    struct node_news news = {NULL, NULL};

    if (was_up && (went || !up))
        news.left = went ? went : cause;
    if (up && (went || !was_up))
        news.joined = cause;
    return news;
}

static bool stands_on_lost_node(const engine_t *self, const struct job *job,
                                const struct node_news *news)
{
    const int gpus = job_gpus(job);
    int *ranks;
    int count;
    bool lost = false;

    if (job->held < 0 || gpus == 0)
        return false;
    ranks = xcalloc((size_t)gpus, sizeof(*ranks));
    count = cluster_ranks(self->cluster, job, ranks);
    for (int i = 0; i < count && !lost; i++)
        lost = news[ranks[i] / cluster_gpus_per_node(self->cluster)].left != NULL;
    free(ranks);
    return lost;
}

/* A job that stood on a lost node holds nothing any more, whatever the policy makes of it: who is not
 * preempted by others is by this. */
static void evict(engine_t *self, const struct node_news *news)
{
    for (size_t i = 0; i < self->live.count && !self->plan->slice_sets; i++)
        if (stands_on_lost_node(self, self->live.items[i], news))
            round_hold(self, self->live.items[i], 0);
}

static int change_nodes(engine_t *self, const struct node_news *news, struct error *error)
{
    evict(self, news);
    if (vacate(self, error) < 0)
        return -1;
    for (int node = 0; node < cluster_node_count(self->cluster); node++) {
        if (news[node].left)
            change_node(self, node, false, news[node].left);
        if (news[node].joined)
            change_node(self, node, true, news[node].joined);
    }
    rescale(self);
    return 0;
}

static int take_stock_of_nodes(engine_t *self, struct error *error)
{
    const int count = cluster_node_count(self->cluster);
    struct node_news *news = xcalloc((size_t)count, sizeof(*news));
    bool changed = false;
    int status = 0;

    for (int node = 0; node < count; node++) {
        news[node] = ask_for_news(self, node);
        changed = changed || news[node].left || news[node].joined;
    }
    if (changed)
        status = change_nodes(self, news, error);
    free(news);
    return status;
}

/* ---- jobs ---- */

/* Of those that are done or failed. */
static void drop_seats(engine_t *self)
{
    slice_sets_t *sets = self->plan->slice_sets;

    for (int c = 0; sets && c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            slice_sets_drop_done(sets, sets->classes[c].sets[k]);
}

static void hold_job(engine_t *self, struct job *job, const char *cause)
{
    const struct log_subject about = about_job(job);

    log_event(&about, "held", "name=%s at=%" PRId64 " cause=%s", log_text(job->submission->id),
              self->now_s, log_text(cause));
    report_disturbance(self->report, self->now_s, "held", job, -1, cause);
    if (job->state == JOB_RUNNING)
        self->accepted -= !job->submission->best_effort;
    self->declined++;
    self->settled++;
    event_queue_drop_end(self->events, job);
    round_hold(self, job, 0);
    job->state = JOB_FAILED;
    disturb(self, cause);
}

/* Jobs that failed for good leave. */
static int take_stock_of_jobs(engine_t *self, struct error *error)
{
    const struct backend *backend = self->setting.backend;
    bool changed = false;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const char *cause = backend->held(backend->self, job);

        if (!cause)
            continue;
        if (round_release(self, job, error) < 0)
            return -1;
        hold_job(self, job, cause);
        changed = true;
    }
    if (!changed)
        return 0;
    jobs_keep(&self->live, JOB_PENDING, JOB_RUNNING);
    jobs_keep(&self->running, JOB_RUNNING, JOB_RUNNING);
    jobs_keep(&self->pending, JOB_PENDING, JOB_PENDING);
    return 0;
}

int round_take_stock(engine_t *self, struct error *error)
{
    if (take_stock_of_nodes(self, error) < 0 || take_stock_of_jobs(self, error) < 0)
        return -1;
    if (self->disturbance[0] && self->plan->slice_sets) {
        drop_seats(self);
        round_adopt(self);
    }
    return 0;
}

/* ---- progress ---- */

/* Whether a job is done by its seconds alone. */
static bool goes_by_seconds(const engine_t *self)
{
    return self->rules->work == WORK_DURATION || self->rules->work == WORK_LEASED;
}

/* Seconds on its GPUs after which `job` is done; on leases its starts are among them. */
static int64_t whole_s(const engine_t *self, const struct job *job)
{
    if (!self->plan->leases)
        return job->submission->duration_s;
    return job->submission->duration_s +
           (int64_t)ceil(lease_overhead_s(lease_of(self->plan->leases, job)));
}

/* What is left of sums of fractions is nothing: no round would ever do it. */
static bool is_nothing(const struct job *job, double iterations)
{
    return iterations <= 1e-9 * (double)job->submission->iterations;
}

static bool is_done(const engine_t *self, const struct job *job, const struct progress *progress)
{
    const bool by_seconds = job->attained_s + progress->worked_s >= whole_s(self, job);
    const bool by_iterations = is_nothing(job, job->iterations_left - progress->iterations);

    if (goes_by_seconds(self))
        return by_seconds;
    return by_iterations || (self->rules->work == WORK_EITHER && by_seconds);
}

/* The work that the model credits, less what was not done. */
static void take_back(const engine_t *self, struct job *job, const struct observed *observed,
                      struct progress *progress)
{
    const double rate = round_expected_rate(self, job);
    const double worked_s =
        (double)progress->worked_s * observed->pace - observed->lost / rate + job->uncredited_s;

    if (self->rules->work != WORK_ITERATIONS) {
        progress->worked_s = (int64_t)floor(worked_s);
        job->uncredited_s = worked_s - floor(worked_s);
    }
    progress->iterations = progress->iterations * observed->pace - observed->lost;
    if (job->iterations_left - progress->iterations > (double)job->submission->iterations)
        progress->iterations = job->iterations_left - (double)job->submission->iterations;
    if (job->attained_s + progress->worked_s < 0)
        progress->worked_s = -job->attained_s;
    if (observed->stuck && is_done(self, job, progress)) { /* at least a little is left */
        if (job->attained_s + progress->worked_s >= whole_s(self, job))
            progress->worked_s = whole_s(self, job) - job->attained_s - 1;
        if (job->iterations_left - progress->iterations < 1)
            progress->iterations = job->iterations_left - 1;
    }
    progress->iterations_done = is_nothing(job, job->iterations_left - progress->iterations);
    if (progress->iterations_done && job->iterations_left > progress->iterations)
        progress->iterations = job->iterations_left;
    progress->done = is_done(self, job, progress) && (self->rules->work == WORK_ITERATIONS ||
                                                      self->rules->ends == ENDS_ARE_NOTICED);
    progress->ended_s = self->now_s;
    progress->early_s = 0;
}

void round_correct(engine_t *self, struct job *job, struct progress *progress)
{
    const struct backend *backend = self->setting.backend;
    const double expected = (double)progress->worked_s * round_expected_rate(self, job);
    const bool done = is_done(self, job, progress);
    const struct log_subject about = about_job(job);
    struct observed observed;
    char text[256];
    double was;

    if (!job->assigned) /* GA-Q7: it is credited with time that others had */
        return;
    observed = backend->observe(backend->self, job, expected, done, round_step(self, job));
    was = job->pace;
    job->pace = observed.pace;
    if (!observed.cause)
        return;
    if (observed.pace != was || observed.lost > 0)
        log_event(&about, "behind", "name=%s at=%" PRId64 " pace=%g lost=%g cause=%s",
                  log_text(job->submission->id), self->now_s, observed.pace, observed.lost,
                  log_text(observed.cause));
    take_back(self, job, &observed, progress);
    job->disturbed = true;
    job->disturbed_s = self->now_s;
    (void)snprintf(text, sizeof(text), "job %s: %s", job->submission->id, observed.cause);
    disturb(self, text);
}

/* The clock says that its end is due, its trainers say that it is not. */
void round_check_end(engine_t *self, struct job *job)
{
    const struct backend *backend = self->setting.backend;
    const struct log_subject about = about_job(job);
    int64_t left;
    char text[256];

    if (!job->assigned ||
        (self->rules->work == WORK_EITHER && job->attained_s >= job->submission->duration_s))
        return;
    left = backend->left(backend->self, job);
    if (left == 0)
        return;
    job->disturbed = true;
    job->disturbed_s = self->now_s;
    if (job->iterations_left < (double)left)
        job->iterations_left = (double)left;
    if (job->attained_s >= whole_s(self, job) && whole_s(self, job) > 0)
        job->attained_s = whole_s(self, job) - 1;
    (void)snprintf(text, sizeof(text), "job %s: its trainers have %" PRId64 " iterations to do yet",
                   job->submission->id, left);
    log_event(&about, "behind", "name=%s at=%" PRId64 " pace=%g lost=0 cause=%s",
              log_text(job->submission->id), self->now_s, job->pace, log_text(text));
    disturb(self, text);
}

bool round_is_unfinished(const engine_t *self, const struct job *job)
{
    if (!job->disturbed)
        return false;
    if (goes_by_seconds(self))
        return job->attained_s < whole_s(self, job);
    if (self->rules->work == WORK_EITHER && job->attained_s >= job->submission->duration_s)
        return false;
    return !is_nothing(job, job->iterations_left);
}

/* ---- promises ---- */

/* When `job` will be done, as things stand; NEVER_S if nobody can say. */
static int64_t foreseen_s(const engine_t *self, const struct job *job)
{
    const double pace = job->pace > 0 ? job->pace : 1;
    const bool planned = self->rules->ends == ENDS_ARE_PLANNED;
    double left_s;

    if (planned && (job->finish_s == NEVER_S || job->finish_s == 0))
        return NEVER_S;
    if (planned)
        left_s = (double)(job->finish_s - self->now_s);
    else if (self->rules->work == WORK_LEASED ||
             (self->rules->work == WORK_ITERATIONS && job->level == 0))
        return NEVER_S;
    else if (self->rules->work == WORK_ITERATIONS)
        left_s = job->iterations_left / round_expected_rate(self, job);
    else
        left_s = (double)(job->submission->duration_s - job->attained_s);
    left_s = left_s / pace + (self->rules->late == LATE_BY_FINISH ? 0 : job->overhead_s);
    return left_s < 1e15 ? self->now_s + (int64_t)ceil(left_s) : NEVER_S;
}

/* Its own trouble, or what the plan was made anew for. */
static void write_cause(const engine_t *self, const struct job *job, char *text, size_t size)
{
    if (!job->disturbed || job->disturbed_s != self->now_s)
        (void)snprintf(text, size, "planned anew, for %s", self->disturbance);
    else if (job->pace == 0)
        (void)snprintf(text, size, "it stood still: %s", self->disturbance);
    else if (job->pace != 1)
        (void)snprintf(text, size, "it runs at %.3g of its profiled speed", job->pace);
    else
        (void)snprintf(text, size, "it lost work: %s", self->disturbance);
}

static void mark(engine_t *self, struct job *job, int64_t foreseen)
{
    const struct log_subject about = about_job(job);
    char when[24] = "-";
    char cause[320];
    char text[512];

    write_cause(self, job, cause, sizeof(cause));
    if (foreseen == NEVER_S) {
        (void)snprintf(text, sizeof(text),
                       "%s; when it ends is open, its deadline is %" PRId64 " s", cause,
                       job->submission->deadline_s);
    } else {
        (void)snprintf(when, sizeof(when), "%" PRId64, foreseen);
        (void)snprintf(text, sizeof(text),
                       "%s; it is foreseen to end at %s s, its deadline is %" PRId64 " s", cause,
                       when, job->submission->deadline_s);
    }
    job->at_risk = true;
    log_event(&about, "at-risk", "name=%s at=%" PRId64 " foreseen=%s deadline=%" PRId64 " cause=%s",
              log_text(job->submission->id), self->now_s, when, job->submission->deadline_s,
              log_text(text));
    report_disturbance(self->report, self->now_s, "at-risk", job, -1, text);
}

/* On leases it is the policy that says whether a promise holds. */
static bool is_on_time(const engine_t *self, const struct job *job, int64_t foreseen)
{
    if (self->plan->leases)
        return !lease_of(self->plan->leases, job)->withdrawn;
    return foreseen <= job->submission->deadline_s;
}

void round_mark_risks(engine_t *self)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const int64_t foreseen = foreseen_s(self, job);
        const bool on_time = is_on_time(self, job, foreseen);

        if (job->submission->best_effort || job->at_risk)
            continue;
        if (self->disturbance[0] && job->was_on_time && !on_time)
            mark(self, job, foreseen);
        job->was_on_time = on_time;
    }
    self->disturbance[0] = '\0';
}
