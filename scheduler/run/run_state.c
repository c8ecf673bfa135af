/* run_state.c - see run_state.h. */
#include "scheduler/run/run_state.h"

#include "common/checksum.h"
#include "scheduler/record/step_text.h"
#include "scheduler/report/result_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "run"

/* A digest of the jobs of a trace. */
static uint64_t digest_jobs(const struct inputs *inputs)
{
    struct occurrence *announced = inputs_announce(inputs, 0);
    step_text_t *lines = step_text_new(inputs->setting.cluster.pool_count);
    struct text text = {NULL, 0, 0};
    uint64_t digest;

    (void)step_text_write(lines, NULL, 0, announced, submissions_count(inputs->submissions), &text);
    digest = checksum(CHECKSUM_OF_NOTHING, text.bytes, text.used);
    text_free(&text);
    step_text_destroy(&lines);
    free(announced);
    return digest;
}

static int settle_jobs(journal_t *journal, const struct inputs *inputs, const char *trace,
                       struct error *error)
{
    char jobs[32];
    const char *then;
    int got;

    (void)snprintf(jobs, sizeof(jobs), "%016" PRIx64, digest_jobs(inputs));
    got = journal_get(journal, KIND, "jobs", &then, error);
    if (got == 0)
        return journal_put(journal, KIND, "jobs", jobs, error);
    if (got > 0 && strcmp(then, jobs) != 0)
        return error_set(error, "%s: its jobs are not those of the run that --state is of", trace);
    return got < 0 ? -1 : 0;
}

/* Keeps the folder in which this process gathers results, and removes that of the process
 * before. */
static int settle_stage(journal_t *journal, const report_t *report, struct error *error)
{
    const char *stage = report_stage(report);
    const char *left;
    const int got = stage ? journal_get(journal, KIND, "stage", &left, error) : 0;

    if (!stage || got < 0)
        return got;
    if (got > 0 && strcmp(left, stage) != 0)
        result_folder_discard(left);
    return journal_put(journal, KIND, "stage", stage, error);
}

int run_state_settle(journal_t *journal, const struct inputs *inputs,
                     const struct simulation *simulation, const report_t *report,
                     struct error *error)
{
    const struct record_setting setting = inputs_recorded(inputs, simulation);

    if (journal_settle(journal, &setting, error) < 0 || journal_begin(journal, error) < 0)
        return -1;
    if (settle_jobs(journal, inputs, simulation->trace, error) == 0 &&
        settle_stage(journal, report, error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}
