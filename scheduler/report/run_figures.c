/* run_figures.c - see run_figures.h. */
#include "scheduler/report/run_figures.h"

#include "scheduler/report/figures_json.h"

#include <stddef.h>

#define RUN_FIGURE(member, key, unit, help) FIGURE(struct figures, member, key, unit, help)
#define RUN_VALUE(member, name, help_)                                                             \
    .kind = FIGURE_KIND_TENTHS, .key = (name), .help = (help_),                                    \
    .offset = offsetof(struct figures, member), .decimals = 1

const struct run_figure run_figures[] = {
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(outcomes.promises, "promises", NULL,
                           "whether the policy promises deadlines at all")}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(
         outcomes.on_time, "on_time", NULL,
         "jobs that ended by their deadline, overheads included, promised or not")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(
         outcomes.promised, "promised", NULL,
         "jobs that were promised their deadline; 0 for a policy that promises nothing")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(
         outcomes.promised_at_arrival, "promised_at_arrival", NULL,
         "those of the promised jobs that were promised their deadline when they arrived")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(outcomes.promised_later, "promised_later", NULL,
                           "those of the promised jobs that ran without a promise first")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(
         outcomes.withdrawn, "withdrawn", NULL,
         "jobs whose promise the policy gave up, with a cause, as the promise could not be "
         "kept any more; those of them that missed their deadline all the same are "
         "broken")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(
         outcomes.withdrawals, "withdrawals", NULL,
         "how often a promise was given up: a promise that is made again can be given up "
         "again")}},
    {.part = PART_OUTCOMES,
     .of_promises = true,
     .figure = {RUN_FIGURE(
         outcomes.broken, "broken", NULL,
         "promised jobs that missed the promised deadline, or are not tried again")}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(
         outcomes.failed, "failed", NULL,
         "jobs that failed and are not tried again, because their program does; those of "
         "them that were promised their deadline are broken. A simulation has none")}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(outcomes.best_effort_on_time, "best_effort_on_time", NULL,
                           "jobs on time without a promise: on_time = promised - broken + "
                           "best_effort_on_time")}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(on_time_share, "on_time_share", "%",
                           "on_time / deadline_jobs; 0 if no job has a deadline"),
                .decimals = 1, .share = true}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(
                    outcomes.value_on_time, "value_on_time", NULL,
                    "what the jobs on time are worth, by the column value of the trace, or by the "
                    "step of a soft deadline in which they ended"),
                .decimals = 1}},
    {.part = PART_OUTCOMES,
     .figure = {RUN_FIGURE(outcomes.gpu_hours_on_time, "gpu_hours_on_time", "h",
                           "the least GPU-hours that the jobs on time take, overheads aside"),
                .decimals = 1}},
    {.part = PART_SOFT,
     .figure = {RUN_FIGURE(outcomes.soft_jobs, "soft_jobs", NULL,
                           "jobs that have a soft deadline")}},
    {.part = PART_SOFT,
     .of_promises = true,
     .figure = {RUN_FIGURE(outcomes.falls, "falls", NULL,
                           "how often a promise fell to a later step")}},
    {.part = PART_COUNTS,
     .figure =
         {RUN_FIGURE(
              accepted, "accepted", NULL,
              "the counter of the published artifact: jobs that ran and were not found late by "
              "the rule of their policy"),
          .title = "ARTIFACT ACCEPTED"}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(declined, "declined", NULL,
                           "the counter of the published artifact: all jobs that are not accepted"),
                .title = "ARTIFACT DECLINED"}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(finished, "finished", NULL, "jobs that ran to their end, late or not")}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(deadline_satisfaction, "deadline_satisfaction", "%",
                           "accepted / deadline_jobs; 0 if no job has a deadline"),
                .decimals = 1, .share = true}},
    {.part = PART_COUNTS,
     .figure =
         {RUN_FIGURE(jct_mean_s, "jct_mean_s", "s",
                     "mean job completion time, from submission to end, over the finished jobs"),
          .title = "MEAN JCT"}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(jct_p99_s, "jct_p99_s", "s",
                           "99th percentile (nearest rank) of the job completion time"),
                .title = "P99 JCT"}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(makespan_s, "makespan_s", "s",
                           "from the first submission to the last retirement"),
                .title = "MAKESPAN"}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(gpu_utilisation, "gpu_utilisation", "%",
                           "GPU seconds held / (gpus x makespan_s)"),
                .title = "GPU USE", .decimals = 1, .share = true}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(rounds, "rounds", NULL, "rounds of the scheduler")}},
    {.part = PART_COUNTS,
     .figure = {RUN_FIGURE(wall_s, "wall_s", "s", "seconds that the simulation took")}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(
         preemptions, "preemptions", NULL,
         "how often a job that held GPUs in the round before holds none, and is not done")}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(
         migrations, "migrations", NULL,
         "how often a job holds as many GPUs as in the round before, but not the same "
         "ones")}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(
         resizes, "resizes", NULL,
         "how often a job holds another number of GPUs than in the round before, neither "
         "being 0")}},
    {.part = PART_METRICS,
     .figure =
         {RUN_FIGURE(
              queueing_delay_mean_s, "queueing_delay_mean_s", "s",
              "mean time from submission to the round in which a job first held GPUs, over the "
              "jobs that ever held any"),
          .title = "MEAN DELAY"}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(queueing_delay_p99_s, "queueing_delay_p99_s", "s",
                           "99th percentile (nearest rank) of that time"),
                .title = "P99 DELAY"}},
    {.part = PART_METRICS,
     .figure =
         {RUN_FIGURE(
              finish_time_fairness_jobs, "finish_time_fairness_jobs", NULL,
              "the finished jobs for which finish-time fairness is known, see below; if there "
              "are none, the four figures that follow are null"),
          .title = "FAIRNESS JOBS"}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(finish_time_fairness_mean, "finish_time_fairness_mean", NULL,
                           "mean finish-time fairness of these jobs"),
                .title = "MEAN FAIRNESS", .decimals = 2}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(finish_time_fairness_p99, "finish_time_fairness_p99", NULL,
                           "99th percentile (nearest rank) of finish-time fairness"),
                .title = "P99 FAIRNESS", .decimals = 2}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(finish_time_fairness_max, "finish_time_fairness_max", NULL,
                           "the largest finish-time fairness"),
                .title = "MAX FAIRNESS", .decimals = 2}},
    {.part = PART_METRICS,
     .figure = {RUN_FIGURE(fair_share, "fair_share", "%",
                           "the part of these jobs whose finish-time fairness is at most 1"),
                .title = "FAIR", .decimals = 1, .share = true}},
    {.part = PART_QUEUES,
     .figure =
         {.kind = FIGURE_KIND_LIST,
          .key = "attained_service_gpu_s",
          .unit = "GPU s",
          .help =
              "for each queue of the policy, the queue that is served first coming first, the GPU "
              "seconds that jobs held while they were in the queue; the sum is that of gpu_seconds "
              "in work.csv",
          .offset = offsetof(struct figures, attained_service_gpu_s),
          .length = offsetof(struct figures, queues),
          .title = "SERVICE"}},
    {.part = PART_QUEUES,
     .figure = {RUN_FIGURE(demotions, "demotions", NULL,
                           "how often a job moved to a queue that is served later")}},
    {.part = PART_BOUNDS,
     .figure = {RUN_FIGURE(
         bounds.free.jobs,
         "bound", NULL,
         "how many jobs any policy could end on time at most, if starts cost nothing")}},
    {.part = PART_BOUNDS,
     .figure = {RUN_FIGURE(
         bounds.free.gap, "bound_gap", NULL,
         "so many fewer jobs are in the best plan that was found for the bound; 0 shows "
         "that no smaller bound can be found in this way")}},
    {.part = PART_BOUNDS,
     .figure = {RUN_FIGURE(bounds.with_overheads.jobs, "bound_with_overheads", NULL,
                           "the bound if each level that a job trains at is paid for by a start")}},
    {.part = PART_BOUNDS,
     .figure = {RUN_FIGURE(bounds.with_overheads.gap, "bound_with_overheads_gap", NULL,
                           "the gap of bound_with_overheads")}},
    {.part = PART_VALUE_BOUNDS,
     .figure = {RUN_VALUE(bounds.value.jobs, "value_bound",
                          "the bound of value_on_time, if starts cost nothing")}},
    {.part = PART_VALUE_BOUNDS,
     .figure = {RUN_VALUE(bounds.value.gap, "value_bound_gap", "the gap of value_bound")}},
    {.part = PART_VALUE_BOUNDS,
     .figure = {RUN_VALUE(bounds.value_with_overheads.jobs, "value_bound_with_overheads",
                          "the bound of value_on_time, if each level is paid for by a start")}},
    {.part = PART_VALUE_BOUNDS,
     .figure = {RUN_VALUE(bounds.value_with_overheads.gap, "value_bound_with_overheads_gap",
                          "the gap of value_bound_with_overheads")}},
    {.part = PART_END},
};

bool run_figures_have(const struct figures *figures, enum figure_part part)
{
    switch (part) {
    case PART_SOFT:
        return figures->outcomes.soft_jobs > 0;
    case PART_QUEUES:
        return figures->queues > 0;
    case PART_BOUNDS:
        return figures->has_bounds;
    case PART_VALUE_BOUNDS:
        return figures->has_bounds && figures->bounds.has_values;
    case PART_OUTCOMES:
    case PART_COUNTS:
    case PART_METRICS:
    case PART_END:
        break;
    }
    return true;
}

void run_figures_add(const struct figures *figures, enum figure_part part, json_t *summary)
{
    if (!run_figures_have(figures, part))
        return;
    for (const struct run_figure *item = run_figures; item->part != PART_END; item++)
        if (item->part == part)
            json_object_set_new(summary, item->figure.key, figure_json(&item->figure, figures));
}
