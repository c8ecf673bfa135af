/* lending.c - I3, from what the master says it gave and trainers say they held. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lending {
    const struct run *run;
    findings_t *findings;
    table_t *given;   /* GPUs, to the line that gave each away */
    table_t *stopped; /* parts whose end was reported */
    table_t *up;      /* nodes that said hello; one that says so again holds what it then reports */
    table_t *down;    /* nodes that are silent */
    table_t *vouched; /* nodes that said that nothing of before lives */
    const struct log_line *master; /* since when it is there */
};

static struct note *gpu_of(const struct lending *self, const struct log_line *line)
{
    return table_at(self->given, "%" PRId64 " %" PRId64, line->node, line->gpu);
}

static bool same_part(const struct log_line *a, const struct log_line *b)
{
    return a->job == b->job && a->incarnation == b->incarnation;
}

/* `part` is no holder of its GPU any more when `line` is written. */
static void judge_holds(const struct lending *self, const struct log_line *part,
                        const struct log_line *line)
{
    for (size_t i = 0; i < self->run->holds->count; i++) {
        const struct hold *hold = &self->run->holds->items[i];

        if (hold->begin->node == line->node && hold->begin->gpu == line->gpu &&
            same_part(hold->begin, part) && hold_lasts(hold, line->stamp_us))
            findings_add(self->findings, "I3", line,
                         "GPU %" PRId64 " of node %" PRId64 " is taken for free while it is held"
                         " (%s:%zu)",
                         line->gpu, line->node, hold->begin->file, hold->begin->number);
    }
}

/* A master that is new hears only of what is held, or whose end the one before has not confirmed.
 */
static void on_given(const struct lending *self, const struct log_line *line)
{
    struct note *gpu = gpu_of(self, line);

    if (gpu->line && self->master && gpu->line->stamp_us < self->master->stamp_us)
        judge_holds(self, gpu->line, line);
    else if (gpu->line)
        findings_add(self->findings, "I3", line,
                     "GPU %" PRId64 " of node %" PRId64 " is given away while job %" PRId64
                     ", incarnation %" PRId64 " has it (%s:%zu)",
                     line->gpu, line->node, gpu->line->job, gpu->line->incarnation, gpu->line->file,
                     gpu->line->number);
    gpu->line = line;
}

static void judge_exit(const struct lending *self, const struct log_line *line,
                       const struct log_line *given)
{
    const struct note *stopped = table_at(self->stopped, "%" PRId64 " %" PRId64 " %" PRId64,
                                          line->job, line->incarnation, line->node);
    const struct note *up = table_at(self->up, "%" PRId64, line->node);

    if (!stopped->line && !(up->line && up->line->stamp_us > given->stamp_us))
        findings_add(self->findings, "I3", line,
                     "freed by an exit that node %" PRId64 " did not report", line->node);
}

static void judge_lease(const struct lending *self, const struct log_line *line)
{
    const struct log_line *down = table_at(self->down, "%" PRId64, line->node)->line;

    if (!down)
        findings_add(self->findings, "I3", line,
                     "freed by a lease of node %" PRId64 ", which is not down", line->node);
    else if (line->stamp_us < log_line_whole(down, "fenced_until_us", INT64_MAX))
        findings_add(self->findings, "I3", line, "freed by a lease that is not over (%s:%zu)",
                     down->file, down->number);
}

static void judge_word(const struct lending *self, const struct log_line *line,
                       const struct log_line *given)
{
    const struct note *vouched = table_at(self->vouched, "%" PRId64, line->node);

    if (!vouched->line || vouched->line->stamp_us < given->stamp_us)
        findings_add(self->findings, "I3", line,
                     "freed by the word of node %" PRId64 ", which did not give it", line->node);
}

static void on_freed(const struct lending *self, const struct log_line *line)
{
    struct note *gpu = gpu_of(self, line);
    const char *by = log_line_text(line, "by");

    if (!gpu->line || !same_part(gpu->line, line)) {
        findings_add(self->findings, "I3", line,
                     "GPU %" PRId64 " of node %" PRId64 " is freed by who does not have it",
                     line->gpu, line->node);
        return;
    }
    if (by && strcmp(by, "exit") == 0)
        judge_exit(self, line, gpu->line);
    else if (by && strcmp(by, "lease") == 0)
        judge_lease(self, line);
    else if (by && strcmp(by, "vouched") == 0)
        judge_word(self, line, gpu->line);
    else
        findings_add(self->findings, "I3", line, "freed neither by an exit nor by a lease");
    judge_holds(self, line, line);
    gpu->line = NULL;
}

static void on_hold(const struct lending *self, const struct log_line *line)
{
    const struct note *gpu = gpu_of(self, line);

    if (!gpu->line || !same_part(gpu->line, line))
        findings_add(self->findings, "I3", line,
                     "GPU %" PRId64 " of node %" PRId64 " is held by who was not given it",
                     line->gpu, line->node);
}

static void on_part(const struct lending *self, const struct log_line *line)
{
    const char *state = log_line_text(line, "state");

    if (state && (strcmp(state, "stopped") == 0 || strcmp(state, "done") == 0 ||
                  strcmp(state, "failed") == 0))
        table_at(self->stopped, "%" PRId64 " %" PRId64 " %" PRId64, line->job, line->incarnation,
                 line->node)
            ->line = line;
}

static void look_at(struct lending *self, const struct log_line *line)
{
    if (log_line_is(line, "trainer", "hold"))
        on_hold(self, line);
    if (strcmp(line->program, "master") != 0)
        return;
    if (strcmp(line->event, "gpu-given") == 0)
        on_given(self, line);
    else if (strcmp(line->event, "gpu-kept") == 0)
        gpu_of(self, line)->line = line;
    else if (strcmp(line->event, "up") == 0)
        self->master = line;
    else if (strcmp(line->event, "gpu-freed") == 0)
        on_freed(self, line);
    else if (strcmp(line->event, "part") == 0)
        on_part(self, line);
    else if (strcmp(line->event, "worker-down") == 0)
        table_at(self->down, "%" PRId64, line->node)->line = line;
    else if (strcmp(line->event, "vouched") == 0)
        table_at(self->vouched, "%" PRId64, line->node)->line = line;
    else if (strcmp(line->event, "worker-up") == 0)
        table_at(self->up, "%" PRId64, line->node)->line = line;
}

static bool has_a_master(const struct run_logs *logs)
{
    for (size_t i = 0; i < logs->line_count; i++)
        if (strcmp(logs->lines[i].program, "master") == 0)
            return true;
    return false;
}

void rule_lending(const struct run *run, findings_t *findings)
{
    struct lending self = {.run = run,
                           .findings = findings,
                           .given = table_new(),
                           .stopped = table_new(),
                           .up = table_new(),
                           .down = table_new(),
                           .vouched = table_new()};

    if (has_a_master(run->logs))
        for (size_t i = 0; i < run->logs->line_count; i++)
            look_at(&self, &run->logs->lines[i]);
    table_destroy(&self.given);
    table_destroy(&self.stopped);
    table_destroy(&self.up);
    table_destroy(&self.down);
    table_destroy(&self.vouched);
}
