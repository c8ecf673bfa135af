/* fair_shares.h - finish-time fairness: the share of time in which each job should hold the GPUs it
 * asked for, so that the job that is worst off, measured against a fair part of the cluster, is as
 * well off as possible.
 *
 * For job i, `elapsed` is the time it has been waiting and running, `need` its remaining run time
 * and `fair` the time it would take in all on a fair part of the cluster. Minimise over x
 *
 * max_i (elapsed_i + need_i / x_i) / fair_i,   0 <= x_i <= 1,   sum_i gpus_i x_i <= GPUs
 *
 * The optimum fixes every share only if the GPUs limit it. If a job limits it that would do no
 * better with all the time, the shares of the other jobs are the analytic centre of the optimal
 * shares, which an interior-point solver without bias returns.
 *
 * Source: Mahajan et al., Themis, NSDI 2020, as Gavel (OSDI 2020) states it. */
#ifndef REFERENCE_FAIR_SHARES_H
#define REFERENCE_FAIR_SHARES_H

#include <stddef.h>

struct fair_claim {
    double elapsed;
    double need; /* > 0 */
    double fair; /* > 0 */
    double gpus;
    double least; /* found: the smallest share that does not hurt the optimum */
    double share; /* found */
};

/* Finds the shares of `count` claims on `gpus` GPUs. The sums run in the order of the claims. */
void fair_shares(struct fair_claim *claims, size_t count, double gpus);

#endif
