/* holdings.c - the GPUs that each job holds, stored with the step that gave them: a version that
 * decides steps otherwise leaves the jobs where they are. */
#include "scheduler/service/serving.h"

#include "common/log.h"
#include "common/memory.h"
#include "scheduler/record/wording.h"

#include <stdlib.h>
#include <string.h>

#define KIND     "service"
#define KEY      "holdings"
#define HELD_MAX 65536 /* GPUs of a job */

/* ---- a line ---- */

/* Writes or reads the GPUs of a job as runs: 0:3,8:11. A reader puts them into `ranks`, which has
 * room for HELD_MAX. */
static void ranks_line(struct wording *line, int *ranks, int *count)
{
    int done = 0;

    wording_key(line, "gpus");
    do {
        int last = done;
        int64_t first;
        int64_t end;

        while (!wording_reads(line) && last + 1 < *count && ranks[last + 1] == ranks[last] + 1)
            last++;
        first = wording_number(line, 0, INT32_MAX, ranks[done]);
        if (!wording_mark(line, ':', true))
            wording_complain(line, "a colon");
        end = wording_number(line, first, first + HELD_MAX - done - 1, ranks[last]);
        for (int64_t rank = first; rank <= end && wording_reads(line) && !line->failed; rank++)
            ranks[done++] = (int)rank;
        done = wording_reads(line) ? done : last + 1;
    } while (!line->failed && wording_mark(line, ',', done < *count));
    *count = done;
}

static void holding_line(struct wording *line, uint64_t *job, int *ranks, int *count)
{
    wording_word(line, "held");
    wording_blank(line);
    *job = (uint64_t)wording_number(line, 0, INT64_MAX, (int64_t)*job);
    ranks_line(line, ranks, count);
}

/* ---- keeping ---- */

static void write_all(const struct serving *self, struct text *text)
{
    const struct decision *decision = &self->decision;
    int *ranks = xcalloc((size_t)cluster_gpus(decision->cluster) + 1, sizeof(*ranks));
    struct wording line = wording_writing(text);

    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct job *job = decision->holdings[i].job;
        uint64_t number = job->submission->number;
        int count = cluster_ranks(decision->cluster, job, ranks);

        if (count == 0)
            continue;
        holding_line(&line, &number, ranks, &count);
        text_word(text, "\n");
    }
    text_bytes(text, "", 1);
    free(ranks);
}

int holdings_put(struct serving *self, struct error *error)
{
    struct text text = {.used = 0};
    int status = 0;

    write_all(self, &text);
    if (!self->held || strcmp(self->held, text.bytes) != 0) {
        status = journal_begin(self->journal, error) < 0
                     ? -1
                     : journal_put(self->journal, KIND, KEY, text.bytes, error);
        free(self->held_next);
        self->held_next = xstrdup(text.bytes);
    }
    text_free(&text);
    return status;
}

void holdings_kept(struct serving *self)
{
    if (!self->held_next)
        return;
    free(self->held);
    self->held = self->held_next;
    self->held_next = NULL;
}

void holdings_close(struct serving *self)
{
    free(self->held);
    free(self->held_next);
    self->held = self->held_next = NULL;
}

/* ---- taking over ---- */

struct kept {
    arena_t *arena;
    struct taken_over *items;
    size_t count;
    size_t room;
};

static int read_line(struct kept *kept, struct cursor *cursor, struct error *error)
{
    struct wording line = wording_reading(cursor, kept->arena, error);
    int *ranks = xcalloc(HELD_MAX + 1, sizeof(*ranks));
    struct taken_over item = {.count = 0};
    int *own;

    holding_line(&line, &item.job, ranks, &item.count);
    if (!line.failed && cursor_end(cursor, error) < 0)
        line.failed = true;
    if (!line.failed) {
        own = arena_alloc(kept->arena, (size_t)item.count * sizeof(*own));
        memcpy(own, ranks, (size_t)item.count * sizeof(*own));
        item.ranks = own;
        kept->items = grow_array(kept->items, kept->count, &kept->room, sizeof(*kept->items));
        kept->items[kept->count++] = item;
    }
    free(ranks);
    return line.failed ? -1 : 0;
}

static int read_lines(struct kept *kept, const char *body, struct error *error)
{
    struct cursor cursor = {.path = KEY};

    for (; *body; body += cursor.length + 1) {
        cursor.line++;
        cursor.text = body;
        cursor.length = strcspn(body, "\n");
        cursor.at = 0;
        if (read_line(kept, &cursor, error) < 0)
            return -1;
        if (!body[cursor.length])
            break;
    }
    return 0;
}

/* Jobs that hold GPUs run, and the others wait. */
static void renew_ledger(struct serving *self)
{
    for (size_t i = 0; i < self->decision.live_count; i++) {
        const struct job *job = self->decision.live[i];
        struct entry *entry = ledger_of(self->ledger, job);

        entry->gpus = job_gpus(job);
        if (entry->standing == STANDING_WAITING && job_holds(job))
            ledger_move(self->ledger, entry, STANDING_RUNNING);
        else if (entry->standing == STANDING_RUNNING && !job_holds(job))
            ledger_move(self->ledger, entry, STANDING_WAITING);
    }
}

int holdings_take_over(struct serving *self, size_t *count, struct error *error)
{
    struct kept kept = {.arena = arena_new()};
    const char *body;
    int got = journal_get(self->journal, KIND, KEY, &body, error);
    struct error unread;

    *count = 0;
    if (got > 0 && read_lines(&kept, body, &unread) < 0) {
        log_event(&LOG_ABOUT_NOTHING, "holdings-unread", "cause=%s", log_text(unread.text));
        got = 0;
    }
    if (got > 0) {
        *count = engine_take_over(self->engine, kept.items, kept.count);
        engine_stands(self->engine, &self->decision);
        journal_stands(self->journal, &self->decision);
        renew_ledger(self);
    }
    free(kept.items);
    arena_destroy(&kept.arena);
    return got < 0 ? -1 : 0;
}
