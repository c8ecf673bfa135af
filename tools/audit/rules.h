/* rules.h - what each policy promises, as the auditor understands its specification: how many GPUs
 * a job may use, what an interval costs it, and which of the reference's quirks may show. */
#ifndef AUDIT_RULES_H
#define AUDIT_RULES_H

#include "tools/audit/case.h"

#include <stdbool.h>
#include <stdint.h>

/* When there is a round: */
enum audit_rhythm {
    RHYTHM_EVENTS,   /* when something is due; what is due within a slot, at its end (EF-Q16) */
    RHYTHM_SPACED,   /* the same, and never sooner than a slot after the last */
    RHYTHM_ARRIVALS, /* the same for arrivals alone, and in every slot once all have come (GA-Q9) */
    RHYTHM_SLOTS,    /* in every slot */
    RHYTHM_CHECKS,   /* at whole multiples of the check interval, counted from 0 */
};

struct audit_policy {
    const char *name;

    /* The most GPUs that a job may hold; with `fixed_size` it holds so many or none. */
    int64_t (*gpus_max)(const struct audit_job *job, const char *gpu_type);
    bool fixed_size;

    /* What a job is done by: its iterations, the seconds of the trace, or what runs out first. A
     * policy that knows seconds is judged by its accounts (account.h), others by what history.h
     * says. */
    enum { BY_ITERATIONS, BY_SECONDS, BY_EITHER } measure;

    enum audit_rhythm rhythm;

    bool plans_ahead; /* ElasticFlow: jobs change at times that were planned before */

    /* Planned ends lie on the slot grid counted from the round (EF-Q27); otherwise they are exact. */
    bool plans_by_slot;

    /* Work is credited only up to the planned finish, overheads not counted (EF-Q14). */
    bool cuts_at_finish;

    /* All work is credited, and a job is retired when it is done, neither before nor after. */
    bool retires_done;

    bool charges_overhead; /* EF-Q38 */
    bool pays_always;      /* also in a round that changes nothing for the job (EF-Q20) */
    bool pays_for_starts;  /* only; nothing for moves and restarts */
    bool forgives_rest;    /* of an overhead that is longer than the interval (EF-Q15, TI-Q2) */
    bool restarts_by_slot; /* every so many rounds as the slot has seconds (EF-Q3, CO-Q1) */

    /* Who can be declined on arrival. */
    enum { DECLINES_NOBODY, DECLINES_TOO_LARGE, DECLINES_ANYBODY } declines;
    bool declines_best_effort; /* EF-Q34 */

    /* Lateness is that of the planned finish, not of the end in the record (EF-Q33); or the end in
     * the record is not the planned one, but when the work was done. */
    bool late_by_finish;
    bool records_work_end;

    /* Arrivals are decided one at a time, each adopted at once: who was started by one decision may
     * be stopped by the next of the same round. */
    bool decides_one_by_one;

    /* A job that holds no GPU may be retired as finished (EF-Q39). */
    bool retires_idle;

    /* Who may wait: anybody; who does not fit into the GPUs that stay free; who does not fit, and all
     * that arrived after him; or in admission rounds who does not fit, in others and for a lease
     * anybody. */
    enum { WAITS_ANYBODY, WAITS_WITHOUT_ROOM, WAITS_IN_LINE, WAITS_FOR_LEASES } waits;

    /* Chronus: GPUs are held from one lease round to the next, by those who were promised a deadline,
     * or in between by others. */
    bool leases;
    bool credits_waiting;   /* whoever gets a lease is credited with the slot before it (CH-Q1) */
    bool spares_for_all;    /* spare GPUs are for those who have a promise, too (CH-Q6) */
    bool promises_rounded;  /* lateness is that behind the rounded deadline (CH-Q7) */
    bool pays_restarts;     /* in a lease round that changes nothing for the job (CH-Q8) */
    bool loses_best_effort; /* whoever states a deadline is held to it (CH-Q9) */
    bool promotes_overruns; /* of best effort, too, from class to class (CH-Q17) */
    bool admits_to_last;    /* deadline of several (CH-Q18) */

    bool keeps_last_arrival; /* at its time, when all others move to the end of a slot (CO-Q2) */

    /* Gandiva: a job has started when it has its place on a set of nodes, on which it may have to wait
     * for its turn. All jobs of a set have one size, and no two sets share a node. */
    bool takes_turns;
    bool adjusts_first; /* sets change before the interval that just ended is credited (GA-Q7) */
    bool adjusts_literally; /* by rules that the auditor can follow (GA-Q4, GA-Q5) */
    bool turns_by_clock;    /* change in full minutes only (GA-Q8) */
    bool looks_at_arrivals; /* and at nothing else before the last of them (GA-Q9) */

    /* Tiresias. */
    size_t queues;
    bool ignores_overhead;  /* in the forecast of an end, but for a restart (TI-Q1) */
    bool holds_for_slot;    /* its GPUs, be a job done before or not (TI-Q4) */
    bool forgets_too_large; /* jobs, instead of declining them (TI-Q9) */
    bool keeps_stale_ends;  /* that were forecast for an arrival, until it comes (TI-Q11) */

    /* Themis: in the slot in which its iterations run out a job ends with the slot (TH-Q6). */
    bool ends_with_slot;

    /* Tiresias and Themis: the record says when a job ended, not when that was seen; it holds its GPUs
     * until then. */
    bool recorded_at_end;

    uint64_t put_right; /* quirks that this run had not, a bit for each row of a table in rules.c */
};

/* -1, with `error` set, if `rules` is neither "reference" nor "clean" nor tags with commas between them. */
int audit_rules_check(const char *rules, struct error *error);

/* What the policy called `name` promises under `rules`: "reference", "clean" or tags with commas
 * between them. A policy that is not one of the reference's promises what any policy does. */
struct audit_policy audit_policy_under(const char *name, const char *rules);

/* `tag` as the explanation of a finding; NULL if that quirk was put right, so that it explains
 * nothing. */
const char *audit_tag(const struct audit_policy *policy, const char *tag);

/* Whether the policy can never give `job` its GPUs. */
bool audit_is_too_large(const struct audit_policy *self, const struct audit_case *given,
                        const struct audit_job *job);

/* Whether all trainers restart in the round with number `round`, counted from 0. */
bool audit_is_restart(const struct audit_policy *self, const struct audit_case *given,
                      size_t round);

/* The seconds that a job on `gpus` GPUs loses at the start of an interval, in a cluster of
 * `cluster_gpus`; `seen` if its ranks were used together before, `restart` in every S-th round. */
int64_t audit_overhead_s(int64_t cluster_gpus, int64_t gpus, bool seen, bool restart);

/* The rate on `gpus` GPUs; 0 if the table has none, or `rates` is NULL. */
double audit_rate(const struct audit_rates *rates, int64_t gpus);

/* The highest rate on at most `gpus_max` GPUs; likewise. */
double audit_best_rate(const struct audit_rates *rates, int64_t gpus_max);

#endif
