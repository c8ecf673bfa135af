/* admission_table.c - the admission modules that can be chosen for a run. */
#include "scheduler/admission/admission.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/admissions.h"

#include <stddef.h>
#include <string.h>

static const struct admission *const modules[] = {
    &admission_everyone, &admission_fitting,  &admission_runnable,
    &admission_each,     &admission_together, &admission_one_by_one,
};

#define MODULE_COUNT (sizeof(modules) / sizeof(modules[0]))

const struct admission *admission_find(const char *name)
{
    for (size_t i = 0; i < MODULE_COUNT; i++)
        if (!strcmp(modules[i]->name, name))
            return modules[i];
    return NULL;
}

const char *const *admission_names(void)
{
    static const char *names[MODULE_COUNT + 1];

    for (size_t i = 0; i < MODULE_COUNT; i++)
        names[i] = modules[i]->name;
    return names;
}

const struct admission *policy_admission(const struct policy *self, const char *asked,
                                         struct error *error)
{
    const struct admission *chosen = asked ? admission_find(asked) : NULL;

    if (!asked || !strcmp(self->admission->name, asked))
        return self->admission;
    if (!chosen)
        error_set(error, "there is no admission \"%s\"", asked);
    else if (self->admits)
        error_set(error,
                  "--admission %s: the rounds of policy %s stand on its own admission, which no "
                  "other can replace",
                  asked, self->name);
    else if (chosen->proves && !self->prove)
        error_set(error,
                  "--admission %s: policy %s cannot prove that jobs end in time, which this "
                  "admission asks",
                  asked, self->name);
    else
        return chosen;
    return NULL;
}
