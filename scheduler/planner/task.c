/* task.c - see task.h. */
#include "scheduler/planner/task.h"

#include <math.h>

int64_t task_stated_s(const struct task *task)
{
    const struct submission *submission = task->job->submission;

    if (submission_is_soft(submission))
        return submission->levels[task->step].deadline_s;
    return submission->best_effort ? DEADLINE_NONE_S : submission->deadline_s;
}

/* The margin that the job still needs, given the speed seen so far. A stretch that stalled is
 * slower than the job, and no stretch is faster for long. */
static double margin_now(const struct task *task)
{
    const struct speed *speed = task->job->speed;

    if (task->margin <= 0 || !speed || speed->heard == 0)
        return task->margin;
    return fmin(task->margin, fmax(0, 1 / fmax(1 - speed_seen(speed), SPEED_FACTOR_MIN) - 1));
}

double task_work(const struct task *task)
{
    const struct job *job = task->job;
    const double left = job_profiled_left(job);
    const double most = job->iterations_left * (1 + margin_now(task));

    return left < most && !job_speed_is_known(job) ? most : left;
}

double task_latest_start(const struct task *task)
{
    const double most = task->scaling->rate[task->usable[task->scaling->reach]];

    return (double)task->deadline_s - task_work(task) / most;
}

/* The number of nodes on which the GPUs of the piece are. */
static int piece_nodes(const struct task *task, const struct piece *piece, int per_node)
{
    const int last = piece->rank + task_gpus(task, piece->level) - 1;

    return piece->level > 0 ? last / per_node - piece->rank / per_node + 1 : 0;
}

double task_node_s(const struct task *task, int64_t now_s, int per_node)
{
    const struct course *course = &task->course;
    int nodes = piece_nodes(task, &task->now, per_node);
    int64_t at_s = now_s;
    double sum = 0;

    for (int i = 0; i < course->count; i++) {
        sum += nodes * (double)(course->pieces[i].at_s - at_s);
        nodes = piece_nodes(task, &course->pieces[i], per_node);
        at_s = course->pieces[i].at_s;
    }
    return sum + nodes * (double)(course->end_s - at_s);
}
