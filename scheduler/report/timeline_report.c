/* timeline_report.c - see timeline_report.h. */
#include "scheduler/report/timeline_report.h"

#include <math.h>

static const char *const reason_words[] = {
    [CHANGE_START] = "start",         [CHANGE_RESTART] = "restart",
    [CHANGE_GROW] = "grow",           [CHANGE_SHRINK] = "shrink",
    [CHANGE_MOVE] = "move",           [CHANGE_PREEMPTED] = "preempted",
    [CHANGE_NODE_LOST] = "node-lost", [CHANGE_DONE] = "done",
    [CHANGE_FAILED] = "failed",       [CHANGE_CANCELLED] = "cancelled",
    [CHANGE_SUSPENDED] = "suspended",
};

void timeline_report_begin(output_t *timeline, output_t *cluster)
{
    output_text(timeline, "time,job_id,pool,gpus,reason\n");
    output_text(cluster, "time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency\n");
}

void timeline_report_change(output_t *out, int64_t now_s, const struct allocation_change *change)
{
    output_whole(out, now_s);
    output_char(out, ',');
    output_text(out, change->submission->id);
    output_char(out, ',');
    output_text(out, change->pool);
    output_char(out, ',');
    output_whole(out, change->gpus);
    output_char(out, ',');
    output_text(out, reason_words[change->reason]);
    output_char(out, '\n');
}

void timeline_report_use(output_t *out, int64_t now_s, const struct cluster_use *use)
{
    const int64_t counts[] = {now_s, use->gpus_up, use->gpus_used, use->jobs_running,
                              use->jobs_waiting};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        output_whole(out, counts[i]);
        output_char(out, ',');
    }
    if (!isnan(use->efficiency))
        output_format(out, "%.9g", use->efficiency);
    output_char(out, '\n');
}
