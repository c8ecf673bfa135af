/* store.c - see store.h. */
#include "tools/sweep/store.h"

#include "common/memory.h"
#include "tools/columns.h"

#include <jansson.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASURED 2

static const char *const measured[MEASURED] = {"wall_s", "memory_kib"};

struct store {
    sqlite3 *sqlite;
    char *path;
    const struct column *figures[STORE_FIGURES_MAX];
    size_t figure_count;
    sqlite3_stmt *put;
    sqlite3_stmt *find;
};

/* ---- columns ---- */

static bool is_measured(const char *name)
{
    return !strcmp(name, measured[0]) || !strcmp(name, measured[1]);
}

static const char *const grid_names[GRID_FIELDS] = {
    "trace",
    "cluster",
    "gpu_type",
    "slot_s",
    "load",
    "tightness",
    "best_effort",
    "overhead_factor",
    "policy",
    "seed",
    "settings",
    "trace_checksum",
    "cluster_checksum",
    "throughputs_checksum",
    "faults_checksum",
    "version",
    "program_checksum",
    "policy_checksum",
};

static bool is_parameter(const struct column *column)
{
    for (int i = 0; i < GRID_FIELDS; i++)
        if (!strcmp(grid_names[i], column_key(column)))
            return true;
    return column_is_text(column);
}

static void choose_figures(store_t *self)
{
    const struct extras extras = {.reference = false};
    const struct columns columns = columns_all(&extras);

    for (size_t i = 0; i < columns.count; i++)
        if (!is_parameter(columns.items[i]) && !is_measured(column_key(columns.items[i])))
            self->figures[self->figure_count++] = columns.items[i];
}

size_t store_field_count(const store_t *self)
{
    return GRID_FIELDS + self->figure_count;
}

const char *store_field_name(const store_t *self, size_t index)
{
    return index < GRID_FIELDS ? grid_names[index] : column_key(self->figures[index - GRID_FIELDS]);
}

bool store_field_is_list(const store_t *self, size_t index)
{
    return index >= GRID_FIELDS && column_is_list(self->figures[index - GRID_FIELDS]);
}

/* ---- SQL ---- */

static int complain(const store_t *self, struct error *error)
{
    if (sqlite3_errcode(self->sqlite) == SQLITE_BUSY)
        return error_set(error, "%s: another sweep writes to it", self->path);
    if (sqlite3_errcode(self->sqlite) == SQLITE_CORRUPT ||
        sqlite3_errcode(self->sqlite) == SQLITE_NOTADB)
        return error_set(error, "%s: %s; remove it and say --force to run all cells anew",
                         self->path, sqlite3_errmsg(self->sqlite));
    return error_set(error, "%s: %s", self->path, sqlite3_errmsg(self->sqlite));
}

static int run_sql(const store_t *self, const char *sql, struct error *error)
{
    return sqlite3_exec(self->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                          : complain(self, error);
}

static sqlite3_stmt *prepare(const store_t *self, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(self->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        (void)complain(self, error);
    return statement;
}

/* Prints "A, B, C", the names from `first` to before `last`, each with `suffix`. */
static void print_names(const store_t *self, FILE *sql, size_t first, size_t last,
                        const char *separator, const char *suffix)
{
    for (size_t i = first; i < last; i++)
        (void)fprintf(sql, "%s%s%s", i > first ? separator : "", store_field_name(self, i), suffix);
}

static char *sql_of_table(const store_t *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *sql = open_memstream(&text, &size);

    if (!sql)
        memory_out();
    (void)fputs("CREATE TABLE IF NOT EXISTS cell (", sql);
    print_names(self, sql, 0, store_field_count(self), ", ", "");
    (void)fprintf(sql, ", %s, %s, PRIMARY KEY (", measured[0], measured[1]);
    print_names(self, sql, 0, GRID_KEY_FIELDS, ", ", "");
    (void)fputs(")) WITHOUT ROWID", sql);
    (void)fclose(sql);
    return text;
}

static char *sql_of_put(const store_t *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *sql = open_memstream(&text, &size);

    if (!sql)
        memory_out();
    (void)fputs("INSERT OR REPLACE INTO cell VALUES (?", sql);
    for (size_t i = 1; i < store_field_count(self) + MEASURED; i++)
        (void)fputs(", ?", sql);
    (void)fputs(")", sql);
    (void)fclose(sql);
    return text;
}

static char *sql_of_find(const store_t *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *sql = open_memstream(&text, &size);

    if (!sql)
        memory_out();
    (void)fputs("SELECT * FROM cell WHERE ", sql);
    print_names(self, sql, 0, GRID_KEY_FIELDS, " AND ", " = ?");
    (void)fclose(sql);
    return text;
}

/* Checks the columns of the file: a version of Rubato with other figures has other columns. */
static int check_columns(const store_t *self, struct error *error)
{
    sqlite3_stmt *statement = prepare(self, "SELECT * FROM cell LIMIT 0", error);
    const int count = (int)store_field_count(self);
    bool same = statement && sqlite3_column_count(statement) == count + MEASURED;

    for (int i = 0; i < count && same; i++)
        same = !strcmp(sqlite3_column_name(statement, i), store_field_name(self, (size_t)i));
    (void)sqlite3_finalize(statement);
    if (!statement || same)
        return statement ? 0 : -1;
    return error_set(error,
                     "%s: is of a version of Rubato with other figures; name another folder "
                     "with --results",
                     self->path);
}

/* ---- life ---- */

static int open_file(store_t *self, const char *path, enum store_use use, struct error *error)
{
    char uri[PATH_MAX + 32];

    (void)snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
    if (sqlite3_open_v2(use == STORE_FROZEN ? uri : path, &self->sqlite,
                        use == STORE_FROZEN ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                            : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return complain(self, error);
    if (use == STORE_FROZEN)
        return 0;
    return run_sql(self,
                   "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;"
                   "PRAGMA synchronous=NORMAL; PRAGMA trusted_schema=OFF;",
                   error);
}

static int prepare_use(store_t *self, enum store_use use, struct error *error)
{
    char *table = sql_of_table(self);
    char *put = sql_of_put(self);
    char *find = sql_of_find(self);
    int result = use == STORE_FROZEN ? 0 : run_sql(self, table, error);

    if (result == 0)
        result = check_columns(self, error);
    if (result == 0 && use != STORE_FROZEN) {
        self->put = prepare(self, put, error);
        result = self->put ? 0 : -1;
    }
    if (result == 0) {
        self->find = prepare(self, find, error);
        result = self->find ? 0 : -1;
    }
    free(table);
    free(put);
    free(find);
    return result;
}

store_t *store_open(const char *path, enum store_use use, struct error *error)
{
    store_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    choose_figures(self);
    if (open_file(self, path, use, error) < 0 || prepare_use(self, use, error) < 0)
        store_close(&self);
    return self;
}

int store_checkpoint(store_t *self, struct error *error)
{
    (void)sqlite3_reset(self->find); /* a row still being read would lock the table */
    if (sqlite3_wal_checkpoint_v2(self->sqlite, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
        SQLITE_OK)
        return 0;
    return error_set(
        error, "%s: %s; the newest cells stay in %s-wal, and the same command takes them over",
        self->path, sqlite3_errmsg(self->sqlite), self->path);
}

void store_close(store_t **self)
{
    if (!*self)
        return;
    (void)sqlite3_finalize((*self)->put);
    (void)sqlite3_finalize((*self)->find);
    (void)sqlite3_close((*self)->sqlite);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

/* ---- rows ---- */

static void bind_field(sqlite3_stmt *statement, int place, const struct field *field)
{
    switch (field->kind) {
    case FIELD_NONE:
        (void)sqlite3_bind_null(statement, place);
        break;
    case FIELD_TEXT:
        (void)sqlite3_bind_text(statement, place, field->text, -1, SQLITE_TRANSIENT);
        break;
    case FIELD_WHOLE:
        (void)sqlite3_bind_int64(statement, place, field->whole);
        break;
    case FIELD_REAL:
        (void)sqlite3_bind_double(statement, place, field->real);
        break;
    }
}

/* Binds a list as text: one number for each queue, with blanks between numbers. */
static void bind_list(sqlite3_stmt *statement, int place, const json_t *list)
{
    char text[1024] = "";
    size_t used = 0;

    for (size_t i = 0; i < json_array_size(list) && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" JSON_INTEGER_FORMAT,
                                 i > 0 ? " " : "", json_integer_value(json_array_get(list, i)));
    (void)sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static void bind_figure(sqlite3_stmt *statement, int place, const struct column *column,
                        const struct cell *cell)
{
    json_t *value = column_json(column, NULL, cell);

    if (json_is_integer(value) || json_is_boolean(value))
        (void)sqlite3_bind_int64(statement, place,
                                 json_is_true(value) ? 1 : json_integer_value(value));
    else if (json_is_real(value))
        (void)sqlite3_bind_double(statement, place, json_real_value(value));
    else if (json_is_array(value))
        bind_list(statement, place, value);
    else
        (void)sqlite3_bind_null(statement, place);
    json_decref(value);
}

int store_put(store_t *self, const struct field fields[GRID_FIELDS], const struct cell *cell,
              struct error *error)
{
    int place = 1;
    int code;

    for (int i = 0; i < GRID_FIELDS; i++)
        bind_field(self->put, place++, &fields[i]);
    for (size_t i = 0; i < self->figure_count; i++)
        bind_figure(self->put, place++, self->figures[i], cell);
    (void)sqlite3_bind_double(self->put, place++, cell->process_s);
    (void)sqlite3_bind_int64(self->put, place, cell->memory_kib);
    code = sqlite3_step(self->put);
    if (code != SQLITE_DONE)
        (void)complain(self, error);
    (void)sqlite3_reset(self->put);
    return code == SQLITE_DONE ? 0 : -1;
}

static struct field column_field(const store_t *self, int place)
{
    struct field field = {.name = store_field_name(self, (size_t)place)};

    switch (sqlite3_column_type(self->find, place)) {
    case SQLITE_INTEGER:
        field.kind = FIELD_WHOLE;
        field.whole = sqlite3_column_int64(self->find, place);
        break;
    case SQLITE_FLOAT:
        field.kind = FIELD_REAL;
        field.real = sqlite3_column_double(self->find, place);
        break;
    case SQLITE_TEXT:
        field.kind = FIELD_TEXT;
        field.text = (const char *)sqlite3_column_text(self->find, place);
        break;
    default:
        break;
    }
    return field;
}

int store_find(store_t *self, const struct field fields[GRID_FIELDS],
               struct field row[STORE_FIELDS_MAX], struct error *error)
{
    int code;

    (void)sqlite3_reset(self->find);
    for (int i = 0; i < GRID_KEY_FIELDS; i++)
        bind_field(self->find, i + 1, &fields[i]);
    code = sqlite3_step(self->find);
    if (code == SQLITE_DONE)
        return 0;
    if (code != SQLITE_ROW)
        return complain(self, error);
    for (int i = 0; i < (int)store_field_count(self); i++)
        row[i] = column_field(self, i);
    return 1;
}

int store_merge(store_t *self, const char *path, struct error *error)
{
    char *sql = sqlite3_mprintf("ATTACH %Q AS part;"
                                "INSERT OR REPLACE INTO cell SELECT * FROM part.cell;",
                                path);
    struct error merged = {.text = ""};
    int result;

    if (!sql)
        memory_out();
    result = run_sql(self, sql, &merged);
    sqlite3_free(sql);
    if (result < 0)
        error_set(error, "%s: %s", path, merged.text);
    (void)sqlite3_exec(self->sqlite, "DETACH part", NULL, NULL, NULL);
    return result;
}
