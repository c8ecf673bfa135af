/* result_files.c - the auditor's readers of jobs.csv, work.csv, outcomes.csv, rounds.csv,
 * timeline.csv and cluster.csv. */
#include "tools/audit/case.h"

#include "common/csv.h"
#include "common/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RETIRED, ID, GPUS, SUBMIT, START, END, DEADLINE, BEST_EFFORT, JOB_COLUMNS };

static const struct csv_column job_columns[JOB_COLUMNS] = {
    [RETIRED] = {{"retired_at"}, false}, [ID] = {{"job_id"}, false},
    [GPUS] = {{"gpus_at_end"}, false},   [SUBMIT] = {{"submit_time"}, false},
    [START] = {{"start_time"}, false},   [END] = {{"end_time"}, false},
    [DEADLINE] = {{"deadline"}, false},  [BEST_EFFORT] = {{"best_effort"}, false},
};

static const char *keep_id(struct audit_case *self, const csv_t *csv, size_t column)
{
    const struct csv_cell cell = csv_get(csv, column);

    return arena_text(self->texts, cell.text, cell.length);
}

/* Reads an end, which lies between two whole seconds if starts cost fractions of a second. */
static int read_end(const csv_t *csv, struct audit_record *record, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, END);

    if (number_parse_real(cell.text, cell.length, 0, 1e15, &record->ended_s) != NUMBER_OK)
        return csv_complain(csv, END, "seconds", error);
    record->end_s = (int64_t)ceil(record->ended_s);
    return 0;
}

static int read_record(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    struct audit_record record;
    int64_t flag;

    if (csv_whole(csv, RETIRED, 0, INT64_MAX / 2, &record.retired_at_s, error) < 0 ||
        csv_whole(csv, GPUS, 0, INT32_MAX, &record.gpus_at_end, error) < 0 ||
        csv_whole(csv, SUBMIT, 0, INT64_MAX / 2, &record.submit_s, error) < 0 ||
        csv_whole(csv, START, 0, INT64_MAX / 2, &record.start_s, error) < 0 ||
        read_end(csv, &record, error) < 0 ||
        csv_whole(csv, DEADLINE, 0, INT64_MAX, &record.deadline_s, error) < 0 ||
        csv_whole(csv, BEST_EFFORT, 0, 1, &flag, error) < 0)
        return -1;
    record.best_effort = flag == 1;
    record.id = keep_id(self, csv, ID);
    record.job = audit_case_find(self, record.id);
    self->records = grow_array(self->records, self->record_count, capacity, sizeof(record));
    self->records[self->record_count++] = record;
    return 0;
}

enum { WORK_ID, WORK_MEASURE, WORK_ASKED, WORK_CREDITED, WORK_GPU_SECONDS, WORK_COLUMNS };

static const struct csv_column work_columns[WORK_COLUMNS] = {
    [WORK_ID] = {{"job_id"}, false},
    [WORK_MEASURE] = {{"measure"}, false},
    [WORK_ASKED] = {{"asked"}, false},
    [WORK_CREDITED] = {{"credited"}, false},
    [WORK_GPU_SECONDS] = {{"gpu_seconds"}, false},
};

static int read_measure(const csv_t *csv, struct audit_work *work, struct error *error)
{
    const char *text = csv_get(csv, WORK_MEASURE).text;

    work->in_seconds = !strcmp(text, "seconds");
    if (work->in_seconds || !strcmp(text, "iterations"))
        return 0;
    return csv_complain(csv, WORK_MEASURE, "iterations or seconds", error);
}

static int read_work(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    const struct csv_cell credited = csv_get(csv, WORK_CREDITED);
    struct audit_work work;

    if (read_measure(csv, &work, error) < 0 ||
        csv_whole(csv, WORK_ASKED, 0, INT64_MAX / 2, &work.asked, error) < 0 ||
        csv_whole(csv, WORK_GPU_SECONDS, 0, INT64_MAX / 2, &work.gpu_seconds, error) < 0)
        return -1;
    if (number_parse_real(credited.text, credited.length, 0, HUGE_VAL, &work.credited) != NUMBER_OK)
        return csv_complain(csv, WORK_CREDITED, "how much was credited", error);
    work.id = keep_id(self, csv, WORK_ID);
    work.job = audit_case_find(self, work.id);
    self->works = grow_array(self->works, self->work_count, capacity, sizeof(work));
    self->works[self->work_count++] = work;
    return 0;
}

enum { DECIDED, DECIDED_ID, VERDICT, REASON, PROMISED, OUTCOME, SLACK, HISTORY, OUTCOME_COLUMNS };

static const struct csv_column outcome_columns[OUTCOME_COLUMNS] = {
    [DECIDED] = {{"decided_at"}, false}, [DECIDED_ID] = {{"job_id"}, false},
    [VERDICT] = {{"verdict"}, false},    [REASON] = {{"reason"}, false},
    [PROMISED] = {{"promised"}, false},  [OUTCOME] = {{"outcome"}, false},
    [SLACK] = {{"slack"}, true},         [HISTORY] = {{"history"}, true},
};

/* Lists of words, ended by NULL. The value of a word is its place in the list. */
typedef const char *const words_t[];

static words_t verdict_words = {[AUDIT_PROMISED] = "promised",
                                [AUDIT_BEST_EFFORT] = "best-effort",
                                [AUDIT_DECLINED] = "declined",
                                [AUDIT_PROMISED_LATER] = "promised-later",
                                NULL};
static words_t reason_words = {[AUDIT_FITS] = "fits",
                               [AUDIT_NO_DEADLINE] = "no-deadline",
                               [AUDIT_NO_PROMISES] = "no-promises",
                               [AUDIT_NO_ROOM] = "no-room",
                               [AUDIT_TOO_LARGE] = "too-large",
                               [AUDIT_JOBS_TO_COME] = "jobs-to-come",
                               [AUDIT_PROMISE_SHARE] = "promise-share",
                               [AUDIT_PARENT] = "parent",
                               [AUDIT_NODES_END] = "nodes-end",
                               [AUDIT_FAILED_UNDECIDED] = "failed",
                               NULL};
static words_t end_words = {[AUDIT_NO_END] = "",
                            [AUDIT_ON_TIME] = "on-time",
                            [AUDIT_LATE] = "late",
                            [AUDIT_DONE] = "done",
                            [AUDIT_FAILED] = "failed",
                            [AUDIT_CANCELLED] = "cancelled",
                            [AUDIT_UNFINISHED] = "unfinished",
                            NULL};

static int read_word(const csv_t *csv, size_t column, words_t words, int *value,
                     struct error *error)
{
    const char *text = csv_get(csv, column).text;

    for (*value = 0; words[*value]; (*value)++)
        if (!strcmp(words[*value], text))
            return 0;
    return csv_complain(csv, column, "one of the words that rubato-results(5) lists", error);
}

/* Reads the slack, which is negative for a late job. An empty cell means no slack. */
static int read_slack(const csv_t *csv, int64_t *slack_s, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, SLACK);
    const size_t sign = cell.length > 0 && cell.text[0] == '-';

    if (cell.length == 0)
        return 0;
    if (number_parse_whole(cell.text + sign, cell.length - sign, 0, INT64_MAX / 2, slack_s) !=
        NUMBER_OK)
        return csv_complain(csv, SLACK, "seconds", error);
    *slack_s = sign ? -*slack_s : *slack_s;
    return 0;
}

/* Reads the columns slack and history. Files of older versions have neither. */
static int read_history(struct audit_case *self, const csv_t *csv, struct audit_outcome *outcome,
                        struct error *error)
{
    outcome->has_slacks = csv_has(csv, SLACK);
    if (outcome->has_slacks && read_slack(csv, &outcome->slack_s, error) < 0)
        return -1;
    outcome->history = csv_has(csv, HISTORY) ? keep_id(self, csv, HISTORY) : NULL;
    return 0;
}

static int read_outcome(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    struct audit_outcome outcome = {.promised_s = AUDIT_DEADLINE_NONE_S,
                                    .slack_s = AUDIT_DEADLINE_NONE_S};
    int words[3];

    if (csv_whole(csv, DECIDED, 0, INT64_MAX / 2, &outcome.decided_s, error) < 0 ||
        read_word(csv, VERDICT, verdict_words, &words[0], error) < 0 ||
        read_word(csv, REASON, reason_words, &words[1], error) < 0 ||
        read_word(csv, OUTCOME, end_words, &words[2], error) < 0)
        return -1;
    if (csv_get(csv, PROMISED).length > 0 &&
        csv_whole(csv, PROMISED, 0, INT64_MAX / 2, &outcome.promised_s, error) < 0)
        return -1;
    if (read_history(self, csv, &outcome, error) < 0)
        return -1;
    outcome.verdict = (enum audit_verdict)words[0];
    outcome.reason = (enum audit_reason)words[1];
    outcome.reason_word = reason_words[words[1]];
    outcome.end = (enum audit_end)words[2];
    outcome.id = keep_id(self, csv, DECIDED_ID);
    outcome.job = audit_case_find(self, outcome.id);
    self->outcomes = grow_array(self->outcomes, self->outcome_count, capacity, sizeof(outcome));
    self->outcomes[self->outcome_count++] = outcome;
    return 0;
}

enum { ROUND_TIME, ROUND_LAYOUT, ROUND_COLUMNS };

static const struct csv_column round_columns[ROUND_COLUMNS] = {
    [ROUND_TIME] = {{"time"}, false},
    [ROUND_LAYOUT] = {{"layout"}, false},
};

/* Reads the digits at `*text` and moves `*text` past them. */
static bool parse_digits(const char **text, int64_t *value)
{
    const size_t length = strspn(*text, "0123456789");
    const bool good = number_parse_whole(*text, length, 0, INT32_MAX, value) == NUMBER_OK;

    *text += length;
    return good;
}

static bool parse_sign(const char **text, char sign)
{
    if (**text != sign)
        return false;
    (*text)++;
    return true;
}

static struct audit_run *append_run(struct audit_case *self, int64_t job, bool shares)
{
    self->runs = grow_array(self->runs, self->run_count, &self->run_capacity, sizeof(*self->runs));
    self->runs[self->run_count] = (struct audit_run){.job = (size_t)job, .shares = shares};
    return &self->runs[self->run_count++];
}

/* Reads JOB@RANKxGPUS, or JOB&JOB@RANKxGPUS of jobs that share GPUs. */
static bool parse_run(struct audit_case *self, const char **text)
{
    const size_t first = self->run_count;
    int64_t job;
    int64_t rank;
    int64_t gpus;

    do {
        if (!parse_digits(text, &job))
            return false;
        append_run(self, job, self->run_count > first);
    } while (parse_sign(text, '&'));
    if (!parse_sign(text, '@') || !parse_digits(text, &rank) || !parse_sign(text, 'x') ||
        !parse_digits(text, &gpus))
        return false;
    for (size_t i = first; i < self->run_count; i++) {
        self->runs[i].rank = rank;
        self->runs[i].gpus = gpus;
    }
    return gpus > 0;
}

static int read_round(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    static const char *const expected =
        "runs JOB@RANKxGPUS or JOB&JOB@RANKxGPUS with a blank between them";
    struct audit_round round = {.line = csv_line(csv), .first_run = self->run_count};
    const char *text = csv_get(csv, ROUND_LAYOUT).text;

    if (csv_whole(csv, ROUND_TIME, 0, INT64_MAX / 2, &round.at_s, error) < 0)
        return -1;
    while (*text) {
        if (!parse_run(self, &text))
            return csv_complain(csv, ROUND_LAYOUT, expected, error);
        if (*text && (!parse_sign(&text, ' ') || !*text))
            return csv_complain(csv, ROUND_LAYOUT, expected, error);
    }
    round.run_count = self->run_count - round.first_run;
    self->rounds = grow_array(self->rounds, self->round_count, capacity, sizeof(round));
    self->rounds[self->round_count++] = round;
    return 0;
}

enum { CHANGE_TIME, CHANGE_ID, CHANGE_POOL, CHANGE_GPUS, CHANGE_REASON, CHANGE_COLUMNS };

static const struct csv_column change_columns[CHANGE_COLUMNS] = {
    [CHANGE_TIME] = {{"time"}, false},     [CHANGE_ID] = {{"job_id"}, false},
    [CHANGE_POOL] = {{"pool"}, false},     [CHANGE_GPUS] = {{"gpus"}, false},
    [CHANGE_REASON] = {{"reason"}, false},
};

static words_t change_words = {[AUDIT_START] = "start",
                               [AUDIT_RESTART] = "restart",
                               [AUDIT_GROW] = "grow",
                               [AUDIT_SHRINK] = "shrink",
                               [AUDIT_MOVE] = "move",
                               [AUDIT_PREEMPTED] = "preempted",
                               [AUDIT_NODE_LOST] = "node-lost",
                               [AUDIT_CHANGE_DONE] = "done",
                               [AUDIT_CHANGE_FAILED] = "failed",
                               [AUDIT_CHANGE_CANCELLED] = "cancelled",
                               [AUDIT_CHANGE_SUSPENDED] = "suspended",
                               NULL};

static int read_change(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    struct audit_change change = {.line = csv_line(csv)};
    int reason;

    if (csv_whole(csv, CHANGE_TIME, 0, INT64_MAX / 2, &change.at_s, error) < 0 ||
        csv_whole(csv, CHANGE_GPUS, 0, INT32_MAX, &change.gpus, error) < 0 ||
        read_word(csv, CHANGE_REASON, change_words, &reason, error) < 0)
        return -1;
    change.reason = (enum audit_change_reason)reason;
    change.id = keep_id(self, csv, CHANGE_ID);
    change.pool = keep_id(self, csv, CHANGE_POOL);
    change.job = audit_case_find(self, change.id);
    self->changes = grow_array(self->changes, self->change_count, capacity, sizeof(change));
    self->changes[self->change_count++] = change;
    return 0;
}

enum { USE_TIME, USE_UP, USE_USED, USE_RUNNING, USE_WAITING, USE_EFFICIENCY, USE_COLUMNS };

static const struct csv_column use_columns[USE_COLUMNS] = {
    [USE_TIME] = {{"time"}, false},
    [USE_UP] = {{"gpus_up"}, false},
    [USE_USED] = {{"gpus_used"}, false},
    [USE_RUNNING] = {{"jobs_running"}, false},
    [USE_WAITING] = {{"jobs_waiting"}, false},
    [USE_EFFICIENCY] = {{"efficiency"}, false},
};

static int read_use(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    const struct csv_cell efficiency = csv_get(csv, USE_EFFICIENCY);
    struct audit_use use = {.line = csv_line(csv), .efficiency = NAN};

    if (csv_whole(csv, USE_TIME, 0, INT64_MAX / 2, &use.at_s, error) < 0 ||
        csv_whole(csv, USE_UP, 0, INT32_MAX, &use.gpus_up, error) < 0 ||
        csv_whole(csv, USE_USED, 0, INT32_MAX, &use.gpus_used, error) < 0 ||
        csv_whole(csv, USE_RUNNING, 0, INT32_MAX, &use.jobs_running, error) < 0 ||
        csv_whole(csv, USE_WAITING, 0, INT32_MAX, &use.jobs_waiting, error) < 0)
        return -1;
    if (efficiency.length > 0 && number_parse_real(efficiency.text, efficiency.length, 0, HUGE_VAL,
                                                   &use.efficiency) != NUMBER_OK)
        return csv_complain(csv, USE_EFFICIENCY, "a number, or nothing", error);
    self->uses = grow_array(self->uses, self->use_count, capacity, sizeof(use));
    self->uses[self->use_count++] = use;
    return 0;
}

enum { GRANT_TIME, GRANT_ID, GRANT_GPUS, GRANT_RATE, GRANT_OVERHEAD, GRANT_COLUMNS };

static const struct csv_column grant_columns[GRANT_COLUMNS] = {
    [GRANT_TIME] = {{"time"}, false},           [GRANT_ID] = {{"job_id"}, false},
    [GRANT_GPUS] = {{"gpus"}, false},           [GRANT_RATE] = {{"iterations_per_s"}, false},
    [GRANT_OVERHEAD] = {{"overhead_s"}, false},
};

static int read_grant(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    const struct csv_cell rate = csv_get(csv, GRANT_RATE);
    struct audit_grant grant = {.job = AUDIT_NO_JOB};

    if (csv_whole(csv, GRANT_TIME, 0, INT64_MAX / 2, &grant.at_s, error) < 0 ||
        csv_whole(csv, GRANT_GPUS, 1, INT32_MAX, &grant.gpus, error) < 0 ||
        csv_whole(csv, GRANT_OVERHEAD, 0, INT32_MAX, &grant.overhead_s, error) < 0)
        return -1;
    if (number_parse_real(rate.text, rate.length, 0, HUGE_VAL, &grant.rate) != NUMBER_OK)
        return csv_complain(csv, GRANT_RATE, "iterations/s", error);
    grant.job = audit_case_find(self, keep_id(self, csv, GRANT_ID));
    self->grants = grow_array(self->grants, self->grant_count, capacity, sizeof(grant));
    self->grants[self->grant_count++] = grant;
    return 0;
}

/* A file of results: its name, its columns, and the function that reads a row. */
struct format {
    const char *name;
    const struct csv_column *columns;
    size_t count;
    int (*read)(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error);
};

static const struct format formats[] = {
    {"jobs.csv", job_columns, JOB_COLUMNS, read_record},
    {"work.csv", work_columns, WORK_COLUMNS, read_work},
    {"outcomes.csv", outcome_columns, OUTCOME_COLUMNS, read_outcome},
    {"rounds.csv", round_columns, ROUND_COLUMNS, read_round},
    {"timeline.csv", change_columns, CHANGE_COLUMNS, read_change},
    {"cluster.csv", use_columns, USE_COLUMNS, read_use},
};
static const struct format grants = {"grants.csv", grant_columns, GRANT_COLUMNS, read_grant};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]), FORMATS_ALWAYS = FORMATS - 2 };

static int read_file(struct audit_case *self, const char *folder, const struct format *format,
                     struct error *error)
{
    size_t capacity = 0;
    char path[4096];
    csv_t *csv;
    int got;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, format->name);
    csv = csv_open(path, ',', error);
    got = csv ? csv_expect(csv, format->columns, format->count, error) : -1;
    while (got >= 0 && (got = csv_next(csv, error)) > 0)
        got = format->read(self, csv, &capacity, error);
    csv_destroy(&csv);
    return got;
}

static bool has_file(const char *folder, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

int audit_read_results(struct audit_case *self, const char *folder, struct error *error)
{
    size_t count = FORMATS_ALWAYS;

    self->has_timeline =
        has_file(folder, "timeline.csv"); /* older versions wrote no timeline.csv and cluster.csv */
    if (self->has_timeline)
        count = FORMATS;
    for (size_t i = 0; i < count; i++)
        if (read_file(self, folder, &formats[i], error) < 0)
            return -1;
    self->has_grants = has_file(folder, grants.name);
    return self->has_grants ? read_file(self, folder, &grants, error) : 0;
}
