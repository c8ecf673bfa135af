/* missing.c - jobs that are missing from the state although there are traces of them: folders below
 * the run folder, and parts at the master. Their numbers are not given out again, and nothing is
 * stopped before an operator was told. */
#include "scheduler/service/serving.h"

#include "common/clock.h"
#include "common/log.h"
#include "protocol/job_number.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX     3   /* levels of folders below the run folder */
#define MASTER_SOON_S 1.0 /* that a new state waits for a master before its first job */

/* The job after which a file or folder is named, "3fa2c1-7" or "job-3fa2c1-7..."; 0 for another
 * name. */
static uint64_t job_of_name(const char *name)
{
    char *end;
    unsigned long run;
    unsigned long row;

    if (!strncmp(name, "job-", 4))
        name += 4;
    if (!isxdigit((unsigned char)*name))
        return 0;
    run = strtoul(name, &end, 16);
    if (*end != '-' || !isdigit((unsigned char)end[1]) || run == 0 || run > RUN_ID_MAX)
        return 0;
    row = strtoul(end + 1, &end, 10);
    return (*end == '\0' || *end == '.') && row > 0 && row < UINT32_MAX
               ? job_number_make((uint32_t)run, (uint32_t)row)
               : 0;
}

/* ---- folders ---- */

/* Other services may share the run folder: only jobs of the state's own run are missed. */

struct looked {
    uint32_t run;
    uint32_t known;   /* rows up to this one are in the state */
    uint64_t missing; /* the job with the highest row above `known`, 0 for none */
};

static void look_at(struct looked *self, uint64_t job)
{
    if (job_number_run(job) == self->run && job_number_row(job) > self->known &&
        job_number_row(job) > job_number_row(self->missing))
        self->missing = job;
}

/* Symbolic links are not followed. */
static void look_through(struct looked *self, const char *folder, int depth)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        const uint64_t job = job_of_name(entry->d_name);
        char path[4096];

        look_at(self, job);
        if (job > 0 || depth == 0 || entry->d_name[0] == '.' ||
            (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < sizeof(path))
            look_through(self, path, depth - 1);
    }
    if (entries)
        (void)closedir(entries);
}

/* ---- numbers that are left out ---- */

/* Leaves out the numbers from the next one up to `last`: the state has lost their jobs. */
static int leave_out(struct serving *self, uint64_t last, struct error *error)
{
    const uint32_t next = ledger_next(self->ledger);
    char body[24];

    if (last < next)
        return 0;
    if (last >= UINT32_MAX)
        return error_set(error, "%s: no number of a job is left", self->setting.state);
    (void)snprintf(body, sizeof(body), "%" PRIu64, last);
    if (journal_begin(self->journal, error) < 0 ||
        journal_put_number(self->journal, "left-out", next, body, error) < 0 ||
        journal_commit(self->journal, error) < 0)
        return -1;
    log_event(&LOG_ABOUT_NOTHING, "left-out", "from=%" PRIu32 " to=%" PRIu64, next, last);
    ledger_leave_out(self->ledger, (uint32_t)last);
    return 0;
}

static int complain(struct serving *self, const char *where, uint64_t job, struct error *error)
{
    const char *state = self->setting.state;

    if (journal_reserve(self->journal, job_number_row(job), error) < 0)
        return -1;
    return error_set(error,
                     "%s: %s job %s, of which this state does not know; nothing was stopped. "
                     "`rubato state restore %s` goes back to the copy of the state, `rubato state "
                     "accept-loss %s` goes on without such jobs",
                     state, where, job_number_name(job).text, state, state);
}

int missing_settle(struct serving *self, struct error *error)
{
    struct looked looked = {.run = self->run};
    const bool accepted = journal_loss_is_accepted(self->journal);
    const int64_t aside = journal_last_aside(self->journal, error);

    if (aside < 0 || leave_out(self, (uint64_t)aside, error) < 0)
        return -1;
    looked.known = ledger_next(self->ledger) - 1;
    self->is_new = journal_steps(self->journal) == 0;
    self->loss_is_accepted = accepted;
    if (self->setting.runs && journal_keep_apart(self->journal, self->setting.runs, error) < 0)
        return -1;
    if (self->setting.runs)
        look_through(&looked, self->setting.runs, DEPTH_MAX);
    if (looked.missing > 0 && !accepted)
        return complain(self, "the run folder has files of", looked.missing, error);
    if (!accepted)
        return 0;
    if (job_number_row(looked.missing) > journal_numbers_lost(self->journal) &&
        journal_accept_loss(self->journal, job_number_row(looked.missing), error) < 0)
        return -1;
    return leave_out(self, journal_numbers_lost(self->journal), error);
}

/* ---- parts at the master ---- */

bool missing_is_known(void *owner, uint64_t job)
{
    const struct serving *self = owner;

    return self->loss_is_accepted ||
           (job_number_run(job) == self->run && job_number_row(job) < ledger_next(self->ledger));
}

int missing_check(struct serving *self, struct error *error)
{
    if (capacity_unknown_job(self->capacity) == 0)
        return 0;
    return complain(self, "the master holds parts of", capacity_unknown_job(self->capacity), error);
}

bool missing_may_number(const struct serving *self)
{
    return !self->is_new || capacity_knows_parts(self->capacity) ||
           clock_s() >= self->opened_s + MASTER_SOON_S;
}
