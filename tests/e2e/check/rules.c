/* rules.c - see rules.h. */
#include "tests/e2e/check/rules.h"

typedef void rule_fn(const struct run *run, findings_t *findings);

static rule_fn *const rules[] = {
    rule_one_holder,   rule_fencing,  rule_lending, rule_one_effect,
    rule_nothing_left, rule_progress, rule_endings,
};

void rules_judge(const struct run *run, findings_t *findings)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        rules[i](run, findings);
}
