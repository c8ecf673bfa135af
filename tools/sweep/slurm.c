/* slurm.c - see slurm.h. */
#include "tools/sweep/slurm.h"

#include "common/child.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/output.h"
#include "common/shell_word.h"
#include "scheduler/report/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_BYTES     65536 /* the part of a command's answer that is kept */
#define LOG_OPTION_BYTES ((size_t)2 * PATH_MAX)
#define PAUSE_FIRST_MS   200
#define PAUSE_LAST_MS    10000
#define SILENCES_MAX     60 /* unanswered questions in a row after which the sweep gives Slurm up */
#define INVALID_JOB_TEXT "Invalid job id" /* squeue's message about a job that ended long ago */

struct answer {
    char text[ANSWER_BYTES];
    int status; /* the status from waitpid */
};

/* ---- commands ---- */

static void read_answer(int in, struct answer *answer)
{
    char more[4096];
    size_t length = 0;
    ssize_t got;

    while ((got = read(in, more, sizeof(more))) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got && length + 1 < sizeof(answer->text); i++)
            answer->text[length++] = more[i];
    answer->text[length] = '\0';
}

/* Runs a command of Slurm. Returns -1 with `error` if the command cannot be run. */
static int ask(char *const argv[], struct answer *answer, struct error *error)
{
    struct child_setting child = {.argv = argv, .environment = environ, .death_signal = SIGKILL};
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(error, "no pipe for %s: %s", argv[0], strerror(errno));
    child.out = child.err = ends[1];
    pid = child_start(&child, error);
    (void)close(ends[1]);
    if (pid > 0) {
        read_answer(ends[0], answer);
        while (waitpid(pid, &answer->status, 0) < 0 && errno == EINTR)
            ;
    }
    (void)close(ends[0]);
    return pid > 0 ? 0 : -1;
}

/* Sets a sentence about a command that failed. Returns -1. */
static int complain(const char *command, const struct answer *answer, struct error *error)
{
    char line[512];

    (void)input_printable(line, sizeof(line), answer->text, strcspn(answer->text, "\n"));
    return error_set(error, "%s ended with %s: %s", command, child_status_text(answer->status),
                     line[0] ? line : "it said nothing");
}

/* ---- the note ---- */

static void note_path(const char *folder, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/slurm/job", folder);
}

/* Reads the note of the folder's Slurm job. Sets its number to 0 if the folder has no note. */
static void read_note(const char *folder, int64_t *job, int64_t *tasks)
{
    char path[PATH_MAX];
    FILE *file;

    *job = *tasks = 0;
    note_path(folder, path);
    file = fopen(path, "re");
    if (file && fscanf(file, "%" SCNd64 " %" SCNd64, job, tasks) != 2)
        *job = 0;
    if (file)
        (void)fclose(file);
}

static int write_note(const char *folder, int64_t job, int64_t tasks, struct error *error)
{
    char path[PATH_MAX];
    output_t *output;

    note_path(folder, path);
    output = output_new(path, error);
    if (!output)
        return -1;
    output_format(output, "%" PRId64 " %" PRId64 "\n", job, tasks);
    return output_commit(&output, error);
}

/* ---- submission ---- */

static char *print_script(const struct slurm_array *self)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *text = NULL;
    size_t size = 0;
    FILE *script = open_memstream(&text, &size);

    if (!script)
        memory_out();
    program[length > 0 ? length : 0] = '\0';
    (void)fprintf(script,
                  "#!/bin/sh\n"
                  "# Each task of this array runs its share of a sweep; `rubato sweep --slurm` "
                  "collects them.\n"
                  "#SBATCH --job-name=rubato-sweep\n"
                  "#SBATCH --array=0-%" PRId64 "\n"
                  "#SBATCH --ntasks=1\n"
                  "#SBATCH --cpus-per-task=%" PRId64 "\n",
                  self->tasks - 1, self->parallel);
    if (self->options)
        (void)fprintf(script, "#SBATCH %s\n", self->options);
    (void)fputs("exec ", script);
    shell_word_print(program, script);
    (void)fprintf(script, " sweep --share \"$SLURM_ARRAY_TASK_ID/%" PRId64 "\" -j %" PRId64 "%s\n",
                  self->tasks, self->parallel, self->arguments);
    (void)fclose(script);
    return text;
}

static int write_script(const struct slurm_array *self, const char *path, struct error *error)
{
    char *text = print_script(self);
    output_t *output = output_new(path, error);

    if (output)
        output_text(output, text);
    free(text);
    return output ? output_commit(&output, error) : -1;
}

/* Prints "--output=FOLDER/slurm/%a.log", with each % of the folder doubled. */
static void print_log_option(const char *folder, char option[LOG_OPTION_BYTES])
{
    size_t used = (size_t)snprintf(option, PATH_MAX, "--output=");

    for (; *folder && used + 16 < LOG_OPTION_BYTES; folder++) {
        if (*folder == '%')
            option[used++] = '%';
        option[used++] = *folder;
    }
    (void)snprintf(option + used, 16, "/slurm/%%a.log");
}

int slurm_submit(const struct slurm_array *array, struct error *error)
{
    char folder[PATH_MAX];
    char script[PATH_MAX];
    char log[LOG_OPTION_BYTES];
    char *argv[] = {"sbatch", "--parsable", log, script, NULL};
    struct answer answer = {.status = 0};
    int64_t job;

    (void)snprintf(folder, sizeof(folder), "%s/slurm", array->folder);
    (void)snprintf(script, sizeof(script), "%s/slurm/job.sh", array->folder);
    print_log_option(array->folder, log);
    if (output_make_folder(folder, error) < 0 || write_script(array, script, error) < 0 ||
        ask(argv, &answer, error) < 0)
        return -1;
    if (answer.status != 0 || sscanf(answer.text, "%" SCNd64, &job) != 1 || job <= 0)
        return complain("sbatch", &answer, error);
    return write_note(array->folder, job, array->tasks, error);
}

/* ---- waiting ---- */

/* The number of the job's tasks that are not over; -1 with `error` if Slurm does not say. */
static int64_t count_tasks(int64_t job, struct error *error)
{
    char option[64];
    char *argv[] = {"squeue", "--noheader", "--array", "--format=%T", option, NULL};
    struct answer answer = {.status = 0};
    int64_t count = 0;

    (void)snprintf(option, sizeof(option), "--jobs=%" PRId64, job);
    if (ask(argv, &answer, error) < 0)
        return -1;
    if (answer.status != 0)
        return strstr(answer.text, INVALID_JOB_TEXT) ? 0 : complain("squeue", &answer, error);
    for (const char *c = answer.text; *c; c++)
        count += *c == '\n';
    return count;
}

static void pause_ms(int64_t length_ms)
{
    const struct timespec pause = {.tv_sec = length_ms / 1000,
                                   .tv_nsec = length_ms % 1000 * 1000000};

    (void)nanosleep(&pause, NULL); /* a signal cuts the pause short, as intended */
}

static int wait_for_job(int64_t job, int64_t tasks, progress_line_t *line, struct error *error)
{
    int64_t pause = PAUSE_FIRST_MS;
    int silences = 0;

    while (!progress_stop_asked()) {
        const int64_t left = count_tasks(job, error);

        if (left == 0)
            return 0;
        silences = left < 0 ? silences + 1 : 0;
        if (silences > SILENCES_MAX)
            return -1;
        if (left > 0)
            progress_count(line, left < tasks ? tasks - left : 0, tasks, "tasks are over");
        pause_ms(pause);
        pause = 3 * pause / 2 < PAUSE_LAST_MS ? 3 * pause / 2 : PAUSE_LAST_MS;
    }
    error_set(error, "stopped: job %" PRId64 " of Slurm goes on; the same command collects it",
              job);
    return 1;
}

int slurm_wait(const char *folder, struct error *error)
{
    progress_line_t *line;
    char path[PATH_MAX];
    int64_t job;
    int64_t tasks;
    int result;

    read_note(folder, &job, &tasks);
    if (job == 0)
        return 0;
    line = progress_new("sweep");
    result = wait_for_job(job, tasks, line, error);
    progress_destroy(&line);
    note_path(folder, path);
    if (result == 0)
        (void)unlink(path);
    return result;
}
