/* trained_jobs_text.c - trained jobs as lines of text, for a scheduler that starts again. */
#include "scheduler/capacity/trained_jobs.h"

#include "common/memory.h"
#include "scheduler/record/cursor.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OF(field) offsetof(struct trained_job, field)

struct field {
    const char *name;
    size_t at;
};

static const struct field flags[] = {{"planned", OF(planned)},
                                     {"late", OF(late)},
                                     {"stops", OF(stops)},
                                     {"started", OF(started)},
                                     {"training", OF(training)},
                                     {"done", OF(done)},
                                     {"told-end", OF(told_end)},
                                     {"held", OF(held)},
                                     {"waits", OF(waits)},
                                     {"emulated", OF(emulated)},
                                     {"told-failed", OF(told_failed)},
                                     {"told-paid", OF(told_paid)}};

/* Fields of 64 bits. */
static const struct field numbers[] = {
    {"moved", OF(moved_round)},   {"planned-step", OF(planned_step)},
    {"stop-step", OF(stop.step)}, {"step", OF(step)},
    {"lost", OF(lost)},           {"incarnation", OF(incarnation)},
    {"spent", OF(overhead_ms)},   {"paid-at", OF(paid_at_s)}};

static const struct field ints[] = {{"overhead", OF(overhead_s)}, {"paid", OF(paid_s)}};

static const struct field reals[] = {{"expected", OF(expected_rate)},
                                     {"rate", OF(rate)},
                                     {"pace", OF(pace)},
                                     {"uncredited", OF(uncredited_s)},
                                     {"heard", OF(heard_s)}};

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

static void *at(struct trained_job *job, const struct field *field)
{
    return (char *)job + field->at;
}

/* ---- writing ---- */

static void write_ranks(const struct trained_job *job, struct text *text)
{
    text_word(text, " ranks=");
    for (size_t i = 0; i < job->rank_count; i++) {
        text_word(text, i > 0 ? "," : "");
        text_whole(text, job->ranks[i]);
    }
    text_word(text, job->rank_count > 0 ? "" : "-");
}

static void write_job(struct trained_job *job, struct text *text)
{
    text_word(text, "job ");
    text_digest(text, job->number);
    for (size_t i = 0; i < COUNT(flags); i++) {
        text_word(text, *(bool *)at(job, &flags[i]) ? " " : "");
        text_word(text, *(bool *)at(job, &flags[i]) ? flags[i].name : "");
    }
    for (size_t i = 0; i < COUNT(numbers); i++)
        text_key_whole(text, numbers[i].name, *(int64_t *)at(job, &numbers[i]));
    for (size_t i = 0; i < COUNT(ints); i++)
        text_key_whole(text, ints[i].name, *(int *)at(job, &ints[i]));
    for (size_t i = 0; i < COUNT(reals); i++)
        text_key_real(text, reals[i].name, *(double *)at(job, &reals[i]));
    text_key_whole(text, "why", (int64_t)job->stop.why);
    write_ranks(job, text);
    if (job->dated)
        text_key_real(text, "ended", job->ended_s);
    text_key_quoted(text, "cause", job->cause);
    text_word(text, "\n");
}

void trained_jobs_write(const trained_jobs_t *self, struct text *text)
{
    for (struct trained_job *job = trained_jobs_first(self); job; job = job->hh.next)
        write_job(job, text);
}

/* ---- reading ---- */

static void read_flags(struct trained_job *job, struct cursor *cursor)
{
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct cursor ahead = *cursor;
        struct error ignored;

        if (cursor_blank(&ahead, &ignored) < 0 || !cursor_skips(&ahead, flags[i].name))
            continue;
        *(bool *)at(job, &flags[i]) = true;
        *cursor = ahead;
    }
}

static int read_whole(struct cursor *cursor, const char *key, int64_t min, int64_t max,
                      int64_t *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_whole(cursor, min, max, value, error);
}

static int read_numbers(struct trained_job *job, struct cursor *cursor, struct error *error)
{
    int64_t value;

    for (size_t i = 0; i < COUNT(numbers); i++)
        if (read_whole(cursor, numbers[i].name, -INT64_MAX, INT64_MAX, at(job, &numbers[i]),
                       error) < 0)
            return -1;
    for (size_t i = 0; i < COUNT(ints); i++) {
        if (read_whole(cursor, ints[i].name, 0, INT_MAX, &value, error) < 0)
            return -1;
        *(int *)at(job, &ints[i]) = (int)value;
    }
    for (size_t i = 0; i < COUNT(reals); i++)
        if (cursor_key(cursor, reals[i].name, error) < 0 ||
            cursor_real(cursor, at(job, &reals[i]), error) < 0)
            return -1;
    if (read_whole(cursor, "why", 0, STOP_CANCELLED, &value, error) < 0)
        return -1;
    job->stop.why = (enum stop_why)value;
    job->stop.job = job->number;
    return 0;
}

static int read_ranks(struct trained_job *job, struct cursor *cursor, struct error *error)
{
    int64_t rank = -1;
    size_t room = 0;

    if (cursor_key(cursor, "ranks", error) < 0)
        return -1;
    if (cursor_skips(cursor, "-"))
        return 0;
    do {
        if (job->rank_count == RANKS_MAX)
            return cursor_complain(cursor, "no more ranks", error);
        if (cursor_number(cursor, rank + 1, INT32_MAX, &rank, error) < 0)
            return -1;
        job->ranks = grow_array(job->ranks, job->rank_count, &room, sizeof(*job->ranks));
        job->ranks[job->rank_count++] = (int32_t)rank;
    } while (cursor->at < cursor->length && cursor->text[cursor->at] == ',' && ++cursor->at);
    return 0;
}

static int read_cause(struct trained_job *job, struct cursor *cursor, struct error *error)
{
    if (cursor_key(cursor, "cause", error) < 0)
        return -1;
    return cursor_quoted(cursor, job->cause, sizeof(job->cause), error);
}

/* Reads when the job ended. Texts of earlier versions have no such time. */
static int read_date(struct trained_job *job, struct cursor *cursor, struct error *error)
{
    job->dated = cursor_has(cursor, "ended");
    if (!job->dated)
        return 0;
    if (cursor_real(cursor, &job->ended_s, error) < 0)
        return -1;
    return isfinite(job->ended_s) ? 0 : cursor_complain(cursor, "a time", error);
}

int trained_jobs_read(trained_jobs_t *self, struct cursor *cursor, struct error *error)
{
    struct trained_job *job;
    uint64_t number;

    if (cursor_word(cursor, "job", error) < 0 || cursor_blank(cursor, error) < 0 ||
        cursor_digest(cursor, &number, error) < 0)
        return -1;
    if (trained_jobs_find(self, number))
        return cursor_complain(cursor, "each job once", error);
    job = trained_jobs_add(self, number);
    read_flags(job, cursor);
    if (read_numbers(job, cursor, error) < 0 || read_ranks(job, cursor, error) < 0 ||
        read_date(job, cursor, error) < 0 || read_cause(job, cursor, error) < 0)
        return -1;
    return cursor_end(cursor, error);
}
