/* exchanged_engines.c - see exchanged_engines.h. */
#include "tests/engine/exchanged_engines.h"

#include "scheduler/snapshot/engine_archive.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct submission *find_job(const void *owner, uint64_t number)
{
    const struct exchanged_engines *self = owner;

    for (size_t i = 0; i < self->job_count; i++)
        if (self->jobs[i].number == number)
            return &self->jobs[i];
    return NULL;
}

static engine_t *new_engine(const struct exchanged_engines *self)
{
    struct error error;
    engine_t *engine = engine_new(self->setting, &error);

    if (!engine)
        fail_msg("%s", error.text);
    return engine;
}

/* To be freed by the caller. */
static char *write_engine(engine_t *engine)
{
    struct archive archive = archive_writing();

    engine_archive(engine, &archive, NULL, NULL);
    return archive.bytes;
}

/* Of the first `length` bytes of `text`; `*whole` if they are all of it. */
static engine_t *read_engine(const struct exchanged_engines *self, const char *text, size_t length,
                             bool *whole)
{
    struct archive archive = archive_reading(text, length);
    engine_t *engine = new_engine(self);

    engine_archive(engine, &archive, find_job, self);
    *whole = archive_is_over(&archive);
    return engine;
}

/* What breaks off is noticed. */
static void check_cut(const struct exchanged_engines *self, const char *text)
{
    bool whole;
    engine_t *engine = read_engine(self, text, rng_below(self->rng, strlen(text)), &whole);

    assert_false(whole);
    engine_destroy(&engine);
}

/* In place of `*engine`, one that reads what this one writes, and writes the same. */
static void exchange(const struct exchanged_engines *self, engine_t **engine)
{
    char *text = write_engine(*engine);
    char *again;
    bool whole;

    engine_destroy(engine);
    *engine = read_engine(self, text, strlen(text), &whole);
    assert_true(whole);
    again = write_engine(*engine);
    assert_string_equal(again, text);
    check_cut(self, text);
    free(again);
    free(text);
}

static void assert_stand_alike(engine_t *engine, engine_t *other)
{
    char *text = write_engine(engine);
    char *expected = write_engine(other);

    assert_string_equal(text, expected);
    free(expected);
    free(text);
}

void exchanged_engines_check(const struct exchanged_engines *self, const occurrence_log_t *log,
                             engine_t *other)
{
    const size_t steps = occurrence_log_steps(log);
    engine_t *engine = new_engine(self);

    for (size_t first = 0, end; first < steps; first = end) {
        end = first + rng_below(self->rng, steps) / 4 + 1;
        end = end < steps ? end : steps;
        occurrence_log_check_some(log, engine, first, end);
        if (end < steps)
            exchange(self, &engine);
    }
    assert_stand_alike(engine, other);
    engine_destroy(&engine);
}
