/* lease_choice.c - see lease_choice.h. */
#include "scheduler/policies/lease_choice.h"

/* Whether all could run at once, each in as many slots as it needs. */
static bool is_uncontested(const struct lease_problem *problem)
{
    int64_t gpus = 0;

    for (size_t i = 0; i < problem->entries->count; i++) {
        const struct lease_entry *entry = &problem->entries->items[i];

        if (entry->lease->first_level != entry->lease->last_level ||
            entry->need > entry->before - problem->slot)
            return false;
        gpus += entry->gpus;
    }
    return gpus <= problem->gpu_count;
}

/* Whether the job has to run in every slot that is left. */
static bool is_due(const struct lease_problem *problem, const struct lease_entry *entry)
{
    return entry->need == entry->before - problem->slot;
}

bool lease_choose_by_closed_form(const struct lease_problem *problem, struct lease_choice choices[])
{
    if (!is_uncontested(problem))
        return false;
    for (size_t i = 0; i < problem->entries->count; i++) {
        const struct lease_entry *entry = &problem->entries->items[i];
        const bool now = problem->objective == OBJECTIVE_MAXIMIZE || is_due(problem, entry);

        choices[i].served = true;
        choices[i].now = now;
        slot_runs_append(&choices[i].later, entry->before - (entry->need - now), entry->before);
    }
    return true;
}

bool lease_choose_by_solver(const struct lease_problem *problem, const struct leasing *leasing,
                            struct lease_choice choices[], struct lease_round *round)
{
    (void)problem;
    (void)leasing;
    (void)choices;
    (void)round;
    return false;
}
