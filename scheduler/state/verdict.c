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
