/* command_crew.h - a master that carries out a file of commands on emulated workers of this
 * machine. */
#ifndef LOCAL_COMMAND_CREW_H
#define LOCAL_COMMAND_CREW_H

#include "common/error.h"

#include <stdint.h>

struct command_crew_setting {
    const char *commands; /* file, as `rubato trace overhead` writes it */
    const char *table;    /* file that gets what the master prints */
    const char *gpu_type;
    int64_t nodes; /* as many as the commands have */
    int64_t gpus_per_node;
    double time_scale; /* emulated seconds to a real one */
};

/* Runs it to its end and leaves no process and nothing but the table. Returns 0, 128 + n if signal
 * n stopped it, -1 with `error`. */
int command_crew_run(const struct command_crew_setting *setting, struct error *error);

#endif
