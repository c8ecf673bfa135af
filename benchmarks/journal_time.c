/* journal_time.c - how long a scheduler takes to stand where the one before stood: the steps of a
 * record go into a journal, which is opened and told to a new engine, or an engine is read from a
 * snapshot after the last step. And how many transactions a
 * second the disk keeps, of one document each and of 64. */
#include "benchmarks/clock.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/journal/journal.h"
#include "scheduler/record/record_reader.h"
#include "scheduler/record/retelling.h"
#include "scheduler/replay/replay.h"
#include "scheduler/run/inputs.h"
#include "scheduler/snapshot/engine_archive.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS_A_COMMIT 1000
#define COMMITS        200

#define EVENT_S     5e-6   /* target: a million events in 5 s */
#define SNAPSHOT_S  1.0    /* target for 10,000 jobs */
#define DOCUMENTS_S 1000.0 /* target for 32 clients */

struct bench {
    const char *name;
    const char *state;
    int64_t timers;
    bool snapshot;
    record_reader_t *reader;
    struct inputs inputs;
    engine_t *engine;
    struct retelling told;
    struct decision decision;
    int64_t steps;
    int64_t occurrences;
    struct occurrence *jobs; /* in the order of their numbers */
    size_t job_count;
    size_t job_room;
    double kept_s; /* time that the snapshot took */
    size_t kept_bytes;
};

static int open_engine(struct bench *self, struct error *error)
{
    const struct simulation simulation = replay_simulation(record_reader_setting(self->reader));

    if (inputs_settle(&self->inputs, &simulation, error) < 0)
        return -1;
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, error);
    return self->engine ? 0 : -1;
}

static void close_engine(struct bench *self)
{
    engine_destroy(&self->engine);
    inputs_free(&self->inputs);
    self->inputs = (struct inputs){.table_count = 0};
}

static void note_jobs(struct bench *self, const struct occurrence told[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (told[i].kind != OCCURRENCE_SUBMITTED)
            continue;
        self->jobs = grow_array(self->jobs, self->job_count, &self->job_room, sizeof(*self->jobs));
        self->jobs[self->job_count++] = told[i];
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = ((const struct occurrence *)a)->submission->number;
    const uint64_t y = ((const struct occurrence *)b)->submission->number;

    return (x > y) - (x < y);
}

static int keep_snapshot(struct bench *self, journal_t *journal, struct error *error)
{
    const double began_s = clock_now_s();
    struct archive archive = archive_writing();
    int status;

    qsort(self->jobs, self->job_count, sizeof(*self->jobs), compare_numbers);
    engine_archive(self->engine, &archive, NULL, NULL);
    status = journal_keep_snapshot(journal, self->jobs, self->job_count, &archive, error);
    self->kept_s = clock_now_s() - began_s;
    self->kept_bytes = archive.used;
    archive_free(&archive);
    return status;
}

static int write_step(struct bench *self, journal_t *journal, int64_t now_s,
                      const struct occurrence told[], size_t count, struct error *error)
{
    told = journal_occurrences(journal, self->engine, now_s, told, count);
    if (engine_step(self->engine, now_s, told, count, &self->decision, error) < 0)
        return -1;
    journal_decision(journal, &self->decision, false);
    note_jobs(self, told, count);
    self->occurrences += (int64_t)count;
    return ++self->steps % STEPS_A_COMMIT == 0 ? journal_commit(journal, error) : 0;
}

static int write_steps(struct bench *self, journal_t *journal, struct error *error)
{
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};
    struct recorded_step step;
    int got;

    if (open_engine(self, error) < 0 ||
        journal_settle(journal, record_reader_setting(self->reader), error) < 0)
        return -1;
    while ((got = record_reader_next(self->reader, &step, error)) > 0)
        if (retelling_gather(&self->told, self->engine, step.now_s, step.items, step.count, error) <
                0 ||
            write_step(self, journal, step.now_s, self->told.items, self->told.count, error) < 0)
            return -1;
    for (int64_t i = 0; i < self->timers && got == 0; i++)
        got = write_step(self, journal, self->decision.now_s + 1, &timer, 1, error);
    if (got < 0 || journal_commit(journal, error) < 0)
        return -1;
    return self->snapshot ? keep_snapshot(self, journal, error) : 0;
}

static int read_snapshot(struct bench *self, journal_t *journal, struct error *error)
{
    struct journal_snapshot snapshot;

    if (journal_read_snapshot(journal, &snapshot, error) <= 0)
        return -1;
    engine_archive(self->engine, &snapshot.archive, journal_snapshot_job, &snapshot);
    if (!archive_is_over(&snapshot.archive))
        return error_set(error, "the snapshot cannot be read");
    engine_stands(self->engine, &self->decision);
    journal_skip(journal, &snapshot, &self->decision);
    return 0;
}

static int read_steps(struct bench *self, journal_t *journal, struct error *error)
{
    struct journaled_step step;
    int got;

    if (open_engine(self, error) < 0 ||
        journal_settle(journal, record_reader_setting(self->reader), error) < 0)
        return -1;
    if (self->snapshot && read_snapshot(self, journal, error) < 0)
        return -1;
    while ((got = journal_next(journal, self->engine, &step, error)) > 0)
        if (engine_step(self->engine, step.now_s, step.occurrences, step.count, &self->decision,
                        error) < 0 ||
            journal_check(journal, &step, &self->decision, error) < 0)
            return -1;
    return got;
}

static int commit_documents(journal_t *journal, int count, double *rate, struct error *error)
{
    const double started_s = clock_now_s();
    uint64_t key = 0;

    for (int i = 0; i < COMMITS; i++) {
        if (journal_begin(journal, error) < 0)
            return -1;
        for (int k = 0; k < count; k++)
            if (journal_put_number(journal, "bench", key++, "a document of a job", error) < 0)
                return -1;
        if (journal_commit(journal, error) < 0)
            return -1;
    }
    *rate = COMMITS * count / (clock_now_s() - started_s);
    return 0;
}

static void report(const struct bench *self, const double times_s[3], double single, double group)
{
    const double told_s = times_s[2] - times_s[1];
    const double all_s = times_s[2] - times_s[0];
    const double target_s = fmax(self->snapshot ? SNAPSHOT_S : 0, EVENT_S * (double)self->steps);

    printf("{\"journal\": \"%s\", \"steps\": %" PRId64 ", \"occurrences\": %" PRId64
           ", \"open_ms\": %.1f, \"told_ms\": %.1f, \"steps_s\": %.0f, \"documents_s\": %.0f, "
           "\"by_64_s\": %.0f, \"kept_ms\": %.1f, \"kept_kib\": %zu, \"target_s\": %.3f, \"met\": "
           "%s}\n",
           self->name, self->steps, self->occurrences, 1000 * (times_s[1] - times_s[0]),
           1000 * told_s, (double)self->steps / told_s, single, group, 1000 * self->kept_s,
           self->kept_bytes / 1024, target_s,
           all_s <= target_s && group >= DOCUMENTS_S ? "true" : "false");
}

/* Writes the state; only what follows is measured. */
static int prepare(struct bench *self, struct error *error)
{
    journal_t *journal = journal_open(self->state, error);
    const int status = journal ? write_steps(self, journal, error) : -1;

    close_engine(self);
    journal_close(&journal);
    return status;
}

static int measure(struct bench *self, struct error *error)
{
    double times_s[3] = {clock_now_s()};
    journal_t *journal = journal_open(self->state, error);
    int status = -1;
    double single;
    double group;

    times_s[1] = clock_now_s();
    if (journal)
        status = read_steps(self, journal, error);
    times_s[2] = clock_now_s();
    close_engine(self);
    if (status == 0 && (commit_documents(journal, 1, &single, error) < 0 ||
                        commit_documents(journal, 64, &group, error) < 0))
        status = -1;
    if (status == 0)
        report(self, times_s, single, group);
    journal_close(&journal);
    return status;
}

int main(int argc, char **argv)
{
    struct bench bench = {.name = "run"};
    const struct option_spec options[] = {
        OPTION_TEXT("name", "NAME", &bench.name, "what to call the run"),
        OPTION_TEXT("state", "DIR", &bench.state, "the state, which is made"),
        OPTION_WHOLE("timers", "N", &bench.timers, 0, 100000000,
                     "so many steps without news after those of the record"),
        OPTION_SWITCH("snapshot", &bench.snapshot,
                      "a snapshot is kept after the last step, and read"),
        OPTION_END,
    };
    const struct command command = {
        .name = "journal_time",
        .summary = "Say how long a scheduler takes to take up the run of a record",
        .operands = "RECORD",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status;

    if (parsed != 0)
        return parsed > 0 ? 0 : options_fail(&command, &error);
    if (operands.count != 1 || !bench.state) {
        error_set(&error, "one RECORD and --state are expected");
        return options_fail(&command, &error);
    }
    bench.reader = record_reader_open(operands.items[0], &error);
    status = bench.reader ? prepare(&bench, &error) : -1;
    if (status == 0)
        status = measure(&bench, &error);
    record_reader_close(&bench.reader);
    free(operands.items);
    free(bench.jobs);
    retelling_free(&bench.told);
    return status < 0 ? options_fail(&command, &error) : 0;
}
