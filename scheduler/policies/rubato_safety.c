/* rubato_safety.c - see rubato.h. */
#include "scheduler/planner/next_round.h"
#include "scheduler/policies/rubato.h"

#include <math.h>

static bool is_made_to_fail(struct rubato *memory)
{
    const uint64_t each = memory->asked.fails_each;

    /* Source of the step: splitmix64, Steele et al., OOPSLA 2014. */
    memory->tests += 0x9e3779b97f4a7c15u;
    return each > 0 && (memory->tests >> 32) % each == 0;
}

bool safety_holds(struct round *round)
{
    return !is_made_to_fail(round->memory) && next_round_holds(&round->seating, &round->promised);
}

/* ---- after a disturbance ---- */

/* Withdraws a promise, and with it those of the jobs that wait for the job. */
static void withdraw(struct round *round, struct task *task)
{
    struct task *child;

    task->promised = false;
    task_list_remove(&round->promised, task);
    if (!task->waits)
        task_list_insert(isfinite(task->price) ? &round->open : &round->turns.tasks, task);
    while ((child = chains_child(round->chains, task)))
        withdraw(round, child);
}

/* Gives up a promise. A promise that is kept early for the sake of children goes back to its own
 * deadline. Else it falls to its next step, or is withdrawn if it has none. */
static void give_up(struct round *round, struct task *task)
{
    if (!chains_loosen(round->chains, task) && !soft_fall(&round->pricing, task)) {
        withdraw(round, task);
        return;
    }
    chains_delay(round->chains, task);
    task_list_remove(&round->promised, task);
    task_list_insert(&round->promised, task);
}

/* Gives up one promise, unless all courses can be mended. Source of the choice: Moore, Management
 * Science 15(1), 1968, which drops the longest of the jobs up to the first late one. Here the most
 * expensive one for its worth is dropped, and a job that can fall counts as a smaller loss. */
void safety_give_up(struct round *round)
{
    struct task_list strays = in_force_follow_others(&round->planner, &round->promised);
    size_t mended = 0;

    while (mended < strays.count &&
           in_force_finds_beside(&round->seating, &round->promised, strays.items[mended]))
        mended++;
    round->continues = mended == strays.count;
    if (!round->continues)
        give_up(round, task_list_most(&strays, mended + 1, soft_loss));
    for (size_t i = 0; round->continues && i < strays.count; i++)
        in_force_put(&round->memory->in_force, strays.items[i]);
}
