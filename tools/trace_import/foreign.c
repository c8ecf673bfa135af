/* foreign.c - see foreign.h. */
#include "tools/trace_import/foreign.h"

#include "common/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Bytes of a name that are kept. A trace takes names of 128 bytes; the suffix that makes a name
 * unique needs some of them. */
#define NAME_BYTES_KEPT ((size_t)100)
#define NAME_BYTES_MAX  (NAME_BYTES_KEPT + 24)

struct entry {
    struct foreign_job job;
    char *name; /* memory of job.name */
    char *user; /* memory of job.user */
    char *virtual_cluster;
    size_t place; /* place of the job in the source */
};

struct foreign {
    struct entry *entries;
    size_t count;
    size_t capacity;
    size_t left_out[FOREIGN_REASON_COUNT];
    bool has_users;
    bool has_virtual_clusters;
};

foreign_t *foreign_new(void)
{
    return xcalloc(1, sizeof(foreign_t));
}

void foreign_destroy(foreign_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++) {
        free((*self)->entries[i].name);
        free((*self)->entries[i].user);
        free((*self)->entries[i].virtual_cluster);
    }
    free((*self)->entries);
    free(*self);
    *self = NULL;
}

/* Copies `name` with '_' for each character that a trace does not allow in names. */
static char *plain_name(const char *name)
{
    const size_t length = strnlen(name, NAME_BYTES_KEPT);
    char *plain = xmalloc(NAME_BYTES_MAX);

    for (size_t i = 0; i < length; i++)
        plain[i] = isalnum((unsigned char)name[i]) || strchr("-_.:+@=", name[i]) ? name[i] : '_';
    plain[length] = '\0';
    return plain;
}

static int check(const char *what, double value, double max, const char *path, int64_t line,
                 struct error *error)
{
    if (value >= 0 && value <= max)
        return 0;
    return error_set(error, "%s:%" PRId64 ": expected %s from 0 to %g, found %g", path, line, what,
                     max, value);
}

/* Whether the job can go into a trace; sets `reason` if not. */
static bool is_usable(const struct foreign_job *job, enum foreign_reason *reason)
{
    if (!(job->gpus > 0))
        *reason = FOREIGN_WITHOUT_GPUS;
    else if (isnan(job->duration_s))
        *reason = job->unknown;
    else if (job->duration_s <= 0)
        *reason = FOREIGN_NEVER_RAN;
    else if (isnan(job->submit_s))
        *reason = FOREIGN_WITHOUT_SUBMISSION;
    else
        return true;
    return false;
}

static bool is_over(const char *state)
{
    static const char *const words[] = {"cancelled",  "failed",    "completed",     "timeout",
                                        "terminated", "killed",    "pass",          "node_fail",
                                        "preempted",  "boot_fail", "out_of_memory", "deadline"};

    for (size_t i = 0; state && i < sizeof(words) / sizeof(words[0]); i++)
        if (!strncasecmp(state, words[i], strlen(words[i])))
            return true;
    return false;
}

void foreign_span(struct foreign_job *job, double start_s, double end_s, const char *state)
{
    const bool over = !isnan(end_s) || is_over(state);

    job->duration_s = end_s - start_s;
    if (isnan(start_s))
        job->unknown = over ? FOREIGN_CANCELLED : FOREIGN_PENDING;
    else
        job->unknown = over ? FOREIGN_WITHOUT_DURATION : FOREIGN_RUNNING;
}

int foreign_add(foreign_t *self, const struct foreign_job *job, const char *path, int64_t line,
                struct error *error)
{
    enum foreign_reason reason;
    struct entry *entry;

    if (!is_usable(job, &reason)) {
        self->left_out[reason]++;
        return 0;
    }
    if (check("a submission", job->submit_s, FOREIGN_SUBMIT_MAX_S, path, line, error) < 0 ||
        check("a duration", job->duration_s, FOREIGN_DURATION_MAX_S, path, line, error) < 0 ||
        check("a number of GPUs", job->gpus, FOREIGN_GPUS_MAX, path, line, error) < 0)
        return -1;
    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(*self->entries));
    entry = &self->entries[self->count];
    *entry = (struct entry){.job = *job,
                            .name = plain_name(job->name),
                            .user = plain_name(job->user ? job->user : ""),
                            .virtual_cluster =
                                plain_name(job->virtual_cluster ? job->virtual_cluster : ""),
                            .place = self->count};
    if (*entry->name == '\0')
        (void)snprintf(entry->name, NAME_BYTES_MAX, "_");
    entry->job.name = entry->name;
    entry->job.user = entry->user;
    entry->job.virtual_cluster = entry->virtual_cluster;
    self->has_users = self->has_users || *entry->user;
    self->has_virtual_clusters = self->has_virtual_clusters || *entry->virtual_cluster;
    self->count++;
    return 0;
}

static int by_submission(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    if (x->job.submit_s != y->job.submit_s)
        return x->job.submit_s < y->job.submit_s ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_name(const void *a, const void *b)
{
    struct entry *const *x = a;
    struct entry *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);

    return order != 0 ? order : ((*x) > (*y)) - ((*x) < (*y));
}

/* Adds "#2", "#3" and so on to repeated names. Names from a source have no '#' here, so a numbered
 * name never equals another name. */
static void number_repeated(foreign_t *self)
{
    struct entry **named = xcalloc(self->count + 1, sizeof(struct entry *));
    size_t same = 1;

    for (size_t i = 0; i < self->count; i++)
        named[i] = &self->entries[i];
    qsort(named, self->count, sizeof(struct entry *), by_name);
    for (size_t i = 1; i < self->count; i++) {
        char *name = named[i]->name;
        const size_t length = strlen(name);

        same = !strcmp(name, named[i - same]->name) ? same + 1 : 1;
        if (same > 1)
            (void)snprintf(name + length, NAME_BYTES_MAX - length, "#%zu", same);
    }
    free(named);
}

void foreign_order(foreign_t *self)
{
    if (self->count > 1)
        qsort(self->entries, self->count, sizeof(*self->entries), by_submission);
    number_repeated(self);
}

size_t foreign_count(const foreign_t *self)
{
    return self->count;
}

const struct foreign_job *foreign_at(const foreign_t *self, size_t index)
{
    return &self->entries[index].job;
}

size_t foreign_left_out(const foreign_t *self, enum foreign_reason reason)
{
    return self->left_out[reason];
}

bool foreign_has_users(const foreign_t *self)
{
    return self->has_users;
}

bool foreign_has_virtual_clusters(const foreign_t *self)
{
    return self->has_virtual_clusters;
}

const char *foreign_reason_words(enum foreign_reason reason, size_t count)
{
    static const char *const words[FOREIGN_REASON_COUNT][2] = {
        [FOREIGN_WITHOUT_DURATION] = {"has no duration", "have no duration"},
        [FOREIGN_WITHOUT_GPUS] = {"asked for no GPU", "asked for no GPU"},
        [FOREIGN_WITHOUT_SUBMISSION] = {"has no time of submission", "have no time of submission"},
        [FOREIGN_NEVER_RAN] = {"never ran", "never ran"},
        [FOREIGN_RUNNING] = {"runs still", "run still"},
        [FOREIGN_PENDING] = {"is still pending", "are still pending"},
        [FOREIGN_CANCELLED] = {"was cancelled before it began", "were cancelled before they began"},
    };

    return words[reason][count == 1 ? 0 : 1];
}
