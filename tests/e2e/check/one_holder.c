/* one_holder.c - I2, from what trainers say: when two hold the same GPU, or two incarnations of a
 * job hold any. */
#include "tests/e2e/check/rules.h"

#include <inttypes.h>
#include <stdlib.h>

static void compare(const struct hold *before, const struct hold *now, findings_t *findings)
{
    const struct log_line *old = before->begin;
    const struct log_line *new = now->begin;

    if (old->node == new->node && old->gpu == new->gpu)
        findings_add(findings, "I2", new,
                     "GPU %" PRId64 " of node %" PRId64 " is still held by job %" PRId64
                     ", incarnation %" PRId64 " (%s:%zu)",
                     new->gpu, new->node, old->job, old->incarnation, old->file, old->number);
    if (old->job == new->job && old->incarnation != new->incarnation)
        findings_add(findings, "I2", new,
                     "incarnation %" PRId64 " of job %" PRId64 " still lives (%s:%zu)",
                     old->incarnation, old->job, old->file, old->number);
}

void rule_one_holder(const struct run *run, findings_t *findings)
{
    const struct hold **active = xcalloc(run->holds->count + 1, sizeof(const struct hold *));
    size_t count = 0;

    for (size_t i = 0; i < run->holds->count; i++) {
        const struct hold *now = &run->holds->items[i];
        size_t kept = 0;

        for (size_t j = 0; j < count; j++)
            if (hold_lasts(active[j], now->begin->stamp_us)) {
                compare(active[j], now, findings);
                active[kept++] = active[j];
            }
        active[kept] = now;
        count = kept + 1;
    }
    free(active);
    for (size_t i = 0; i < run->logs->line_count; i++)
        if (log_line_is(&run->logs->lines[i], "trainer", "overlap"))
            findings_add(findings, "I2", &run->logs->lines[i],
                         "a trainer found its GPU or its rank locked by another");
}
