/* curves.c - see curves.h. */
#include "tools/report/curves.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>

static enum fate fate_by_deadline(const struct audit_outcome *outcome, int64_t deadline_s)
{
    const bool on_time = outcome->end == AUDIT_ON_TIME;

    if (deadline_s == AUDIT_DEADLINE_NONE_S)
        return FATE_OPEN;
    if (audit_is_promised(outcome))
        return on_time ? FATE_KEPT : FATE_BROKEN;
    return on_time ? FATE_ON_TIME : FATE_LATE;
}

enum fate fate_of(const struct results *results, size_t job)
{
    const struct audit_outcome *outcome = results->outcomes[job];

    if (!outcome)
        return FATE_OPEN;
    switch (outcome->end) {
    case AUDIT_ON_TIME:
    case AUDIT_LATE:
    case AUDIT_FAILED:
        return fate_by_deadline(outcome, deadline_of(results, job));
    case AUDIT_DONE:
        return FATE_DONE;
    default:
        return outcome->verdict == AUDIT_DECLINED ? FATE_DECLINED : FATE_OPEN;
    }
}

int64_t deadline_of(const struct results *results, size_t job)
{
    const struct audit_outcome *outcome = results->outcomes[job];

    if (outcome && outcome->promised_s != AUDIT_DEADLINE_NONE_S)
        return outcome->promised_s;
    return results->given->jobs[job].deadline_s;
}

int64_t first_held(const struct results *results, size_t job, size_t *next)
{
    int64_t first_s = -1;

    for (; *next < results->change_count && results->changes[*next].job == job; (*next)++)
        if (first_s < 0 && results->changes[*next].gpus > 0)
            first_s = results->changes[*next].at_s;
    return first_s;
}

static void add(struct curve *curve, int64_t number)
{
    curve->items[curve->count++] = (double)number;
}

static void add_end(const struct results *results, size_t job, struct curves *curves)
{
    const struct audit_record *record = results->records[job];
    const int64_t submit_s = results->given->jobs[job].submit_s;
    const int64_t deadline_s = deadline_of(results, job);
    double share;

    if (!record)
        return;
    add(&curves->of[CURVE_JCT], record->end_s - submit_s);
    if (deadline_s == AUDIT_DEADLINE_NONE_S || deadline_s <= submit_s)
        return;
    share = (double)(deadline_s - record->end_s) / (double)(deadline_s - submit_s);
    add(&curves->of[CURVE_SLACK], (int64_t)((share < -1 ? -1 : share) * SLACK_PARTS));
}

static void add_verdict(const struct results *results, size_t job, struct curves *curves)
{
    const struct audit_outcome *outcome = results->outcomes[job];
    const enum fate fate = fate_of(results, job);
    const int64_t deadline_s = deadline_of(results, job);

    if (!outcome)
        return;
    add(fate == FATE_DECLINED ? &curves->of[CURVE_DECLINED] : &curves->of[CURVE_ADMITTED],
        outcome->decided_s);
    if ((fate == FATE_BROKEN || fate == FATE_LATE) && deadline_s != AUDIT_DEADLINE_NONE_S)
        add(&curves->of[CURVE_MISSED],
            deadline_s > outcome->decided_s ? deadline_s : outcome->decided_s);
}

void curves_find(const struct results *results, struct curves *curves)
{
    const size_t jobs = results->given->job_count;
    size_t next = 0;

    for (size_t i = 0; i < CURVES; i++)
        curves->of[i] = (struct curve){.items = xcalloc(jobs, sizeof(double))};
    for (size_t job = 0; job < jobs; job++) {
        const int64_t first_s = first_held(results, job, &next);

        if (first_s >= 0)
            add(&curves->of[CURVE_QUEUEING], first_s - results->given->jobs[job].submit_s);
        add_end(results, job, curves);
        add_verdict(results, job, curves);
    }
    for (size_t i = 0; i < CURVES; i++)
        sort_numbers(curves->of[i].items, curves->of[i].count);
}

void curves_clear(struct curves *curves)
{
    for (size_t i = 0; i < CURVES; i++)
        free(curves->of[i].items);
}

/* Counts the numbers up to `limit`; the first `from` numbers are known to be. */
static size_t count_until(const struct curve *curve, size_t from, double limit)
{
    while (from < curve->count && curve->items[from] <= limit)
        from++;
    return from;
}

void curves_wait(struct results *results)
{
    const size_t jobs = results->given->job_count;
    struct curve came = {.items = xcalloc(jobs, sizeof(double))};
    struct curve left = {.items = xcalloc(jobs, sizeof(double))};
    size_t in = 0;
    size_t out = 0;

    for (size_t job = 0; job < jobs; job++) {
        if (results->outcomes[job] && fate_of(results, job) != FATE_DECLINED)
            add(&came, results->outcomes[job]->decided_s);
        if (results->records[job])
            add(&left, results->records[job]->retired_at_s);
    }
    sort_numbers(came.items, came.count);
    sort_numbers(left.items, left.count);
    for (size_t i = 0; i < results->moment_count; i++) {
        struct results_moment *moment = &results->moments[i];
        int64_t waiting;

        in = count_until(&came, in, (double)moment->at_s);
        out = count_until(&left, out, (double)moment->at_s);
        waiting = (int64_t)in - (int64_t)out - moment->running;
        moment->waiting = waiting > 0 ? waiting : 0;
    }
    free(came.items);
    free(left.items);
}
