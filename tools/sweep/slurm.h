/* slurm.h - the cells of a sweep run by a Slurm cluster: a job array, of which each task runs its
 * share. Slurm is asked through sbatch and squeue alone. */
#ifndef SWEEP_SLURM_H
#define SWEEP_SLURM_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct slurm_array {
    const char *folder; /* of the sweep; the batch script and what tasks write go to its slurm/ */
    const char *arguments; /* of the sweep, as a shell reads them */
    const char *options;   /* of sbatch, as they stand in a batch script; NULL for none */
    int64_t tasks;
    int64_t parallel; /* cells that a task runs side by side */
};

/* Writes the batch script, submits it and notes the number of its job in the folder. -1 with
 * `error`. */
int slurm_submit(const struct slurm_array *array, struct error *error);

/* Waits until the job that is noted in `folder` is over, and forgets it; returns at once if there
 * is none. Returns 0; 1 with `error` if a signal asked to stop, or -1 with `error`: the job goes on
 * then and stays noted. */
int slurm_wait(const char *folder, struct error *error);

#endif
