/* plan.h - a policy's decision in a round: how many GPUs each job holds from now on, until when,
 * and in which order jobs are served.
 *
 * A plan refers to the jobs of a view by their place: shares[i] belongs to view->jobs[i]. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "common/archive.h"
#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/plan/view.h"
#include "scheduler/state/grant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEVER_S INT64_MAX

/* The part of one job. */
struct share {
    struct seat seat;
    bool promised;    /* the job's deadline, from now on at the latest */
    bool at_risk;     /* a promise, which has less than its margin for slow trainers */
    int step;         /* of a soft deadline, which is the one that is promised */
    int64_t end_s;    /* when its GPUs are planned to come free */
    int64_t finish_s; /* when its last iteration is planned */
    int64_t start_s;  /* when it first holds a GPU in this plan */
    int64_t change_s; /* when its grant changes next, NEVER_S if it does not */
    struct exposure exposure;
    struct grant grant; /* written as a whole, see blank in plan.c */
};

/* A job got more GPUs after all shares were settled. */
struct growth {
    size_t place;
    struct grant grant;
    int64_t end_s;
    int64_t finish_s;
};

typedef struct plan {
    struct share *shares;
    size_t *order;   /* places in the order in which their shares are adopted */
    size_t *service; /* places in the order of service at the end of the round */
    size_t count;
    bool names_all; /* else: jobs that are not named hold nothing, and both orders are the view's */
    size_t *named;  /* places that shares were allocated for, rising; only without `names_all` */
    size_t named_count;
    size_t blank_count; /* so many shares are empty but for those named; only without `names_all` */
    struct growth *growths; /* in the order in which they were granted */
    size_t growth_count;
    double patience_gpu_s; /* so many GPU-seconds may idle after an end before it calls a round */
    bool proven;           /* the shares stand: they are those that proved an admission */
    void *work;            /* what a policy's proof left in `scratch` for its allocation */
    arena_t *scratch;      /* a policy's working memory; given back when the next round starts */
    size_t capacity;
    size_t growth_capacity;
} plan_t;

plan_t *plan_new(void);
void plan_destroy(plan_t **self);

/* Empties the plan for the jobs of `view`: none holds a GPU, both orders are the view's. */
void plan_reset(plan_t *self, const struct view *view);

/* The same for a policy that allocates to few of many jobs: to each at most once, in the order of
 * their places. */
void plan_reset_few(plan_t *self, const struct view *view);

/* Gives the job at `place` `grant` from now until it is done. */
void plan_grant(plan_t *self, const struct view *view, size_t place, struct grant grant);

/* The same with the grant of a level, see plan/level.h: in the job's pool, or in `pool`. */
void plan_allocate(plan_t *self, const struct view *view, size_t place, int level);
void plan_allocate_in(plan_t *self, const struct view *view, size_t place, int pool, int level);

/* Takes the job at `place` out, which holds nothing; those after it move up, and both orders are
 * the view's. */
void plan_drop(plan_t *self, size_t place);

/* Notes that the job at `place` grew. */
void plan_grow(plan_t *self, const struct growth *growth);

/* The places by deadline, equal ones in their order; lent until the next round. */
const struct keyed *plan_by_deadline(plan_t *self, const struct view *view);

/* Orders adoption and service by deadline. Returns plan_by_deadline. */
const struct keyed *plan_order_by_deadline(plan_t *self, const struct view *view);

/* When the end of a job calls for a round: its GPUs idle for as long as the plan lets them. */
int64_t plan_end_call_s(const plan_t *self, const struct job *job);

/* When after `now_s` a job starts, or holds another number of GPUs before it ends; NEVER_S if none
 * does. */
int64_t plan_change_s(const plan_t *self, int64_t now_s);

/* When what was planned changes, which outlasts a round; see common/archive.h. */
void plan_archive(plan_t *self, struct archive *archive);

#endif
