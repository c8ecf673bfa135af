/* oracle_arrival.c - what the baselines have in common: the queue of arrivals (section 1.3), the
 * overhead (section 1.2) and, of two of them, the placement (section 6). */
#include "oracle_internal.h"

#include <math.h>

void oracle_baseline_open(struct run *run)
{
    for (size_t i = 0; i < run->job_count; i++) {
        struct job *job = &run->jobs[i];

        if (job->given->num_gpu < 1)
            oracle_abort(&run->call, ORACLE_BAD_INPUT, "job %s: asks for no GPU", job->given->id);
        job->gpus = (int)job->given->num_gpu;
        job->start_s = ORACLE_FOREVER_S;
    }
}

static void merge_leading(struct run *run)
{
    struct events *arrivals = &run->events;
    double until_s = run->now_s + run->call.slot_s;
    struct event *first = &arrivals->at[0];

    while (arrivals->count > 1 && arrivals->at[1].time_s <= until_s) {
        struct event *second = &arrivals->at[1];

        oracle_jobs_append_all(&run->call, &first->starts, &second->starts);
        oracle_events_remove(&run->call, arrivals, second->serial);
    }
    first->time_s = until_s;
}

void oracle_arrivals_merge_all(struct run *run)
{
    if (run->events.count > 0 && run->events.at[0].time_s <= run->now_s + run->call.slot_s)
        merge_leading(run);
}

void oracle_arrivals_merge(struct run *run)
{
    if (run->events.count > 1) /* CO-Q2 */
        oracle_arrivals_merge_all(run);
}

struct jobs oracle_arrivals_take(struct run *run)
{
    struct event event = oracle_event_copy(&run->call, &run->events, run->now_s);

    oracle_events_remove(&run->call, &run->events, event.serial);
    return event.starts;
}

double oracle_baseline_overhead(const struct run *run, const struct job *job, bool restart)
{
    bool large = run->call.gpu_count >= 256;
    double base_s = large ? 7 : 2;

    if (restart)
        base_s += large ? 27 + 20 : 27;
    return base_s + (log(job->gpus) / log(2) + 1) * 2;
}

bool oracle_baseline_count_round(struct run *run)
{
    /* CO-Q1: the length of the slot serves as a number of rounds. */
    bool restart = run->rounds > 0 && run->rounds % run->call.slot_s == 0;

    run->rounds++;
    return restart;
}

void oracle_baseline_release(struct run *run)
{
    for (size_t i = 0; i < run->live.count; i++)
        if (run->live.at[i]->nodes)
            oracle_release(&run->placement, run->live.at[i]);
}

void oracle_baseline_place(struct run *run, const struct jobs *running)
{
    struct oracle_call *call = &run->call;
    struct jobs by_size = {0};

    oracle_jobs_append_all(call, &by_size, running);
    oracle_jobs_sort(&by_size, oracle_job_is_larger);
    for (size_t i = 0; i < by_size.count; i++) {
        oracle_place(&run->placement, by_size.at[i]);
        oracle_rate(call, by_size.at[i], by_size.at[i]->gpus); /* section 1.1: it must exist */
    }
    oracle_jobs_drop(call, &by_size);
    oracle_run_record_round(run);
}
