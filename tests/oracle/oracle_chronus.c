/* oracle_chronus.c - whole runs of `chronus`: the event loop (section 4), the running pass (section
 * 5), and how jobs end and are counted (section 10).
 *
 * Of the quirks that change outcomes two are not repaired here. CH-Q12, that GPUs which become free
 * between slots wait for the next, has no clean twin that the text defines: "react to events"
 * leaves open which pass would run. CH-Q11 is about the choices of a solver. Where the text leaves
 * a clean twin open, what was chosen is said at its place. */
#include "oracle_chronus_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool chronus_cleaned(const struct chronus *self, enum oracle_repair repair)
{
    return (self->setting->cleaned & (unsigned)repair) != 0;
}

bool chronus_leases_are_short(const struct chronus *self)
{
    return self->setting->lease_s <= CHRONUS_SHORT_LEASE_S;
}

int chronus_free_gpus(const struct chronus *self)
{
    int free_gpus = self->setting->gpu_count;

    for (size_t i = 0; i < self->running.count; i++)
        free_gpus -= self->running.at[i]->given->gpus;
    assert(free_gpus >= 0);
    return free_gpus;
}

/* ceil((est - prog) / L); the estimate may be used up by far. */
long chronus_leases_left(const struct chronus *self, const struct chronus_job *job)
{
    return (long)ceil((double)(job->est - job->prog) / (double)self->setting->lease_s);
}

void chronus_plan_clear_first(struct chronus_job *job, long count)
{
    for (long i = 0; job->plan && i < job->plan_length && count > 0; i++)
        if (job->plan[i]) {
            job->plan[i] = 0;
            count--;
        }
}

void chronus_plan_drop(struct chronus *self, struct chronus_job *job)
{
    oracle_free(&self->call, job->plan);
    job->plan = NULL;
    job->plan_length = 0;
}

void chronus_plan_new(struct chronus *self, struct chronus_job *job, long length)
{
    assert(length >= 0);
    job->plan = oracle_resize(&self->call, job->plan, (size_t)length + 1);
    job->plan_length = length;
    memset(job->plan, 0, (size_t)length + 1);
}

void chronus_jobs_append(struct chronus *self, struct chronus_jobs *list, struct chronus_job *job)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 8;
        list->at = oracle_resize(&self->call, list->at, list->room * sizeof(list->at[0]));
    }
    list->at[list->count++] = job;
}

void chronus_jobs_remove(struct chronus_jobs *list, const struct chronus_job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] != job)
            list->at[kept++] = list->at[i];
    assert(kept + 1 == list->count);
    list->count = kept;
}

static void jobs_sort(struct chronus_jobs *list, chronus_compare *compare, int sign)
{
    for (size_t i = 1; i < list->count; i++) {
        struct chronus_job *job = list->at[i];
        size_t to = i;

        for (; to > 0 && sign * compare(job, list->at[to - 1]) < 0; to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = job;
    }
}

void chronus_jobs_sort(struct chronus_jobs *list, chronus_compare *compare)
{
    jobs_sort(list, compare, 1);
}

void chronus_jobs_sort_descending(struct chronus_jobs *list, chronus_compare *compare)
{
    jobs_sort(list, compare, -1);
}

int chronus_sign(long a, long b)
{
    return (a > b) - (a < b);
}

/* What its starts have cost it. */
static double overhead_s(const struct chronus_job *job)
{
    return (double)job->resume * CHRONUS_OVERHEAD_S * (1 + log2(job->given->gpus));
}

static void job_account(struct chronus_job *job, long t)
{
    long dt = t - job->last;

    job->prog += dt;
    job->exec += dt;
    job->last = t;
}

/* CH-Q17: a job that used up the estimate goes first from then on. Repaired, a best-effort job
 * keeps its class and gets no boost; that hopeless jobs lose theirs is seen to where they are found
 * hopeless. */
static void job_overrun(struct chronus *self, struct chronus_job *job)
{
    if (job->class != ORACLE_BEST_EFFORT || !chronus_cleaned(self, ORACLE_CLEAN_CH_Q17)) {
        job->class = ORACLE_UNACCEPTED;
        job->boost = true;
    }
    chronus_plan_drop(self, job);
    job->eligible = false;
}

/* Section 9.3. */
static void job_replan(const struct chronus *self, struct chronus_job *job)
{
    long left = chronus_leases_left(self, job);

    if (job->class != ORACLE_ACCEPTED || job->held || job->forced || left == job->need)
        return;
    job->need = left;
    chronus_plan_clear_first(job, 1);
}

/* Section 5. Returns whether the job is still running. */
static bool job_run(struct chronus *self, struct chronus_job *job)
{
    long dt = self->t - job->last;
    long duration = job->given->duration_s;
    double ov = overhead_s(job);

    if (job->held_s == 0)
        job->started = self->t - self->setting->check_s;
    job->held_s += self->setting->check_s;
    if ((double)(dt + job->prog) >= (double)duration + ov) {
        job->end = (double)(job->last + duration - job->prog) + ov; /* CH-Q1: may lie far back */
        job->retired = self->t;
        return false;
    }
    if (dt + job->exec >= job->est && (self->t % self->setting->lease_s == 0 || !job->held))
        job_overrun(self, job);
    job_account(job, self->t);
    if (chronus_leases_are_short(self))
        job_replan(self, job);
    return true;
}

static void running_pass(struct chronus *self)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->running.count; i++)
        if (job_run(self, self->running.at[i]))
            self->running.at[kept++] = self->running.at[i];
    self->running.count = kept;
    for (size_t i = 0; i < self->job_count; i++)
        self->jobs[i].was_stopped = false;
}

static void tell_holders(struct chronus *self)
{
    size_t *holders;

    if (!self->watch || !self->watch->holders)
        return;
    holders = oracle_resize(&self->call, NULL, self->running.count * sizeof(holders[0]) + 1);
    for (size_t i = 0; i < self->running.count; i++)
        holders[i] = (size_t)(self->running.at[i] - self->jobs);
    self->watch->holders(self->watch->context, self->t, holders, self->running.count);
    oracle_free(&self->call, holders);
}

/* CH-Q6: the fill goes by the number of a class where a slot was meant. Repaired, it comes with
 * every slot, and only then. */
static bool is_time_to_fill(const struct chronus *self)
{
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q6))
        return self->t % self->setting->admission_s == 0;
    return self->t % 2 == 1;
}

static void tick(struct chronus *self)
{
    bool leases = self->t % self->setting->lease_s == 0;
    bool admits = self->t % self->setting->admission_s == 0;

    running_pass(self);
    if (leases)
        chronus_lease_round(self);
    if (admits) {
        chronus_admission(self);
        chronus_pending_pass(self);
    }
    if (is_time_to_fill(self))
        chronus_fill(self);
    if (leases || admits)
        tell_holders(self);
    self->t += self->setting->check_s;
}

/* CH-Q9: the flag of a job that has a deadline is lost. */
static bool is_best_effort(const struct chronus *self, const struct oracle_chronus_job *given)
{
    return given->level_count == 0 ||
           (given->best_effort && chronus_cleaned(self, ORACLE_CLEAN_CH_Q9));
}

static void job_open(const struct chronus *self, struct chronus_job *job,
                     const struct oracle_chronus_job *given)
{
    assert(given->gpus >= 1);
    assert(given->duration_s >= 0);
    for (size_t i = 0; i < given->level_count; i++)
        assert(given->levels[i].deadline_s >= given->submit_s);
    *job = (struct chronus_job){.given = given,
                                .class = ORACLE_UNACCEPTED,
                                .has_ddl = !is_best_effort(self, given),
                                .eligible = true,
                                .u = 1000000000000000, /* until its first pending pass */
                                .retired = -1};
    if (job->has_ddl) {
        job->ddl = given->levels[0].deadline_s - given->submit_s;
        job->stated = job->ddl;
    }
}

static void events_sort(struct chronus *self)
{
    for (size_t i = 1; i < self->job_count; i++) {
        size_t job = self->order[i];
        size_t to = i;

        for (; to > 0 && self->given[job].submit_s < self->given[self->order[to - 1]].submit_s;
             to--)
            self->order[to] = self->order[to - 1];
        self->order[to] = job;
    }
}

static void run_open(struct chronus *self)
{
    self->jobs = oracle_resize(&self->call, NULL, self->job_count * sizeof(self->jobs[0]) + 1);
    self->order = oracle_resize(&self->call, NULL, self->job_count * sizeof(self->order[0]) + 1);
    for (size_t i = 0; i < self->job_count; i++) {
        job_open(self, &self->jobs[i], &self->given[i]);
        self->order[i] = i;
    }
    events_sort(self);
}

static void run_work(void *argument)
{
    struct chronus *self = argument;
    long ticks = 0;

    while (self->pending.count > 0 || self->running.count > 0 || self->arrived < self->job_count) {
        if (ticks++ >= self->setting->tick_max)
            oracle_endless(&self->call);
        tick(self);
    }
}

/* CH-Q7: what was admitted is judged by the deadline that was rounded down. Repaired, by the stated
 * one, although the plans are still made for the other. */
static long deadline_to_judge(const struct chronus *self, const struct chronus_job *job)
{
    return chronus_cleaned(self, ORACLE_CLEAN_CH_Q7) ? job->stated : job->ddl;
}

static struct oracle_chronus_job_result job_result(const struct chronus *self,
                                                   const struct chronus_job *job)
{
    struct oracle_chronus_job_result result = {.end_s = job->end,
                                               .retired_s = job->retired,
                                               .started_s = job->started,
                                               .starts = job->resume,
                                               .class = job->class,
                                               .has_deadline = job->has_ddl,
                                               .estimated_s = job->est,
                                               .leases = job->leases,
                                               .waited_s = job->waited,
                                               .held_s = job->held_s};

    if (job->has_ddl) {
        result.deadline_s = deadline_to_judge(self, job);
        result.in_force_s = job->ddl;
        result.missed = job->end - (double)job->given->submit_s > (double)result.deadline_s;
    }
    return result;
}

static void count(struct oracle_chronus_result *result, const struct oracle_chronus_job_result *job)
{
    result->starts += job->starts;
    if (job->retired_s < 0)
        return;
    result->admitted += job->class == ORACLE_ACCEPTED;
    result->satisfied += job->has_deadline && !job->missed;
    result->ends_sum_s += job->end_s;
    result->end_last_s = fmax(result->end_last_s, job->end_s);
}

static void check_setting(const struct oracle_chronus_setting *setting)
{
    assert(setting->gpu_count >= 1);
    assert(setting->lease_s >= 1);
    assert(setting->check_s >= 1);
    assert(setting->admission_s >= 1);
    assert(setting->lease_s % setting->check_s == 0);
    assert(setting->admission_s % setting->check_s == 0);
}

void oracle_chronus_run(const struct oracle_chronus_setting *setting,
                        const struct oracle_chronus_job *jobs, size_t job_count,
                        const struct oracle_chronus_watch *watch,
                        struct oracle_chronus_result *result)
{
    struct chronus self = {
        .setting = setting, .watch = watch, .given = jobs, .job_count = job_count};

    check_setting(setting);
    run_open(&self);
    oracle_call_run(&self.call, run_work, &self);
    *result = (struct oracle_chronus_result){
        .status = self.call.status,
        .rounds = self.rounds,
        .repairs = self.repairs,
        .jobs = oracle_xmalloc(job_count * sizeof(struct oracle_chronus_job_result)),
        .job_count = job_count};
    for (size_t i = 0; i < job_count; i++) {
        result->jobs[i] = job_result(&self, &self.jobs[i]);
        count(result, &result->jobs[i]);
    }
    oracle_call_end(&self.call);
}

void oracle_chronus_result_clear(struct oracle_chronus_result *result)
{
    free(result->jobs);
    *result = (struct oracle_chronus_result){0};
}
