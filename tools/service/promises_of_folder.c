/* promises_of_folder.c - see promises.h. */
#include "tools/service/promises.h"

#include "common/csv.h"
#include "common/memory.h"
#include "common/number.h"
#include "scheduler/report/promise_tally.h"
#include "scheduler/report/result_folder.h"
#include "tools/service/trace_users.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEEK_S     (INT64_C(7) * 24 * 3600)
#define TIME_MAX_S (INT64_MAX / 4)

enum { ID, VERDICT, PROMISED, OUTCOME, SLACK, HISTORY, COLUMNS };

static const struct csv_column columns[COLUMNS] = {
    [ID] = {{"job_id"}, false},         [VERDICT] = {{"verdict"}, false},
    [PROMISED] = {{"promised"}, false}, [OUTCOME] = {{"outcome"}, false},
    [SLACK] = {{"slack"}, true},        [HISTORY] = {{"history"}, true},
};

static int read_end(const csv_t *csv, enum promise_end *end, struct error *error)
{
    static const struct {
        const char *word;
        enum promise_end end;
    } words[] = {
        {"on-time", PROMISE_END_KEPT},    {"late", PROMISE_END_LATE},
        {"failed", PROMISE_END_FAILED},   {"cancelled", PROMISE_END_CANCELLED},
        {"unfinished", PROMISE_END_OPEN},
    };
    const char *text = csv_get(csv, OUTCOME).text;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcmp(words[i].word, text)) {
            *end = words[i].end;
            return 0;
        }
    return csv_complain(csv, OUTCOME, "on-time, late, failed, cancelled or unfinished", error);
}

/* The cause at `text`, up to a comma, of a withdrawal; WITHDRAWAL_CAUSES if it is unknown. */
static int cause_of(const char *text)
{
    const size_t length = strcspn(text, ",");
    int cause = 0;

    while (cause < WITHDRAWAL_CAUSES && (strlen(withdrawal_words[cause]) != length ||
                                         strncmp(withdrawal_words[cause], text, length) != 0))
        cause++;
    return cause;
}

/* Reads events "AT WORD..." with " | " between them. */
static int read_history(const csv_t *csv, struct promise_record *record, struct error *error)
{
    static const char withdrawn[] = " withdrawn: ";
    static const char falls[] = " falls: ";
    static const char at_risk[] = " at risk: ";
    const char *text = csv_get(csv, HISTORY).text;

    for (const char *event = text; event; event = strstr(event, " | ")) {
        const char *word;
        int cause;

        event += event == text ? 0 : strlen(" | ");
        word = event + strspn(event, "0123456789");
        if (word == event || *word != ' ')
            return csv_complain(csv, HISTORY, "events as rubato-results(5) has them", error);
        record->was_at_risk = record->was_at_risk || strncmp(word, at_risk, strlen(at_risk)) == 0;
        record->falls += strncmp(word, falls, strlen(falls)) == 0;
        if (strncmp(word, withdrawn, strlen(withdrawn)) != 0)
            continue;
        cause = cause_of(word + strlen(withdrawn));
        if (cause == WITHDRAWAL_CAUSES)
            return csv_complain(csv, HISTORY, "causes as rubato-results(5) has them", error);
        record->withdrawals[cause]++;
    }
    return 0;
}

static bool has_slack(enum promise_end end)
{
    return end == PROMISE_END_KEPT || end == PROMISE_END_LATE;
}

/* Reads the slack, which is negative for a late job. */
static int read_slack(const csv_t *csv, double *slack_s, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, SLACK);
    const size_t sign = *cell.text == '-';
    int64_t seconds;

    if (number_parse_whole(cell.text + sign, cell.length - sign, 0, TIME_MAX_S, &seconds) !=
        NUMBER_OK)
        return csv_complain(csv, SLACK, "a whole number", error);
    *slack_s = (double)(sign ? -seconds : seconds);
    return 0;
}

static int add(promise_tally_t *tally, const trace_users_t *users, const csv_t *csv,
               struct error *error)
{
    struct promise_record record = {.user = trace_users_find(users, csv_get(csv, ID).text)};
    char week[32];
    int64_t due_s;

    if (strncmp(csv_get(csv, VERDICT).text, "promised", strlen("promised")) != 0)
        return 0;
    if (csv_whole(csv, PROMISED, 0, TIME_MAX_S, &due_s, error) < 0 ||
        read_end(csv, &record.end, error) < 0 || read_history(csv, &record, error) < 0)
        return -1;
    if (has_slack(record.end) && read_slack(csv, &record.slack_s, error) < 0)
        return -1;
    (void)snprintf(week, sizeof(week), "week %" PRId64, due_s / WEEK_S + 1);
    record.week = week;
    promise_tally_add(tally, &record);
    return 0;
}

/* Results of an older rubato lack the columns slack and history. */
static int expect_columns(csv_t *csv, const char *path, struct error *error)
{
    if (csv_expect(csv, columns, COLUMNS, error) < 0)
        return -1;
    if (!csv_has(csv, SLACK) || !csv_has(csv, HISTORY))
        return error_set(error,
                         "%s does not tell the slack and the history of promises: its rubato was "
                         "an older one",
                         path);
    return 0;
}

static int add_all(promise_tally_t *tally, const trace_users_t *users, const char *path,
                   struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int got = csv ? expect_columns(csv, path, error) : -1;

    while (got == 0 && (got = csv_next(csv, error)) > 0)
        got = add(tally, users, csv, error);
    csv_destroy(&csv);
    return got;
}

json_t *promises_of_folder(const char *folder, struct error *error)
{
    promise_tally_t *tally = promise_tally_new();
    trace_users_t *users = trace_users_read(folder);
    const size_t size = strlen(folder) + sizeof("/" RESULT_OUTCOMES);
    char *path = xmalloc(size);
    json_t *told = NULL;

    (void)snprintf(path, size, "%s/" RESULT_OUTCOMES, folder);
    if (add_all(tally, users, path, error) == 0)
        told = promise_tally_tell(tally);
    free(path);
    trace_users_destroy(&users);
    promise_tally_destroy(&tally);
    return told;
}
