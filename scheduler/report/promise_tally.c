/* promise_tally.c - see promise_tally.h. */
#include "scheduler/report/promise_tally.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The promises of one user, of one week, or of all. */
struct group {
    char *name;
    size_t ends[PROMISE_ENDS];
    size_t withdrawn;   /* jobs */
    size_t withdrawals; /* events */
    size_t fell;        /* jobs */
    size_t falls;       /* events */
    size_t at_risk;     /* jobs */
    size_t at_risk_kept;
    double *slacks_s; /* of promises that were kept or are late */
    size_t slack_count;
    size_t slack_room;
    UT_hash_handle hh;
};

struct cause {
    size_t withdrawals;
    size_t jobs;
    size_t ends[PROMISE_ENDS];
};

struct promise_tally {
    struct group all;
    struct group *users; /* by name */
    struct group *weeks;
    struct cause causes[WITHDRAWAL_CAUSES];
};

promise_tally_t *promise_tally_new(void)
{
    return xcalloc(1, sizeof(struct promise_tally));
}

static void free_groups(struct group **groups)
{
    struct group *group;
    struct group *next;

    HASH_ITER(hh, *groups, group, next)
    {
        /* The analyser believes that the macro reads a removed group. NOLINTNEXTLINE */
        HASH_DEL(*groups, group);
        free(group->name);
        free(group->slacks_s);
        free(group);
    }
}

void promise_tally_destroy(promise_tally_t **self)
{
    if (!*self)
        return;
    free_groups(&(*self)->users);
    free_groups(&(*self)->weeks);
    free((*self)->all.slacks_s);
    free(*self);
    *self = NULL;
}

static struct group *group_of(struct group **groups, const char *name)
{
    struct group *group;

    HASH_FIND_STR(*groups, name, group);
    if (group)
        return group;
    group = xcalloc(1, sizeof(*group));
    group->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, *groups, group->name, strlen(group->name), group);
    return group;
}

static bool has_slack(enum promise_end end)
{
    return end == PROMISE_END_KEPT || end == PROMISE_END_LATE;
}

static void count(struct group *group, const struct promise_record *record, size_t withdrawals)
{
    group->ends[record->end]++;
    group->withdrawn += withdrawals > 0;
    group->withdrawals += withdrawals;
    group->fell += record->falls > 0;
    group->falls += record->falls;
    group->at_risk += record->was_at_risk;
    group->at_risk_kept += record->was_at_risk && record->end == PROMISE_END_KEPT;
    if (!has_slack(record->end))
        return;
    group->slacks_s = grow_array(group->slacks_s, group->slack_count, &group->slack_room,
                                 sizeof(*group->slacks_s));
    group->slacks_s[group->slack_count++] = record->slack_s;
}

void promise_tally_add(promise_tally_t *self, const struct promise_record *record)
{
    size_t withdrawals = 0;

    for (int i = 0; i < WITHDRAWAL_CAUSES; i++) {
        struct cause *cause = &self->causes[i];

        withdrawals += (size_t)record->withdrawals[i];
        cause->withdrawals += (size_t)record->withdrawals[i];
        cause->jobs += record->withdrawals[i] > 0;
        cause->ends[record->end] += record->withdrawals[i] > 0;
    }
    count(&self->all, record, withdrawals);
    count(group_of(&self->weeks, record->week), record, withdrawals);
    if (record->user)
        count(group_of(&self->users, record->user), record, withdrawals);
}

/* ---- telling ---- */

static void tell_ends(json_t *told, const size_t ends[PROMISE_ENDS])
{
    static const char *const words[PROMISE_ENDS] = {
        [PROMISE_END_OPEN] = "open",           [PROMISE_END_KEPT] = "kept",
        [PROMISE_END_LATE] = "late",           [PROMISE_END_FAILED] = "failed",
        [PROMISE_END_CANCELLED] = "cancelled", [PROMISE_END_EARLY] = "ended_early"};

    for (int i = 0; i < PROMISE_ENDS; i++)
        json_object_set_new(told, words[i], json_integer((json_int_t)ends[i]));
}

static json_t *rank(const struct group *group, size_t place)
{
    return group->slack_count > 0 ? json_integer((json_int_t)group->slacks_s[place]) : json_null();
}

/* Tells of a group. Its median is the lower of two middle values. */
static json_t *tell_group(struct group *group, const char *member)
{
    json_t *told = json_object();
    size_t promised = 0;

    for (int i = 0; i < PROMISE_ENDS; i++)
        promised += group->ends[i];
    sort_numbers(group->slacks_s, group->slack_count);
    if (member)
        json_object_set_new(told, member, json_string(group->name));
    json_object_set_new(told, "promised", json_integer((json_int_t)promised));
    tell_ends(told, group->ends);
    json_object_set_new(told, "withdrawn", json_integer((json_int_t)group->withdrawn));
    json_object_set_new(told, "withdrawals", json_integer((json_int_t)group->withdrawals));
    json_object_set_new(told, "fell", json_integer((json_int_t)group->fell));
    json_object_set_new(told, "falls", json_integer((json_int_t)group->falls));
    json_object_set_new(told, "at_risk", json_integer((json_int_t)group->at_risk));
    json_object_set_new(told, "at_risk_kept", json_integer((json_int_t)group->at_risk_kept));
    json_object_set_new(told, "slack_least_s", rank(group, 0));
    json_object_set_new(told, "slack_median_s",
                        rank(group, group->slack_count > 0 ? (group->slack_count - 1) / 2 : 0));
    return told;
}

static int by_name(const struct group *a, const struct group *b)
{
    return strverscmp(a->name, b->name);
}

static json_t *tell_groups(struct group **groups, const char *member)
{
    json_t *told = json_array();
    struct group *group;
    struct group *next;

    HASH_SORT(*groups, by_name);
    HASH_ITER(hh, *groups, group, next)
    {
        json_array_append_new(told, tell_group(group, member));
    }
    return told;
}

/* Tells of the causes of withdrawals. Causes without any are left out. */
static json_t *tell_causes(const promise_tally_t *self)
{
    json_t *told = json_array();

    for (int i = 0; i < WITHDRAWAL_CAUSES; i++) {
        const struct cause *cause = &self->causes[i];
        json_t *object;

        if (cause->jobs == 0)
            continue;
        object = json_pack("{s:s, s:I, s:I}", "cause", withdrawal_words[i], "withdrawals",
                           (json_int_t)cause->withdrawals, "withdrawn", (json_int_t)cause->jobs);
        tell_ends(object, cause->ends);
        json_array_append_new(told, object);
    }
    return told;
}

json_t *promise_tally_tell(promise_tally_t *self)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "all", tell_group(&self->all, NULL), "weeks",
                     tell_groups(&self->weeks, "week"), "users", tell_groups(&self->users, "user"),
                     "causes", tell_causes(self));
}
