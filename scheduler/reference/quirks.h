/* quirks.h - the quirks of the published policies that can be put right, by tag.
 *
 * By default a run follows the reference, quirk for quirk. Rules can be named instead: "clean" puts
 * right every defect of the policy, a list of tags only the named quirks. A clean rule is a
 * function of its own beside the quirk that it replaces. The table says where the rule is plugged
 * in. */
#ifndef REFERENCE_QUIRKS_H
#define REFERENCE_QUIRKS_H

#include "common/error.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/rules.h"

#include <stdbool.h>
#include <stddef.h>

#define RULES_REFERENCE "reference"
#define RULES_CLEAN     "clean"

/* A policy under the rules of a run. Must not be moved, as policies find its rules by its
 * address. */
struct variant {
    struct policy policy;
    struct reference_rules rules;
};

struct quirk {
    const char *tag;
    const char *policies; /* names of the policies that have the quirk, separated by blanks */
    const char *summary;  /* behaviour of the reference */
    const char *instead;  /* behaviour of the clean rule */
    bool defect;          /* "clean" puts the quirk right; other quirks need their tag */
    void (*clean)(
        struct variant *variant); /* plugs in the clean rule; NULL: the quirk cannot be put right */
};

/* The words that --rules may list: reference, clean and the tags of all quirks, and a NULL at the
 * end. */
const char *const *rules_words(void);

/* The quirk number `index` of the table, NULL after the last. */
const struct quirk *quirk_at(size_t index);

/* Whether the quirk makes starts, resizes and moves free, in any world. */
bool quirk_is_unpaid(const struct quirk *quirk);

bool quirk_is_of(const struct quirk *quirk, const char *policy);

/* Checks `rules`: NULL, "reference", "clean" or a comma-separated list of tags of quirks that any
 * of `policies` has. Returns -1 with `error` for other rules. */
int rules_check(const char *rules, const struct policy *const policies[], size_t count,
                struct error *error);

/* The part of `rules`, already checked, that concerns `policy`: tags of quirks that the policy
 * lacks are left out. The caller frees the text. */
char *rules_for(const char *rules, const struct policy *policy);

/* The tag of the quirk that lets `policy` start and move jobs without cost under `rules`; NULL for
 * none. */
const char *rules_unpaid(const char *rules, const struct policy *policy);

/* Sets `out` to `policy` under `rules`. Returns -1 with `error` if the policy has no such rules. */
int policy_with_rules(const struct policy *policy, const char *rules, struct variant *out,
                      struct error *error);

#endif
