/* clang-format off */
/* liquid.h - GPUs shared like a liquid among jobs, by prices.
 *
 *     maximise    sum over jobs j of worth_j y_j
 *     subject to  sum over j, s of gpus_js v_ijs  <=  GPUs                 in each interval i
 *                 sum over i, s of rate_js length_i v_ijs  =  iterations_j y_j  for each job j
 *                 0 <= v_ijs <= y_j <= 1
 *
 * where v_ijs is the share of interval i for which job j has step s of its need. A job with several
 * dates has y_j and v_ijs for each of them, worth less by later ones, and the sum of its y is at
 * most 1.
 *
 * The linear program has millions of columns for a trace of a month, but it falls apart into jobs
 * once GPUs have prices. So it is solved by the method of multipliers (Hestenes, JOTA 4, 1969): in
 * a sweep each job in turn takes what is best for it where GPUs cost the more, the more of them are
 * taken (water_filling.h), and then the prices rise where more GPUs are taken than there are. A job
 * with several dates has a seat, which the parts by all dates share, with a price of its own. */
/* clang-format on */
#ifndef BOUND_LIQUID_H
#define BOUND_LIQUID_H

#include "scheduler/bound/grid.h"

#include <stdbool.h>

typedef struct liquid liquid_t;

/* The program of at least one of `needs` on its grid, all lent. */
liquid_t *liquid_new(const struct grid *grid, const struct need needs[], size_t need_count,
                     int gpus);
void liquid_destroy(liquid_t **self);

/* Makes a sweep, which ends early, and raises no price, at `until_s` of the clock. */
void liquid_sweep(liquid_t *self, double until_s);

/* Removes a job and its work for good. The prices then give a bound for the other jobs. */
void liquid_drop(liquid_t *self, size_t need);

/* The price of a GPU for the whole of each interval. */
void liquid_rents(const liquid_t *self, double rents[]);

/* The part of a job that is done; all jobs together may take more GPUs than there are. */
double liquid_part(const liquid_t *self, size_t need);

/* A point of the program: the part of each job that is done within the available GPUs. */
void liquid_parts(const liquid_t *self, double parts[]);

/* Takes the GPUs of a job from `free_gpus`, by interval, if all of them are free. Returns whether
 * they were. */
bool liquid_take(const liquid_t *self, size_t need, double free_gpus[]);

#endif
