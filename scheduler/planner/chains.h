/* chains.h - tasks that wait for other tasks of a round to end, their parents. The deadline of a
 * chain is divided backwards: each of its tasks has a share of the time up to it, by what the task
 * needs where it is fastest. Tasks of a chain are promised together or not at all; docs/promises.md
 * has the rule. */
#ifndef PLANNER_CHAINS_H
#define PLANNER_CHAINS_H

#include "scheduler/planner/pricing.h"

struct chains;

/* The chains of `tasks`, which are of a round, each with
 * its own deadline, or, if it is promised, with the one by which its promise is planned. Tasks that
 * wait get the earliest start that their parents leave, NEVER_S where these may not end; tasks
 * without a promise for which others wait get the deadline that those leave. Lives in the arena of
 * the round; all is lent. */
struct chains *chains_open(const struct pricing *pricing, struct task tasks[], size_t count);

/* `task` is of a round in which `any` job waits, or none: whether it does itself, and, if it is
 * promised, the deadline by which that was planned in its chain. */
void chains_enter(struct task *task, bool any);

/* Another try to promise tasks begins: all have the deadlines of their chains again. */
void chains_try_again(struct chains *self);

/* Whether `task` is promised by itself, if at all: no other task without a promise is of its chain.
 * `self` may be NULL. */
bool chains_is_single(const struct chains *self, const struct task *task);

/* The tasks that are promised with `task` or not at all, itself included. */
struct task_list chains_group(const struct chains *self, const struct task *task);

/* Whether these are tried for the first time in this try. */
bool chains_is_first(struct chains *self, const struct task *task);

/* Whether `task` waits for tasks of its chain that are promised their own deadlines, or nothing, in
 * this try, as the chain found no room. */
bool chains_is_left(const struct chains *self, const struct task *task);

/* Whether `task`, whose chain found no room, may be promised its own deadline, which it then has.
 */
bool chains_leave(const struct chains *self, struct task *task);

/* Whether `course` begins once the parents of `task` have ended. */
bool chains_may_start(const struct task *task, const struct course *course);

/* A promised task that waits for `parent`; NULL for none. `self` may be NULL. */
struct task *chains_child(const struct chains *self, const struct task *parent);

#endif
