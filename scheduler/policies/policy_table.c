/* policy_table.c - the table of policies. */
#include "scheduler/external/external.h"
#include "scheduler/policies/policy.h"

#include <stddef.h>
#include <string.h>

/* Each policy has a line: policy_NAME, in a file of its own. */
#define POLICIES(POLICY)                                                                           \
    POLICY(rubato)                                                                                 \
    POLICY(ef_accessctrl)                                                                          \
    POLICY(ef)                                                                                     \
    POLICY(edf)                                                                                    \
    POLICY(edf_accessctrl)                                                                         \
    POLICY(gandiva)                                                                                \
    POLICY(dlas_gpu)                                                                               \
    POLICY(themis)                                                                                 \
    POLICY(chronus)                                                                                \
    POLICY(lsf)                                                                                    \
    POLICY(fifo)                                                                                   \
    POLICY(fifo_first_fit)                                                                         \
    POLICY(srtf)

#define DECLARE(name) extern const struct policy policy_##name;
#define ENTER(name)   &policy_##name,

/* clang-format off */
POLICIES(DECLARE)

static const struct policy *const policies[] = {POLICIES(ENTER)};
/* clang-format on */

#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))

const struct policy *policy_at(size_t index)
{
    return index < POLICY_COUNT ? policies[index] : NULL;
}

const struct policy *policy_find(const char *name)
{
    for (size_t i = 0; i < POLICY_COUNT; i++)
        if (!strcmp(policies[i]->name, name) ||
            (policies[i]->alias && !strcmp(policies[i]->alias, name)))
            return policies[i];
    return external_policy(name);
}

/* Fills `names` with all names and aliases; returns how many there are. */
static size_t list_names(const char *names[])
{
    size_t count = 0;

    for (size_t i = 0; i < POLICY_COUNT; i++) {
        names[count++] = policies[i]->name;
        if (policies[i]->alias)
            names[count++] = policies[i]->alias;
    }
    return count;
}

const char *const *policy_names(void)
{
    static const char *names[2 * POLICY_COUNT + 1];

    names[list_names(names)] = NULL;
    return names;
}

const char *const *policy_choices(void)
{
    static const char *names[2 * POLICY_COUNT + 2];
    const size_t count = list_names(names);

    names[count] = EXTERNAL_PREFIX "COMMAND";
    names[count + 1] = NULL;
    return names;
}
