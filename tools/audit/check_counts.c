/* check_counts.c - the figures of summary.json against the files. The figures accepted and
 * deadline_satisfaction are the published artifact's counters. They are only checked against
 * bounds, because the files lack the times that the artifact compares with deadlines. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The largest relative error of a sum that was added up in another order. */
#define RELATIVE_ERROR 1e-9

static void check_whole(const struct audit *self, const char *check, const char *what,
                        int64_t found, int64_t expected)
{
    if (found != expected)
        audit_report(self, check, AUDIT_NO_TIME, NULL,
                     "summary.json says %s %" PRId64 ", expected %" PRId64, what, found, expected);
}

static void check_real(const struct audit *self, const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= RELATIVE_ERROR * fabs(expected)))
        audit_report(self, "count-mismatch", AUDIT_NO_TIME, NULL,
                     "summary.json says %s %.12g, expected %.12g", what, found, expected);
}

static double share(int64_t part, int64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* The sums of outcomes.csv. */
struct tally {
    int64_t deadline_jobs;
    int64_t admitted; /* deadline jobs that were not declined */
    int64_t declined; /* declined jobs, with or without a deadline */
    int64_t on_time;
    int64_t promised;
    int64_t promised_later;
    int64_t withdrawn;
    int64_t withdrawals;
    bool has_histories;
    int64_t broken;
    int64_t value; /* value, in tenths, of the first deadline that each job met */
};

static int64_t value_of(const struct audit_job *job, const struct audit_record *record)
{
    if (!record || record->best_effort)
        return 0;
    for (size_t i = 0; i < job->deadline_count; i++)
        if (record->ended_s <= (double)job->deadlines_s[i])
            return job->values ? job->values[i] : 10 * job->value;
    return 0;
}

static void add_job(const struct audit *self, size_t job, struct tally *tally)
{
    const struct audit_history *history = &self->histories[job];
    const struct audit_outcome *outcome = history->outcome;
    const bool best_effort =
        history->record ? history->record->best_effort : self->given->jobs[job].best_effort;

    tally->deadline_jobs += !best_effort;
    if (!outcome)
        return;
    tally->admitted += !best_effort && outcome->verdict != AUDIT_DECLINED;
    tally->declined += outcome->verdict == AUDIT_DECLINED;
    tally->on_time += outcome->end == AUDIT_ON_TIME;
    tally->value += value_of(&self->given->jobs[job], history->record);
    tally->promised += audit_is_promised(outcome);
    tally->has_histories = outcome->history;
    tally->withdrawn += audit_withdrawals(outcome) > 0;
    tally->withdrawals += audit_withdrawals(outcome);
    tally->promised_later += outcome->verdict == AUDIT_PROMISED_LATER;
    tally->broken += audit_is_promised(outcome) && outcome->end != AUDIT_ON_TIME;
}

static void check_outcomes(const struct audit *self)
{
    const struct audit_summary *summary = &self->given->summary;
    struct tally tally = {.on_time = 0};

    for (size_t i = 0; i < self->given->job_count; i++)
        add_job(self, i, &tally);
    check_whole(self, "count-mismatch", "deadline_jobs", summary->deadline_jobs,
                tally.deadline_jobs);
    check_whole(self, "count-mismatch", "on_time", summary->on_time, tally.on_time);
    check_whole(self, "count-mismatch", "promised", summary->promised, tally.promised);
    check_whole(self, "count-mismatch", "promised_at_arrival", summary->promised_at_arrival,
                tally.promised - tally.promised_later);
    check_whole(self, "count-mismatch", "promised_later", summary->promised_later,
                tally.promised_later);
    if (tally.has_histories && summary->withdrawn >= 0)
        check_whole(self, "count-mismatch", "withdrawn", summary->withdrawn, tally.withdrawn);
    if (tally.has_histories && summary->withdrawals >= 0)
        check_whole(self, "count-mismatch", "withdrawals", summary->withdrawals, tally.withdrawals);
    check_whole(self, "count-mismatch", "broken", summary->broken, tally.broken);
    check_whole(self, "count-mismatch", "best_effort_on_time", summary->best_effort_on_time,
                tally.on_time - tally.promised + tally.broken);
    check_real(self, "on_time_share", summary->on_time_share,
               share(tally.on_time, tally.deadline_jobs));
    if (self->given->states_values)
        check_real(self, "value_on_time", summary->value_on_time, (double)tally.value / 10);
    if (summary->accepted > tally.admitted)
        check_whole(self, "count-mismatch", "accepted", summary->accepted, tally.admitted);
    if (summary->declined < tally.declined)
        check_whole(self, "count-mismatch", "declined", summary->declined, tally.declined);
    check_real(self, "deadline_satisfaction", summary->deadline_satisfaction,
               share(summary->accepted, tally.deadline_jobs));
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void check_completion_times(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const size_t count = given->record_count;
    const size_t nearest = count ? (count * 99 + 99) / 100 - 1 : 0; /* rank of the percentile */
    double *jcts = xcalloc(count + 1, sizeof(*jcts));
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        jcts[i] = given->records[i].ended_s - (double)given->records[i].submit_s;
        sum += jcts[i];
    }
    qsort(jcts, count, sizeof(*jcts), compare_times);
    check_real(self, "jct_mean_s", given->summary.jct_mean_s, count ? sum / (double)count : 0);
    check_real(self, "jct_p99_s", given->summary.jct_p99_s, jcts[nearest]);
    free(jcts);
}

/* The end of a retired job's last interval on its GPUs, or the time of its retirement if that is
 * later. */
static int64_t left_s(const struct audit_history *history)
{
    const int64_t retired_s = history->record ? history->record->retired_at_s : 0;

    return history->record && history->last.until_s > retired_s ? history->last.until_s : retired_s;
}

/* The time from the first arrival to the last retirement. The last round may come later, as a
 * declined arrival or a wake-up causes a round, too. Both lengths are allowed. */
static int64_t makespan(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const int64_t first_s = given->first_submit_s;
    int64_t retired_s = first_s;
    int64_t round_s = first_s;

    for (size_t i = 0; i < given->job_count; i++)
        if (left_s(&self->histories[i]) > retired_s)
            retired_s = left_s(&self->histories[i]);
    if (given->round_count > 0)
        round_s = given->rounds[given->round_count - 1].at_s;
    return given->summary.makespan_s == round_s - first_s ? round_s - first_s : retired_s - first_s;
}

static void check_utilisation(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const int64_t length_s = makespan(self);
    double held = 0;

    for (size_t i = 0; i < given->job_count; i++) {
        const struct audit_history *history = &self->histories[i];

        held += (double)(history->work ? history->work->gpu_seconds : history->gpu_seconds);
    }
    check_whole(self, "count-mismatch", "makespan_s", given->summary.makespan_s, length_s);
    check_real(self, "gpu_utilisation", given->summary.gpu_utilisation,
               length_s > 0 ? held / ((double)length_s * (double)given->cluster.gpus) : 0);
}

void audit_check_counts(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const struct audit_summary *summary = &given->summary;

    check_whole(self, "count-mismatch", "switches", summary->switches, given->cluster.switches);
    check_whole(self, "count-mismatch", "nodes", summary->nodes, given->cluster.nodes);
    check_whole(self, "count-mismatch", "gpus", summary->gpus, given->cluster.gpus);
    check_whole(self, "count-mismatch", "jobs", summary->jobs, (int64_t)given->job_count);
    check_whole(self, "count-mismatch", "finished", summary->finished,
                (int64_t)given->record_count);
    check_whole(self, "rounds-mismatch", "rounds", summary->rounds, (int64_t)given->round_count);
    check_outcomes(self);
    check_completion_times(self);
    check_utilisation(self);
}
