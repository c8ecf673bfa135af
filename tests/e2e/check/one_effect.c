/* one_effect.c - I8: a worker applies RUN, BEGIN and STOP of an incarnation once, and any other
 * command with the same sequence number once; the master numbers no incarnation twice. One that
 * ends as usual has ended all workers, so that numbers may begin anew. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static bool happens_once(const char *type)
{
    return strcasecmp(type, "run") == 0 || strcasecmp(type, "begin") == 0 ||
           strcasecmp(type, "stop") == 0;
}

static void judge_command(const struct log_line *line, int64_t life, table_t *seen,
                          findings_t *findings)
{
    const char *type = log_line_text(line, "type");
    const char *effect = log_line_text(line, "effect");
    struct note *entry;

    if (!type || !effect || strcmp(effect, "applied") != 0 || line->job < 0)
        return;
    entry = table_at(seen, "%s %" PRId64 " %s %" PRId64 " %" PRId64 " %s", line->name, life, type,
                     line->job, line->incarnation,
                     happens_once(type) ? "" : log_line_text(line, "seq"));
    if (entry->line)
        findings_add(findings, "I8", line,
                     "%s of incarnation %" PRId64 " of job %" PRId64
                     " had its effect before (%s:%zu)",
                     type, line->incarnation, line->job, entry->line->file, entry->line->number);
    entry->line = line;
}

static void judge_number(const struct log_line *line, table_t *begun, findings_t *findings)
{
    struct note *entry = table_at(begun, "%" PRId64, line->job);

    if (entry->line && line->incarnation < entry->value)
        findings_add(findings, "I8", line,
                     "incarnation %" PRId64 " of job %" PRId64 " begins behind incarnation %" PRId64
                     " (%s:%zu)",
                     line->incarnation, line->job, entry->value, entry->line->file,
                     entry->line->number);
    entry->line = line;
    entry->value = line->incarnation;
}

void rule_one_effect(const struct run *run, findings_t *findings)
{
    table_t *lives = table_new();
    table_t *seen = table_new();
    table_t *begun = table_new();

    for (size_t i = 0; i < run->logs->line_count; i++) {
        const struct log_line *line = &run->logs->lines[i];

        if (log_line_is(line, "worker", "up"))
            table_at(lives, "%s", line->name)->value++;
        if (log_line_is(line, "worker", "command"))
            judge_command(line, table_at(lives, "%s", line->name)->value, seen, findings);
        if (log_line_is(line, "master", "begin"))
            judge_number(line, begun, findings);
        if (log_line_is(line, "master", "down")) {
            table_destroy(&begun);
            begun = table_new();
        }
    }
    table_destroy(&begun);
    table_destroy(&seen);
    table_destroy(&lives);
}
