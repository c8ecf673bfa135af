/* verdict.c - see verdict.h. */
#include "scheduler/state/verdict.h"

#include <stdio.h>

#define HOUR_S 3600

void demand_seen_text(const struct demand_seen *seen, int gpus, char *text, size_t size)
{
    const bool is_long = seen->over_s >= HOUR_S;

    (void)snprintf(text, size,
                   "the arrivals of the last %.3g %s need %.3g GPU-hours per hour, %.0f %% of the "
                   "%d GPUs",
                   (double)seen->over_s / (is_long ? HOUR_S : 60), is_long ? "h" : "min",
                   seen->gpus, 100 * seen->gpus / gpus, gpus);
}

void share_seen_text(const struct share_seen *seen, char *text, size_t size)
{
    const struct job_share *share = seen->of;
    const bool is_group = share->name[0] == '@';

    (void)snprintf(text, size,
                   "%s %s may have %.3g GPU-hours promised ahead, %.3g of the cluster for %.3g h, "
                   "has %.3g, and the job needs %.3g",
                   is_group ? "group" : "user", share->name + is_group, seen->may / HOUR_S,
                   share->of, (double)share->horizon_s / HOUR_S, seen->is / HOUR_S,
                   seen->more / HOUR_S);
}
