/* check_service.c - who waits while GPUs are free. A policy that hands out GPUs job by job and passes
 * over whoever does not fit leaves nobody waiting who would fit into what stays free; one that serves
 * in line passes over nobody. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdlib.h>

/* The jobs that have arrived and are not retired. */
struct present {
    size_t *by_submission; /* all jobs of the trace */
    size_t arrived;
    size_t *jobs;
    size_t count;
    size_t *held_in; /* by job: the last round, from 1, that has it in its layout */
};

static int compare_submissions(const void *a, const void *b, void *context)
{
    const struct audit_job *jobs = context;
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;

    if (jobs[x].submit_s != jobs[y].submit_s)
        return jobs[x].submit_s < jobs[y].submit_s ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Whether the policy knows of the job in the round at `at_s`. Where rounds may come within a slot
 * (TI-Q4 put right), arrivals are put off from round to round, and only a start tells. */
static bool is_known(const struct audit *self, size_t job, int64_t at_s)
{
    const struct audit_history *history = &self->histories[job];
    const bool put_off = self->policy->rhythm == RHYTHM_SPACED && !self->policy->holds_for_slot;

    return history->record && history->retired_s > at_s &&
           (!put_off || history->record->start_s <= at_s);
}

/* Whether the job may be waiting for a lease: if so, GPUs may stay free beside it. Nobody is promised a
 * lease who ever had spare GPUs. */
static bool waits_for_lease(const struct audit *self, size_t job, int64_t at_s)
{
    struct audit_tenant tenant;

    if (!audit_find_tenant(self, job, &tenant))
        return true;
    if (tenant.declined || self->policy->spares_for_all)
        return false;
    if (tenant.count == 0 || tenant.tenures[tenant.count - 1].leased)
        return true;
    for (size_t i = 0; i < tenant.count && tenant.tenures[i].from_s < at_s; i++)
        if (!tenant.tenures[i].leased)
            return false;
    return true;
}

static bool may_wait(const struct audit *self, size_t job, int64_t at_s)
{
    return !is_known(self, job, at_s) ||
           (self->policy->waits == WAITS_FOR_LEASES && waits_for_lease(self, job, at_s));
}

static void list_present(const struct audit *self, struct present *present, int64_t at_s)
{
    const struct audit_case *given = self->given;
    size_t count = 0;

    for (; present->arrived < given->job_count &&
           given->jobs[present->by_submission[present->arrived]].submit_s <= at_s;
         present->arrived++)
        present->jobs[present->count++] = present->by_submission[present->arrived];
    for (size_t i = 0; i < present->count; i++) {
        const struct audit_history *history = &self->histories[present->jobs[i]];

        if (history->record && history->retired_s > at_s)
            present->jobs[count++] = present->jobs[i];
    }
    present->count = count;
}

static int64_t mark_holders(const struct audit *self, struct present *present, size_t number)
{
    const struct audit_case *given = self->given;
    const struct audit_round *round = &given->rounds[number];
    int64_t free_gpus = given->cluster.gpus;

    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &given->runs[round->first_run + i];

        free_gpus -= run->gpus;
        if (run->job < given->job_count)
            present->held_in[run->job] = number + 1;
    }
    return free_gpus;
}

/* CH-Q12: spare GPUs are handed out in admission rounds only. */
static bool is_service(const struct audit *self, int64_t at_s)
{
    if (self->policy->waits != WAITS_FOR_LEASES)
        return true;
    return !self->tenures->are_short && !self->tenures->at_odd_times &&
           at_s % self->given->summary.leasing.admission_s == 0;
}

static void check_round(const struct audit *self, struct present *present, size_t number)
{
    const bool in_line = self->policy->waits == WAITS_IN_LINE;
    const int64_t at_s = self->given->rounds[number].at_s;
    const int64_t free_gpus = mark_holders(self, present, number);
    const struct audit_job *waiting = NULL;

    list_present(self, present, at_s);
    if (!is_service(self, at_s))
        return;
    for (size_t i = 0; i < present->count; i++) {
        const struct audit_job *job = &self->given->jobs[present->jobs[i]];
        const bool holds = present->held_in[present->jobs[i]] == number + 1;

        if (holds && in_line && waiting)
            findings_add(self->findings,
                         &(struct finding_place){"out-of-turn", NULL, at_s, job->id},
                         "holds GPUs while job %.128s waits that came before it", waiting->id);
        if (holds || may_wait(self, present->jobs[i], at_s))
            continue;
        if (job->gpus <= free_gpus && !(in_line && waiting))
            findings_add(self->findings, &(struct finding_place){"idle-gpus", NULL, at_s, job->id},
                         "waits for %" PRId64 " GPUs while %" PRId64 " stay free", job->gpus,
                         free_gpus);
        waiting = waiting ? waiting : job;
    }
}

void audit_check_service(const struct audit *self)
{
    const struct audit_case *given = self->given;
    struct present present = {.count = 0};

    if (self->policy->waits == WAITS_ANYBODY)
        return;
    present.by_submission = xcalloc(given->job_count, sizeof(*present.by_submission));
    present.jobs = xcalloc(given->job_count, sizeof(*present.jobs));
    present.held_in = xcalloc(given->job_count, sizeof(*present.held_in));
    for (size_t i = 0; i < given->job_count; i++)
        present.by_submission[i] = i;
    qsort_r(present.by_submission, given->job_count, sizeof(*present.by_submission),
            compare_submissions, given->jobs);
    for (size_t i = 0; i < given->round_count; i++)
        check_round(self, &present, i);
    free(present.held_in);
    free(present.jobs);
    free(present.by_submission);
}
