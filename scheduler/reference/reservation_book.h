/* reservation_book.h - every live job's reservation in one round, planned one after the other in
 * the order of their deadlines, and the GPUs that remain free. */
#ifndef REFERENCE_RESERVATION_BOOK_H
#define REFERENCE_RESERVATION_BOOK_H

#include "scheduler/plan/plan.h"
#include "scheduler/reference/deadline_planner.h"

#include <stdbool.h>
#include <stddef.h>

struct booking {
    const struct job *job;
    struct deadline_demand demand;
    struct reservation reservation;
    double finish_s;
    double gpu_seconds; /* reservation_gpu_seconds */
    int level;          /* held from now on */
};

struct reservation_book {
    struct planning_grid grid;
    arena_t *memory;
    struct booking *bookings; /* in the order of the view */
    size_t count;
    struct step *steps; /* scratch memory for a plan before its booking gets a copy */
    struct timeline free;
    struct timeline spare; /* scratch memory for the next version of `free` */
};

/* A book without bookings for the jobs of `view`; all memory comes from `memory`. */
struct reservation_book reservation_book_new(const struct view *view, arena_t *memory);

/* Plans the jobs in `order`. Returns 1 if all meet their deadlines, 0 if any is late (with
 * `stop_if_late` the jobs after it are not planned), -1 with `error`. */
int reservation_book_fill(struct reservation_book *self, const struct view *view,
                          const size_t *order, bool stop_if_late, struct error *error);

/* Writes the bookings into `plan`, which is empty. */
void reservation_book_share(const struct reservation_book *self, plan_t *plan);

/* The next time at which the level of a booking changes, NEVER_S for never. */
int64_t booking_change_s(const struct booking *booking);

#endif
