/* lease_files.c - the auditor's readers of promises.csv and leases.csv, and of what summary.json says of
 * leases. */
#include "tools/audit/lease_files.h"

#include "common/csv.h"

#include <stdio.h>
#include <string.h>

/* A list of words, ended by NULL; a value is the place of its word. */
typedef const char *const words_t[];

static words_t class_words = {[CLASS_ACCEPTED] = "accepted",
                              [CLASS_UNACCEPTED] = "unaccepted",
                              [CLASS_LOWEST] = "lowest",
                              [CLASS_BEST_EFFORT] = "best-effort",
                              NULL};
static words_t objective_words = {[OBJECTIVE_MAXIMIZE] = "maximize",
                                  [OBJECTIVE_MINIMIZE] = "minimize",
                                  [OBJECTIVE_RANDOM] = "random",
                                  [OBJECTIVE_ADAPTIVE] = "adaptive",
                                  NULL};
static words_t method_words = {[METHOD_PLAN] = "plan",
                               [METHOD_CLOSED_FORM] = "closed-form",
                               [METHOD_COMPACTED] = "compacted",
                               [METHOD_FULL] = "full",
                               NULL};
static words_t answer_words = {[ANSWER_NONE] = "-",
                               [ANSWER_OPTIMAL] = "optimal",
                               [ANSWER_FEASIBLE] = "feasible",
                               [ANSWER_INFEASIBLE] = "infeasible",
                               [ANSWER_UNBOUNDED] = "unbounded",
                               [ANSWER_NO_SOLUTION] = "no-solution",
                               [ANSWER_FAILED] = "failed",
                               NULL};

/* -1 if it is none of `words`. */
static int find_word(const char *text, words_t words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], text))
            return i;
    return -1;
}

/* "accepted, unaccepted or lowest". */
static void list_words(words_t words, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; words[i] && used < size; i++) {
        const char *joint = i == 0 ? "" : words[i + 1] ? ", " : " or ";

        used += (size_t)snprintf(text + used, size - used, "%s%s", joint, words[i]);
    }
}

static int read_word(const csv_t *csv, size_t column, words_t words, int *value,
                     struct error *error)
{
    char expected[128];

    *value = find_word(csv_get(csv, column).text, words);
    if (*value >= 0)
        return 0;
    list_words(words, expected, sizeof(expected));
    return csv_complain(csv, column, expected, error);
}

enum { ID, CLASS, ESTIMATED, PROMISED, STARTS, LEASES, WAITED, MISSED, PROMISE_COLUMNS };

static const struct csv_column promise_columns[PROMISE_COLUMNS] = {
    [ID] = {{"job_id"}, false},
    [CLASS] = {{"class"}, false},
    [ESTIMATED] = {{"estimated_s"}, false},
    [PROMISED] = {{"promised"}, false},
    [STARTS] = {{"starts"}, false},
    [LEASES] = {{"leases"}, false},
    [WAITED] = {{"waited_s"}, false},
    [MISSED] = {{"missed"}, false},
};

static int read_promised(const csv_t *csv, struct audit_promise *promise, struct error *error)
{
    promise->promised_s = AUDIT_DEADLINE_NONE_S;
    if (csv_get(csv, PROMISED).length == 0)
        return 0;
    return csv_whole(csv, PROMISED, 0, INT64_MAX / 2, &promise->promised_s, error);
}

static int read_promise(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error)
{
    const struct csv_cell id = csv_get(csv, ID);
    struct audit_promise promise;
    int64_t missed;
    int class;

    if (read_word(csv, CLASS, class_words, &class, error) < 0 ||
        csv_whole(csv, ESTIMATED, 0, INT64_MAX / 2, &promise.estimated_s, error) < 0 ||
        read_promised(csv, &promise, error) < 0 ||
        csv_whole(csv, STARTS, 0, INT32_MAX, &promise.starts, error) < 0 ||
        csv_whole(csv, LEASES, 0, INT32_MAX, &promise.leases, error) < 0 ||
        csv_whole(csv, WAITED, 0, INT64_MAX / 2, &promise.waited_s, error) < 0 ||
        csv_whole(csv, MISSED, 0, 1, &missed, error) < 0)
        return -1;
    promise.class = (enum audit_class) class;
    promise.missed = missed == 1;
    promise.id = arena_text(self->texts, id.text, id.length);
    promise.job = audit_case_find(self, promise.id);
    self->promises = grow_array(self->promises, self->promise_count, capacity, sizeof(promise));
    self->promises[self->promise_count++] = promise;
    return 0;
}

enum { TIME, OBJECTIVE, METHOD, ANSWER, ENTRIES, COLUMNS, ROWS, GRANTED, LEASE_COLUMNS };

static const struct csv_column lease_columns[LEASE_COLUMNS] = {
    [TIME] = {{"time"}, false},       [OBJECTIVE] = {{"objective"}, false},
    [METHOD] = {{"method"}, false},   [ANSWER] = {{"answer"}, false},
    [ENTRIES] = {{"entries"}, false}, [COLUMNS] = {{"columns"}, false},
    [ROWS] = {{"rows"}, false},       [GRANTED] = {{"granted_gpus"}, false},
};

static int read_lease_round(struct audit_case *self, csv_t *csv, size_t *capacity,
                            struct error *error)
{
    struct audit_lease_round round;
    int objective;
    int method;
    int answer;

    if (csv_whole(csv, TIME, 0, INT64_MAX / 2, &round.at_s, error) < 0 ||
        read_word(csv, OBJECTIVE, objective_words, &objective, error) < 0 ||
        read_word(csv, METHOD, method_words, &method, error) < 0 ||
        read_word(csv, ANSWER, answer_words, &answer, error) < 0 ||
        csv_whole(csv, ENTRIES, 0, INT32_MAX, &round.entries, error) < 0 ||
        csv_whole(csv, COLUMNS, 0, INT32_MAX, &round.columns, error) < 0 ||
        csv_whole(csv, ROWS, 0, INT32_MAX, &round.rows, error) < 0 ||
        csv_whole(csv, GRANTED, 0, INT32_MAX, &round.granted_gpus, error) < 0)
        return -1;
    round.objective = (enum audit_objective)objective;
    round.method = (enum audit_method)method;
    round.answer = (enum audit_answer)answer;
    self->lease_rounds =
        grow_array(self->lease_rounds, self->lease_round_count, capacity, sizeof(round));
    self->lease_rounds[self->lease_round_count++] = round;
    return 0;
}

/* One of the two files: its name, its columns, and what reads a row. */
struct format {
    const char *name;
    const struct csv_column *columns;
    size_t count;
    int (*read)(struct audit_case *self, csv_t *csv, size_t *capacity, struct error *error);
};

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

int audit_read_leases(struct audit_case *self, const char *folder, struct error *error)
{
    static const struct format promises = {"promises.csv", promise_columns, PROMISE_COLUMNS,
                                           read_promise};
    static const struct format leases = {"leases.csv", lease_columns, LEASE_COLUMNS,
                                         read_lease_round};

    if (!self->summary.leasing.present)
        return 0;
    if (read_file(self, folder, &promises, error) < 0)
        return -1;
    return read_file(self, folder, &leases, error);
}

/* An object of counts by word; a word that it leaves out has counted nothing. */
static int unpack_counts(json_t *leasing, const char *name, words_t words, int64_t counts[],
                         const char *path, struct error *error)
{
    json_t *object = json_object_get(leasing, name);
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return error_set(error, "%s: leasing: %s: expected an object of counts", path, name);
    json_object_foreach(object, key, value)
    {
        const int word = find_word(key, words);

        if (word < 0 || !json_is_integer(value))
            return error_set(error, "%s: leasing: %s: nobody counts \"%s\" there", path, name, key);
        counts[word] = json_integer_value(value);
    }
    return 0;
}

#define INTERVAL_MAX_S INT32_MAX

static bool is_interval(int64_t length_s)
{
    return length_s >= 1 && length_s <= INTERVAL_MAX_S;
}

/* C | L and C | B: whatever happens is seen at a check. */
static int check_grid(const struct audit_leasing *leasing, const char *path, struct error *error)
{
    if (!is_interval(leasing->lease_s) || !is_interval(leasing->check_s) ||
        !is_interval(leasing->admission_s))
        return error_set(error, "%s: leasing: expected intervals of 1 to %d s", path,
                         INTERVAL_MAX_S);
    if (leasing->lease_s % leasing->check_s != 0 || leasing->admission_s % leasing->check_s != 0)
        return error_set(error, "%s: leasing: check_s divides not both lease_s and admission_s",
                         path);
    return 0;
}

int audit_unpack_leasing(struct audit_leasing *leasing, json_t *summary, const char *path,
                         struct error *error)
{
    json_t *object = json_object_get(summary, "leasing");
    const char *objective;
    const char *solver;
    json_error_t why;
    json_int_t counts[7];
    int word;

    leasing->present = object != NULL;
    if (!object)
        return 0;
    if (json_unpack_ex(object, &why, 0, "{s:I, s:I, s:I, s:s, s:s, s:I, s:I, s:I, s:I}", "lease_s",
                       &counts[0], "check_s", &counts[1], "admission_s", &counts[2], "objective",
                       &objective, "solver", &solver, "admitted", &counts[3], "rounds", &counts[4],
                       "columns_max", &counts[5], "rows_max", &counts[6]) < 0)
        return error_set(error, "%s: leasing: %s", path, why.text);
    word = find_word(objective, objective_words);
    if (word < 0)
        return error_set(error, "%s: leasing: no objective is called \"%s\"", path, objective);
    leasing->lease_s = counts[0];
    leasing->check_s = counts[1];
    leasing->admission_s = counts[2];
    leasing->objective = (enum audit_objective)word;
    leasing->solves = strcmp(solver, "none") != 0;
    leasing->admitted = counts[3];
    leasing->rounds = counts[4];
    leasing->columns_max = counts[5];
    leasing->rows_max = counts[6];
    leasing->by_answer[ANSWER_NONE] = -1;
    if (unpack_counts(object, "by_method", method_words, leasing->by_method, path, error) < 0 ||
        unpack_counts(object, "by_answer", answer_words, leasing->by_answer, path, error) < 0)
        return -1;
    return check_grid(leasing, path, error);
}
