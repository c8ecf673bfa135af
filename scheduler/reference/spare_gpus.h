/* spare_gpus.h - hands the GPUs that are idle right now to jobs, one level at a time.
 *
 * Source: Algorithm 2 (resource allocation) of ElasticFlow, ASPLOS 2023, as the published artifact
 * computes it. */
#ifndef REFERENCE_SPARE_GPUS_H
#define REFERENCE_SPARE_GPUS_H

#include "scheduler/plan/plan.h"
#include "scheduler/reference/reservation_book.h"

/* Grows the bookings of `book` while a step fits into the idle GPUs; each step becomes a growth of
 * `plan`, and changes its order of service. Returns -1 with `error` where the artifact aborts. */
int spare_gpus_share(struct reservation_book *book, plan_t *plan, struct error *error);

#endif
