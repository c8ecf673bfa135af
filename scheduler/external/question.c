/* question.c - see question.h. */
#include "scheduler/external/question.h"

#include "common/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The time, or NULL for a time that is not known. */
static json_t *time_or_null(int64_t time_s, bool known)
{
    return known ? json_integer(time_s) : json_null();
}

/* The GPU counts on which the job can run, and its iterations/s on each. */
static json_t *scaling_of(const struct scaling *scaling)
{
    json_t *gpus = json_array();
    json_t *rates = json_array();

    for (int level = 1; level <= scaling->top; level++) {
        if (!(scaling->rate[level] > 0))
            continue;
        json_array_append_new(gpus, json_integer(scaling->gpus[level]));
        json_array_append_new(rates, json_real(scaling->rate[level]));
    }
    return json_pack("{s:o, s:o}", "gpus", gpus, "rates", rates);
}

static json_t *scalings_of(const struct view *view, const struct job *job)
{
    json_t *list = json_array();

    for (int pool = 0; pool < view_pools(view); pool++)
        json_array_append_new(list, scaling_of(job_scaling(job, pool)));
    return list;
}

static json_t *job_of(const struct view *view, size_t place)
{
    const struct job *job = view->jobs[place];
    const struct submission *submission = job->submission;

    return json_pack("{s:I, s:s, s:s, s:I, s:o, s:o, s:f, s:i, s:i, s:i, s:b, s:o}", "number",
                     (json_int_t)submission->number, "id", submission->id, "model",
                     submission->model, "submitted", (json_int_t)submission->submit_s, "deadline",
                     time_or_null(submission->deadline_s, !submission->best_effort), "promised",
                     time_or_null(job->promise.deadline_s, job->promise.state == PROMISE_STANDS),
                     "iterations_left", job->iterations_left, "gpus", job_gpus(job), "pool",
                     job->grant.pool, "gpus_asked", submission->gpus_requested, "new",
                     place >= view->job_count - view->arrival_count, "scaling",
                     scalings_of(view, job));
}

static json_t *pools_of(const struct view *view)
{
    json_t *list = json_array();

    for (int pool = 0; pool < view_pools(view); pool++)
        json_array_append_new(list, json_pack("{s:i}", "gpus", view_gpus(view, pool)));
    return list;
}

char *question_text(const struct view *view, const char *what)
{
    json_t *jobs = json_array();
    json_t *question;
    char *text;
    size_t length;

    for (size_t place = 0; place < view->job_count; place++)
        json_array_append_new(jobs, job_of(view, place));
    question = json_pack("{s:s, s:I, s:I, s:o, s:o}", "ask", what, "now", (json_int_t)view->now_s,
                         "slot", (json_int_t)view->slot_s, "pools", pools_of(view), "jobs", jobs);
    text = json_dumps(question, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(question);
    if (!text)
        memory_out();
    length = strlen(text);
    text = xrealloc(text, length + 2);
    text[length] = '\n';
    text[length + 1] = '\0';
    return text;
}
