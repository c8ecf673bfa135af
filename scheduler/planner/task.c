/* task.c - see task.h. */
#include "scheduler/planner/task.h"

double task_work(const struct task *task)
{
    const struct job *job = task->job;
    const double left = job_profiled_left(job);
    const double most = job->iterations_left * (1 + task->margin);

    return left < most && !job_speed_is_known(job) ? most : left;
}

double task_latest_start(const struct task *task)
{
    const double most = task->scaling->rate[task->usable[task->scaling->reach]];

    return (double)task->deadline_s - task_work(task) / most;
}
