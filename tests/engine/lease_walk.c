/* lease_walk.c - see lease_walk.h. */
#include "tests/engine/lease_walk.h"

#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static submissions_t *list_jobs(const struct lease_setting *setting)
{
    submissions_t *jobs = submissions_new();

    for (size_t i = 0; i < setting->job_count; i++) {
        struct submission job = lease_job_make(&setting->jobs[i]);

        job.number = i;
        submissions_append(jobs, &job);
    }
    return jobs;
}

walk_t *lease_walk_new(const struct lease_setting *setting)
{
    const int nodes = setting->nodes > 0 ? setting->nodes : 1;
    struct engine_setting own = {.cluster = CLUSTER_OF(1, nodes, setting->gpu_count / nodes),
                                 .gpu_type = "A100",
                                 .slot_s = 60};
    struct leasing leasing = setting->leasing;
    struct error error;

    if (leasing_settle(&leasing, own.slot_s, &error) < 0)
        fail_msg("%s", error.text);
    own.options = &leasing;
    return walk_of("chronus", setting->rules, &own, list_jobs(setting), setting->cluster);
}

const struct lease *lease_walk_lease(const walk_t *walk, size_t row)
{
    const struct job *job = walk_job(walk, row);
    struct lease *lease = lease_of(walk_leases(walk), job);

    if (job_is_over(job))
        lease->job = job; /* the engine has no record of it any more */
    return lease;
}

static const char *class_letter(enum lease_class class)
{
    switch (class) {
    case LEASE_LOWEST:
        return "x";
    case LEASE_UNACCEPTED:
        return "u";
    case LEASE_BEST_EFFORT:
        return "b";
    case LEASE_ACCEPTED:
        break;
    }
    return "";
}

static size_t show_plan(const struct slot_runs *plan, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < plan->count; i++) {
        const struct slot_run *run = &plan->items[i];

        used +=
            (size_t)snprintf(text + used, size - used, "%c%" PRId64, i == 0 ? '{' : ',', run->from);
        if (run->to > run->from + 1)
            used += (size_t)snprintf(text + used, size - used, "-%" PRId64, run->to - 1);
    }
    if (used > 0)
        used += (size_t)snprintf(text + used, size - used, "}");
    return used;
}

static const char *state_letter(const struct lease *lease)
{
    if (lease->held)
        return "L";
    return lease->running ? "R" : "p";
}

static size_t show_lease(const struct lease *lease, char *text, size_t size)
{
    const size_t used = (size_t)snprintf(
        text, size, "%s%s%s%s[%" PRId64 "]", lease->job->submission->id, state_letter(lease),
        class_letter(lease->class), lease->boosted ? "^" : "", lease->job->attained_s);

    return used + show_plan(&lease->plan, text + used, size - used);
}

const char *lease_walk_show(walk_t *walk)
{
    static char text[1000];
    size_t used = 0;

    text[0] = '\0';
    for (size_t row = 0; row < walk_job_count(walk); row++) {
        const struct job *job = walk_job(walk, row);

        if (job->state != JOB_PENDING && job->state != JOB_RUNNING)
            continue;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", used > 0 ? " " : "");
        used += show_lease(lease_walk_lease(walk, row), text + used, sizeof(text) - used);
    }
    return text;
}

bool lease_walk_missed(const struct lease *lease)
{
    return !lease->job->submission->best_effort &&
           job_ended_s(lease->job) > (double)lease->judged_s;
}

void lease_walk_check_account(const struct lease *lease, int64_t retired_s)
{
    const struct job *job = lease->job;
    const int64_t held_s = job->gpu_seconds / job->submission->gpus_requested;
    const double took_s =
        (double)(held_s + lease->waited_s) - ((double)retired_s - job_ended_s(job));

    assert_true(fabs(took_s - (double)job->submission->duration_s - lease_overhead_s(lease)) <
                1e-6);
}

static void check_fate(const struct lease *lease, const struct lease_fate *fate)
{
    assert_int_equal(lease->job->state, JOB_DONE);
    if (job_ended_s(lease->job) != fate->ended_s)
        fail_msg("job %s ended at %.9g s, expected %.9g", lease->job->submission->id,
                 job_ended_s(lease->job), fate->ended_s);
    assert_int_equal(lease->starts, fate->starts);
    assert_int_equal(lease->leases, fate->leases);
    assert_int_equal(lease->waited_s, fate->waited_s);
    assert_int_equal(lease->class, fate->class);
    assert_int_equal(lease_walk_missed(lease), fate->missed);
}

void lease_walk_check(const struct lease_setting *setting, const struct walk_step *steps,
                      size_t count, const struct lease_fate fates[])
{
    walk_t *walk = lease_walk_new(setting);

    walk_all(walk, steps, count, lease_walk_show);
    for (size_t row = 0; row < setting->job_count; row++)
        check_fate(lease_walk_lease(walk, row), &fates[row]);
    walk_destroy(&walk);
}
