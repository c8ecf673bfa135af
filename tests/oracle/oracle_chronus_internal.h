/* oracle_chronus_internal.h - shared by the files of the oracle's `chronus`. */
#ifndef ORACLE_CHRONUS_INTERNAL_H
#define ORACLE_CHRONUS_INTERNAL_H

#include "oracle_chronus.h"
#include "oracle_internal.h"

/* H of section 2. */
#define CHRONUS_OVERHEAD_S 0.5

/* The longest lease to which section 9 applies. */
#define CHRONUS_SHORT_LEASE_S 30

/* The state of a job by section 3. */
struct chronus_job {
    const struct oracle_chronus_job *given;
    enum oracle_chronus_class class;
    bool has_ddl; /* false if the job began as best effort */
    long ddl;     /* relative to the submission */
    long stated;  /* `ddl` before it was rounded down */
    long prog;
    long exec;
    long last;
    long resume;
    long est;
    long need;
    char *plan; /* 0 or 1 for each lease slot from the next one on; NULL if there is no plan */
    long plan_length;
    size_t lev;
    bool held;
    bool boost;
    bool forced;
    bool eligible; /* the job may be an entry */
    long u;

    bool was_running; /* the job ran when the pending pass began */
    bool was_stopped; /* the lease round of this tick stopped the job, or would have stopped it */
    bool is_packed;   /* the current packing has packed the job */
    long leases;
    long waited;
    long held_s;
    double end;
    long started;
    long retired;
};

struct chronus_jobs {
    struct chronus_job **at;
    size_t count;
    size_t room;
};

/* A level of a job. Its deadline leaves `m` slots from the next lease on. */
struct chronus_entry {
    long m;
    long need;
    int gpus; /* bin(g) of section 6 */
    long value;
    size_t level;
    struct chronus_job *job;
};

struct chronus_entries {
    struct chronus_entry *at;
    size_t count;
    size_t room;
};

/* GPUs of each slot that no plan claims. In slots after the last one all GPUs are free. */
struct chronus_slots {
    int *at;
    long count;
};

struct chronus {
    struct oracle_call call;
    const struct oracle_chronus_setting *setting;
    const struct oracle_chronus_watch *watch;
    const struct oracle_chronus_job *given;
    struct chronus_job *jobs;
    size_t job_count;
    size_t *order; /* in the order of arrival; `events` of section 3 begins at `arrived` */
    size_t arrived;
    struct chronus_jobs pending;
    struct chronus_jobs running;
    long t;
    long q; /* number of lease rounds so far */
    long unacc;
    long rounds;
    long repairs;
};

/* oracle_chronus.c */
bool chronus_cleaned(const struct chronus *self, enum oracle_repair repair);
bool chronus_leases_are_short(const struct chronus *self);
int chronus_free_gpus(const struct chronus *self);
long chronus_leases_left(const struct chronus *self, const struct chronus_job *job);

/* Clears the first `count` slots of the job's plan, or all slots if it has fewer. */
void chronus_plan_clear_first(struct chronus_job *job, long count);
void chronus_plan_drop(struct chronus *self, struct chronus_job *job);
void chronus_plan_new(struct chronus *self, struct chronus_job *job, long length);

void chronus_jobs_append(struct chronus *self, struct chronus_jobs *list, struct chronus_job *job);
void chronus_jobs_remove(struct chronus_jobs *list, const struct chronus_job *job);

/* Returns a negative number if the key of `a` is smaller than that of `b`. The sorts are stable. */
typedef int chronus_compare(const struct chronus_job *a, const struct chronus_job *b);
void chronus_jobs_sort(struct chronus_jobs *list, chronus_compare *compare);
void chronus_jobs_sort_descending(struct chronus_jobs *list, chronus_compare *compare);
int chronus_sign(long a, long b); /* sign of a - b */

/* oracle_chronus_slots.c: entries and packing, sections 6.1 to 6.3 */
long chronus_slot_count(const struct chronus *self, const struct chronus_job *job, size_t level);
int chronus_bin(const struct chronus *self, int gpus);
bool chronus_is_active(const struct chronus_job *job);
struct chronus_slots chronus_residual(struct chronus *self);
void chronus_slots_drop(struct chronus *self, struct chronus_slots *slots);
void chronus_entry_add(struct chronus *self, struct chronus_entries *entries,
                       struct chronus_job *job, size_t level);
void chronus_entries_add_admitted(struct chronus *self, struct chronus_entries *entries,
                                  struct chronus_job *job);
void chronus_entries_sort(struct chronus_entries *entries,
                          int (*compare)(const struct chronus_entry *,
                                         const struct chronus_entry *));
void chronus_entries_drop(struct chronus *self, struct chronus_entries *entries);

/* The order of section 6.3. */
int chronus_compare_for_packing(const struct chronus_entry *a, const struct chronus_entry *b);

/* Takes `need` slots for the entry, the latest first, and marks them in `plan`, of `m` slots,
 * unless that is NULL. Returns false, and takes nothing, if there are too few slots. */
bool chronus_pack_entry(struct chronus_slots *slots, const struct chronus_entry *entry, char *plan);

/* Whether all jobs of `entries` find a place in the GPUs of `residual`. */
bool chronus_pack(struct chronus *self, const struct chronus_slots *residual,
                  const struct chronus_entries *entries);

/* oracle_chronus_admission.c, oracle_chronus_pending.c, oracle_chronus_short.c and
 * oracle_chronus_lease.c: the steps of a tick */
void chronus_admission(struct chronus *self);
void chronus_pending_pass(struct chronus *self);
void chronus_reclass(const struct chronus *self, struct chronus_job *job);
chronus_compare chronus_compare_for_spare;
void chronus_force(struct chronus *self);
void chronus_start_forced(struct chronus *self);
void chronus_fill(struct chronus *self);
void chronus_lease_round(struct chronus *self);

#endif
