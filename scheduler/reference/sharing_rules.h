/* sharing_rules.h - the quirks of the baselines that a run may put right. Each is a function of the
 * published rule, or of the clean rule beside it. See quirks.h. */
#ifndef REFERENCE_SHARING_RULES_H
#define REFERENCE_SHARING_RULES_H

#include "common/list.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"
#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/slice_sets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gandiva.c */

/* Jobs without a set, and jobs that found a set since jobs last took their turns. */
struct gandiva_seats {
    size_t waiting[SLICE_SET_CLASSES]; /* number of jobs of each class without a set */
    LIST(const struct job *) found;
};

struct gandiva_round {
    slice_sets_t *sets;
    const struct gandiva_rules *rules;
    int gpu_count;
    struct gandiva_seats *seats;
};

struct gandiva_rules {
    bool (*has_room)(const struct slice_set *set);    /* GA-Q1 */
    void (*pass_over)(struct slice_set_class *class); /* GA-Q2 */
    void (*note_ends)(struct slice_set_class *class); /* GA-Q3, or NULL */
    int (*sets_short)(const struct slice_set_class *class, int gpus, int gpus_per_node); /* GA-Q4 */
    int (*sets_spare)(const struct slice_set_class *class, int gpus, int gpus_per_node); /* GA-Q4 */
    bool (*rebalances)(const struct slice_set_class *class, int wanted, int made);       /* GA-Q5 */
    bool adjusts_before;                                                                 /* GA-Q7 */
    bool (*is_turn)(int64_t now_s);                                                      /* GA-Q8 */
    bool seats_after_release; /* only after a set was given up: GA-Q11 */
    void (*seat_waiting)(const struct gandiva_round *round, const struct job *const waiting[],
                         size_t count); /* GA-Q11 */
};

bool gandiva_has_room_by_one(const struct slice_set *set);
bool gandiva_has_room(const struct slice_set *set);
void gandiva_rotate_sets(struct slice_set_class *class);
void gandiva_keep_sets(struct slice_set_class *class);
void gandiva_count_ends(struct slice_set_class *class);
int gandiva_sets_by_job(const struct slice_set_class *class, int gpus, int gpus_per_node);
int gandiva_sets_short(const struct slice_set_class *class, int gpus, int gpus_per_node);
int gandiva_sets_spare(const struct slice_set_class *class, int gpus, int gpus_per_node);
bool gandiva_rebalance_in_need(const struct slice_set_class *class, int wanted, int made);
bool gandiva_rebalance_if_made(const struct slice_set_class *class, int wanted, int made);
bool gandiva_adjust(const struct gandiva_round *round);
bool gandiva_turn_by_minute(int64_t now_s);
bool gandiva_turn_each_round(int64_t now_s);
void gandiva_seat_every_other(const struct gandiva_round *round, const struct job *const waiting[],
                              size_t count);
void gandiva_seat_all_waiting(const struct gandiva_round *round, const struct job *const waiting[],
                              size_t count);

/* dlas_gpu.c */

struct tiresias_rules {
    /* Seconds on its GPUs until a job has attained `limit_gpu_s` of service. */
    double (*limit_left_s)(const struct job *job, int64_t limit_gpu_s); /* TI-Q3 */
};

double tiresias_limit_left_divided(const struct job *job, int64_t limit_gpu_s);
double tiresias_limit_left(const struct job *job, int64_t limit_gpu_s);

/* themis.c */

struct themis_rules {
    double (*fair_speed)(const struct job *job, double part);                         /* TH-Q1 */
    double (*elapsed_s)(const struct view *view, const struct job *job);              /* TH-Q3 */
    double (*priority)(const struct view *view, const struct job *job, double share); /* TH-Q5 */
};

double themis_speed_as_fraction(const struct job *job, double part);
double themis_speed(const struct job *job, double part);
double themis_elapsed_until_event(const struct view *view, const struct job *job);
double themis_elapsed(const struct view *view, const struct job *job);
double themis_priority_by_share(const struct view *view, const struct job *job, double share);
double themis_priority_by_debt(const struct view *view, const struct job *job, double share);

/* chronus.c, lease_admission.c, lease_packing.c, lease_hand_out.c, lease_round.c and
 * short_leases.c */

struct lease_batch;
struct lease_look;

struct chronus_rules {
    int64_t (*credited_from_s)(const struct lease *lease, int64_t now_s); /* CH-Q1 */
    void (*settle_rejected)(struct lease_batch *batch, size_t first);     /* CH-Q2 */
    int64_t (*judged_s)(const struct lease *lease);                       /* CH-Q7 */
    bool (*start_costs)(const struct lease *lease);                       /* CH-Q8 */
    int64_t (*packed_gpus)(int64_t gpus);                                 /* CH-Q10 */
    bool (*fills)(const struct lease_look *look);                         /* CH-Q6 */
    void (*lose_hope)(struct lease *lease);                               /* CH-Q17 */
    void (*outlive)(const struct lease_look *look, struct lease *lease);  /* CH-Q17 */
    bool plans_by_value;                                                  /* CH-Q18 */
    bool (*fits)(struct lease_batch *batch, struct lease *lease);         /* CH-Q18 */
    bool declines_too_large;                                              /* TI-Q9 */
};

int64_t chronus_credit_waiting(const struct lease *lease, int64_t now_s);
int64_t chronus_credit_from_start(const struct lease *lease, int64_t now_s);
void chronus_keep_rejected(struct lease_batch *batch, size_t first);
void chronus_forget_rejected(struct lease_batch *batch, size_t first);
int64_t chronus_judge_by_promise(const struct lease *lease);
int64_t chronus_judge_by_deadline(const struct lease *lease);
bool chronus_every_start_costs(const struct lease *lease);
bool chronus_changes_cost(const struct lease *lease);
void chronus_boost_overrun(const struct lease_look *look, struct lease *lease);
void chronus_boost_if_promised(const struct lease_look *look, struct lease *lease);
void chronus_boost_stays(struct lease *lease);
void chronus_boost_no_more(struct lease *lease);
bool chronus_fill_at_odd_times(const struct lease_look *look);
bool chronus_fill_at_admissions(const struct lease_look *look);
bool chronus_fits_at_tightest(struct lease_batch *batch, struct lease *lease);
bool chronus_fits_at_best(struct lease_batch *batch, struct lease *lease);

struct sharing_rules {
    struct gandiva_rules gandiva;
    struct tiresias_rules tiresias;
    struct themis_rules themis;
    struct chronus_rules chronus;
};

#endif
