/* lease_record.c - see lease_record.h. */
#include "tests/engine/lease_record.h"

#include "common/csv.h"
#include "common/memory.h"
#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/leasing.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fact_names[FACT_COUNT] = {
    [FACT_RETIRED_AT] = "retired_at",   [FACT_START_TIME] = "start_time",
    [FACT_END_TIME] = "end_time",       [FACT_DEADLINE] = "deadline",
    [FACT_BEST_EFFORT] = "best_effort", [FACT_CLASS] = "class",
    [FACT_ESTIMATED] = "estimated_s",   [FACT_PROMISED] = "promised",
    [FACT_STARTS] = "starts",           [FACT_LEASES] = "leases",
    [FACT_WAITED] = "waited_s",         [FACT_MISSED] = "missed",
    [FACT_HELD] = "time on its GPUs",
};

void lease_record_init(struct lease_record *self, size_t job_count)
{
    *self = (struct lease_record){.job_count = job_count};
    self->jobs = xcalloc(job_count, sizeof(*self->jobs));
}

void lease_record_clear(struct lease_record *self)
{
    for (size_t i = 0; i < self->layout_count; i++)
        free(self->layouts[i].gpus);
    free(self->layouts);
    free(self->lines);
    free(self->jobs);
    *self = (struct lease_record){.job_count = 0};
}

int *lease_record_add_layout(struct lease_record *self, int64_t at_s)
{
    int *gpus = xcalloc(self->job_count, sizeof(*gpus));

    self->layouts = grow_array(self->layouts, self->layout_count, &self->layout_capacity,
                               sizeof(*self->layouts));
    self->layouts[self->layout_count++] = (struct lease_layout){at_s, gpus};
    return gpus;
}

void lease_record_add_line(struct lease_record *self, const struct lease_line *line)
{
    self->lines =
        grow_array(self->lines, self->line_count, &self->line_capacity, sizeof(*self->lines));
    self->lines[self->line_count++] = *line;
}

/* A file with columns that are found by name. The first column is the subject of a line. */
static csv_t *open_file(const char *folder, const char *name, const char *const columns[],
                        size_t count)
{
    struct csv_column wanted[FACT_COUNT + 1];
    char path[4096];
    struct error error;
    csv_t *csv;

    assert_true(count <= COUNT(wanted));
    for (size_t i = 0; i < count; i++)
        wanted[i] = (struct csv_column){{columns[i]}, false};
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    csv = csv_open(path, ',', &error);
    if (!csv || csv_expect(csv, wanted, count, &error) < 0)
        fail_msg("%s", error.text);
    return csv;
}

static bool read_line(csv_t *csv)
{
    struct error error;
    const int got = csv_next(csv, &error);

    if (got < 0)
        fail_msg("%s", error.text);
    return got > 0;
}

static double read_number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end)
        fail_msg("\"%s\" is no number", text);
    return value;
}

/* The index of `text` among `names`, of which the first is called `first`. */
static int64_t read_name(const char *text, const char *const names[], size_t count, int64_t first)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, names[i]))
            return (int64_t)i + first;
    fail_msg("\"%s\" is none of its kind", text);
    return first;
}

static double read_fact(enum lease_fact fact, const char *text)
{
    static const char *const classes[] = {"lowest", "accepted", "unaccepted", "best-effort"};

    if (fact == FACT_CLASS)
        return (double)read_name(text, classes, COUNT(classes), LEASE_LOWEST);
    if (fact == FACT_PROMISED && !*text)
        return (double)DEADLINE_NONE_S;
    return read_number(text);
}

/* Reads the facts from `first` up to, but without, `end`. */
static void read_facts(struct lease_record *self, const char *folder, const char *name,
                       enum lease_fact first, enum lease_fact end)
{
    const char *columns[FACT_COUNT + 1] = {"job_id"};
    csv_t *csv;

    for (size_t fact = first; fact < end; fact++)
        columns[1 + fact - first] = fact_names[fact];
    csv = open_file(folder, name, columns, (size_t)(1 + end - first));
    while (read_line(csv)) {
        size_t job;

        assert_int_equal(sscanf(csv_get(csv, 0).text, "job-%zu", &job), 1);
        assert_true(job < self->job_count);
        self->jobs[job].known = true;
        for (size_t fact = first; fact < end; fact++)
            self->jobs[job].values[fact] =
                read_fact((enum lease_fact)fact, csv_get(csv, 1 + fact - first).text);
    }
    csv_destroy(&csv);
}

static void read_lines(struct lease_record *self, const char *folder)
{
    static const char *const columns[] = {"time", "objective", "method", "entries", "granted_gpus"};
    static const char *const methods[] = {"plan", "closed-form", "compacted", "full"};
    csv_t *csv = open_file(folder, "leases.csv", columns, COUNT(columns));

    while (read_line(csv)) {
        struct lease_line line = {
            .at_s = (int64_t)read_number(csv_get(csv, 0).text),
            .objective = lease_objective_find(csv_get(csv, 1).text),
            .method = read_name(csv_get(csv, 2).text, methods, COUNT(methods), LEASE_BY_PLAN),
            .entries = (int64_t)read_number(csv_get(csv, 3).text),
            .granted_gpus = (int64_t)read_number(csv_get(csv, 4).text)};

        lease_record_add_line(self, &line);
    }
    csv_destroy(&csv);
}

/* "1@0x4 0@4x2 1@6x2": of the job, from that rank on, so many GPUs. */
static void read_layout(struct lease_record *self, int64_t at_s, const char *text)
{
    int *gpus = lease_record_add_layout(self, at_s);
    int used = 0;

    for (; *text; text += used) {
        size_t job;
        int count;

        assert_int_equal(sscanf(text, " %zu@%*dx%d%n", &job, &count, &used), 2);
        assert_true(job < self->job_count);
        gpus[job] += count;
    }
}

/* When the last layout is over; it is empty. */
static void count_held(struct lease_record *self)
{
    for (size_t i = 0; i + 1 < self->layout_count; i++)
        for (size_t job = 0; job < self->job_count; job++)
            if (self->layouts[i].gpus[job] > 0)
                self->jobs[job].values[FACT_HELD] +=
                    (double)(self->layouts[i + 1].at_s - self->layouts[i].at_s);
}

void lease_record_read(struct lease_record *self, const char *folder)
{
    static const char *const columns[] = {"time", "layout"};
    csv_t *csv = open_file(folder, "rounds.csv", columns, COUNT(columns));

    read_facts(self, folder, "jobs.csv", FACT_RETIRED_AT, FACT_CLASS);
    read_facts(self, folder, "promises.csv", FACT_CLASS, FACT_HELD);
    read_lines(self, folder);
    while (read_line(csv))
        read_layout(self, (int64_t)read_number(csv_get(csv, 0).text), csv_get(csv, 1).text);
    csv_destroy(&csv);
    count_held(self);
}

static bool same_facts(const struct lease_record *self, const struct lease_record *expected,
                       char *difference, size_t size)
{
    for (size_t job = 0; job < expected->job_count; job++)
        for (size_t fact = 0; fact < FACT_COUNT && expected->jobs[job].known; fact++) {
            const double found = self->jobs[job].values[fact];
            const double wanted = expected->jobs[job].values[fact];

            if (self->jobs[job].known && found == wanted)
                continue;
            (void)snprintf(difference, size, "job-%zu: %s is %.17g, expected %.17g", job,
                           fact_names[fact], found, wanted);
            return false;
        }
    return true;
}

static bool same_line(const struct lease_line *line, const struct lease_line *expected)
{
    return line->at_s == expected->at_s && line->objective == expected->objective &&
           line->entries == expected->entries && line->granted_gpus == expected->granted_gpus;
}

static bool same_lines(const struct lease_record *self, const struct lease_record *expected,
                       int64_t until_s, char *difference, size_t size)
{
    size_t count = 0;

    while (count < expected->line_count && expected->lines[count].at_s < until_s) {
        const struct lease_line *wanted = &expected->lines[count];

        if (count >= self->line_count || !same_line(&self->lines[count], wanted)) {
            (void)snprintf(difference, size,
                           "the lease round at %lld: expected objective %lld, %lld entries, %lld "
                           "GPUs granted",
                           (long long)wanted->at_s, (long long)wanted->objective,
                           (long long)wanted->entries, (long long)wanted->granted_gpus);
            return false;
        }
        count++;
    }
    if (count == self->line_count || self->lines[count].at_s >= until_s)
        return true;
    (void)snprintf(difference, size, "the lease round at %lld: none was expected",
                   (long long)self->lines[count].at_s);
    return false;
}

static bool is_empty(const struct lease_record *self, const struct lease_layout *layout)
{
    for (size_t job = 0; job < self->job_count; job++)
        if (layout->gpus[job] > 0)
            return false;
    return true;
}

/* `layout` is the last one of `self` that is not after `expected`, or NULL. The expected one has
 * to be there at its very time, unless it is empty. */
static bool same_layout(const struct lease_record *self, const struct lease_layout *layout,
                        const struct lease_layout *expected, char *difference, size_t size)
{
    static const int nothing[1];

    if ((!layout || layout->at_s < expected->at_s) && !is_empty(self, expected)) {
        (void)snprintf(difference, size, "no layout at %lld", (long long)expected->at_s);
        return false;
    }
    for (size_t job = 0; job < self->job_count; job++) {
        const int found = layout ? layout->gpus[job] : nothing[0];

        if (found == expected->gpus[job])
            continue;
        (void)snprintf(difference, size, "at %lld job-%zu holds %d GPUs, expected %d",
                       (long long)expected->at_s, job, found, expected->gpus[job]);
        return false;
    }
    return true;
}

static bool same_layouts(const struct lease_record *self, const struct lease_record *expected,
                         int64_t until_s, char *difference, size_t size)
{
    size_t next = 0;

    for (size_t i = 0; i < expected->layout_count && expected->layouts[i].at_s < until_s; i++) {
        const struct lease_layout *wanted = &expected->layouts[i];

        while (next < self->layout_count && self->layouts[next].at_s <= wanted->at_s)
            next++;
        if (!same_layout(self, next > 0 ? &self->layouts[next - 1] : NULL, wanted, difference,
                         size))
            return false;
    }
    return true;
}

bool lease_record_agrees(const struct lease_record *self, const struct lease_record *expected,
                         int64_t until_s, char *difference, size_t size)
{
    return same_layouts(self, expected, until_s, difference, size) &&
           same_lines(self, expected, until_s, difference, size) &&
           same_facts(self, expected, difference, size);
}

void lease_record_print(const struct lease_record *self)
{
    printf("job");
    for (size_t fact = 0; fact < FACT_COUNT; fact++)
        printf(",%s", fact_names[fact]);
    printf("\n");
    for (size_t job = 0; job < self->job_count; job++) {
        printf("job-%zu", job);
        for (size_t fact = 0; fact < FACT_COUNT && self->jobs[job].known; fact++)
            printf(",%.17g", self->jobs[job].values[fact]);
        printf("\n");
    }
}
