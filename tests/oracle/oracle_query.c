/* oracle_query.c - single steps of the oracle for unit tests: one planning, one placement. */
#include "oracle_internal.h"

#include <stdlib.h>

static void query_open(struct oracle_call *call, const struct oracle_plan_query *query,
                       enum oracle_policy policy, struct oracle_job *given, struct job *job,
                       struct oracle_steps *timeline)
{
    *given = (struct oracle_job){
        .id = "of the query", .model = query->model, .batch_size = query->batch_size};
    *job = (struct job){.given = given,
                        .deadline_s = query->deadline_s,
                        .work_iters = query->work_iters,
                        .gpus = query->held_gpus,
                        .gpus_next = query->forced_gpus,
                        .end_s = query->held_end_s};
    oracle_job_resolve(call, job, query->tables, policy, query->gpu_type);
    if (query->cap > 0)
        job->cap = query->cap;
    for (size_t i = 0; i < query->held_plan_count; i++)
        oracle_plan_set(call, &job->plan, query->held_plan[i].time_s, query->held_plan[i].gpus);
    for (size_t i = 0; i < query->timeline_count; i++)
        oracle_timeline_set(call, timeline, query->timeline[i].time_s, query->timeline[i].gpus);
    if (timeline->count == 0 || timeline->at[0].time_s != query->now_s)
        oracle_abort(call, ORACLE_PLAN_CHECK, "the timeline does not start at %.0f", query->now_s);
}

struct plan_work {
    struct oracle_call call;
    const struct oracle_plan_query *query;
    struct oracle_plan_result *result;
};

static void plan_work(void *argument)
{
    struct plan_work *work = argument;
    struct oracle_plan_result *result = work->result;
    struct oracle_steps timeline = {0};
    struct oracle_job given;
    struct job job;

    query_open(&work->call, work->query, ORACLE_EF, &given, &job, &timeline);
    if (work->query->forced_gpus > 0) {
        result->met = oracle_plan_probe(&work->call, &job, work->query->now_s, &timeline);
        result->plan = oracle_steps_give(&job.candidate_plan);
        result->timeline = oracle_steps_give(&job.candidate_timeline);
        result->end_s = job.candidate_end_s;
        result->real_end_s = job.candidate_real_end_s;
        result->gain_s = job.gain_s;
    } else {
        result->met = oracle_plan_commit(&work->call, &job, work->query->now_s, &timeline);
        result->plan = oracle_steps_give(&job.plan);
        result->timeline = oracle_steps_give(&timeline);
        result->end_s = job.end_s;
        result->real_end_s = job.real_end_s;
    }
}

void oracle_plan(const struct oracle_plan_query *query, struct oracle_plan_result *result)
{
    struct plan_work work = {.query = query, .result = result};

    *result = (struct oracle_plan_result){0};
    work.call.gpu_count = query->gpu_count;
    work.call.slot_s = query->slot_s;
    oracle_call_run(&work.call, plan_work, &work);
    result->status = work.call.status;
    oracle_call_end(&work.call);
}

void oracle_plan_result_clear(struct oracle_plan_result *result)
{
    free(result->plan.at);
    free(result->timeline.at);
    *result = (struct oracle_plan_result){0};
}
struct edf_work {
    struct oracle_call call;
    const struct oracle_plan_query *query;
    struct oracle_plan_result *result;
};

static void edf_work(void *argument)
{
    struct edf_work *work = argument;
    struct oracle_plan_result *result = work->result;
    struct oracle_steps timeline = {0};
    struct oracle_job given;
    struct job job;

    query_open(&work->call, work->query, ORACLE_EDF, &given, &job, &timeline);
    result->met = oracle_edf_commit(&work->call, &job, work->query->now_s, &timeline);
    result->plan = oracle_steps_give(&job.edf_plan);
    result->timeline = oracle_steps_give(&timeline);
    result->end_s = job.edf_end_s;
}

void oracle_edf_plan(const struct oracle_plan_query *query, struct oracle_plan_result *result)
{
    struct edf_work work = {.query = query, .result = result};

    *result = (struct oracle_plan_result){0};
    work.call.gpu_count = query->gpu_count;
    work.call.slot_s = query->slot_s;
    oracle_call_run(&work.call, edf_work, &work);
    result->status = work.call.status;
    oracle_call_end(&work.call);
}
struct sizes_work {
    struct oracle_call call;
    struct placement placement;
    const struct oracle_cluster *cluster;
    const int *sizes;
    size_t size_count;
    struct oracle_place_result *result;
    struct text layout;
};

static void sizes_work(void *argument)
{
    struct sizes_work *work = argument;
    struct oracle_call *call = &work->call;
    struct oracle_job *given;
    struct job *jobs;

    oracle_placement_open(call, &work->placement, work->cluster);
    given = oracle_resize(call, NULL, work->size_count * sizeof(given[0]));
    jobs = oracle_resize(call, NULL, work->size_count * sizeof(jobs[0]));
    for (size_t i = 0; i < work->size_count; i++) {
        given[i] = (struct oracle_job){.id = "of a given size", .row = (int)i};
        jobs[i] = (struct job){.given = &given[i], .gpus = work->sizes[i]};
        oracle_place(&work->placement, &jobs[i]);
        work->result->steps[work->result->step_count++] = oracle_place_state(&jobs[i]);
        work->layout.length = 0;
        oracle_layout_write(&work->placement, &work->layout);
    }
}

void oracle_place_sizes(const struct oracle_cluster *cluster, const int *sizes, size_t size_count,
                        struct oracle_place_result *result)
{
    struct sizes_work work = {
        .cluster = cluster, .sizes = sizes, .size_count = size_count, .result = result};

    *result = (struct oracle_place_result){
        .steps = oracle_xmalloc(size_count * sizeof(result->steps[0]))};
    oracle_call_run(&work.call, sizes_work, &work);
    result->status = work.call.status;
    result->layout = oracle_text_give(&work.layout);
    oracle_call_end(&work.call);
}

void oracle_place_result_clear(struct oracle_place_result *result)
{
    free(result->steps);
    free(result->layout.text);
    *result = (struct oracle_place_result){0};
}
