/* fencing.c - I2, from what workers say: a worker that prepared an incarnation of a job obeys no
 * command for a former one but to stop it, and none at all for one that is over. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static bool is(const char *text, const char *word)
{
    return text && strcasecmp(text, word) == 0;
}

static bool part_is_over(const struct log_line *line)
{
    const char *state = log_line_text(line, "state");

    return is(state, "stopped") || is(state, "done") || is(state, "failed");
}

/* `before` is what the worker said last: a STOP of a part that no trainer has yet is its end, which
 * is told first. */
static void judge(const struct log_line *line, const struct log_line *before, struct note *newest,
                  const struct note *over, findings_t *findings)
{
    const char *type = log_line_text(line, "type");
    const bool was_the_end = is(type, "stop") && over->line == before;

    if (!type)
        return;
    if (over->line && !is(type, "group") && !was_the_end)
        findings_add(findings, "I2", line,
                     "%s for incarnation %" PRId64 " of job %" PRId64 ", which is over (%s:%zu)",
                     type, line->incarnation, line->job, over->line->file, over->line->number);
    if (newest->line && line->incarnation < newest->value && !is(type, "stop"))
        findings_add(findings, "I2", line,
                     "%s for incarnation %" PRId64 " of job %" PRId64 " behind incarnation %" PRId64
                     " (%s:%zu)",
                     type, line->incarnation, line->job, newest->value, newest->line->file,
                     newest->line->number);
    if (is(type, "run") && (!newest->line || line->incarnation > newest->value)) {
        newest->line = line;
        newest->value = line->incarnation;
    }
}

void rule_fencing(const struct run *run, findings_t *findings)
{
    table_t *lives =
        table_new(); /* how often a worker came up: one that starts again knows nothing */
    table_t *newest = table_new();
    table_t *over = table_new();
    table_t *said = table_new(); /* the line before, of each worker */

    for (size_t i = 0; i < run->logs->line_count; i++) {
        const struct log_line *line = &run->logs->lines[i];
        int64_t life;

        if (strcmp(line->program, "worker") != 0)
            continue;
        if (strcmp(line->event, "up") == 0)
            table_at(lives, "%s", line->name)->value++;
        life = table_at(lives, "%s", line->name)->value;
        if (strcmp(line->event, "part") == 0 && part_is_over(line))
            table_at(over, "%s %" PRId64 " %" PRId64 " %" PRId64, line->name, life, line->job,
                     line->incarnation)
                ->line = line;
        if (strcmp(line->event, "command") == 0 && is(log_line_text(line, "effect"), "applied") &&
            line->job >= 0)
            judge(line, table_at(said, "%s", line->name)->line,
                  table_at(newest, "%s %" PRId64 " %" PRId64, line->name, life, line->job),
                  table_at(over, "%s %" PRId64 " %" PRId64 " %" PRId64, line->name, life, line->job,
                           line->incarnation),
                  findings);
        table_at(said, "%s", line->name)->line = line;
    }
    table_destroy(&said);
    table_destroy(&over);
    table_destroy(&newest);
    table_destroy(&lives);
}
