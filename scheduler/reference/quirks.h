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

/* A policy under the rules of a run; it must stay where it is, as its rules are found through
 * it. */
struct variant {
    struct policy policy;
    struct reference_rules rules;
};

struct quirk {
    const char *tag;
    const char *policies; /* that have it: their names, with blanks between them */
    const char *summary;  /* what the reference does */
    const char *instead;  /* what the clean rule does */
    bool defect;          /* "clean" puts it right; otherwise it is only done by its tag */
    void (*clean)(struct variant *variant); /* NULL: it cannot be put right */
};

/* The words that --rules may list: reference, clean and the tags of all quirks; ended with NULL. */
const char *const *rules_words(void);

/* Number `index` of the table, NULL after the last. */
const struct quirk *quirk_at(size_t index);

/* Whether with it starts, resizes and moves cost nothing, in whatever world. */
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

/* `out` becomes `policy` under `rules`; -1 with `error` if they are not rules of this policy. */
int policy_with_rules(const struct policy *policy, const char *rules, struct variant *out,
                      struct error *error);

#endif
