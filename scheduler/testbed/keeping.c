/* keeping.c - the journal of a run on a real cluster. Each step is committed before it is acted on,
 * with what is known of trainers and nodes then and with the plan in force: a scheduler that starts
 * again sends the same plan, which the master takes for the one that it has. */
#include "scheduler/testbed/driver.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"

#include <inttypes.h>
#include <string.h>

#define KIND         "driver"
#define RETRY_MS     1000
#define TELL_AGAIN_S 60.0

static int put(testbed_driver_t *self, const char *key, struct error *error)
{
    text_bytes(&self->text, "", 1);
    return journal_put(self->setting.journal, KIND, key, self->text.bytes, error);
}

/* ---- what is kept ---- */

static int put_jobs(testbed_driver_t *self, struct error *error)
{
    self->text.used = 0;
    trained_jobs_write(self->jobs, &self->text);
    return put(self, "jobs", error);
}

/* A line: a word, a node and, of more than 0, its GPUs. */
static void write_node(struct text *text, const char *word, int node, int gpus)
{
    text_word(text, word);
    text_whole(text, node);
    if (gpus > 0) {
        text_word(text, " ");
        text_whole(text, gpus);
    }
    text_word(text, "\n");
}

static int put_session(testbed_driver_t *self, struct error *error)
{
    self->text.used = 0;
    text_word(&self->text, "round ");
    text_number(&self->text, self->round);
    text_word(&self->text, "\n");
    for (int i = 0; i < self->cluster_nodes; i++) {
        if (self->nodes[i].told_gpus != self->per_node)
            write_node(&self->text, "gpus ", i, self->nodes[i].told_gpus);
        if (self->nodes[i].told_gone)
            write_node(&self->text, "gone ", i, 0);
    }
    return put(self, "session", error);
}

static int put_plan(testbed_driver_t *self, struct error *error)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = (const unsigned char *)self->plan.bytes.data;

    if (!self->has_plan || self->kept_plan)
        return 0;
    self->text.used = 0;
    for (size_t i = 0; i < self->plan.bytes.size; i++)
        text_bytes(&self->text, (const char[]){digits[bytes[i] >> 4], digits[bytes[i] & 15]}, 2);
    return put(self, "plan", error);
}

static int put_all(testbed_driver_t *self, struct error *error)
{
    if (journal_begin(self->setting.journal, error) < 0)
        return -1;
    if (put_jobs(self, error) == 0 && put_session(self, error) == 0 && put_plan(self, error) == 0 &&
        run_clock_keep(&self->clock, self->setting.journal, error) == 0)
        return journal_commit(self->setting.journal, error);
    journal_rollback(self->setting.journal);
    return -1;
}

int keeping_try(testbed_driver_t *self, struct error *error)
{
    if (put_all(self, error) < 0)
        return -1;
    self->kept_plan = self->has_plan;
    self->clock.kept = self->clock.runs;
    return 0;
}

static void tell_waiting(double *told_s, const struct error *error)
{
    if (*told_s <= 0 || clock_s() >= *told_s + TELL_AGAIN_S) {
        log_event(&LOG_ABOUT_NOTHING, "not-kept", "cause=%s", log_text(error->text));
        *told_s = clock_s();
    }
}

/* Jobs train on while the disk is full. */
static int commit(testbed_driver_t *self, struct error *error)
{
    double told_s = 0;

    while (keeping_try(self, error) < 0) {
        if (journal_is_broken(self->setting.journal) || session_stop_asked(self))
            return -1;
        tell_waiting(&told_s, error);
        session_turn(self, RETRY_MS);
    }
    if (told_s > 0)
        log_event(&LOG_ABOUT_NOTHING, "kept", NULL);
    return 0;
}

int keeping_commit(testbed_driver_t *self, struct error *error)
{
    int status;

    if (!self->setting.journal)
        return 0;
    self->held_back = true;
    status = commit(self, error);
    self->held_back = false;
    return status;
}

int keeping_end(testbed_driver_t *self, struct error *error)
{
    journal_t *journal = self->setting.journal;

    self->over = true;
    if (!journal)
        return 0;
    if (journal_begin(journal, error) == 0 && journal_put(journal, KIND, "over", "", error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}

/* ---- what was kept ---- */

/* Goes through the lines of a document. -1 with `error`. */
static int read_lines(testbed_driver_t *self, const char *key,
                      int (*read)(testbed_driver_t *self, struct cursor *cursor,
                                  struct error *error),
                      struct error *error)
{
    struct cursor cursor = {.path = key};
    const char *body;
    const int got = journal_get(self->setting.journal, KIND, key, &body, error);

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

static int read_job(testbed_driver_t *self, struct cursor *cursor, struct error *error)
{
    return trained_jobs_read(self->jobs, cursor, error);
}

static int read_session(testbed_driver_t *self, struct cursor *cursor, struct error *error)
{
    const bool is_round = cursor_skips(cursor, "round");
    const bool is_size = !is_round && cursor_skips(cursor, "gpus");
    int64_t number;
    int64_t gpus;

    if (!is_round && !is_size && cursor_word(cursor, "gone", error) < 0)
        return -1;
    if (cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, 0, is_round ? INT64_MAX : self->cluster_nodes - 1, &number, error) <
            0)
        return -1;
    if (is_size && (cursor_blank(cursor, error) < 0 ||
                    cursor_number(cursor, 1, self->per_node, &gpus, error) < 0))
        return -1;
    if (is_round)
        self->round = (uint64_t)number;
    else if (is_size)
        self->nodes[number].told_gpus = (int)gpus;
    else
        self->nodes[number].told_gone = true;
    return cursor_end(cursor, error);
}

static int hex_digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static int read_plan(testbed_driver_t *self, struct error *error)
{
    const char *body;
    const int got = journal_get(self->setting.journal, KIND, "plan", &body, error);

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

int keeping_open(testbed_driver_t *self, struct error *error)
{
    journal_t *journal = self->setting.journal;
    const char *over;
    int got;

    self->resumed = journal && journal_steps(journal) > 0;
    if (!self->resumed)
        return 0;
    self->was_of_use = true;
    got = journal_get(journal, KIND, "over", &over, error);
    self->over = got > 0;
    if (got < 0 || read_lines(self, "jobs", read_job, error) < 0 ||
        read_lines(self, "session", read_session, error) < 0 || read_plan(self, error) < 0)
        return -1;
    self->paid = true;
    return run_clock_resume(&self->clock, journal, error);
}

int keeping_replay(testbed_driver_t *self, run_t *run, struct decision *decision,
                   struct error *error)
{
    int got;

    while ((got = run_again(run, decision, error)) > 0) {
        (void)FAILPOINT("step-replayed");
        if (session_stop_asked(self))
            return 1;
    }
    if (got < 0)
        return -1;
    run_clock_not_before(&self->clock, decision->now_s);
    log_event(&LOG_ABOUT_NOTHING, "resumed", "steps=%" PRId64 " at=%" PRId64 " round=%" PRIu64,
              journal_steps(self->setting.journal), decision->now_s, self->round);
    return 0;
}
