/* chains.h - tasks that wait for other tasks of a round to end, their parents. A chain is a task
 * with a deadline of its own, its last task, and all tasks before it. That deadline is divided
 * backwards: each task has a share of the time up to it, by what the task needs where it is
 * fastest. The tasks of a chain are promised together or not at all; docs/promises.md has the rule.
 */
#ifndef PLANNER_CHAINS_H
#define PLANNER_CHAINS_H

#include "scheduler/planner/pricing.h"

struct chains;

/* The chains of `tasks`, which are of a round, each with its own deadline, or, if it is promised,
 * with the one by which its promise is planned. Promised tasks that wait begin when the promises of
 * their parents end, other ones when their parents can have ended; NEVER_S where these may not end.
 * Tasks without a promise for which others wait get the deadline that those leave. Lives in the
 * arena of the round; all is lent. */
struct chains *chains_open(const struct pricing *pricing, struct task tasks[], size_t count);

/* `task` is of a round in which `any` job waits, or none: whether it does itself, and, if it is
 * promised, the deadline by which that was planned in its chain. A promise for the sake of jobs
 * that wait ends once no job waits. */
void chains_enter(struct task *task, bool any);

/* Whether `task` waits for other tasks. `self` may be NULL. */
bool chains_has_parents(const struct chains *self, const struct task *task);

/* How many of the tasks before `task` come with this round and can be in time; SIZE_MAX if `task`
 * has no deadline of its own, and so no chain. `self` may be NULL. */
size_t chains_arrivals(struct chains *self, const struct task *task);

/* How a deadline is divided, in the order in which that is tried. A promise is never put off. */
enum division {
    DIVISION_KEEPS, /* promises before the last task stay as they are */
    DIVISION_MOVES, /* they may have to be kept earlier */
    DIVISION_FREES, /* and tasks without a promise may end after their own deadlines */
    DIVISION_COUNT
};

/* Divides the deadline that `last` has now. False, with nothing changed, if the division is that of
 * the one before, or leaves too little time for a task without a promise. */
bool chains_divide(struct chains *self, struct task *last, enum division division);

/* The tasks without a promise of that chain, which are to be promised together. */
struct task_list chains_group(const struct chains *self);

/* Takes back the last division, or all of them. `self` of the second may be NULL. */
void chains_undo(struct chains *self);
void chains_undo_all(struct chains *self);

/* Whether `task` waits for promised tasks at most: then it begins when these promises end. `self`
 * may be NULL. */
bool chains_follow(struct chains *self, struct task *task);

/* `task` has the first deadline of its own that it can meet, from the step `first` on, in place of
 * the one that its children leave. False if it has none. `self` may be NULL. */
bool chains_take_own(const struct chains *self, struct task *task, int first);

/* Whether `course` begins once the parents of `task` have ended. */
bool chains_may_start(const struct task *task, const struct course *course);

/* A promised task that waits for `parent`; NULL for none. `self` may be NULL. */
struct task *chains_child(const struct chains *self, const struct task *parent);

/* `task`, whose promise is kept before its own deadline for the sake of its children, has its own
 * one again. False if that is of no use. `self` may be NULL. */
bool chains_loosen(const struct chains *self, struct task *task);

/* The promise of `parent` is kept later: those of its children that began too early stray. `self`
 * may be NULL. */
void chains_delay(struct chains *self, const struct task *parent);

#endif
