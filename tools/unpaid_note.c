/* unpaid_note.c - see unpaid_note.h. */
#include "tools/unpaid_note.h"

#include "scheduler/reference/quirks.h"

#include <stdio.h>

bool unpaid_note(const struct simulation *simulation, char note[UNPAID_NOTE_BYTES])
{
    const struct policy *policy = policy_find(simulation->policy);
    const char *tag = policy ? rules_unpaid(simulation->rules, policy) : NULL;

    if (!tag)
        return false;
    (void)snprintf(note, UNPAID_NOTE_BYTES,
                   "%s pays nothing for starts, resizes and moves (%s); with --rules clean it does",
                   policy->name, tag);
    return true;
}
