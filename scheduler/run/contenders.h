/* contenders.h - policies that run in one setting, each of which heeds what concerns it. */
#ifndef RUN_CONTENDERS_H
#define RUN_CONTENDERS_H

#include "common/error.h"
#include "scheduler/policies/policy.h"
#include "scheduler/run/simulation.h"

#include <stddef.h>

/* Whether the objective and the spare nodes of `shared` concern one of the policies at least. -1
 * with `error`, which names the option, if not. */
int contenders_check(const struct simulation *shared, const struct policy *const policies[],
                     size_t count, struct error *error);

/* Makes a simulation of `policy` out of a copy of the shared one: it loses the objective and the
 * spare nodes if the policy keeps no plan. */
void contender_choose(struct simulation *self, const struct policy *policy);

#endif
