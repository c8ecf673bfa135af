/* lease_stages.h - the parts of chronus's look at its jobs, each in its own file: the lease round,
 * admission, the hand-out of free GPUs, and the differences of short leases. */
#ifndef REFERENCE_LEASE_STAGES_H
#define REFERENCE_LEASE_STAGES_H

#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/plan/view.h"
#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/lease_packing.h"
#include "scheduler/reference/leasing.h"
#include "scheduler/reference/sharing_rules.h"

struct lease_look {
    int64_t now_s;
    int64_t slot; /* first slot that is still to be given out */
    lease_book_t *book;
    const struct leasing *leasing;
    const struct chronus_rules *rules;
};

/* chronus.c: the state of the policy, and its view of the jobs now. */
struct chronus_memory {
    lease_book_t *book;
    struct leasing leasing;
    arena_t *submissions; /* submissions as they reach Chronus (CH-Q9) */
    int64_t looked_s;     /* the time at which leases were last settled, NEVER_S for never */
    bool settled;         /* leases were settled in this round */
};

struct lease_look chronus_look_of(const struct view *view);

/* lease_admission.c: gives the arrivals of `view` a promise or none. All of them join the waiting
 * jobs. */
void lease_admit(const struct lease_look *look, const struct view *view);

/* Collects the entries of all active jobs, waiting jobs before running jobs; without `with_plan`
 * only the jobs that have no plan. */
void lease_collect_active(const struct lease_look *look, bool with_plan,
                          struct lease_entries *entries);

/* Whether `job` is declined because it asks for more GPUs than the cluster has: TI-Q9. */
static inline bool lease_is_too_large(const struct lease_look *look, const struct job *job)
{
    return look->rules->declines_too_large &&
           job->submission->gpus_requested > look->book->gpu_count;
}

/* The number of leases that `lease` still needs to complete its estimated work. */
int64_t lease_need(const struct lease_look *look, const struct lease *lease);

/* The number of leases that `lease` still needs after another `run_s` seconds of running. */
int64_t lease_need_after(const struct lease_look *look, const struct lease *lease, int64_t run_s);

/* lease_round.c: all leases end, and leases of the slot that begins are given out. */
void lease_hold_round(const struct lease_look *look);

/* lease_round.c: lease_pack_unplanned() gives jobs without a plan a plan beside the others, as late
 * as possible. lease_plan_by_choice() has the solver plan all active jobs anew; false, with no plan
 * changed, without a solver or an answer. */
void lease_pack_unplanned(const struct lease_look *look);
bool lease_plan_by_choice(const struct lease_look *look);

/* lease_round.c: the time from which `lease`, which starts, is credited. */
int64_t lease_credited_from_s(const struct lease_look *look, const struct lease *lease);

/* lease_recovery.c: makes plans anew after a real cluster, which has `gpu_count` GPUs from now on,
 * deviated from the plan. A job that finds no room stops, and promises that cannot be kept are
 * withdrawn. */
void lease_recover(const struct lease_look *look, int64_t gpu_count);

/* lease_hand_out.c: gives free GPUs to jobs without a promise. */
void lease_hand_out(const struct lease_look *look);

/* The urgency of `lease`: higher the less work is left, and the later the job is. */
int64_t lease_urgency(const struct lease_look *look, const struct lease *lease);

/* Judges `lease` anew: its deadline may be lost by now, and its urgency changes with time. */
void lease_reclass(const struct lease_look *look, struct lease *lease);

/* The order in which free GPUs are handed out. */
struct ranked lease_rank(const struct lease *lease, size_t index);

/* Sorts `list` by rising rank; leases of equal rank keep their order. */
void lease_list_sort(struct lease_list *list,
                     struct ranked (*rank)(const struct lease *lease, size_t index));

/* Has `lease` hold its GPUs from now on: the lease joins the running jobs. The caller has removed
 * it from the waiting jobs. */
void lease_run(const struct lease_look *look, struct lease *lease);

/* Counts a start of `lease`, which usually has an overhead. */
void lease_count_start(const struct lease_look *look, struct lease *lease);

/* short_leases.c: leases_are_short() says whether leases are short. Under short leases a job that
 * runs without a lease gives up its plan as it goes on, and jobs that can be done before the next
 * round are picked and run. */
bool leases_are_short(const struct leasing *leasing);
void short_leases_account(const struct lease_look *look, struct lease *lease);
void short_leases_force(const struct lease_look *look);
void short_leases_run_forced(const struct lease_look *look);

/* short_leases.c: starts every job that fits, for leases of any length, if the rules say so
 * (CH-Q6). */
void leases_fill(const struct lease_look *look);

#endif
