/* chains.h - tasks that wait for other tasks of a round, their parents, to end. A chain is a task
 * with a deadline of its own, its last task, and all tasks before it. The deadline is divided
 * backwards: each task has a share of the time up to the deadline, by the task's need on its
 * fastest level. The tasks of a chain are promised together or not at all; docs/promises.md has the
 * rule. */
#ifndef PLANNER_CHAINS_H
#define PLANNER_CHAINS_H

#include "scheduler/planner/pricing.h"

struct chains;

/* Opens the chains of `tasks`, which are of a round. Each task has its own deadline, or, if
 * promised, the deadline by which its promise is planned. Promised tasks that wait begin when the
 * promises of their parents end; other tasks begin when their parents can have ended, NEVER_S where
 * a parent may not end. A task without a promise for which others wait gets the deadline that its
 * children leave. The result lives in the arena of the round and borrows its arguments. */
struct chains *chains_open(const struct pricing *pricing, struct task tasks[], size_t count);

/* Sets whether `task` waits, in a round in which `any` job waits or none, and the deadline by which
 * a promise of `task` was planned in its chain. A promise for the sake of waiting jobs ends once no
 * job waits. */
void chains_enter(struct task *task, bool any);

/* Whether `task` waits for other tasks. `self` may be NULL. */
bool chains_has_parents(const struct chains *self, const struct task *task);

/* The number of tasks before `task` that arrive in this round and can be in time; SIZE_MAX if
 * `task` has no deadline of its own, and so no chain. `self` may be NULL. */
size_t chains_arrivals(struct chains *self, const struct task *task);

/* The ways to divide a deadline, in the order in which they are tried. A promise is never put
 * off. */
enum division {
    DIVISION_KEEPS, /* promises before the last task stay as they are */
    DIVISION_MOVES, /* promises may have to be kept earlier */
    DIVISION_FREES, /* promises may move, and unpromised tasks may end after their own deadlines */
    DIVISION_COUNT
};

/* Divides the deadline that `last` has now. False, with nothing changed, if the result equals the
 * division before, or leaves too little time for a task without a promise. */
bool chains_divide(struct chains *self, struct task *last, enum division division);

/* The tasks without a promise of the chain divided last; they are to be promised together. */
struct task_list chains_group(const struct chains *self);

/* Takes back the last division, or all divisions. `self` may be NULL in chains_undo_all(). */
void chains_undo(struct chains *self);
void chains_undo_all(struct chains *self);

/* Whether all parents of `task` are promised. If so, `task` begins when these promises end. `self`
 * may be NULL. */
bool chains_follow(struct chains *self, struct task *task);

/* Gives `task` the first deadline of its own that it can meet, from the step `first` on, in place
 * of the deadline that its children leave. False if there is none. `self` may be NULL. */
bool chains_take_own(const struct chains *self, struct task *task, int first);

/* Whether `course` begins once the parents of `task` have ended. */
bool chains_may_start(const struct task *task, const struct course *course);

/* A promised task that waits for `parent`; NULL for none. `self` may be NULL. */
struct task *chains_child(const struct chains *self, const struct task *parent);

/* Gives `task`, whose promise is kept before its own deadline for the sake of its children, its own
 * deadline again. False if that does not help. `self` may be NULL. */
bool chains_loosen(const struct chains *self, struct task *task);

/* The promise of `parent` is kept later: marks its promised children that now begin too early as
 * straying. `self` may be NULL. */
void chains_delay(struct chains *self, const struct task *parent);

#endif
