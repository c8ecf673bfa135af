/* clang-format off */
/* faults.h - faults injected into emulated workloads for tests: the SPEC of --faults.
 *
 *   SPEC      = FAULT { ";" FAULT }
 *   FAULT     = { "job=N:" | "gpu=N:" } WHAT       a prefix restricts the fault to the job in that
 *                                                   row, to that GPU
 *   WHAT      = "slow=FACTOR"                       trains at FACTOR of its speed, and says so
 *             | "silent"                            says nothing more once it began
 *             | "lie=nan|negative|zero|huge"        says so of its rate
 *             | "lie=backwards"                     says so of its steps
 *             | "die-at=STEP"                       the trainer kills itself there
 *             | "fail-at=STEP"                      the workload fails there
 *             | "ignore-term"                       does not stop when asked to
 *             | "fork-children"                     has processes that leave its group and ignore
 *                                                   signals */
/* clang-format on */
#ifndef EXECUTOR_FAULTS_H
#define EXECUTOR_FAULTS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define FAULTS_HELP                                                                                \
    "for tests: what goes wrong with emulated workloads, as in \"slow=0.5;job=3:die-at=100\": "    \
    "slow=FACTOR, silent, lie=nan|negative|zero|huge|backwards, die-at=STEP, fail-at=STEP, "       \
    "ignore-term, fork-children; each after any of job=N: and gpu=N:, with ; between them"

enum lie { LIE_NONE, LIE_NAN, LIE_NEGATIVE, LIE_ZERO, LIE_HUGE, LIE_BACKWARDS };

/* The faults of one workload. */
struct faults {
    double slow; /* factor of the speed, 1: unchanged */
    bool silent;
    enum lie lie;
    int64_t die_at; /* step at which the trainer kills itself, -1 for never */
    int64_t fail_at;
    bool ignore_term;
    bool fork_children;
};

/* Reads the faults that `spec` (NULL: none) names for `job` on `gpu`; -1 with `error` if `spec` is
 * malformed. */
int faults_read(const char *spec, uint64_t job, int32_t gpu, struct faults *faults,
                struct error *error);

/* The rate that a faulty workload reports instead of `rate`. */
double faults_rate(const struct faults *self, double rate);

#endif
