/* experience.c - see experience.h. */
#include "scheduler/planner/experience.h"

#include <math.h>

void experience_margins(const struct experience *self, const struct job *job, double confidence,
                        struct stand *stand)
{
    const double watched = confidence > 0 ? fmax(confidence, CONFIDENCE_WATCHED) : 0;
    const char *model = job->submission->model;

    stand->margin = margins_of(&self->speeds, model, confidence);
    stand->margin_wanted = margins_of(&self->speeds, model, watched);
    stand->start_margin = margins_of(&self->starts, model, confidence);
}

/* Takes in the speed of a job once, when it is known. */
static void hear_speed(struct experience *self, const struct job *job, struct stand *stand)
{
    if (stand->told_speed || !job_speed_is_known(job))
        return;
    stand->told_speed = true;
    margins_hear(&self->speeds, job->submission->model, job->speed ? job->speed->lag : 0);
}

/* Takes in the cost of a job's last change once it is paid off, or known to differ from the
 * charge. */
static void hear_start(struct experience *self, const struct job *job, struct stand *stand)
{
    const int paid_s = stand->charged_s + job->late_s;

    if (stand->charged_s == 0 || (job->late_s == 0 && job->overhead_s > 0))
        return;
    margins_hear(&self->starts, job->submission->model,
                 1 - (double)stand->charged_s / (paid_s > 0 ? paid_s : 1));
    stand->charged_s = 0;
}

void experience_hear(struct experience *self, const struct job *job, struct stand *stand)
{
    hear_speed(self, job, stand);
    hear_start(self, job, stand);
}

/* Takes in the speed of a job that ends before its speed was known. Otherwise margins would rest on
 * long jobs, and on slow jobs, whose speeds become known sooner. */
void experience_hear_end(struct experience *self, const struct job *job, struct stand *stand)
{
    double lag;

    hear_start(self, job, stand);
    if (!stand->told_speed && job_tells_lag(job, &lag))
        margins_hear(&self->speeds, job->submission->model, lag);
}

void experience_archive(struct experience *self, struct archive *archive)
{
    if (archive->version >= 6)
        margins_archive(&self->speeds, archive);
    if (archive->version >= 9)
        margins_archive(&self->starts, archive);
}
