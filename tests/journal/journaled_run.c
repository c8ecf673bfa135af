/* journaled_run.c - see journaled_run.h. */
#include "tests/journal/journaled_run.h"

#include "scheduler/replay/replay.h"
#include "scheduler/snapshot/engine_archive.h"
#include "tests/support/test.h"

#include <string.h>

static struct error error;

static void assert_done(int status)
{
    if (status < 0)
        print_message("%s\n", error.text);
    assert_true(status >= 0);
}

void journaled_run_open(struct journaled_run *self, const char *record)
{
    struct simulation simulation;

    *self = (struct journaled_run){.reader = record_reader_open(record, &error)};
    assert_non_null(self->reader);
    simulation = replay_simulation(record_reader_setting(self->reader));
    assert_done(inputs_settle(&self->inputs, &simulation, &error));
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, &error);
    assert_non_null(self->engine);
}

void journaled_run_close(struct journaled_run *self)
{
    engine_destroy(&self->engine);
    inputs_free(&self->inputs);
    record_reader_close(&self->reader);
    retelling_free(&self->told);
}

/* The next step of the record; false at its end. */
static bool read_step(struct journaled_run *self, struct recorded_step *step)
{
    const int got = record_reader_next(self->reader, step, &error);

    assert_done(got);
    if (got == 0)
        return false;
    assert_done(
        retelling_gather(&self->told, self->engine, step->now_s, step->items, step->count, &error));
    self->steps++;
    return true;
}

/* Numbers rise from job to job. */
static void note_jobs(struct journaled_run *self, const struct occurrence *heard)
{
    for (size_t i = 0; i < self->told.count; i++) {
        if (heard[i].kind != OCCURRENCE_SUBMITTED)
            continue;
        assert_true(self->job_count < COUNT(self->jobs));
        self->jobs[self->job_count++] = heard[i];
    }
}

static void decide(struct journaled_run *self, journal_t *journal, int64_t now_s,
                   const struct occurrence *heard)
{
    struct decision decision;

    assert_done(engine_step(self->engine, now_s, heard, self->told.count, &decision, &error));
    note_jobs(self, heard);
    decision.next_s += self->wakes_later;
    journal_decision(journal, &decision, false);
}

bool journaled_run_add(struct journaled_run *self, journal_t *journal)
{
    struct recorded_step step;

    if (!read_step(self, &step))
        return false;
    decide(
        self, journal, step.now_s,
        journal_occurrences(journal, self->engine, step.now_s, self->told.items, self->told.count));
    return true;
}

bool journaled_run_step(struct journaled_run *self, journal_t *journal, bool tells_first)
{
    const struct occurrence *heard;
    struct recorded_step step;

    if (tells_first) {
        if (!journaled_run_add(self, journal))
            return false;
        assert_done(journal_commit(journal, &error));
        return true;
    }
    if (!read_step(self, &step))
        return false;
    heard =
        journal_occurrences(journal, self->engine, step.now_s, self->told.items, self->told.count);
    assert_done(journal_commit(journal, &error));
    decide(self, journal, step.now_s, heard);
    return true;
}

/* The record has gone on by one step, and must have had the same. */
static void compare(struct journaled_run *self, const struct journaled_step *step)
{
    struct recorded_step recorded;

    assert_true(read_step(self, &recorded));
    assert_int_equal(recorded.number, step->sequence);
    assert_int_equal(recorded.now_s, step->now_s);
    assert_int_equal(self->told.count, step->count);
    for (size_t i = 0; i < step->count; i++)
        assert_int_equal(self->told.items[i].kind, step->occurrences[i].kind);
}

static void replay(struct journaled_run *self, journal_t *journal)
{
    struct journaled_step step;
    struct decision decision;
    int got;

    while ((got = journal_next(journal, self->engine, &step, &error)) > 0) {
        compare(self, &step);
        note_jobs(self, step.occurrences);
        assert_done(
            engine_step(self->engine, step.now_s, step.occurrences, step.count, &decision, &error));
        assert_done(journal_check(journal, &step, &decision, &error));
    }
    assert_done(got);
}

void journaled_run_resume(struct journaled_run *self, journal_t *journal)
{
    assert_done(journal_settle(journal, record_reader_setting(self->reader), &error));
    replay(self, journal);
}

/* ---- snapshots ---- */

void journaled_run_keep(struct journaled_run *self, journal_t *journal)
{
    struct archive archive = archive_writing();

    engine_archive(self->engine, &archive, NULL, NULL);
    assert_done(journal_keep_snapshot(journal, self->jobs, self->job_count, &archive, &error));
    archive_free(&archive);
}

void journaled_run_keep_pieces(struct journaled_run *self, journal_t *journal, size_t bytes,
                               int count)
{
    struct archive archive = archive_writing();
    char *text;
    size_t at = 0;

    engine_archive(self->engine, &archive, NULL, NULL);
    text = xstrdup(journal_write_snapshot(journal, self->jobs, self->job_count, &archive));
    journal_begin_pieces(journal);
    while (at < strlen(text) && count-- > 0) {
        char piece[256] = "";

        (void)snprintf(piece, sizeof(piece), "%.*s", (int)bytes, text + at);
        assert_done(journal_keep_piece(journal, piece, &error));
        at += bytes;
    }
    if (at >= strlen(text))
        assert_done(journal_keep_pieces(journal, &error));
    free(text);
    archive_free(&archive);
}

static void read_snapshot(struct journaled_run *self, journal_t *journal,
                          struct journal_snapshot *snapshot)
{
    struct recorded_step ignored;
    struct decision stands;

    for (size_t i = 0; i < snapshot->count; i++)
        self->jobs[self->job_count++] = snapshot->jobs[i].occurrence;
    engine_archive(self->engine, &snapshot->archive, journal_snapshot_job, snapshot);
    assert_true(archive_is_over(&snapshot->archive));
    engine_stands(self->engine, &stands);
    journal_skip(journal, snapshot, &stands);
    for (; self->steps < snapshot->steps; self->steps++)
        assert_int_equal(record_reader_next(self->reader, &ignored, &error), 1);
}

int64_t journaled_run_recall(struct journaled_run *self, journal_t *journal)
{
    struct journal_snapshot snapshot = {.steps = 0};
    int got;

    assert_done(journal_settle(journal, record_reader_setting(self->reader), &error));
    got = journal_read_snapshot(journal, &snapshot, &error);
    assert_done(got);
    if (got > 0)
        read_snapshot(self, journal, &snapshot);
    replay(self, journal);
    return snapshot.steps;
}
