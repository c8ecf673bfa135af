/* snapshots.c - snapshots of engine and ledger, stored in the journal now and then. */
#include "scheduler/service/serving.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/processes.h"
#include "scheduler/snapshot/engine_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A snapshot is due when the steps since the last one took DECIDED_S to decide, or DECIDED_TIMES as
 * long as the last snapshot took to write. A start decides these steps again, and those decided
 * while the next snapshot is written. */
#define DECIDED_S     0.5
#define DECIDED_TIMES 2

#define PIECE ((size_t)1 << 19) /* bytes that are stored between two requests */

/* ---- keeping ---- */

typedef int write_fn(struct serving *self, const struct occurrence jobs[], size_t count,
                     const struct archive *archive, struct error *error);

static int write_all(struct serving *self, write_fn *write, struct error *error)
{
    const size_t rows = ledger_next(self->ledger) - 1;
    struct occurrence *jobs = xcalloc(rows + 1, sizeof(*jobs));
    struct archive archive = archive_writing();
    size_t count = 0;
    int status;

    for (size_t row = 1; row <= rows; row++) {
        const struct entry *entry = ledger_find(self->ledger, row);

        if (!entry->left_out)
            jobs[count++] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                                .job = entry->number,
                                                .submission = entry->submission};
    }
    engine_archive(self->engine, &archive, NULL, NULL);
    ledger_archive(self->ledger, &archive, NULL, NULL);
    status = write(self, jobs, count, &archive, error);
    archive_free(&archive);
    free(jobs);
    return status;
}

static int keep(struct serving *self, const struct occurrence jobs[], size_t count,
                const struct archive *archive, struct error *error)
{
    return journal_keep_snapshot(self->journal, jobs, count, archive, error);
}

/* Whether the engine was told of all requests. */
static bool is_settled(const struct serving *self)
{
    return !self->stuck && !self->in_transaction && self->told.count == 0 &&
           engine_has_archive(self->engine);
}

static void log_unkept(const struct error *error)
{
    log_event(&LOG_ABOUT_NOTHING, "no-snapshot", "cause=%s", log_text(error->text));
}

static void log_kept(int64_t steps, uint32_t jobs, double took_s)
{
    log_event(&LOG_ABOUT_NOTHING, "snapshot", "steps=%" PRId64 " jobs=%" PRIu32 " ms=%.1f", steps,
              jobs, 1000 * took_s);
}

void snapshots_keep(struct serving *self)
{
    const bool is_due = self->decided_s > 0 || self->snapshot.pid > 0;
    const double began_s = clock_s();
    struct error error;

    snapshots_give_up(self);
    if (!is_due || !is_settled(self))
        return;
    self->decided_s = 0;
    if (write_all(self, keep, &error) < 0)
        log_unkept(&error);
    else
        log_kept(journal_steps(self->journal), ledger_next(self->ledger) - 1, clock_s() - began_s);
}

/* ---- by a copy, while requests are answered ---- */

static int write_out(struct serving *self, const struct occurrence jobs[], size_t count,
                     const struct archive *archive, struct error *error)
{
    const char *text = journal_write_snapshot(self->journal, jobs, count, archive);

    (void)error;
    (void)FAILPOINT("snapshot-copy");
    processes_write(self->snapshot.from, text, strlen(text));
    return 0;
}

static void stop_reading(struct serving *self)
{
    struct snapshot_copy *copy = &self->snapshot;
    zmq_pollitem_t item = {.fd = copy->from, .events = ZMQ_POLLIN};

    zloop_poller_end(self->loop, &item);
    (void)close(copy->from);
    free(copy->piece);
    copy->piece = NULL;
}

void snapshots_give_up(struct serving *self)
{
    struct snapshot_copy *copy = &self->snapshot;

    if (copy->pid == 0)
        return;
    stop_reading(self);
    (void)kill(copy->pid, SIGKILL);
    (void)waitpid(copy->pid, NULL, 0);
    copy->pid = 0;
}

/* Stores the last piece of the snapshot: the copy has written all of them. */
static int finish(struct serving *self, struct error *error)
{
    struct snapshot_copy *copy = &self->snapshot;
    struct rusage use;
    int status = 0;

    stop_reading(self);
    while (wait4(copy->pid, &status, 0, &use) < 0 && errno == EINTR)
        continue;
    copy->pid = 0;
    if (status != 0)
        return error_set(error, "the copy that writes it ended with %s", child_status_text(status));
    copy->busy_s += (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec / 1e6 +
                    (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec / 1e6;
    return journal_keep_pieces(self->journal, error);
}

/* Stores a piece once it is full, or is the last. 1 once all are stored, 0 if there are more, -1
 * with `error`. */
static int read_piece(struct serving *self, struct error *error)
{
    struct snapshot_copy *copy = &self->snapshot;
    const ssize_t got = read(copy->from, copy->piece + copy->used, PIECE - copy->used);

    if (got < 0)
        return errno == EINTR || errno == EAGAIN
                   ? 0
                   : error_set(error, "the copy that writes it: %s", strerror(errno));
    copy->used += (size_t)got;
    if (got > 0 && copy->used < PIECE)
        return 0;
    copy->piece[copy->used] = '\0';
    if (copy->used > 0 && journal_keep_piece(self->journal, copy->piece, error) < 0)
        return -1;
    copy->used = 0;
    if (got > 0)
        return 0;
    return finish(self, error) < 0 ? -1 : 1;
}

/* Stores one piece at a time, so that requests come between. */
static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *argument)
{
    struct serving *self = argument;
    struct snapshot_copy *copy = &self->snapshot;
    const double began_s = clock_s();
    struct error error;
    int status;

    (void)loop;
    (void)item;
    if (self->stuck) { /* a step waits for the disk in an open transaction */
        snapshots_give_up(self);
        return -1;
    }
    if (self->in_transaction) /* a step soon ends the transaction */
        return 0;
    status = read_piece(self, &error);
    copy->busy_s += clock_s() - began_s;
    if (status < 0) {
        snapshots_give_up(self);
        log_unkept(&error);
    } else if (status > 0) {
        self->snapshot_s = copy->busy_s;
        log_kept(copy->steps, copy->jobs, copy->busy_s);
    }
    return copy->used == 0 ? -1 : 0;
}

static void read_copy(struct serving *self)
{
    zmq_pollitem_t item = {.fd = self->snapshot.from, .events = ZMQ_POLLIN};

    (void)fcntl(item.fd, F_SETPIPE_SZ, PIECE);
    self->snapshot.piece = xmalloc(PIECE + 1);
    self->snapshot.used = 0;
    journal_begin_pieces(self->journal);
    (void)zloop_poller(self->loop, &item, on_readable, self);
    zloop_poller_set_tolerant(self->loop, &item);
}

static void start_copy(struct serving *self)
{
    struct snapshot_copy *copy = &self->snapshot;
    const double began_s = clock_s();
    struct error error;
    const pid_t pid = processes_copy(&copy->from, &error);

    if (pid == 0) {
        processes_close_others(copy->from);
        _exit(write_all(self, write_out, &error) < 0);
    }
    if (pid < 0) {
        log_unkept(&error);
        return;
    }
    copy->pid = pid;
    copy->steps = journal_steps(self->journal);
    copy->jobs = ledger_next(self->ledger) - 1;
    read_copy(self);
    copy->busy_s = clock_s() - began_s;
}

static bool is_due(const struct serving *self)
{
    return self->decided_s >= fmax(DECIDED_S, DECIDED_TIMES * self->snapshot_s) ||
           FAILPOINT("snapshot-due");
}

void snapshots_keep_due(struct serving *self)
{
    if (self->snapshot.pid == 0 && is_settled(self) && is_due(self)) {
        self->decided_s = 0;
        start_copy(self);
    }
}

/* ---- after a start ---- */

static bool read_archive(struct serving *self, struct journal_snapshot *snapshot)
{
    engine_archive(self->engine, &snapshot->archive, journal_snapshot_job, snapshot);
    ledger_archive(self->ledger, &snapshot->archive, journal_snapshot_job, snapshot);
    return archive_is_over(&snapshot->archive);
}

/* Goes back to an empty engine and ledger, for a snapshot that cannot be used. */
static int begin_anew(struct serving *self, struct error *error)
{
    engine_destroy(&self->engine);
    ledger_destroy(&self->ledger);
    journal_refuse_snapshot(self->journal);
    self->ledger = ledger_new();
    self->engine = engine_new(&self->inputs.setting, error);
    return self->engine ? submitting_recall(self, error) : -1;
}

int snapshots_recall(struct serving *self, struct error *error)
{
    struct journal_snapshot snapshot;
    const int got = engine_has_archive(self->engine)
                        ? journal_read_snapshot(self->journal, &snapshot, error)
                        : 0;

    if (got <= 0)
        return got;
    if (!read_archive(self, &snapshot))
        return begin_anew(self, error);
    engine_stands(self->engine, &self->decision);
    journal_skip(self->journal, &snapshot, &self->decision);
    log_event(&LOG_ABOUT_NOTHING, "recalled", "steps=%" PRId64, snapshot.steps);
    return 0;
}
