/* parents.c - the parents of a job, for whose ends the job waits: from the words of its user to its
 * submission, with the ends of parents that are over. */
#include "scheduler/service/serving.h"

#include "common/number.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ANY ":any"

static enum parent_end end_of(const struct entry *entry)
{
    if (!entry || entry->left_out)
        return PARENT_LOST;
    if (!entry_is_over(entry))
        return PARENT_OPEN;
    return entry->standing == STANDING_DONE ? PARENT_DONE : PARENT_LOST;
}

/* Parses "7" or "7:any". False for another text. */
static bool parse(const char *text, int64_t *row, bool *any)
{
    const char *colon = strchr(text, ':');
    const size_t digits = colon ? (size_t)(colon - text) : strlen(text);

    *any = colon && !strcmp(colon, ANY);
    return (!colon || *any) && number_parse_whole(text, digits, 1, UINT32_MAX, row) == NUMBER_OK;
}

static int complain(const char *user, int64_t row, const struct entry *entry, struct error *error)
{
    if (!entry || entry->left_out)
        return error_set(error, "field \"after\": there is no job %" PRId64, row);
    if (strcmp(entry->user, user) != 0)
        return error_set(error,
                         "field \"after\": job %" PRId64
                         " is of user %s: a job waits for jobs of its own user",
                         row, entry->user);
    if (entry->standing == STANDING_QUOTED)
        return error_set(
            error, "field \"after\": %" PRId64 " is a quote that is held, and no job yet", row);
    return error_set(error,
                     "field \"after\": job %" PRId64 " is %s: a job after it would never start; "
                     "%" PRId64 ANY " starts however it ended",
                     row, standing_names[entry->standing], row);
}

/* Reads a word about a parent. -1, with `error`, if a job of `user` may not wait for that parent.
 * Without `user` nothing is checked: an earlier start took the word. */
static int read_parent(struct serving *self, const char *user, const char *word,
                       struct parent *parent, struct error *error)
{
    const struct entry *entry;
    char id[32];
    int64_t row;

    if (!parse(word, &row, &parent->any))
        return error_set(error, "field \"after\": expected numbers of jobs, each perhaps followed "
                                "by :any");
    entry = ledger_find(self->ledger, (uint64_t)row);
    parent->number = job_number_make(self->run, (uint32_t)row);
    parent->end = end_of(entry);
    (void)snprintf(id, sizeof(id), "job %" PRId64, row);
    parent->id = ledger_text(self->ledger, id);
    if (user &&
        (!entry || entry->left_out || strcmp(entry->user, user) != 0 ||
         entry->standing == STANDING_QUOTED || (parent->end == PARENT_LOST && !parent->any)))
        return complain(user, row, entry, error);
    return 0;
}

static bool is_named_before(const struct parent parents[], size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (parents[i].number == parents[place].number)
            return true;
    return false;
}

int parents_read(struct serving *self, const char *user, const struct job_request *asked,
                 struct submission *job, struct error *error)
{
    struct parent *parents;

    if (asked->after.count == 0)
        return 0;
    if (asked->after.count > PARENTS_MAX)
        return error_set(error, "field \"after\": expected at most %d jobs, found %zu", PARENTS_MAX,
                         asked->after.count);
    parents = arena_alloc(ledger_texts(self->ledger), asked->after.count * sizeof(*parents));
    for (size_t i = 0; i < asked->after.count; i++) {
        if (read_parent(self, user, asked->after.items[i], &parents[i], error) < 0)
            return -1;
        if (is_named_before(parents, i))
            return error_set(error, "field \"after\": %s is named twice", parents[i].id);
    }
    job->parents = parents;
    job->parent_count = asked->after.count;
    return 0;
}

void parents_renew(struct serving *self, struct submission *job)
{
    struct parent *parents;

    if (job->parent_count == 0)
        return;
    parents = arena_alloc(ledger_texts(self->ledger), job->parent_count * sizeof(*parents));
    for (size_t i = 0; i < job->parent_count; i++) {
        parents[i] = job->parents[i];
        parents[i].end = end_of(ledger_find(self->ledger, job_number_row(parents[i].number)));
    }
    job->parents = parents;
}

json_t *parents_tell(const struct submission *job)
{
    json_t *told = json_array();

    for (size_t i = 0; i < job->parent_count; i++)
        json_array_append_new(told,
                              json_sprintf("%" PRIu32 "%s", job_number_row(job->parents[i].number),
                                           job->parents[i].any ? ANY : ""));
    return told;
}

void parents_say(const struct job *job, char *text, size_t size)
{
    const struct submission *submission = job->submission;
    int used = snprintf(text, size, "%s", "it waits until ");
    const char *joint = "";

    for (size_t i = 0; i < submission->parent_count && used >= 0 && (size_t)used < size; i++)
        if (job_waits_for(job, i)) {
            used += snprintf(text + used, size - (size_t)used, "%s%s %s", joint,
                             submission->parents[i].id,
                             submission->parents[i].any ? "has ended" : "is done");
            joint = ", ";
        }
}
