/* keeping.c - trainers, nodes and the plan in force, in a journal. A process that starts again
 * sends the same plan, and the source recognises its own. */
#include "scheduler/capacity/capacity_state.h"

#include "scheduler/record/cursor.h"

#include <string.h>

#define KIND "driver" /* kind of the documents; earlier versions had a driver */

static int put(capacity_t *self, journal_t *journal, const char *key, struct error *error)
{
    text_bytes(&self->text, "", 1);
    return journal_put(journal, KIND, key, self->text.bytes, error);
}

/* ---- what is kept ---- */

static int put_jobs(capacity_t *self, journal_t *journal, struct error *error)
{
    self->text.used = 0;
    trained_jobs_write(self->jobs, &self->text);
    return put(self, journal, "jobs", error);
}

/* Writes a line of a word, a node, and a number. */
static void write_node(struct text *text, const char *word, int node, int64_t number)
{
    text_word(text, word);
    text_word(text, " ");
    text_whole(text, node);
    text_word(text, " ");
    text_whole(text, number);
    text_word(text, "\n");
}

static void write_gone(struct text *text, int node)
{
    text_word(text, "gone ");
    text_whole(text, node);
    text_word(text, "\n");
}

/* Writes the place of a named node, which has or had another place than that of its number. */
static void write_place(struct text *text, int node, const char *name)
{
    text_word(text, "place ");
    text_whole(text, node);
    text_key_quoted(text, "name", name);
    text_word(text, "\n");
}

static int put_session(capacity_t *self, journal_t *journal, struct error *error)
{
    self->text.used = 0;
    text_word(&self->text, "round ");
    text_number(&self->text, self->round);
    text_word(&self->text, "\n");
    for (int i = 0; i < self->cluster_nodes; i++) {
        const struct capacity_node *node = &self->nodes[i];

        if (node->told_gpus != capacity_place_gpus(self, i))
            write_node(&self->text, "gpus", i, node->told_gpus);
        if (node->told_until_s != NEVER_S)
            write_node(&self->text, "until", i, node->told_until_s);
        if (node->told_gone)
            write_gone(&self->text, i);
        if (node->known && node->number != i)
            write_place(&self->text, i, node->name);
    }
    return put(self, journal, "session", error);
}

static int put_plan(capacity_t *self, journal_t *journal, struct error *error)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = (const unsigned char *)self->plan.bytes.data;

    if (!self->has_plan || self->kept_plan)
        return 0;
    self->text.used = 0;
    for (size_t i = 0; i < self->plan.bytes.size; i++)
        text_bytes(&self->text, (const char[]){digits[bytes[i] >> 4], digits[bytes[i] & 15]}, 2);
    return put(self, journal, "plan", error);
}

static int put_all(capacity_t *self, journal_t *journal, struct error *error)
{
    if (journal_begin(journal, error) < 0)
        return -1;
    if (put_jobs(self, journal, error) == 0 && put_session(self, journal, error) == 0 &&
        put_plan(self, journal, error) == 0 &&
        run_clock_keep(self->setting.clock, journal, error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}

int capacity_commit(capacity_t *self, journal_t *journal, struct error *error)
{
    if (put_all(self, journal, error) < 0)
        return -1;
    self->kept_plan = self->has_plan;
    self->setting.clock->kept = self->setting.clock->runs;
    return 0;
}

/* ---- what was kept ---- */

/* Calls `read` for each line of a document. -1 with `error`. */
static int read_lines(capacity_t *self, journal_t *journal, const char *key,
                      int (*read)(capacity_t *self, struct cursor *cursor, struct error *error),
                      struct error *error)
{
    struct cursor cursor = {.path = key};
    const char *body;
    const int got = journal_get(journal, KIND, key, &body, error);

    if (got <= 0)
        return got;
    for (; *body; body += cursor.length + 1) {
        cursor.line++;
        cursor.text = body;
        cursor.length = strcspn(body, "\n");
        cursor.at = 0;
        if (read(self, &cursor, error) < 0)
            return -1;
        if (!body[cursor.length])
            break;
    }
    return 0;
}

static int read_job(capacity_t *self, struct cursor *cursor, struct error *error)
{
    return trained_jobs_read(self->jobs, cursor, error);
}

static int read_number(struct cursor *cursor, int64_t min, int64_t max, int64_t *number,
                       struct error *error)
{
    return cursor_blank(cursor, error) < 0 ? -1 : cursor_number(cursor, min, max, number, error);
}

static int read_node(capacity_t *self, struct cursor *cursor, struct capacity_node **node,
                     struct error *error)
{
    int64_t position;

    if (read_number(cursor, 0, self->cluster_nodes - 1, &position, error) < 0)
        return -1;
    *node = &self->nodes[position];
    return 0;
}

static int read_round(capacity_t *self, struct cursor *cursor, struct error *error)
{
    int64_t round;

    if (read_number(cursor, 0, INT64_MAX, &round, error) < 0)
        return -1;
    self->round = (uint64_t)round;
    return 0;
}

static int read_gpus(capacity_t *self, struct cursor *cursor, struct error *error)
{
    struct capacity_node *node;
    int64_t gpus;

    if (read_node(self, cursor, &node, error) < 0 ||
        read_number(cursor, 1, capacity_place_gpus(self, (int)(node - self->nodes)), &gpus, error) <
            0)
        return -1;
    node->told_gpus = (int)gpus;
    return 0;
}

static int read_until(capacity_t *self, struct cursor *cursor, struct error *error)
{
    struct capacity_node *node;

    return read_node(self, cursor, &node, error) < 0 ||
                   read_number(cursor, 0, NEVER_S, &node->told_until_s, error) < 0
               ? -1
               : 0;
}

static int read_gone(capacity_t *self, struct cursor *cursor, struct error *error)
{
    struct capacity_node *node;

    if (read_node(self, cursor, &node, error) < 0)
        return -1;
    node->told_gone = true;
    return 0;
}

static int read_place(capacity_t *self, struct cursor *cursor, struct error *error)
{
    struct capacity_node *node;

    if (read_node(self, cursor, &node, error) < 0 || cursor_key(cursor, "name", error) < 0)
        return -1;
    node->known = true;
    return cursor_quoted(cursor, node->name, sizeof(node->name), error);
}

static int read_session(capacity_t *self, struct cursor *cursor, struct error *error)
{
    static const struct {
        const char *word;
        int (*read)(capacity_t *self, struct cursor *cursor, struct error *error);
    } lines[] = {{"round", read_round},
                 {"gpus", read_gpus},
                 {"until", read_until},
                 {"gone", read_gone},
                 {"place", read_place}};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (cursor_skips(cursor, lines[i].word))
            return lines[i].read(self, cursor, error) < 0 ? -1 : cursor_end(cursor, error);
    return cursor_complain(cursor, "round, gpus, until, gone or place", error);
}

static int hex_digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static int read_plan(capacity_t *self, journal_t *journal, struct error *error)
{
    const char *body;
    const int got = journal_get(journal, KIND, "plan", &body, error);

    if (got <= 0)
        return got;
    msgpack_sbuffer_init(&self->plan.bytes);
    for (; body[0] && body[1]; body += 2) {
        const char byte = (char)(hex_digit(body[0]) << 4 | hex_digit(body[1]));

        (void)msgpack_sbuffer_write(&self->plan.bytes, &byte, 1);
    }
    self->plan.owed = 0;
    self->has_plan = self->kept_plan = true;
    return 0;
}

int capacity_recall(capacity_t *self, journal_t *journal, struct error *error)
{
    self->resumed = journal_steps(journal) > 0;
    if (!self->resumed)
        return 0;
    if (read_lines(self, journal, "jobs", read_job, error) < 0 ||
        read_lines(self, journal, "session", read_session, error) < 0 ||
        read_plan(self, journal, error) < 0)
        return -1;
    self->paid = true;
    return run_clock_resume(self->setting.clock, journal, error);
}

bool capacity_is_resumed(const capacity_t *self)
{
    return self->resumed;
}

uint64_t capacity_round(const capacity_t *self)
{
    return self->round;
}
