/* oracle_run.c - a whole run, and what the rounds of the EF and EDF policies have in common:
 * progress (section 7), overhead (section 9.2), counters and records (section 16). */
#include "oracle_internal.h"

#include <math.h>
#include <stdlib.h>

void oracle_run_pass(struct run *run)
{
    if (run->pass_count++ >= run->round_max)
        oracle_endless(&run->call);
}

/* Credits a job that held GPUs since the previous round. */
static void job_progress(struct run *run, struct job *job)
{
    /* EF-Q14: nothing is credited after the planned end, which was set without the overhead, and
     * the overhead is taken off all the same. */
    double mark_s = job->has_real_end ? job->real_end_s : job->end_s;
    double worked_s = run->elapsed_s;
    double rate;
    double done_iters;

    if (run->now_s > mark_s)
        worked_s -= run->now_s - mark_s;
    if (!(worked_s > 0))
        oracle_abort(&run->call, ORACLE_NO_TIME_PASSED, "job %s at %.0f: no time to progress in",
                     job->given->id, run->now_s);
    /* EF-Q15: what an overhead has left over when the interval ends is forgiven. EF-Q46: so a job
     * that is replanned in every slot may never get on. */
    worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;
    rate = oracle_rate(&run->call, job, job->gpus);
    done_iters = worked_s * rate;

    if (job->work_iters <= done_iters && job->end_s > run->now_s) {
        double lasted_s =
            oracle_ceil(&run->call, oracle_duration(&run->call, job->work_iters, rate));
        double ended_s = run->now_s - run->elapsed_s + lasted_s; /* EF-Q1 */

        done_iters = (job->end_s - run->now_s + run->elapsed_s) * rate;
        job->end_old_s = job->end_s;
        job->end_s = run->now_s;
        oracle_event_move_end(&run->call, &run->events, job);
        job->end_s = ended_s;
    }
    job->work_iters -= done_iters;
    job->overhead_s = 0;
}

void oracle_run_progress(struct run *run)
{
    for (size_t i = 0; i < run->live.count; i++)
        if (run->live.at[i]->gpus > 0)
            job_progress(run, run->live.at[i]);
    for (size_t i = 0; i < run->live.count; i++)
        run->live.at[i]->overhead_s = 0;
}

/* EF-Q47: it is starts that are counted as accepted. */
void oracle_run_start(struct run *run, struct job *job)
{
    oracle_jobs_remove(&run->pending, job);
    oracle_jobs_append(&run->call, &run->running, job);
    job->start_s = run->now_s;
    if (!job->given->best_effort)
        run->accepted++;
}

void oracle_run_retire(struct run *run, struct job *job, bool late)
{
    oracle_jobs_remove(&run->running, job);
    oracle_jobs_remove(&run->live, job);
    if (late) {
        run->declined++;
        run->accepted--;
    }
    oracle_run_record_end(run, job, run->now_s);
}

void oracle_run_record_end(struct run *run, const struct job *job, double retired_s)
{
    struct oracle_call *call = &run->call;
    struct text *text = &run->jobs_csv;

    oracle_text_add_time(call, text, retired_s);
    oracle_text_add(call, text, ",%s,%d,", job->given->id, job->gpus);
    oracle_text_add_time(call, text, job->given->submit_s);
    oracle_text_add(call, text, ",");
    oracle_text_add_time(call, text, job->start_s);
    oracle_text_add(call, text, ",");
    oracle_text_add_time(call, text, job->end_s);
    oracle_text_add(call, text, ",");
    oracle_text_add_time(call, text, job->deadline_s);
    oracle_text_add(call, text, ",%d\n", job->given->best_effort ? 1 : 0);
}

void oracle_run_record_round(struct run *run)
{
    oracle_cache_look(&run->placement);
    oracle_text_add_time(&run->call, &run->rounds_csv, run->now_s);
    oracle_text_add(&run->call, &run->rounds_csv, ",");
    oracle_layout_write(&run->placement, &run->rounds_csv);
    oracle_text_add(&run->call, &run->rounds_csv, "\n");
}

/* EF-Q20: every job pays in every round, whether anything changed for it or not. */
static void job_charge(struct run *run, struct job *job, bool restart)
{
    bool large = run->call.gpu_count >= 256;

    job->overhead_s = 0;
    if (job->gpus == 0)
        return;
    job->overhead_s = large ? 7 : 2;
    /* EF-Q19: a cached interval spares the restart too. EF-Q2: exact for powers of two. */
    if (!job->cached) {
        if (restart)
            job->overhead_s += large ? 47 : 27;
        job->overhead_s += 2 * (log2(job->gpus) + 1);
    }
    job->end_old_s = job->end_s;
    job->end_s += job->overhead_s;
    oracle_event_move_end(&run->call, &run->events, job);
}

void oracle_run_advance(struct run *run, const struct jobs *charged)
{
    /* EF-Q3: the length of the slot serves as a number of rounds. */
    bool restart = run->rounds > 0 && run->rounds % run->call.slot_s == 0;

    run->rounds++;
    if (restart)
        run->placement.cache_count = 0; /* EF-Q19: the flags of this round are set by now */
    for (size_t i = 0; charged && i < charged->count; i++)
        job_charge(run, charged->at[i], restart);
    oracle_events_advance(&run->call, &run->events, &run->now_s, &run->elapsed_s);
}

static void run_open(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct jobs sorted = {0};

    oracle_text_add(call, &run->jobs_csv,
                    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,"
                    "best_effort\n");
    oracle_text_add(call, &run->rounds_csv, "time,layout\n");
    if (run->job_count == 0)
        oracle_abort(call, ORACLE_BAD_INPUT, "no job at all");

    run->jobs = oracle_resize(call, NULL, run->job_count * sizeof(run->jobs[0]));
    for (size_t i = 0; i < run->job_count; i++) {
        const struct oracle_job *given = &run->given[i];

        run->jobs[i] =
            (struct job){.given = given,
                         .deadline_s = given->best_effort ? ORACLE_FOREVER_S : given->deadline_s,
                         .work_iters = given->iterations};
        oracle_job_resolve(call, &run->jobs[i], run->tables, run->setting->policy,
                           run->setting->gpu_type);
        oracle_jobs_append(call, &sorted, &run->jobs[i]);
    }
    oracle_jobs_sort(&sorted, oracle_job_arrived_earlier);
    for (size_t i = 0; i < sorted.count; i++)
        oracle_event_add_start(call, &run->events, sorted.at[i]);
    oracle_events_sort(&run->events);
    run->now_s = run->events.at[0].time_s;
    oracle_placement_open(call, &run->placement, run->cluster);
}

static void run_work(void *argument)
{
    struct run *run = argument;

    run_open(run);
    switch (run->setting->policy) {
    case ORACLE_EF_ACCESSCTRL:
        oracle_run_ef_accessctrl(run);
        break;
    case ORACLE_EF:
        oracle_run_ef(run);
        break;
    case ORACLE_EDF:
        oracle_run_edf(run);
        break;
    case ORACLE_EDF_ACCESSCTRL:
        oracle_run_edf_accessctrl(run);
        break;
    case ORACLE_GANDIVA:
        oracle_run_gandiva(run);
        break;
    case ORACLE_DLAS_GPU:
        oracle_run_dlas_gpu(run);
        break;
    case ORACLE_THEMIS:
        oracle_run_themis(run);
        break;
    }
    if (run->accepted + run->declined == 0)
        oracle_abort(&run->call, ORACLE_NOTHING_COUNTED, "no job was accepted or declined");
}

void oracle_run(const struct oracle_setting *setting, const struct oracle_cluster *cluster,
                const struct oracle_tables *tables, const struct oracle_job *jobs, size_t job_count,
                long round_max, struct oracle_run_result *result)
{
    struct run run = {.setting = setting,
                      .cluster = cluster,
                      .tables = tables,
                      .given = jobs,
                      .job_count = job_count,
                      .round_max = round_max};

    run.call.gpu_count = cluster->switches * cluster->nodes_per_switch * cluster->gpus_per_node;
    run.call.slot_s = setting->slot_s;
    oracle_call_run(&run.call, run_work, &run);
    *result = (struct oracle_run_result){.status = run.call.status,
                                         .accepted = run.accepted,
                                         .declined = run.declined,
                                         .rounds = run.rounds,
                                         .jobs_csv = oracle_text_give(&run.jobs_csv),
                                         .rounds_csv = oracle_text_give(&run.rounds_csv)};
    oracle_call_end(&run.call);
}

void oracle_run_result_clear(struct oracle_run_result *result)
{
    free(result->jobs_csv.text);
    free(result->rounds_csv.text);
    *result = (struct oracle_run_result){0};
}
