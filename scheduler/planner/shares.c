/* shares.c - see shares.h. */
#include "scheduler/planner/shares.h"

#include <math.h>
#include <string.h>

/* Rounding adds at most this part to the work that a job has left. */
#define ROUNDING 1e-9

/* GPU-seconds for an iteration, as defined in shares.h. The fastest number of GPUs counts where
 * none is fast enough. */
static double cost_of(const struct job *job)
{
    const struct scaling *scaling = job->scaling;
    const struct submission *submission = job->submission;
    const double work = (double)(submission->iterations - submission->iterations_done);
    const double window_s = (double)(submission->deadline_s - submission->submit_s);
    const int top = scaling->fastest[scaling->reach];
    double least = top > 0 ? scaling->gpus[top] / scaling->rate[top] : 0;

    for (int level = 1; level < top; level++)
        if (scaling->fastest[level] == level && work <= window_s * scaling->rate[level])
            least = fmin(least, scaling->gpus[level] / scaling->rate[level]);
    return least;
}

double shares_need(const struct job *job)
{
    return cost_of(job) * job->iterations_left;
}

/* The last deadline of the job. No promise to the job is later. */
static int64_t last_deadline_s(const struct submission *job)
{
    return job->level_count > 0 ? job->levels[job->level_count - 1].deadline_s : job->deadline_s;
}

/* The most that the job can need at `at_s` if its promise holds. */
static double need_at(const struct job *job, int64_t at_s)
{
    const struct scaling *scaling = job->scaling;
    const double left_s = (double)(last_deadline_s(job->submission) - at_s);
    const double most = left_s > 0 ? left_s * scaling->rate[scaling->fastest[scaling->reach]] : 0;

    return cost_of(job) * fmin(job->iterations_left, most);
}

static bool counts_for(const struct job *job, const char *share)
{
    for (size_t i = 0; i < job->submission->share_count; i++)
        if (!strcmp(job->submission->shares[i].name, share))
            return true;
    return false;
}

static double promised_at(const struct task_list *promised, const char *share, int64_t at_s)
{
    double sum = 0;

    for (size_t i = 0; i < promised->count; i++)
        if (counts_for(promised->items[i]->job, share))
            sum += need_at(promised->items[i]->job, at_s);
    return sum;
}

/* The latest time from which the share has room for `more`. After the last deadline the share is
 * empty. */
static int64_t find_free(const struct task_list *promised, const char *share, double room,
                         int64_t now_s)
{
    int64_t full_s = now_s;
    int64_t free_s = now_s;

    for (size_t i = 0; i < promised->count; i++) {
        const int64_t last_s = last_deadline_s(promised->items[i]->job->submission);

        free_s = last_s > free_s ? last_s : free_s;
    }
    while (free_s - full_s > 1) {
        const int64_t middle_s = full_s + (free_s - full_s) / 2;

        *(promised_at(promised, share, middle_s) <= room * (1 - ROUNDING) ? &free_s : &full_s) =
            middle_s;
    }
    return free_s;
}

static double promised_now(const struct task_list *promised, const char *share)
{
    double sum = 0;

    for (size_t i = 0; i < promised->count; i++)
        if (counts_for(promised->items[i]->job, share))
            sum += shares_need(promised->items[i]->job);
    return sum;
}

bool shares_allow(const struct task_list *promised, const struct task *task, int gpus,
                  int64_t now_s, struct share_seen *seen)
{
    const struct submission *submission = task->job->submission;
    const double more = submission->share_count > 0 ? shares_need(task->job) : 0;

    *seen = (struct share_seen){0};
    for (size_t i = 0; i < submission->share_count; i++) {
        const struct job_share *share = &submission->shares[i];
        const double may = share->of * gpus * (double)share->horizon_s;
        const double is = promised_now(promised, share->name);

        if (is + more <= may)
            continue;
        *seen = (struct share_seen){share, may, is, more, DEADLINE_NONE_S};
        if (more <= may)
            seen->free_s = find_free(promised, share->name, may - more, now_s);
        return false;
    }
    return true;
}
