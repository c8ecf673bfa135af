/* external.h - policies that are a user's programs: "exec:COMMAND".
 *
 * The program runs as long as the run does. Each round it is asked in one line of JSON on its
 * standard input and answers in one line on its standard output; rubato-policy(5) has both. An
 * answer is held to the limits of a plan before it becomes one. */
#ifndef EXTERNAL_EXTERNAL_H
#define EXTERNAL_EXTERNAL_H

#include "scheduler/policies/policy.h"

/* The prefix of the names of such policies. */
#define EXTERNAL_PREFIX "exec:"

/* The policy that `name` stands for; it lives as long as the process. NULL if there is no command
 * after the prefix, or no prefix. */
const struct policy *external_policy(const char *name);

#endif
