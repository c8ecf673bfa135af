/* oracle_chronus_cli.c - runs the oracle's `chronus` by hand, on files.
 *
 *     oracle_chronus MODE TRACE CLUSTER.csv|SxNxG L C B OUT_DIR
 *
 * MODE is plan, or the objective of milp mode: adaptive, maximize, minimize. OUT_DIR/jobs.csv gets
 * a line for each job of the trace, OUT_DIR/rounds.csv one for each lease round with entries, and
 * OUT_DIR/holders.csv one for each tick that is a multiple of L or B. The counters are printed.
 * Rows without GPUs are left out. Exit status: 0 done, 2 bad usage or files, 3 endless, 4 a round
 * is contested. In the environment, ORACLE_TICKS bounds the ticks and ORACLE_CLEANED lists the
 * quirks to do without: CH-Q1,CH-Q2. */
#define _POSIX_C_SOURCE 200809L

#include "oracle_chronus.h"
#include "oracle_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_MAX   100000000
#define LEVEL_VALUE 10

/* A deadline cell that is no number, or lies before the submission, makes no level. */
static void level_read(struct oracle_call *memory, struct oracle_chronus_job *job, const char *text)
{
    struct oracle_chronus_level *level;
    char *end;
    long deadline_s = strtol(text, &end, 10);

    if (end == text || *end != '\0' || deadline_s < job->submit_s)
        return;
    level = oracle_resize(memory, NULL, sizeof(*level));
    *level = (struct oracle_chronus_level){.deadline_s = deadline_s, .value = LEVEL_VALUE};
    job->levels = level;
    job->level_count = 1;
}

static struct oracle_chronus_job *trace_read(struct oracle_call *memory, const char *path,
                                             size_t *count)
{
    struct oracle_chronus_job *jobs;
    struct sheet sheet;
    int best_effort;
    int deadline;

    if (sheet_read(memory, &sheet, path) < 0)
        die("%s: %s", path, strerror(errno));
    best_effort = sheet_column(&sheet, "best_effort", NULL);
    deadline = sheet_column(&sheet, "deadline", "ddl");
    jobs = oracle_resize(memory, NULL, sheet.row_count * sizeof(jobs[0]) + 1);
    *count = 0;
    for (size_t i = 0; i < sheet.row_count; i++) {
        struct oracle_chronus_job job = {
            .id = sheet_text(&sheet, i, sheet_column(&sheet, "job_id", NULL), "job_id"),
            .submit_s = (long)sheet_integer(
                &sheet, i, sheet_column(&sheet, "submission_time", "submit_time"), "submit_time"),
            .duration_s =
                (long)sheet_integer(&sheet, i, sheet_column(&sheet, "duration", NULL), "duration"),
            .gpus = (int)sheet_integer(&sheet, i, sheet_column(&sheet, "num_gpu", NULL), "num_gpu"),
            .best_effort =
                best_effort >= 0 && sheet_integer(&sheet, i, best_effort, "best_effort") == 1};

        level_read(memory, &job, sheet_text(&sheet, i, deadline, "deadline"));
        if (job.level_count == 0 && !job.best_effort)
            die("%s: row %zu: no deadline", path, i + 1);
        if (job.gpus > 0)
            jobs[(*count)++] = job;
    }
    return jobs;
}

static void mode_read(struct oracle_chronus_setting *setting, const char *mode)
{
    static const char *const objectives[] = {"adaptive", "maximize", "minimize"};

    if (strcmp(mode, "plan") == 0)
        return;
    setting->mode = ORACLE_CHRONUS_MILP;
    for (size_t i = 0; i < sizeof(objectives) / sizeof(objectives[0]); i++)
        if (strcmp(mode, objectives[i]) == 0) {
            setting->objective = (enum oracle_chronus_objective)i;
            return;
        }
    die("%s: no such mode", mode);
}

static long seconds_read(const char *text)
{
    long seconds = atol(text);

    if (seconds < 1)
        die("%s: no length of time", text);
    return seconds;
}

struct journal {
    struct oracle_call *memory;
    const struct oracle_chronus_job *jobs;
    struct text rounds;
    struct text holders;
};

static void write_round(void *context, const struct oracle_chronus_round *round)
{
    struct journal *journal = context;

    oracle_text_add(
        journal->memory, &journal->rounds, "%ld,%zu,%s,%ld\n", round->time_s, round->entry_count,
        round->objective == ORACLE_CHRONUS_MAXIMIZE ? "maximize" : "minimize", round->granted_gpus);
}

static void write_holders(void *context, long time_s, const size_t *jobs, size_t job_count)
{
    struct journal *journal = context;

    oracle_text_add(journal->memory, &journal->holders, "%ld,", time_s);
    for (size_t i = 0; i < job_count; i++)
        oracle_text_add(journal->memory, &journal->holders, "%s%s", i > 0 ? " " : "",
                        journal->jobs[jobs[i]].id);
    oracle_text_add(journal->memory, &journal->holders, "\n");
}

static const char *class_name(enum oracle_chronus_class class)
{
    static const char *const names[] = {"lowest", "accepted", "unaccepted", "best-effort"};

    return names[class - ORACLE_LOWEST];
}

static void write_job(struct oracle_call *memory, struct text *text,
                      const struct oracle_chronus_job *job,
                      const struct oracle_chronus_job_result *result)
{
    oracle_text_add(memory, text, "%s,%ld,", job->id, job->submit_s);
    oracle_text_add_time(memory, text, result->end_s);
    oracle_text_add(memory, text, ",%ld,%d,%s,%ld,", result->starts, result->missed ? 1 : 0,
                    class_name(result->class), result->estimated_s);
    if (result->has_deadline)
        oracle_text_add(memory, text, "%ld", job->submit_s + result->in_force_s);
    oracle_text_add(memory, text, ",%ld,%ld,%ld,%ld\n", result->leases, result->waited_s,
                    result->held_s, result->retired_s);
}

static void write_text(const char *folder, const char *name, const struct text *text)
{
    struct oracle_buffer buffer = oracle_text_give(text);

    file_write(folder, name, &buffer);
    free(buffer.text);
}

static void write_files(struct journal *journal, const char *folder,
                        const struct oracle_chronus_result *result)
{
    struct text jobs = {0};

    oracle_text_add(journal->memory, &jobs,
                    "job_id,submit_time,end_time,starts,missed_deadline,class,estimated_s,promised,"
                    "leases,waited_s,held_s,retired_at\n");
    for (size_t i = 0; i < result->job_count; i++)
        write_job(journal->memory, &jobs, &journal->jobs[i], &result->jobs[i]);
    folder_make(folder);
    write_text(folder, "jobs.csv", &jobs);
    write_text(folder, "rounds.csv", &journal->rounds);
    write_text(folder, "holders.csv", &journal->holders);
}

static int exit_status_of(enum oracle_outcome outcome)
{
    if (outcome == ORACLE_DONE)
        return 0;
    return outcome == ORACLE_CONTESTED ? 4 : 3;
}

int main(int argc, char **argv)
{
    struct oracle_call memory = {.blocks = NULL};
    const char *ticks_max = getenv("ORACLE_TICKS");
    struct oracle_chronus_result result;
    struct oracle_chronus_setting setting;
    struct oracle_chronus_job *jobs;
    struct oracle_cluster cluster;
    struct oracle_chronus_watch watch = {.round = write_round, .holders = write_holders};
    struct journal journal = {.memory = &memory};
    size_t job_count;
    int exit_status;

    if (argc != 8)
        die("usage: oracle_chronus MODE TRACE CLUSTER.csv|SxNxG L C B OUT_DIR");
    jobs = trace_read(&memory, argv[2], &job_count);
    cluster = cluster_read(&memory, argv[3]);
    setting = (struct oracle_chronus_setting){
        .gpu_count = cluster.switches * cluster.nodes_per_switch * cluster.gpus_per_node,
        .lease_s = seconds_read(argv[4]),
        .check_s = seconds_read(argv[5]),
        .admission_s = seconds_read(argv[6]),
        .cleaned = cleaned_of(&memory, getenv("ORACLE_CLEANED")),
        .tick_max = ticks_max ? atol(ticks_max) : TICKS_MAX};
    mode_read(&setting, argv[1]);
    if (setting.lease_s % setting.check_s != 0 || setting.admission_s % setting.check_s != 0)
        die("%s: C must divide L and B", argv[5]);
    journal.jobs = jobs;
    watch.context = &journal;
    oracle_text_add(&memory, &journal.rounds, "time,entries,objective,granted_gpus\n");
    oracle_text_add(&memory, &journal.holders, "time,jobs\n");

    oracle_chronus_run(&setting, jobs, job_count, &watch, &result);
    write_files(&journal, argv[7], &result);
    printf("satisfied %zu of %zu, admitted %zu, ends %.1f, last %.1f, starts %ld, rounds %ld, "
           "repairs %ld\n",
           result.satisfied, result.job_count, result.admitted, result.ends_sum_s,
           result.end_last_s, result.starts, result.rounds, result.repairs);
    if (result.status.outcome != ORACLE_DONE)
        fprintf(stderr, "oracle_chronus: %s: %s\n",
                result.status.outcome == ORACLE_CONTESTED ? "contested" : "endless",
                result.status.text);
    exit_status = exit_status_of(result.status.outcome);
    oracle_chronus_result_clear(&result);
    oracle_call_end(&memory);
    return exit_status;
}
