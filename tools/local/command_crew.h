/* command_crew.h - runs a master, which carries out a file of commands, and its emulated workers on
 * this machine. */
#ifndef LOCAL_COMMAND_CREW_H
#define LOCAL_COMMAND_CREW_H

#include "common/error.h"

#include <stdint.h>

struct command_crew_setting {
    const char *commands; /* path of a file of commands, as `rubato trace overhead` writes it */
    const char *table;    /* path of the file for the master's output */
    const char *gpu_type;
    int64_t nodes; /* number of workers in the commands */
    int64_t gpus_per_node;
    double time_scale; /* emulated seconds in a real second */
};

/* Runs the commands to their end. Leaves no process and no file but the table. Returns 0, 128 + n
 * if signal n stopped the run, -1 with `error`. */
int command_crew_run(const struct command_crew_setting *setting, struct error *error);

#endif
