/* oracle_gain.c - what a job would gain from growing by a level (the first half of section 12). */
#include "oracle_internal.h"

static void timeline_split(struct oracle_call *call, struct oracle_steps *timeline, double time_s)
{
    const struct oracle_step *before = oracle_step_before(timeline, time_s);

    if (!oracle_step_at(timeline, time_s))
        oracle_timeline_set(call, timeline, time_s, before ? before->gpus : call->gpu_count);
}

/* Gives the job's own reservation back. */
static void timeline_refund(struct oracle_call *call, struct oracle_steps *timeline,
                            const struct job *job)
{
    int last = 0;

    timeline_split(call, timeline, job->end_s);
    for (size_t i = 0; i < job->plan.count; i++) {
        const struct oracle_step *held = &job->plan.at[i];

        timeline_split(call, timeline, held->time_s);
        for (size_t k = 0; k < timeline->count; k++)
            if (timeline->at[k].time_s >= held->time_s && timeline->at[k].time_s < job->end_s)
                timeline->at[k].gpus += held->gpus - last;
        last = held->gpus;
    }
    for (size_t k = 0; k < timeline->count; k++)
        if (timeline->at[k].gpus > call->gpu_count)
            oracle_abort(call, ORACLE_PLAN_CHECK, "job %s: refunded more GPUs than there are",
                         job->given->id);
    oracle_steps_compress(timeline);
}

void oracle_gain(struct oracle_call *call, struct job *job, double now_s,
                 const struct oracle_steps *timeline, int spare)
{
    struct oracle_steps refunded = {0};

    if (job->gpus_next - job->gpus > spare || job->gpus_next == job->gpus) {
        job->gain_s = -ORACLE_FOREVER_S;
        return;
    }
    oracle_steps_assign(call, &refunded, timeline);
    timeline_refund(call, &refunded, job);
    oracle_plan_probe(call, job, now_s, &refunded);
    oracle_steps_drop(call, &refunded);

    /* EF-Q31: a job that was to wait comes before all others. */
    if (job->gpus == 0)
        job->gain_s = ORACLE_FOREVER_S;
}
