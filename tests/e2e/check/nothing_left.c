/* nothing_left.c - I9: at the end of a complete run every hold has its release, every GPU is free,
 * and every process that came up has gone down or was seen dead. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <string.h>

/* What began, to the line that says so, until it ended. */
struct begun {
    table_t *processes; /* by pid */
    table_t *pids;      /* of trainers, by name */
    table_t *daemons;   /* by program and name */
    table_t *gpus;      /* given by a master */
};

static void on_trainer(const struct begun *self, const struct log_line *line)
{
    struct note *of_name = table_at(self->pids, "%s", line->name);
    const int64_t pid = log_line_whole(line, "pid", -1);

    if (log_line_is(line, "worker", "trainer-started") || log_line_is(line, "trainer", "started"))
        table_at(self->processes, "%" PRId64, pid)->line = line;
    if (log_line_is(line, "trainer", "started"))
        of_name->value = pid;
    if (log_line_is(line, "trainer", "stopped"))
        table_at(self->processes, "%" PRId64, of_name->value)->line = NULL;
    if (line_of_death(line) >= 0)
        table_at(self->processes, "%" PRId64, line_of_death(line))->line = NULL;
}

static void on_daemon(const struct begun *self, const struct log_line *line)
{
    const char *source = log_line_text(line, "source");

    if (log_line_is(line, "worker", "up") || log_line_is(line, "master", "up"))
        table_at(self->daemons, "%s:%s", line->program, line->name)->line = line;
    if (strcmp(line->event, "down") == 0)
        table_at(self->daemons, "%s:%s", line->program, line->name)->line = NULL;
    if (log_line_is(line, "harness", "ended") && source)
        table_at(self->daemons, "%s%s", source, strchr(source, ':') ? "" : ":")->line = NULL;
}

static void on_gpu(const struct begun *self, const struct log_line *line)
{
    if (log_line_is(line, "master", "gpu-given"))
        table_at(self->gpus, "%" PRId64 " %" PRId64, line->node, line->gpu)->line = line;
    if (log_line_is(line, "master", "gpu-freed"))
        table_at(self->gpus, "%" PRId64 " %" PRId64, line->node, line->gpu)->line = NULL;
}

static void complain(const table_t *table, const char *sentence, findings_t *findings)
{
    for (size_t i = 0; i < table_count(table); i++)
        if (table_entry(table, i)->line)
            findings_add(findings, "I9", table_entry(table, i)->line, "%s", sentence);
}

void rule_nothing_left(const struct run *run, findings_t *findings)
{
    struct begun begun = {table_new(), table_new(), table_new(), table_new()};

    if (run->complete) {
        for (size_t i = 0; i < run->logs->line_count; i++) {
            on_trainer(&begun, &run->logs->lines[i]);
            on_daemon(&begun, &run->logs->lines[i]);
            on_gpu(&begun, &run->logs->lines[i]);
        }
        for (size_t i = 0; i < run->holds->count; i++)
            if (!run->holds->items[i].end)
                findings_add(findings, "I9", run->holds->items[i].begin, "this hold never ends");
        complain(begun.processes, "this trainer never ends", findings);
        complain(begun.daemons, "this process comes up and never goes down", findings);
        complain(begun.gpus, "this GPU is never freed", findings);
    }
    table_destroy(&begun.gpus);
    table_destroy(&begun.daemons);
    table_destroy(&begun.pids);
    table_destroy(&begun.processes);
}
