/* worker.h - a node's worker: its parts and trainers, the links to its master and to its trainers,
 * and the lease that holds all parts. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "common/error.h"
#include "worker/settings.h"

/* Runs until the worker is told to end. -1 with `error` if it cannot begin, or if the master never
 * accepts it. */
int worker_run(const struct worker_settings *settings, struct error *error);

/* Checks the settings as far as possible without starting anything. -1 with `error`. */
int worker_check(const struct worker_settings *settings, struct error *error);

#endif
