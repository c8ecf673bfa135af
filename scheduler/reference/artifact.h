/* artifact.h - the loop of the published artifact as stages of a round: events that its queue
 * keeps, merges and loses, work that it credits and time that it charges, and the order in which it
 * takes and gives GPUs.
 *
 * The artifact runs a loop of its own for each policy. Each difference between these loops is a
 * function: a stage, or a loop rule below. A quirk that is put right takes another function
 * instead. */
#ifndef REFERENCE_ARTIFACT_H
#define REFERENCE_ARTIFACT_H

#include "scheduler/engine/stages.h"
#include "scheduler/reference/aside.h"
#include "scheduler/reference/event_queue.h"

/* An end that happens with the next arrival, whatever is forecast later: TI-Q11. */
struct stale_end {
    const struct submission *submission;
    uint32_t row;  /* row of the job, which may be over by that arrival */
    int64_t end_s; /* the end last forecast for the job when it was among the earliest */
};

/* The memory of the stages. */
struct artifact {
    const struct loop_rules *rules;
    event_queue_t *events;
    side_table_t *work_ends; /* int64_t: the time of a job's last iteration (EF-Q33) */
    struct jobs
        forecast; /* jobs whose end stays in the queue until it happens or is forecast anew */
    struct requests placed; /* requests that gave the layout in force */
    struct aside aside;     /* only of `edf` */
    struct stale_end *stale;
    size_t stale_count;
    size_t stale_room;
    int64_t wake_s; /* the next planned change, NEVER_S for none */
    bool
        order_matters; /* the layout depends on the order in which nodes came free: EF-Q4, EF-Q23 */
    bool jobs_stay;    /* the scheme leaves jobs where they are, or nodes left or came */
};

struct loop_rules {
    /* The time up to which work is credited: EF-Q14. */
    int64_t (*credited_until_s)(const struct job *job);

    /* Whether the part of an overhead that is longer than the interval is paid in the next
     * interval: EF-Q15, TI-Q2, GA-Q10. */
    bool carries_overhead;

    /* Whether `job`, which is due, is planned anew: EF-Q14 put right. */
    bool (*goes_on)(const struct job *job);

    /* Whether a job that is due and holds no GPU ends: 1, 0 or -1 with `error`. EF-Q13, Q32,
     * Q39. */
    int (*ends_idle)(const engine_t *self, const struct job *job, struct error *error);

    /* The end of `job` that is compared with the deadline: EF-Q33. */
    int64_t (*judged_end_s)(const engine_t *self, const struct job *job);

    bool (*is_late)(const engine_t *self, const struct job *job, int64_t judged_s);

    /* The time at which a job is on record as retired. */
    int64_t (*on_record_s)(const engine_t *self, const struct job *job);

    /* Iterations that ran out early end with their interval: TH-Q6. */
    bool ends_with_interval;

    /* `request` fills engine->requests in the order of placement. `reorder` then reorders live
     * jobs. */
    void (*request)(engine_t *self);
    void (*reorder)(engine_t *self); /* NULL: the order stays */

    /* The wake-ups for planned changes: EF-Q13, EF-Q44. */
    void (*wake)(engine_t *self);

    /* Whether `job` pays for this round: EF-Q20. */
    bool (*pays)(const engine_t *self, const struct job *job);

    /* Finds the GPUs that ran together before and the jobs that moved; NULL if neither matters. */
    void (*look)(engine_t *self);

    /* A node set is lost if its label differs from its size: EF-Q23. */
    bool loses_sets;

    /* Jobs stay where they are, and are spread, once a job finds no place: EF-Q40. */
    bool spreads;

    /* Folds events into the end of the slot: EF-Q16, CO-Q2. */
    void (*merge)(engine_t *self);

    /* The time of the next round that needs no event; NEVER_S for none: GA-Q9. */
    int64_t (*tick_s)(const engine_t *self);

    /* Keeps ends forecast for the time of the next arrival if `with_arrival`: TI-Q11. */
    void (*keep_stale_ends)(engine_t *self, bool with_arrival);

    /* The time at which a forecast end is seen, and whether its overhead is foreseen: TI-Q4,
     * TI-Q1. */
    int64_t (*seen_s)(const engine_t *self, const struct job *job);
    bool (*foresees)(const engine_t *self);
};

static inline struct artifact *artifact_of(const engine_t *self)
{
    return self->stage_memory;
}

static inline const struct loop_rules *loop_rules_of(const engine_t *self)
{
    return artifact_of(self)->rules;
}

/* ---- stages ---- */

void *artifact_open(engine_t *self);
void artifact_close(void *opened);
void artifact_announce(engine_t *self, struct job *job, int64_t at_s);
void artifact_forget(engine_t *self, struct job *job);
int artifact_collect(engine_t *self, struct error *error); /* the event stays in the queue */
int artifact_collect_first(engine_t *self,
                           struct error *error); /* the event leaves the queue first */
void artifact_credit(engine_t *self, struct job *job, const struct progress *progress);
void artifact_pay(engine_t *self, struct job *job, int overhead_s);
int artifact_retire(engine_t *self, struct error *error);
int artifact_release_by_start(engine_t *self, struct error *error);    /* EF-Q4 */
int artifact_release_by_deadline(engine_t *self, struct error *error); /* EF-Q4 */
int artifact_release_as_placed(engine_t *self, struct error *error);   /* EF-Q4 */
int artifact_place(engine_t *self, struct error *error);
int artifact_advance(engine_t *self, struct error *error);
int64_t artifact_restart_by_slot(const engine_t *self); /* EF-Q3, CO-Q1 */

/* Only policies that plan ends. */
int planned_check(engine_t *self, struct job *job, struct error *error); /* EF-Q48 put right */
int planned_expect(engine_t *self, const struct job *job, struct interval interval,
                   struct progress *progress, struct error *error);
void planned_adopt_in_order(engine_t *self);
void planned_adopt_unless_idle(engine_t *self); /* EF-Q39 */
void planned_adopt_proof(engine_t *self);
void planned_adopt_then_start(engine_t *self);
void planned_adopt_and_leave(engine_t *self); /* the event of now leaves after the charge */
void planned_charge_running(engine_t *self);
void planned_charge_live(engine_t *self);
void planned_leave_and_charge(engine_t *self); /* the event of now leaves before the charge */
void planned_leave(engine_t *self); /* the event of now leaves, and no job is charged: EF-Q38 */
int64_t planned_foresee_bare(const engine_t *self, const struct job *job);

/* Only policies that give jobs the GPUs they ask for, or none. Ends are found by progress. */
int requested_check(engine_t *self, struct job *job, struct error *error);
int requested_check_size(engine_t *self, struct job *job, struct error *error); /* TI-Q9 */
int requested_expect_duration(engine_t *self, const struct job *job, struct interval interval,
                              struct progress *progress, struct error *error);
int requested_expect_either(engine_t *self, const struct job *job, struct interval interval,
                            struct progress *progress, struct error *error);
void requested_adopt(engine_t *self);
void requested_charge_nothing(engine_t *self);
void requested_charge_changes(engine_t *self); /* TH-Q4 put right */
int64_t requested_foresee(const engine_t *self, const struct job *job);

/* Only Tiresias, which forecasts ends anew in each round. */
int tiresias_expect(engine_t *self, const struct job *job, struct interval interval,
                    struct progress *progress, struct error *error);
int tiresias_collect(engine_t *self, struct error *error);
void tiresias_charge(engine_t *self);
int tiresias_advance(engine_t *self, struct error *error);

/* ---- loop rules ---- */

int64_t credited_until_finish(const struct job *job);
int64_t credited_until_end(const struct job *job);
bool goes_on_never(const struct job *job);
bool goes_on_with_work(const struct job *job);
int idle_end_aborts(const engine_t *self, const struct job *job, struct error *error);
int idle_end_is_dropped(const engine_t *self, const struct job *job, struct error *error);
int idle_end_retires(const engine_t *self, const struct job *job, struct error *error);
int64_t judged_by_end(const engine_t *self, const struct job *job);
int64_t judged_by_finish(const engine_t *self, const struct job *job);
int64_t judged_by_work(const engine_t *self, const struct job *job);
bool late_by_deadline(const engine_t *self, const struct job *job, int64_t judged_s);
int64_t on_record_by_round(const engine_t *self, const struct job *job);
int64_t on_record_by_end(const engine_t *self, const struct job *job);
void request_by_size(engine_t *self);
void request_by_start(engine_t *self);
void request_as_served(engine_t *self);
void request_by_arrival(engine_t *self);
void reorder_by_size(engine_t *self);
void wake_never(engine_t *self);
void wake_earliest(engine_t *self);
void wake_each(engine_t *self);
void wake_next(engine_t *self);
bool pays_always(const engine_t *self, const struct job *job);
bool pays_for_changes(const engine_t *self, const struct job *job);
void look_at_groups(engine_t *self);
void look_at_moves(engine_t *self);
void merge_unless_sole(engine_t *self);
void merge_always(engine_t *self);
void merge_never(engine_t *self);
int64_t tick_never(const engine_t *self);
int64_t tick_after_arrivals(const engine_t *self);
int64_t tick_every_slot(const engine_t *self);
void stale_ends_happen(engine_t *self, bool with_arrival);
void stale_ends_are_forgotten(engine_t *self, bool with_arrival);
int64_t seen_after_slot(const engine_t *self, const struct job *job);
int64_t seen_at_end(const engine_t *self, const struct job *job);
bool foresees_restarts(const engine_t *self);
bool foresees_always(const engine_t *self);

/* ---- parts that several files share ---- */

/* Takes `job`, or all `jobs` in their order, off the GPUs that they hold. Nothing happens where the
 * order does not matter: placement then empties the layout as a whole. */
int artifact_release(engine_t *self, struct job *job, struct error *error);
int artifact_release_all(engine_t *self, const struct jobs *jobs, struct error *error);

/* Takes the live jobs off their GPUs in the order of service, before the first end of a round, and
 * then retires jobs. */
int artifact_release_and_retire(engine_t *self, struct error *error);

/* artifact_worked_s(): seconds of an interval less the overhead. artifact_work_end_s(): the time of
 * the job's last iteration if that is in the interval up to `now_s`, else `now_s`. */
int64_t artifact_worked_s(const struct job *job, int64_t elapsed_s);
int64_t artifact_work_end_s(const struct job *job, int64_t elapsed_s, int64_t now_s);

/* Has jobs that wait for lost nodes looked at again. */
void artifact_wait_for_nodes(engine_t *self);

/* The progress of a job that ends after the seconds that its submission states. */
struct progress artifact_progress_by_duration(const struct job *job, struct interval interval);

#endif
