/* trace_users.c - see trace_users.h. */
#include "tools/service/trace_users.h"

#include "common/csv.h"
#include "common/memory.h"
#include "tools/audit/same_inputs.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID, USER, COLUMNS };

static const struct csv_column columns[COLUMNS] = {
    [ID] = {{"job_id"}, true},
    [USER] = {{"user"}, true},
};

struct owner {
    char *id;
    char *user;
};

struct trace_users {
    struct owner *owners; /* sorted by id */
    size_t count;
    size_t room;
};

/* The path `folder`/`name`. The caller frees it. */
static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* The path of the run's trace, NULL if the summary names none. The caller frees it. */
static char *trace_of(const json_t *summary, const char *folder)
{
    const char *trace = json_string_value(json_object_get(summary, "trace"));
    const char *seen_from = json_string_value(json_object_get(summary, "folder"));
    char *copy = same_inputs_copy(summary, folder, "trace");

    if (copy || !trace || !*trace)
        return copy;
    return *trace == '/' || !seen_from ? xstrdup(trace) : join(seen_from, trace);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct owner *)a)->id, ((const struct owner *)b)->id);
}

static void forget(trace_users_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free(self->owners[i].id);
        free(self->owners[i].user);
    }
    self->count = 0;
}

static int read_rows(trace_users_t *self, csv_t *csv, struct error *error)
{
    int got;

    while ((got = csv_next(csv, error)) > 0) {
        if (csv_get(csv, USER).length == 0)
            continue;
        self->owners = grow_array(self->owners, self->count, &self->room, sizeof(*self->owners));
        self->owners[self->count++] =
            (struct owner){xstrdup(csv_get(csv, ID).text), xstrdup(csv_get(csv, USER).text)};
    }
    return got;
}

static void read_trace(trace_users_t *self, const json_t *summary, const char *folder,
                       const char *path)
{
    struct error error;
    csv_t *csv = csv_open(path, csv_delimiter(path), &error);
    int read = csv ? csv_expect(csv, columns, COLUMNS, &error) : -1;

    if (read == 0 && csv_has(csv, ID) && csv_has(csv, USER))
        read = read_rows(self, csv, &error);
    csv_destroy(&csv);
    if (same_inputs_check(summary, folder, "trace", path, read, &error) < 0)
        forget(self);
    if (self->count > 0)
        qsort(self->owners, self->count, sizeof(*self->owners), compare);
}

trace_users_t *trace_users_read(const char *folder)
{
    trace_users_t *self = xcalloc(1, sizeof(*self));
    char *file = join(folder, "summary.json");
    json_t *summary = json_load_file(file, 0, NULL);
    char *trace = trace_of(summary, folder);

    if (trace)
        read_trace(self, summary, folder, trace);
    free(trace);
    json_decref(summary);
    free(file);
    return self;
}

void trace_users_destroy(trace_users_t **self)
{
    if (!*self)
        return;
    forget(*self);
    free((*self)->owners);
    free(*self);
    *self = NULL;
}

const char *trace_users_find(const trace_users_t *self, const char *id)
{
    const struct owner key = {(char *)(uintptr_t)id, NULL};
    const struct owner *found =
        self->count > 0 ? bsearch(&key, self->owners, self->count, sizeof(*self->owners), compare)
                        : NULL;

    return found ? found->user : NULL;
}
