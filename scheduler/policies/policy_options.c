/* policy_options.c - see policy_options.h. */
#include "scheduler/policies/policy_options.h"

#include "common/memory.h"

#include <string.h>

struct option_spec policy_option_at(const struct policy_option *self, const void *values)
{
    struct option_spec spec = self->spec;

    spec.value = (char *)(uintptr_t)values + self->offset;
    return spec;
}

bool policy_option_is_usual(const struct policy_options *self, const struct policy_option *option,
                            const void *values)
{
    const struct option_spec usual = policy_option_at(option, self->usual);
    const struct option_spec now = policy_option_at(option, values);

    return option_same(&usual, &now);
}

const char *policy_option_key(const struct policy_option *self)
{
    return self->record_key ? self->record_key : self->spec.name;
}

void *policy_options_copy(const struct policy_options *self, const void *values)
{
    return memcpy(xmalloc(self->size), values ? values : self->usual, self->size);
}
