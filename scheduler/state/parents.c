/* parents.c - see parents.h. */
#include "scheduler/state/parents.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY ":any"

size_t parents_parse(char *text, struct parent parents[PARENTS_MAX])
{
    size_t count = 0;
    char *next = text;

    while (next) {
        char *word = next + strspn(next, " ");

        next = strpbrk(word, ",;");
        if (next)
            *next++ = '\0';
        word[strcspn(word, " ")] = '\0';
        if (!*word || count == PARENTS_MAX)
            return 0;
        parents[count++] = (struct parent){.id = word};
    }
    return count;
}

/* ---- from ids to jobs ---- */

struct names {
    const struct submission **jobs; /* by id */
    size_t count;
    arena_t *texts; /* shortened ids */
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp((*(const struct submission *const *)a)->id,
                  (*(const struct submission *const *)b)->id);
}

static const struct submission *find(const struct names *names, const char *id)
{
    const struct submission wanted = {.id = id};
    const struct submission *key = &wanted;
    const struct submission **found =
        bsearch(&key, names->jobs, names->count, sizeof(*names->jobs), compare_ids);

    return found ? *found : NULL;
}

/* The job that `parent` names, NULL if there is none. Sets `any` if any end of that job will do. */
static const struct submission *find_parent(const struct names *names, struct parent *parent)
{
    const size_t length = strlen(parent->id);
    const struct submission *found = find(names, parent->id);

    if (found || length <= strlen(ANY) || strcmp(parent->id + length - strlen(ANY), ANY) != 0)
        return found;
    parent->any = true;
    return find(names, arena_text(names->texts, parent->id, length - strlen(ANY)));
}

static bool comes_before(const struct submission *a, const struct submission *b)
{
    return a->submit_s < b->submit_s || (a->submit_s == b->submit_s && a->number < b->number);
}

static bool is_named_before(const struct submission *job, size_t parent)
{
    for (size_t i = 0; i < parent; i++)
        if (job->parents[i].number == job->parents[parent].number)
            return true;
    return false;
}

/* Links the parent at `place` of `job`. False, with `why`, if the list is wrong there. */
static bool link_one(const struct names *names, const struct submission *job, size_t place,
                     char *why, size_t size)
{
    struct parent *parent = (struct parent *)(uintptr_t)&job->parents[place];
    const char *named = parent->id;
    const struct submission *found = find_parent(names, parent);

    if (!found) {
        (void)snprintf(why, size, "ids of jobs of this trace, found \"%s\"", named);
        return false;
    }
    parent->id = found->id;
    parent->number = found->number;
    if (found == job)
        (void)snprintf(why, size, "other jobs, found \"%s\" itself", named);
    else if (!comes_before(found, job))
        (void)snprintf(why, size,
                       "jobs that are submitted before job %s, found \"%s\" of line %" PRIu32
                       ", which comes after it",
                       job->id, named, found->line);
    else if (is_named_before(job, place))
        (void)snprintf(why, size, "each job once, found \"%s\" twice", named);
    else
        return true;
    return false;
}

static const struct submission *link_all(submissions_t *jobs, const struct names *names, char *why,
                                         size_t size)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct submission *job = submissions_at(jobs, i);

        for (size_t k = 0; k < job->parent_count; k++)
            if (!link_one(names, job, k, why, size))
                return job;
    }
    return NULL;
}

static bool any_waits(submissions_t *jobs)
{
    for (size_t i = 0; i < submissions_count(jobs); i++)
        if (submissions_at(jobs, i)->parent_count > 0)
            return true;
    return false;
}

const struct submission *parents_link(submissions_t *jobs, char *why, size_t size)
{
    struct names names = {.count = submissions_count(jobs)};
    const struct submission *flawed;

    if (!any_waits(jobs))
        return NULL;
    names.texts = arena_new();
    names.jobs = xcalloc(names.count, sizeof(*names.jobs));
    for (size_t i = 0; i < names.count; i++)
        names.jobs[i] = submissions_at(jobs, i);
    qsort(names.jobs, names.count, sizeof(*names.jobs), compare_ids);
    flawed = link_all(jobs, &names, why, size);
    free(names.jobs);
    arena_destroy(&names.texts);
    return flawed;
}
