/* quiet_tries.c - judges the tries of quote_states by the journal of a service that has ended: see
 * tests/e2e/service_quotes_test.sh.
 *
 *     quiet_tries STATE.DB TRIES
 *
 * A line of TRIES is "WHAT SINCE UNTIL JOB right|wrong ANSWERS": the try began after SINCE steps
 * and had its answer after UNTIL. The journal says what the engine was told in these steps. A try
 * is quiet if the steps up to that of the job's submission tell of this job, of progress just as
 * the engine expects it, and of nothing else; then the answer must be right. Any other try tells
 * nothing, as a start that took longer, a trainer that is behind or the end of a job came between.
 * Ends with status 1 at the first quiet try that is wrong. */
#include "protocol/job_number.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 65536

struct
try {
    char what[16];
    int64_t since;
    int64_t until;
    uint32_t job;
    bool is_right;
};

struct judge {
    sqlite3 *state;
    size_t named;
    size_t less;
    size_t changed;
    size_t disturbed;
    bool is_wrong;
};

static bool begins(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

/* The job of a line of an occurrence, 0 if the line is of another kind. */
static uint32_t job_of(const char *line, const char *kind)
{
    return begins(line, kind) ? job_number_row(strtoull(line + strlen(kind), NULL, 10)) : 0;
}

static bool is_expected(const char *line, uint32_t job)
{
    return begins(line, "row ") || begins(line, "< expected ") || begins(line, "< as-expected") ||
           begins(line, "< timer") || job_of(line, "< submitted ") == job ||
           job_of(line, "< suspended ") == job;
}

/* Whether a step says nothing else, and whether the job comes with it. */
static bool is_quiet_step(const char *told, uint32_t job, bool *comes)
{
    bool is_quiet = true;

    for (const char *line = told; *line; line += strcspn(line, "\n") + 1) {
        is_quiet = is_quiet && is_expected(line, job);
        *comes = *comes || job_of(line, "< submitted ") == job;
        if (!strchr(line, '\n'))
            break;
    }
    return is_quiet;
}

static sqlite3_stmt *select_steps(const struct judge *self, const struct try *try)
{
    sqlite3_stmt *steps = NULL;

    if (sqlite3_prepare_v2(
            self->state,
            "SELECT told, sequence, at FROM step WHERE sequence > ? AND sequence <= ? "
            "ORDER BY sequence",
            -1, &steps, NULL) != SQLITE_OK) {
        printf("%s\n", sqlite3_errmsg(self->state));
        exit(2);
    }
    (void)sqlite3_bind_int64(steps, 1, try->since);
    (void)sqlite3_bind_int64(steps, 2, try->until);
    return steps;
}

/* Steps that come after that of the submission do not count. A job that is to have the deadline
 * that it has is not submitted. */
static bool is_quiet(const struct judge *self, const struct try *try)
{
    sqlite3_stmt *steps = select_steps(self, try);
    bool quiet = true; /* so far */
    bool result = false;
    bool came = false;

    while (sqlite3_step(steps) == SQLITE_ROW) {
        bool comes = false;

        quiet =
            is_quiet_step((const char *)sqlite3_column_text(steps, 0), try->job, &comes) && quiet;
        came = came || comes;
        result = comes ? quiet : result;
    }
    (void)sqlite3_finalize(steps);
    if (!came && strcmp(try->what, "changed") != 0) {
        printf("the journal has no submission of job %" PRIu32 " in steps %" PRId64 " to %" PRId64
               "\n",
               try->job, try->since + 1, try->until);
        exit(2);
    }
    return came ? result : quiet;
}

static void tell_steps(const struct judge *self, const struct try *try)
{
    sqlite3_stmt *steps = select_steps(self, try);

    while (sqlite3_step(steps) == SQLITE_ROW)
        printf("step %" PRId64 " at %" PRId64 "\n%s\n", (int64_t)sqlite3_column_int64(steps, 1),
               (int64_t)sqlite3_column_int64(steps, 2),
               (const char *)sqlite3_column_text(steps, 0));
    (void)sqlite3_finalize(steps);
}

static void judge(struct judge *self, const struct try *try, const char *line)
{
    if (!is_quiet(self, try)) {
        self->disturbed++;
        return;
    }
    self->named += !strcmp(try->what, "named");
    self->less += !strcmp(try->what, "less");
    self->changed += !strcmp(try->what, "changed");
    if (try->is_right)
        return;
    printf("nothing unforeseen came between, and the answer is wrong: %s", line);
    tell_steps(self, try);
    self->is_wrong = true;
}

static struct try read_try(const char *line)
{
    struct try try = {0};
    char verdict[8];

    if (sscanf(line, "%15s %" SCNd64 " %" SCNd64 " %" SCNu32 " %7s", try.what, &try.since,
               &try.until, &try.job, verdict) != 5) {
        printf("no try: %s", line);
        exit(2);
    }
    try.is_right = !strcmp(verdict, "right");
    return try;
}

int main(int argc, char **argv)
{
    struct judge self = {0};
    char line[LINE_BYTES];
    FILE *tries = argc == 3 ? fopen(argv[2], "r") : NULL;

    if (!tries || sqlite3_open_v2(argv[1], &self.state, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return 2;
    while (!self.is_wrong && fgets(line, sizeof(line), tries)) {
        const struct try try = read_try(line);

        judge(&self, &try, line);
    }
    (void)fclose(tries);
    (void)sqlite3_close(self.state);
    printf("quiet named=%zu less=%zu changed=%zu disturbed=%zu\n", self.named, self.less,
           self.changed, self.disturbed);
    return self.is_wrong;
}
