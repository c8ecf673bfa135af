/* bound.h - how many jobs can end on time at most under any scheduler, even one that knows the
 * future.
 *
 *     maximise    sum over jobs j of y_j
 *     subject to  sum over j, s of gpus_js v_ijs  <=  GPUs                  in each interval i
 *                 sum over i, s of rate_js length_i v_ijs  >=  iterations_j y_j  for each job j
 *                 0 <= v_ijs <= share_ij,  0 <= y_j <= 1
 *
 * where v_ijs is the share of interval i for which job j has step s of its need, and share_ij
 * that between its arrival and its deadline. Every schedule is a point: here GPUs are shared like a
 * liquid, levels are mixed, resizes are free, and y_j may be a part of a job.
 *
 * Between neighbouring cuts no job comes or goes, so that cutting more finely changes nothing. On a
 * coarser grid a job may use GPUs when it is not there, which makes the bound larger and the
 * program smaller. So the search begins coarsely and cuts where GPUs are short. It also adds
 *
 *     v_ijs  <=  share_ij y_j
 *
 * for each job of which a part was on time: a schedule can leave out the work of a job that will be
 * late, and whole jobs then obey this. What is returned is proven by rents (rents.h) alone, so that
 * neither the grid nor a rounding of the solver can make it wrong. */
#ifndef BOUND_BOUND_H
#define BOUND_BOUND_H

#include "scheduler/bound/need.h"
#include "scheduler/solver/milp.h"

struct bound_limits {
    const struct milp_solver *solver;
    double seconds; /* elapsed, of the whole search; 0 is no limit */
};

struct bound {
    double value;     /* at most as large as the number of needs */
    int64_t jobs;     /* the whole jobs in it */
    size_t intervals; /* of the last grid that was solved, 0 if there is none */
    size_t finest;    /* of the finest grid */
    bool is_closed;   /* the finest grid was solved, and no further row is broken */
    struct error why; /* a sentence if that is not so */
};

typedef struct bound_search bound_search_t;

/* For `needs`, lent. */
bound_search_t *bound_search_new(const struct need needs[], size_t need_count, int gpus,
                                 const struct bound_limits *limits);
void bound_search_destroy(bound_search_t **self);

/* The bound as far as it comes within the limits. */
struct bound bound_search_run(bound_search_t *self);

/* The same program where each y_j is 0 or 1, on the grid that the search came to. */
struct bound_whole {
    bool has_point;
    int64_t jobs; /* of the best point found */
    int64_t gap;  /* no point has more than so many jobs more */
};

struct bound_whole bound_search_run_whole(bound_search_t *self);

#endif
