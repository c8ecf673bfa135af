/* progress.c - I10: what begins anew goes on from the last checkpoint that the master has been told
 * of, or a later one, and never from where no checkpoint is. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <string.h>

static void raise_to(struct note *entry, const struct log_line *line, int64_t step)
{
    if (step < 0 || (entry->line && step <= entry->value))
        return;
    entry->line = line;
    entry->value = step;
}

static void judge(const struct log_line *line, const struct note *confirmed,
                  const struct note *made, bool credited, findings_t *findings)
{
    const int64_t from = log_line_whole(line, "from", -1);

    if (from < 0)
        return;
    if (confirmed->line && from < confirmed->value)
        findings_add(findings, "I10", line,
                     "job %" PRId64 " goes on from step %" PRId64
                     ", behind its checkpoint at %" PRId64 " (%s:%zu)",
                     line->job, from, confirmed->value, confirmed->line->file,
                     confirmed->line->number);
    if (!credited && from > (made->line ? made->value : 0))
        findings_add(findings, "I10", line,
                     "job %" PRId64 " goes on from step %" PRId64 ", where it has no checkpoint",
                     line->job, from);
}

void rule_progress(const struct run *run, findings_t *findings)
{
    table_t *confirmed = table_new(); /* the master knows of */
    table_t *made = table_new();

    for (size_t i = 0; i < run->logs->line_count; i++) {
        const struct log_line *line = &run->logs->lines[i];

        if (line->job < 0)
            continue;
        if (log_line_is(line, "trainer", "hold"))
            judge(line, table_at(confirmed, "%" PRId64, line->job),
                  table_at(made, "%" PRId64, line->job), run->credited, findings);
        if (log_line_is(line, "trainer", "saves") || log_line_is(line, "trainer", "checkpoint"))
            raise_to(table_at(made, "%" PRId64, line->job), line, log_line_whole(line, "step", -1));
        if (log_line_is(line, "trainer", "release"))
            raise_to(table_at(made, "%" PRId64, line->job), line,
                     log_line_whole(line, "checkpoint", -1));
        if (log_line_is(line, "master", "part"))
            raise_to(table_at(confirmed, "%" PRId64, line->job), line,
                     log_line_whole(line, "checkpoint", -1));
    }
    table_destroy(&made);
    table_destroy(&confirmed);
}
