/* slurm.h - runs the cells of a sweep on a Slurm cluster: as a job array, each task of which runs a
 * share of the cells. Rubato talks to Slurm through sbatch and squeue alone. */
#ifndef SWEEP_SLURM_H
#define SWEEP_SLURM_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct slurm_array {
    const char *
        folder; /* folder of the sweep; slurm/ in it has the batch script and the output of tasks */
    const char *arguments; /* arguments of the sweep, quoted for a shell */
    const char *options;   /* options of sbatch, written into the batch script; NULL for none */
    int64_t tasks;
    int64_t parallel; /* cells that each task runs side by side */
};

/* Writes the batch script, submits it, and saves the number of the Slurm job in the folder. Returns
 * -1 with `error`. */
int slurm_submit(const struct slurm_array *array, struct error *error);

/* Waits for the end of the Slurm job saved in `folder`, and removes the saved number. Returns at
 * once if no job is saved. Returns 0; 1 with `error` if a signal asked to stop; or -1 with `error`.
 * In the last two cases the job goes on and stays saved. */
int slurm_wait(const char *folder, struct error *error);

#endif
