/* holds.c - see holds.h. A trainer that is killed releases nothing: its hold ends where its worker,
 * or the test that killed it, saw that it was gone. */
#include "tests/e2e/check/holds.h"

#include "tests/e2e/check/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int64_t line_of_death(const struct log_line *line)
{
    if (log_line_is(line, "worker", "trainer-exited") || log_line_is(line, "harness", "gone") ||
        log_line_is(line, "harness", "ended"))
        return log_line_whole(line, "pid", -1);
    return -1;
}

static bool same_hold(const struct log_line *a, const struct log_line *b)
{
    return a->job == b->job && a->incarnation == b->incarnation && a->node == b->node &&
           a->gpu == b->gpu;
}

static void add_hold(struct holds *self, const struct log_line *line, table_t *pids)
{
    const struct note *started = table_at(pids, "%s", line->name);

    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = (struct hold){
        .begin = line,
        .end = NULL,
        .pid = started->line ? started->value : -1,
    };
}

static void end_released(struct holds *self, const struct log_line *line)
{
    for (size_t i = self->count; i-- > 0;)
        if (!self->items[i].end && same_hold(self->items[i].begin, line)) {
            self->items[i].end = line;
            return;
        }
}

static void end_dead(struct holds *self, const struct log_line *line, int64_t pid)
{
    for (size_t i = 0; i < self->count; i++)
        if (!self->items[i].end && self->items[i].pid == pid)
            self->items[i].end = line;
}

struct holds *holds_new(const struct run_logs *logs)
{
    struct holds *self = xcalloc(1, sizeof(*self));
    table_t *pids = table_new();

    assert(logs->lines || logs->line_count == 0);
    for (size_t i = 0; i < logs->line_count; i++) {
        const struct log_line *line = &logs->lines[i];
        const int64_t dead = line_of_death(line);

        if (log_line_is(line, "trainer", "started")) {
            struct note *entry = table_at(pids, "%s", line->name);

            entry->line = line;
            entry->value = log_line_whole(line, "pid", -1);
        } else if (log_line_is(line, "trainer", "hold")) {
            add_hold(self, line, pids);
        } else if (log_line_is(line, "trainer", "release")) {
            end_released(self, line);
        } else if (dead >= 0) {
            end_dead(self, line, dead);
        }
    }
    table_destroy(&pids);
    return self;
}

void holds_destroy(struct holds **self)
{
    if (!*self)
        return;
    free((*self)->items);
    free(*self);
    *self = NULL;
}

bool hold_lasts(const struct hold *self, int64_t stamp_us)
{
    return self->begin->stamp_us <= stamp_us && (!self->end || stamp_us < self->end->stamp_us);
}
