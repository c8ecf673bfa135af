/* check_counts.c - the figures of summary.json against the records, and the deadlines of the jobs
 * that it counts as accepted. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* How far a figure may be off that was summed up in another order. */
#define RELATIVE_ERROR 1e-9

static void report(const struct audit *self, const char *check, const char *what, int64_t found,
                   int64_t expected)
{
    findings_add(self->findings, &(struct finding_place){check, NULL, AUDIT_NO_TIME, NULL},
                 "summary.json says %s %" PRId64 ", expected %" PRId64, what, found, expected);
}

static void check_whole(const struct audit *self, const char *check, const char *what,
                        int64_t found, int64_t expected)
{
    if (found != expected)
        report(self, check, what, found, expected);
}

static void check_real(const struct audit *self, const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= RELATIVE_ERROR * fabs(expected)))
        findings_add(self->findings,
                     &(struct finding_place){"count-mismatch", NULL, AUDIT_NO_TIME, NULL},
                     "summary.json says %s %.12g, expected %.12g", what, found, expected);
}

/* What the records say of deadlines. EF-Q47: `accepted` counts jobs that started and were not found
 * late, `declined` all others; a best-effort job is in neither, unless it was declined on arrival.
 */
struct verdicts {
    int64_t deadline_jobs;
    int64_t in_time;
    int64_t late;
    int64_t unsure; /* either: see audit_planned_finish */
    int64_t never_started;
};

enum verdict { IN_TIME, LATE, UNSURE };

static enum verdict judge(const struct audit *self, size_t job)
{
    const struct audit_promise *promise = self->tenures ? self->tenures->promises[job] : NULL;
    const struct audit_finish finish = audit_planned_finish(self, job);
    const int64_t deadline_s = self->given->jobs[job].deadline_s;

    if (promise) /* which has a check of its own */
        return promise->missed ? LATE : IN_TIME;
    if (finish.latest_s <= deadline_s)
        return IN_TIME;
    return finish.earliest_s > deadline_s ? LATE : UNSURE;
}

static struct verdicts count_verdicts(const struct audit *self)
{
    struct verdicts verdicts = {.in_time = 0};

    for (size_t i = 0; i < self->given->job_count; i++) {
        const bool best_effort = self->given->jobs[i].best_effort;
        const struct audit_history *history = &self->histories[i];

        verdicts.deadline_jobs += !best_effort;
        if (!history->record) {
            /* Who ran and was lost started, and nobody knows how it would have ended. */
            verdicts.unsure += history->held && !best_effort;
            if (history->held || (best_effort && !self->policy->declines_best_effort))
                continue;
            /* TI-Q9: who is too large is in no counter. */
            verdicts.never_started +=
                !(self->policy->forgets_too_large &&
                  audit_is_too_large(self->policy, self->given, &self->given->jobs[i]));
        } else if (!best_effort) {
            const enum verdict verdict = judge(self, i);

            verdicts.in_time += verdict == IN_TIME;
            verdicts.late += verdict == LATE;
            verdicts.unsure += verdict == UNSURE;
        }
    }
    return verdicts;
}

/* EF-Q33: the test looks at a finish that leaves out the overhead and the rounding to slots. */
static void report_late(const struct audit *self, enum verdict wanted, const char *tag,
                        const char *text)
{
    for (size_t i = 0; i < self->given->job_count; i++) {
        const struct audit_record *record = self->histories[i].record;
        const int64_t deadline_s = self->given->jobs[i].deadline_s;

        if (!record || self->given->jobs[i].best_effort || record->end_s <= deadline_s ||
            self->tenures || judge(self, i) != wanted)
            continue;
        findings_add(self->findings,
                     &(struct finding_place){"late-but-accepted", tag, record->end_s, record->id},
                     "ended %" PRId64 " s after its deadline%s", record->end_s - deadline_s, text);
    }
}

static void check_accepted(const struct audit *self, const struct verdicts *verdicts)
{
    const struct audit_summary *summary = &self->given->summary;
    const int64_t too_many = summary->accepted - verdicts->in_time - verdicts->unsure;
    const int64_t total =
        verdicts->in_time + verdicts->late + verdicts->unsure + verdicts->never_started;

    if (summary->accepted + summary->declined != total)
        report(self, "count-mismatch", "accepted + declined", summary->accepted + summary->declined,
               total);
    else if (too_many > 0 && too_many <= verdicts->late)
        report_late(self, LATE, NULL,
                    too_many == verdicts->late ? " and counts as accepted"
                                               : " and may be among those that count as accepted");
    else if (too_many > 0 || summary->accepted < verdicts->in_time)
        report(self, "count-mismatch", "accepted", summary->accepted,
               verdicts->in_time + (too_many > 0 ? verdicts->unsure : 0));
    report_late(self, IN_TIME, audit_tag(self->policy, "EF-Q33"), " and counts as accepted");
    if (summary->accepted > verdicts->in_time)
        report_late(self, UNSURE, audit_tag(self->policy, "EF-Q33"), " and may count as accepted");
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

/* From the first arrival to the last retirement, or to the last round where that comes later, be it
 * for somebody who is declined or for a wake-up that nobody needs any more (EF-Q13). */
static int64_t makespan(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const int64_t first_s = given->first_submit_s;
    int64_t retired_s = first_s;
    int64_t round_s = first_s;

    for (size_t i = 0; i < given->job_count; i++)
        if (self->histories[i].record && self->histories[i].retired_s > retired_s)
            retired_s = self->histories[i].retired_s;
    if (given->round_count > 0)
        round_s = given->rounds[given->round_count - 1].at_s;
    return given->summary.makespan_s == round_s - first_s ? round_s - first_s : retired_s - first_s;
}

/* GA-Q7: what the layouts say is not what a job was credited with. */
static double gpu_seconds(const struct audit *self, size_t job)
{
    const struct audit_history *history = &self->histories[job];

    if (history->work && self->policy->adjusts_first)
        return (double)history->work->gpu_seconds;
    return (double)history->gpu_seconds;
}

static void check_utilisation(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const int64_t length_s = makespan(self);
    double held = 0;

    for (size_t i = 0; i < given->job_count; i++)
        held += gpu_seconds(self, i);
    check_whole(self, "count-mismatch", "makespan_s", given->summary.makespan_s, length_s);
    check_real(self, "gpu_utilisation", given->summary.gpu_utilisation,
               length_s > 0 ? held / ((double)length_s * (double)given->cluster.gpus) : 0);
}

static void check_cluster(const struct audit *self)
{
    const struct audit_summary *summary = &self->given->summary;
    const struct audit_cluster *cluster = &self->given->cluster;

    check_whole(self, "count-mismatch", "switches", summary->switches, cluster->switches);
    check_whole(self, "count-mismatch", "nodes", summary->nodes, cluster->nodes);
    check_whole(self, "count-mismatch", "gpus", summary->gpus, cluster->gpus);
}

void audit_check_counts(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const struct audit_summary *summary = &given->summary;
    const struct verdicts verdicts = count_verdicts(self);

    check_cluster(self);
    check_whole(self, "count-mismatch", "jobs", summary->jobs, (int64_t)given->job_count);
    check_whole(self, "count-mismatch", "deadline_jobs", summary->deadline_jobs,
                verdicts.deadline_jobs);
    check_whole(self, "count-mismatch", "finished", summary->finished,
                (int64_t)given->record_count);
    check_whole(self, "rounds-mismatch", "rounds", summary->rounds, (int64_t)given->round_count);
    check_real(self, "deadline_satisfaction", summary->deadline_satisfaction,
               verdicts.deadline_jobs > 0
                   ? (double)summary->accepted / (double)verdicts.deadline_jobs
                   : 0);
    check_accepted(self, &verdicts);
    check_completion_times(self);
    check_utilisation(self);
}
