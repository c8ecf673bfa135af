/* kept_quotes.c - held quotes: jobs that the policy knows and that hold no GPU. A quote that is not
 * taken ends with its time. A quote that is taken becomes a job like others, with its promise. */
#include "scheduler/engine/stages.h"

bool kept_quotes_has(const struct job *job)
{
    return submission_is_quote(job->submission) && !job_is_over(job);
}

/* Enters a held quote in the order in which the engine heard of quotes. A snapshot may have another
 * order. */
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

/* The verdict on the taken quote: the promise that it has, perhaps with a later deadline. */
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
