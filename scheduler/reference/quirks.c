/* quirks.c - the table of quirks, and the rules plugged in where a quirk is put right. See
 * quirks.h. */
#include "scheduler/reference/quirks.h"
#include "scheduler/reference/leasing.h"

#include "scheduler/reference/admissions.h"
#include "scheduler/reference/harm.h"
#include "scheduler/reference/lease_packing.h"
#include "scheduler/reference/leased_rounds.h"

#include <string.h>

static void clean_restart(struct variant *variant)
{
    variant->policy.stages.restart_rounds = plain_restart_rounds;
}

static void clean_credit(struct variant *variant)
{
    variant->policy.stages.expect = plain_expect;
    variant->rules.loop.goes_on = goes_on_with_work;
}

static void clean_lateness(struct variant *variant)
{
    variant->policy.stages.foresee = plain_foresee;
    variant->rules.loop.judged_end_s = judged_by_work;
}

/* A job that is woken for its planned start may find that its end, planned in another round, is due
 * while the job holds no GPU. The job is then planned anew. */
static void clean_wake(struct variant *variant)
{
    variant->rules.loop.wake = wake_next;
    variant->rules.loop.ends_idle = idle_end_is_dropped;
}

static void clean_charge(struct variant *variant)
{
    variant->rules.loop.pays = pays_for_changes;
    variant->rules.loop.look = look_at_moves;
}

static void clean_widest_cap(struct variant *variant)
{
    variant->policy.gpus_max = policy_gpus_fastest;
}

static void clean_sole_event(struct variant *variant)
{
    variant->rules.loop.merge = merge_always;
}

static void clean_room(struct variant *variant)
{
    variant->rules.sharing.gandiva.has_room = gandiva_has_room;
}

static void clean_squeeze(struct variant *variant)
{
    variant->rules.sharing.gandiva.pass_over = gandiva_keep_sets;
}

static void clean_load(struct variant *variant)
{
    variant->rules.sharing.gandiva.note_ends = gandiva_count_ends;
}

static void clean_set_count(struct variant *variant)
{
    variant->rules.sharing.gandiva.sets_short = gandiva_sets_short;
    variant->rules.sharing.gandiva.sets_spare = gandiva_sets_spare;
}

static void clean_rebalance(struct variant *variant)
{
    variant->rules.sharing.gandiva.rebalances = gandiva_rebalance_if_made;
}

static void clean_adjustment(struct variant *variant)
{
    variant->rules.sharing.gandiva.adjusts_before = false;
}

static void clean_turns(struct variant *variant)
{
    variant->rules.sharing.gandiva.is_turn = gandiva_turn_each_round;
}

static void clean_ticks(struct variant *variant)
{
    variant->rules.loop.tick_s = tick_every_slot;
}

static void clean_debts(struct variant *variant)
{
    variant->policy.stages.charge = requested_charge_nothing;
}

static void clean_free_turns(struct variant *variant)
{
    variant->policy.stages.charge = requested_charge_changes;
    variant->rules.loop.look = look_at_moves;
}

/* A start that was free and now costs may put off an end to a time at which the job holds no
 * GPU. */
static void clean_free_starts(struct variant *variant)
{
    variant->policy.stages.charge = planned_leave_and_charge;
    variant->policy.stages.restart_rounds = plain_restart_rounds;
    variant->rules.loop.ends_idle = idle_end_is_dropped;
    clean_charge(variant);
}

static void clean_lost_sets(struct variant *variant)
{
    variant->rules.loop.loses_sets = false;
}

static void clean_scattering(struct variant *variant)
{
    variant->rules.loop.spreads = true;
}

static void clean_rounding(struct variant *variant)
{
    variant->rules.planning.end_by_rounding = planning_end_at_deadline;
}

static void clean_counts(struct variant *variant)
{
    variant->policy.stages.check = planned_check;
}

static void clean_waiting(struct variant *variant)
{
    variant->rules.sharing.gandiva.seats_after_release = false;
    variant->rules.sharing.gandiva.seat_waiting = gandiva_seat_all_waiting;
}

static void clean_foresight(struct variant *variant)
{
    variant->rules.loop.foresees = foresees_always;
}

static void clean_rest(struct variant *variant)
{
    variant->rules.loop.carries_overhead = true;
}

static void clean_demotion(struct variant *variant)
{
    variant->rules.sharing.tiresias.limit_left_s = tiresias_limit_left;
}

static void clean_stale_ends(struct variant *variant)
{
    variant->rules.loop.keep_stale_ends = stale_ends_are_forgotten;
}

static void clean_holding(struct variant *variant)
{
    variant->rules.loop.seen_s = seen_at_end;
}

static void clean_too_large(struct variant *variant)
{
    if (variant->policy.options == &leasing_options) {
        variant->rules.sharing.chronus.declines_too_large = true;
        return;
    }
    variant->policy.stages.check = requested_check;
    variant->policy.admission = &admission_fitting;
}

static void clean_fair_speed(struct variant *variant)
{
    variant->rules.sharing.themis.fair_speed = themis_speed;
}

static void clean_elapsed(struct variant *variant)
{
    variant->rules.sharing.themis.elapsed_s = themis_elapsed;
}

static void clean_priority(struct variant *variant)
{
    variant->rules.sharing.themis.priority = themis_priority_by_debt;
}

static void clean_iterations_end(struct variant *variant)
{
    variant->rules.loop.ends_with_interval = false;
}

/* An end that is not rounded up can be put off, with all events within a slot of now, to a time at
 * which the job holds no GPU. The job is then planned anew. */
static void clean_slots(struct variant *variant)
{
    variant->rules.planning.grid_slot_s = planning_by_second;
    variant->rules.planning.bound_end = planning_end_bound;
    variant->rules.loop.ends_idle = idle_end_is_dropped;
}

static void clean_plan_end(struct variant *variant)
{
    variant->rules.planning.step_behind_end = planning_nothing_behind_end;
    variant->rules.planning.steps_behind_end = false;
}

static void clean_dead_time(struct variant *variant)
{
    variant->rules.planning.force = planning_force_to_end;
    variant->rules.planning.settle_late = planning_late_throughout;
}

static void clean_precedence(struct variant *variant)
{
    variant->rules.planning.fill = planning_late_last;
}

static void clean_gain(struct variant *variant)
{
    variant->rules.planning.worth = planning_worth_by_thrift;
}

static void clean_grouping(struct variant *variant)
{
    variant->policy.admission = &admission_each;
}

static void clean_proof(struct variant *variant)
{
    const bool is_edf = !strncmp(variant->policy.name, "edf", 3);

    variant->policy.prove = is_edf ? edf_prove_no_harm : ef_prove_no_harm;
}

static void clean_edf_entry(struct variant *variant)
{
    variant->rules.planning.end_at_entry = planning_keep_entry;
}

static void clean_waiting_credit(struct variant *variant)
{
    variant->rules.sharing.chronus.credited_from_s = chronus_credit_from_start;
}

static void clean_rejected(struct variant *variant)
{
    variant->rules.sharing.chronus.settle_rejected = chronus_forget_rejected;
}

static void clean_fill(struct variant *variant)
{
    variant->rules.sharing.chronus.fills = chronus_fill_at_admissions;
}

static void clean_judgement(struct variant *variant)
{
    variant->rules.sharing.chronus.judged_s = chronus_judge_by_deadline;
}

static void clean_starts(struct variant *variant)
{
    variant->rules.sharing.chronus.start_costs = chronus_changes_cost;
}

static void clean_best_effort(struct variant *variant)
{
    variant->policy.stages.check = leased_check;
}

static void clean_sizes(struct variant *variant)
{
    variant->rules.sharing.chronus.packed_gpus = lease_packed_gpus;
}

static void clean_overrun(struct variant *variant)
{
    variant->rules.sharing.chronus.outlive = chronus_boost_if_promised;
    variant->rules.sharing.chronus.lose_hope = chronus_boost_no_more;
}

static void clean_levels(struct variant *variant)
{
    variant->rules.sharing.chronus.fits = chronus_fits_at_best;
    variant->rules.sharing.chronus.plans_by_value = false;
}

/* The policies with placement `elastic`. */
#define PLACED "ef-accessctrl ef edf edf-accessctrl dlas-gpu themis"

/* A line for each quirk: */
static const struct quirk quirks[] = {
    {"EF-Q3", "ef-accessctrl ef edf-accessctrl",
     "all trainers restart every so many rounds as a slot has seconds",
     "they restart every --restart_threshold rounds", true, clean_restart},
    {"EF-Q10", "edf edf-accessctrl",
     "every job takes up to 64 GPUs, even where more of them are slower",
     "at most the GPU count with the highest rate", true, clean_widest_cap},
    {"EF-Q12", "ef-accessctrl ef",
     "a plan goes on after the end of its job, and so do its GPU time and its changes",
     "a plan ends with its job", true, clean_plan_end},
    {"EF-Q13", "ef-accessctrl ef",
     "planned changes wake the scheduler only now and then: their events are lost with others, or "
     "outlive the plan",
     "the next planned change always wakes the scheduler, as long as it is planned", true,
     clean_wake},
    {"EF-Q14", "ef-accessctrl ef",
     "work is credited up to the planned finish, which ignores the overhead, and less the overhead",
     "all work after the overhead is credited; a job is retired when nothing is left", true,
     clean_credit},
    {"EF-Q15", "ef-accessctrl ef edf edf-accessctrl",
     "what is left of an overhead at the end of a round is forgiven", "it is carried over", true,
     clean_rest},
    {"EF-Q20", "ef-accessctrl ef edf-accessctrl",
     "every running job pays the overhead in every round, also if nothing changed for it",
     "only those pay that start, are resized, move or restart", true, clean_charge},
    {"EF-Q23", PLACED,
     "the nodes of a job are filed under its size, and not found there when it ends",
     "they are found", true, clean_lost_sets},
    {"EF-Q24", "ef-accessctrl ef",
     "a plan ends before the job where the slot of its deadline ends before others give GPUs back",
     "all time counts, as with EF-Q41", true, clean_dead_time},
    {"EF-Q25", "ef-accessctrl ef", "time runs backwards for a job that is late and alone",
     "all time counts, as with EF-Q41", true, clean_dead_time},
    {"EF-Q26", "ef-accessctrl ef",
     "what rounding leaves of the work is planned after the deadline, be it that no GPU is free",
     "it is none", true, clean_rounding},
    {"EF-Q27", "ef-accessctrl ef",
     "what is planned ends with a slot counted from now, later with every round",
     "what is planned ends when the work is done", true, clean_slots},
    {"EF-Q28", "ef-accessctrl ef",
     "jobs that cannot meet their deadline take GPUs from those that still can",
     "they are planned after all that can", true, clean_precedence},
    {"EF-Q29", "ef-accessctrl ef", "spare GPUs go where they increase the GPU time most",
     "they go where they increase it least", true, clean_gain},
    {"EF-Q33", "ef-accessctrl ef",
     "a job is late by its planned finish without overheads, or by an end rounded up to a slot",
     "a job is late if its last iteration was done after its deadline", true, clean_lateness},
    {"EF-Q35", "ef-accessctrl", "all arrivals of one event are admitted or declined together",
     "each is decided on its own", true, clean_grouping},
    {"EF-Q36", "ef-accessctrl edf-accessctrl", "one job that is late blocks every admission",
     "an arrival is in if it is in time itself and makes no job late that was in time", true,
     clean_proof},
    {"EF-Q37", "edf edf-accessctrl",
     "a planned end overwrites what is known to be free from the end of its slot on",
     "what is known stays", true, clean_edf_entry},
    {"EF-Q38", "edf", "no start, resize or move costs anything", "each is paid for", true,
     clean_free_starts},
    {"EF-Q40", PLACED, "a job finds no place where the free GPUs are scattered over node sets",
     "it is spread, and jobs stay where they are from then on", true, clean_scattering},
    {"EF-Q41", "ef-accessctrl ef",
     "the time from a missed deadline to the end of its slot counts for nothing",
     "it counts like any other", true, clean_dead_time},
    {"EF-Q39", "edf-accessctrl",
     "a job that gets no GPU keeps its planned end, and may be taken for done then", "kept", false,
     NULL},
    {"EF-Q45", "ef-accessctrl edf-accessctrl",
     "a job is admitted by a plan that leaves out what starts to come cost", "kept", false, NULL},
    {"EF-Q48", "ef-accessctrl ef edf edf-accessctrl",
     "a job may use any number of GPUs up to its cap and the cluster's, be it that its table has "
     "none",
     "up to the largest such number for which its table has a rate, as for all smaller ones", true,
     clean_counts},
    {"CO-Q1", "gandiva dlas-gpu", "all trainers restart every so many rounds as a slot has seconds",
     "they restart every --restart_threshold rounds", true, clean_restart},
    {"CO-Q2", "gandiva dlas-gpu",
     "the last arrivals keep their time, others move to the end of a slot",
     "all move to the end of a slot", false, clean_sole_event},
    {"GA-Q1", "gandiva", "a node set counts as full one job early", "it is full when it is full",
     false, clean_room},
    {"GA-Q2", "gandiva", "a job that fits nowhere is squeezed into the second set of its size",
     "into the least loaded one", false, clean_squeeze},
    {"GA-Q3", "gandiva", "the load of a node set is not lowered when a job ends",
     "the load is the number of its jobs", true, clean_load},
    {"GA-Q4", "gandiva", "GPUs are turned into node sets by the size of a job, not of a set",
     "by the size of a set, and no more sets are given up than are spare", true, clean_set_count},
    {"GA-Q5", "gandiva", "jobs move to new node sets only if some could not be had",
     "they do if there is a new one", true, clean_rebalance},
    {"GA-Q7", "gandiva", "node sets change before the interval that ended is credited",
     "after it is credited", true, clean_adjustment},
    {"GA-Q8", "gandiva", "turns change only in rounds on the clock's full minutes",
     "they change in every round", true, clean_turns},
    {"GA-Q9", "gandiva", "while jobs are still to arrive, there are no rounds between arrivals",
     "there is a round at least every slot", false, clean_ticks},
    {"GA-Q10", "gandiva", "until the last arrival every job pays an overhead in every round",
     "no job pays any", false, clean_debts},
    {"GA-Q11", "gandiva", "of the jobs that wait for nodes every other is passed over",
     "every one is tried in every round", false, clean_waiting},
    {"TI-Q1", "dlas-gpu", "the expected end of a job leaves out the overhead that it has to pay",
     "it includes the overhead", true, clean_foresight},
    {"TI-Q2", "dlas-gpu", "what is left of an overhead in the next round is forgiven",
     "it is carried over", true, clean_rest},
    {"TI-Q3", "dlas-gpu", "a job on several GPUs is demoted too late",
     "it is demoted when it has used up its limit", true, clean_demotion},
    {"TI-Q4", "dlas-gpu", "a job holds its GPUs until a slot has passed, whenever it ended",
     "it gives them back at its end", true, clean_holding},
    {"TI-Q9", "gandiva dlas-gpu themis chronus",
     "jobs larger than the cluster are counted nowhere, or waited for without end",
     "they are declined", true, clean_too_large},
    {"TI-Q11", "dlas-gpu",
     "ends forecast for the time of the next arrival happen with it, even if a round before it "
     "forecasts others",
     "ends happen when the forecast in force says", true, clean_stale_ends},

    {"TH-Q1", "themis", "the speed on a fair part of the cluster is a bare fraction",
     "it is in iterations per second", true, clean_fair_speed},
    {"TH-Q3", "themis", "the age of a job stands still between arrivals and ends",
     "it is the time since it arrived", true, clean_elapsed},
    {"TH-Q4", "themis", "no start or move costs anything", "each is paid for", true,
     clean_free_turns},
    {"TH-Q5", "themis", "a share of time is a priority, whatever the job had so far",
     "it is divided by the slots that the job had", false, clean_priority},
    {"TH-Q6", "themis", "a job whose iterations run out ends with the slot",
     "it ends with its last iteration", false, clean_iterations_end},

    {"CH-Q1", "chronus", "a job that gets a lease is credited with what it waited before",
     "it is credited from the start of the lease", true, clean_waiting_credit},
    {"CH-Q2", "chronus", "a rejected job goes on taking room from the others that arrived with it",
     "it takes none", true, clean_rejected},
    {"CH-Q6", "chronus", "free GPUs are handed to jobs that fit at odd times only",
     "they are with every admission", true, clean_fill},
    {"CH-Q7", "chronus", "an end is judged by the promise, a deadline rounded down to a lease",
     "it is judged by the deadline that was asked for", true, clean_judgement},
    {"CH-Q8", "chronus", "a job that is stopped and started at one moment pays for a start",
     "only a job that did not run before pays", true, clean_starts},
    {"CH-Q9", "chronus", "best-effort jobs of ElasticFlow's traces have a deadline all the same",
     "they have none", true, clean_best_effort},
    {"CH-Q10", "chronus", "promises round 3 GPUs up to 4, and 5, 6 and 7 up to 8",
     "every job counts for the GPUs that it holds", true, clean_sizes},
    {"CH-Q12", "chronus",
     "leases and admissions come at multiples of the checks, and free GPUs wait", "kept", false,
     NULL},
    {"CH-Q17", "chronus",
     "a job that outlives its estimate goes first, even without a deadline to meet",
     "only as long as there is one that can be met", true, clean_overrun},
    {"CH-Q18", "chronus",
     "a job with several deadlines is tested for the first and promised the last",
     "it is promised the first one that it fits", true, clean_levels},
};

#define QUIRK_COUNT (sizeof(quirks) / sizeof(quirks[0]))

bool quirk_is_unpaid(const struct quirk *quirk)
{
    return !strcmp(quirk->tag, "EF-Q38") || !strcmp(quirk->tag, "TH-Q4");
}

const struct quirk *quirk_at(size_t index)
{
    return index < QUIRK_COUNT ? &quirks[index] : NULL;
}

const char *const *rules_words(void)
{
    static const char *words[QUIRK_COUNT + 3] = {RULES_REFERENCE, RULES_CLEAN};

    for (size_t i = 0, count = 2; i < QUIRK_COUNT; i++)
        if (quirks[i].clean)
            words[count++] = quirks[i].tag;
    return words;
}
