/* kept_quotes.c - quotes that are held: jobs of which the policy knows and that hold no GPU. Each
 * is over when its time is, unless it was taken before: then it is a job like others, with its
 * promise. */
#include "scheduler/engine/stages.h"

bool kept_quotes_has(const struct job *job)
{
    return submission_is_quote(job->submission) && !job_is_over(job);
}

/* In the order in which the engine was told of them, also where a snapshot has another. */
void kept_quotes_enter(engine_t *self, struct job *job)
{
    struct jobs *quotes = &self->quotes;
    size_t place = quotes->count;

    if (!kept_quotes_has(job))
        return;
    jobs_append(quotes, job);
    for (; place > 0 && quotes->items[place - 1]->arrival > job->arrival; place--)
        quotes->items[place] = quotes->items[place - 1];
    quotes->items[place] = job;
}

void kept_quotes_forget(engine_t *self)
{
    struct jobs *quotes = &self->quotes;
    size_t kept = 0;

    for (size_t i = 0; i < quotes->count; i++)
        if (kept_quotes_has(quotes->items[i]))
            quotes->items[kept++] = quotes->items[i];
    quotes->count = kept;
}

int64_t kept_quotes_next_s(const engine_t *self)
{
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->quotes.count; i++)
        if (kept_quotes_has(self->quotes.items[i]) &&
            self->quotes.items[i]->submission->quoted_until_s < next_s)
            next_s = self->quotes.items[i]->submission->quoted_until_s;
    return next_s;
}

/* With the promise that it has, whose deadline may have become a later one. */
static struct verdict verdict_of(const struct job *job)
{
    struct verdict verdict = verdict_promise(job);

    if (job->promise.state != PROMISE_STANDS)
        return verdict_try(job, REASON_NO_ROOM);
    if (submission_is_soft(job->submission))
        verdict.promised_s = job->promise.deadline_s;
    return verdict;
}

bool kept_quotes_take(engine_t *self, const struct submission *submission)
{
    struct job *job = job_table_find(self->jobs, UINT32_MAX, submission->number);
    struct verdict verdict;

    if (!job || !kept_quotes_has(job))
        return false;
    job->submission = submission;
    job->iterations_left = (double)(submission->iterations - submission->iterations_done);
    if (job_is_live(job)) {
        verdict = verdict_of(job);
        round_note_verdict(self, job, &verdict);
    }
    return true;
}
