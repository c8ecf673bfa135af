/* lease_stages.h - the parts of chronus's look at its jobs, one a file: the lease round, admission,
 * the hand-out of what is free, and what is different with short leases. */
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
    int64_t slot; /* the first one that is still to be given out */
    lease_book_t *book;
    const struct leasing *leasing;
    const struct chronus_rules *rules;
};

/* chronus.c: what the policy remembers, and how it looks at its jobs now. */
struct chronus_memory {
    lease_book_t *book;
    struct leasing leasing;
    arena_t *submissions; /* as they reach Chronus (CH-Q9) */
    int64_t looked_s;     /* when leases were settled last, NEVER_S for never */
    bool settled;         /* in this round */
};

struct lease_look chronus_look_of(const struct view *view);

/* lease_admission.c: the arrivals of `view` get a promise or none, and join those that wait. */
void lease_admit(const struct lease_look *look, const struct view *view);

/* The entries of all active jobs, those that wait before those that run; or of those without a
 * plan. */
void lease_collect_active(const struct lease_look *look, bool with_plan,
                          struct lease_entries *entries);

/* Whether `job` asks for more GPUs than the cluster has, and is declined for that: TI-Q9. */
static inline bool lease_is_too_large(const struct lease_look *look, const struct job *job)
{
    return look->rules->declines_too_large &&
           job->submission->gpus_requested > look->book->gpu_count;
}

/* Leases that `lease` still needs to get through its estimate. */
int64_t lease_need(const struct lease_look *look, const struct lease *lease);

/* The same when it has run for another `run_s`. */
int64_t lease_need_after(const struct lease_look *look, const struct lease *lease, int64_t run_s);

/* lease_round.c: all leases end, and those of the slot that begins are given out. */
void lease_hold_round(const struct lease_look *look);

/* The same file: jobs without a plan get one beside the others, as late as possible; or the solver
 * plans all active jobs anew, which returns false, with no plan changed, if there is none or it has
 * no answer. */
void lease_pack_unplanned(const struct lease_look *look);
bool lease_plan_by_choice(const struct lease_look *look);

/* The same file: from when `lease`, which starts, is credited. */
int64_t lease_credited_from_s(const struct lease_look *look, const struct lease *lease);

/* lease_recovery.c: a real cluster, which has `gpu_count` GPUs from now on, did otherwise than
 * planned. A job that finds no room stops, plans are made anew, and promises that cannot be kept
 * are withdrawn. */
void lease_recover(const struct lease_look *look, int64_t gpu_count);

/* lease_hand_out.c: what is free goes to jobs that have no promise. */
void lease_hand_out(const struct lease_look *look);

/* How urgent `lease` is: the less is left to do, or the later it is, the more. */
int64_t lease_urgency(const struct lease_look *look, const struct lease *lease);

/* Judges a job anew: it may have become hopeless, and its urgency changes with time. */
void lease_reclass(const struct lease_look *look, struct lease *lease);

/* The order in which what is free is handed out. */
struct ranked lease_rank(const struct lease *lease, size_t index);

/* Sorts `list` by rising rank; equal ones keep their order. */
void lease_list_sort(struct lease_list *list,
                     struct ranked (*rank)(const struct lease *lease, size_t index));

/* `lease` holds its GPUs from now on: it joins those that run, and the caller has taken it out of
 * those that wait. */
void lease_run(const struct lease_look *look, struct lease *lease);

/* `lease` was started, which mostly costs something. */
void lease_count_start(const struct lease_look *look, struct lease *lease);

/* short_leases.c: whether that is what they are; then a job that runs on no lease gives up its plan
 * as it goes on, jobs that can be done before the next round are picked, and run. */
bool leases_are_short(const struct leasing *leasing);
void short_leases_account(const struct lease_look *look, struct lease *lease);
void short_leases_force(const struct lease_look *look);
void short_leases_run_forced(const struct lease_look *look);

/* The same file: whatever fits starts, however long leases are, when the rules say so (CH-Q6). */
void leases_fill(const struct lease_look *look);

#endif
