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

void course_archive(struct course *self, struct archive *archive, arena_t *arena)
{
    const size_t count = archive_count(archive, (size_t)self->count, UINT16_MAX);

    if (archive->reads) {
        self->count = (int)count;
        self->pieces = arena_alloc(arena, (count + 1) * sizeof(*self->pieces));
    }
    for (size_t i = 0; i < count; i++) {
        if (archive->reads)
            self->pieces[i] = (struct piece){0, 0, 0};
        ARCHIVE(archive, &self->pieces[i].at_s);
        ARCHIVE(archive, &self->pieces[i].level);
        ARCHIVE(archive, &self->pieces[i].rank);
    }
    ARCHIVE(archive, &self->end_s);
    ARCHIVE(archive, &self->gpu_s);
}
