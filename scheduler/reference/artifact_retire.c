/* artifact_retire.c - the ends of jobs that are due, the times by which they are judged, and the
 * order in which GPUs are taken off jobs. */
#include "scheduler/reference/artifact.h"
#include "scheduler/reference/way_out.h"

#include "common/sort.h"

#include <inttypes.h>
#include <stdlib.h>

/* EF-Q23: fails where the artifact does not find the node set that a job leaves to others. The
 * artifact looks in the size class of the set's label. The label does not matter if the set is
 * empty by then, or if its free block has the size of the label. */
static int check_set(const cluster_t *cluster, const struct job *job, struct error *error)
{
    const struct layout *layout = cluster_layout(cluster);
    const struct held *held = &layout->held[job->held];
    const struct node_set *set = &layout->sets[held->set];
    const int used = set->used - held->gpus;
    const int free_gpus = set->capacity - used;

    if (set->label == set->class_label || used == 0 || free_gpus == set->label)
        return 0;
    return error_set(
        error,
        "job %s: the artifact aborts here: the nodes that it leaves with %d free GPUs "
        "are filed under %d, and it looks for them under %d (EF-Q23); " WAY_OUT_OF_PLACES,
        job->submission->id, free_gpus, set->class_label, set->label);
}

/* Takes a job off its GPUs. In a disturbed run no node set is looked for, as the artifact has no
 * such runs. */
int artifact_release(engine_t *self, struct job *job, struct error *error)
{
    const struct artifact *memory = artifact_of(self);

    if (job->held < 0 || !memory->order_matters || memory->jobs_stay || self->nodes_changed)
        return 0;
    if (loop_rules_of(self)->loses_sets && !self->status.disturbed &&
        check_set(self->cluster, job, error) < 0)
        return -1;
    cluster_release(self->cluster, job);
    return 0;
}

int artifact_release_all(engine_t *self, const struct jobs *jobs, struct error *error)
{
    for (size_t i = 0; i < jobs->count && artifact_of(self)->order_matters; i++)
        if (artifact_release(self, jobs->items[i], error) < 0)
            return -1;
    return 0;
}

int artifact_release_by_start(engine_t *self, struct error *error)
{
    return artifact_release_all(self, &self->running, error);
}

/* EF-Q4: GPUs are taken off jobs in the order in which they are planned. */
int artifact_release_by_deadline(engine_t *self, struct error *error)
{
    const size_t count = self->live.count;
    struct keyed *keys;
    int result = 0;

    if (!artifact_of(self)->order_matters)
        return 0;
    keys = xcalloc(2 * count + 1, sizeof(*keys));
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){(double)self->live.items[i]->submission->deadline_s, i};
    sort_keyed(keys, count, keys + count);
    for (size_t i = 0; i < count && result == 0; i++)
        result = artifact_release(self, self->live.items[keys[i].item], error);
    free(keys);
    return result;
}

int artifact_release_as_placed(engine_t *self, struct error *error)
{
    const struct requests *placed = &artifact_of(self)->placed;

    for (size_t i = 0; i < placed->count; i++)
        if (artifact_release(self, placed->items[i].job, error) < 0)
            return -1;
    return 0;
}

/* ---- which jobs end, and when ---- */

bool goes_on_never(const struct job *job)
{
    (void)job;
    return false;
}

bool goes_on_with_work(const struct job *job)
{
    return job->iterations_left > 0;
}

int idle_end_aborts(const engine_t *self, const struct job *job, struct error *error)
{
    return error_set(error,
                     "job %s: its end is due at %" PRId64 " s while it holds no GPU "
                     "(EF-Q13); the artifact aborts here; " WAY_OUT,
                     job->submission->id, self->now_s);
}

/* EF-Q32: a due job without GPUs is forgotten until its end moves again. */
int idle_end_is_dropped(const engine_t *self, const struct job *job, struct error *error)
{
    (void)self;
    (void)job;
    (void)error;
    return 0;
}

/* EF-Q39: a due job without GPUs ends as planned. */
int idle_end_retires(const engine_t *self, const struct job *job, struct error *error)
{
    (void)self;
    (void)job;
    (void)error;
    return 1;
}

int64_t judged_by_end(const engine_t *self, const struct job *job)
{
    (void)self;
    return job->end_s;
}

/* EF-Q33: jobs are judged by their planned end without overheads. */
int64_t judged_by_finish(const engine_t *self, const struct job *job)
{
    (void)self;
    return job->deviates ? job->end_s : job->finish_s;
}

int64_t judged_by_work(const engine_t *self, const struct job *job)
{
    return *(int64_t *)side_table_at(artifact_of(self)->work_ends, job);
}

bool late_by_deadline(const engine_t *self, const struct job *job, int64_t judged_s)
{
    (void)self;
    return judged_s > job->submission->deadline_s;
}

int64_t on_record_by_round(const engine_t *self, const struct job *job)
{
    (void)job;
    return self->now_s;
}

int64_t on_record_by_end(const engine_t *self, const struct job *job)
{
    (void)self;
    return job->end_s;
}

/* Whether the seconds of a job that ends by either measure ran out first. TH-Q6: its iterations
 * count if they ran out in the same interval, however early its seconds did. */
static bool is_done_by_seconds(const engine_t *self, const struct job *job)
{
    const int64_t beyond_s = job->attained_s - job->submission->duration_s;

    if (self->stages.measure != MEASURE_EITHER)
        return self->stages.measure == MEASURE_SECONDS;
    return job->iterations_left > 0 ||
           (!loop_rules_of(self)->ends_with_interval && self->now_s - beyond_s <= job->end_s);
}

/* Whether iterations are left. The rounding error of a sum of fractions counts as none. */
static bool has_iterations(const struct job *job)
{
    return job->iterations_left > 1e-9 * (double)job->submission->iterations;
}

/* Whether the job has more to do by its books, which follow the work that was done. */
static bool is_unfinished(const engine_t *self, const struct job *job)
{
    const bool by_seconds = job->attained_s >= self->stages.whole_s(self, job);

    if (!job->deviates)
        return false;
    if (self->stages.measure == MEASURE_SECONDS)
        return !by_seconds;
    return has_iterations(job) && !(self->stages.measure == MEASURE_EITHER && by_seconds);
}

/* Whether the end of `job` was planned for GPUs that the job has lost since, and so means
 * nothing. */
static bool is_lost_end(const engine_t *self, const struct job *job)
{
    return self->stages.measure == MEASURE_ITERATIONS && !job_holds(job) &&
           job->iterations_left > 0;
}

static void retire_job(engine_t *self, struct job *job)
{
    const struct loop_rules *rules = loop_rules_of(self);
    const int64_t judged_s = rules->judged_end_s(self, job);

    if (rules->judged_end_s == judged_by_work)
        job->end_s = judged_s;
    round_retire(self, job,
                 &(struct retirement){.job = job,
                                      .on_record_s = rules->on_record_s(self, job),
                                      .done_by = is_done_by_seconds(self, job) ? MEASURE_SECONDS
                                                                               : MEASURE_ITERATIONS,
                                      .late = !job->submission->best_effort &&
                                              rules->is_late(self, job, judged_s)});
}

/* Whether `job`, which is due, is planned anew. In a disturbed run planned ends may mean
 * nothing. */
static bool plan_anew(engine_t *self, struct job *job)
{
    if (loop_rules_of(self)->goes_on(job))
        return true;
    if (!self->status.disturbed || (!is_unfinished(self, job) && !is_lost_end(self, job)))
        return false;
    if (self->stages.measure == MEASURE_ITERATIONS) {
        event_queue_drop_end(artifact_of(self)->events, job);
        job->end_s = 0;
    }
    return true;
}

int artifact_retire(engine_t *self, struct error *error)
{
    if (self->due.count == 0)
        return 0;
    for (size_t i = 0; i < self->due.count; i++) {
        struct job *job = self->due.items[i];
        const bool idle = !job_holds(job);
        const int ends = plan_anew(self, job) ? 0
                         : idle               ? loop_rules_of(self)->ends_idle(self, job, error)
                                              : 1;

        if (ends < 0 || (ends > 0 && artifact_release(self, job, error) < 0))
            return -1;
        if (ends > 0)
            retire_job(self, job);
    }
    places_keep_live(&self->places, &self->live);
    jobs_keep(&self->running, JOB_RUNNING);
    return 0;
}

int artifact_release_and_retire(engine_t *self, struct error *error)
{
    if (artifact_release_all(self, &self->live, error) < 0)
        return -1;
    return artifact_retire(self, error);
}
