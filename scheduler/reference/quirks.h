/* quirks.h - the quirks of the published policies that can be put right, by tag.
 *
 * A run follows the reference by default, quirk for quirk. Its rules may be named instead: "clean"
 * puts right every defect that the policy has, a list of tags only those. A clean rule is a
 * function of its own beside the quirk that it replaces; the table says where it is plugged in. */
#ifndef REFERENCE_QUIRKS_H
#define REFERENCE_QUIRKS_H

#include "common/error.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/rules.h"

#include <stdbool.h>
#include <stddef.h>

#define RULES_REFERENCE "reference"
#define RULES_CLEAN     "clean"

/* A policy under the rules of a run; it must not be moved, as policies find its rules by its
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
    bool defect;          /* "clean" puts the quirk right; otherwise only its tag does */
    void (*clean)(
        struct variant *variant); /* plugs in the clean rule; NULL: the quirk cannot be put right */
};

/* The words that --rules may list: reference, clean and the tags of all quirks; ended with NULL. */
const char *const *rules_words(void);

/* Number `index` of the table, NULL after the last. */
const struct quirk *quirk_at(size_t index);

/* Whether the quirk makes starts, resizes and moves free, in any world. */
bool quirk_is_unpaid(const struct quirk *quirk);

bool quirk_is_of(const struct quirk *quirk, const char *policy);

/* Returns -1 with `error` unless `rules` is NULL, "reference", "clean" or a list of tags with
 * commas between them, each of a quirk that one of `policies` has. */
int rules_check(const char *rules, const struct policy *const policies[], size_t count,
                struct error *error);

/* The part of `rules`, which were checked, that concerns `policy`: tags of quirks that it lacks are
 * left out. The caller frees it. */
char *rules_for(const char *rules, const struct policy *policy);

/* The tag of the quirk by which starts and moves cost `policy` nothing under `rules`; NULL for
 * none. */
const char *rules_unpaid(const char *rules, const struct policy *policy);

/* Sets `out` to `policy` under `rules`; -1 with `error` if these are no rules of the policy. */
int policy_with_rules(const struct policy *policy, const char *rules, struct variant *out,
                      struct error *error);

#endif
