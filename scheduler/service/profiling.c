/* profiling.c - the verbs that list profiles and remove them. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "scheduler/service/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX      1000
#define LIST_PAST_MAX 50 /* with the past of each profile */

struct asked {
    const char *model;
    int64_t batch_size; /* 0 for any */
    const char *user;   /* NULL for any; of a removal: the owner, NULL for the asking user */
    const char *kind;   /* "measured" or "claimed"; NULL for both */
    bool history;
    int64_t after;
    int64_t limit;
};

#define FIELDS_OF_BOTH(model_needed)                                                               \
    {"model",     FORM_TEXT, offsetof(struct asked, model), 0, THROUGHPUT_MODEL_BYTES_MAX,         \
     model_needed},                                                                                \
        {"batch_size", FORM_WHOLE, offsetof(struct asked, batch_size), 0, BATCH_SIZE_MAX, false},  \
        {"user", FORM_TEXT, offsetof(struct asked, user), 0, USER_MAX, false},                     \
    {                                                                                              \
        "kind", FORM_TEXT, offsetof(struct asked, kind), 0, 16, false                              \
    }

static const struct form_field list_fields[] = {
    FIELDS_OF_BOTH(false),
    {"history", FORM_SWITCH, offsetof(struct asked, history), 0, 0, false},
    {"after", FORM_WHOLE, offsetof(struct asked, after), 0, INT32_MAX, false},
    {"limit", FORM_WHOLE, offsetof(struct asked, limit), 1, LIST_MAX, false},
    {0}};

static const struct form_field forget_fields[] = {FIELDS_OF_BOTH(true), {0}};

static const char *const kinds[] = {"claimed", "measured"};

const char *profiling_kind(const struct profile *profile)
{
    return kinds[profile->measured];
}

static int read_asked(const char *document, const struct form_field fields[], struct asked *asked,
                      arena_t *texts, struct error *error)
{
    if (form_read(document, fields, asked, texts, error) < 0)
        return -1;
    if (!asked->kind || !strcmp(asked->kind, kinds[0]) || !strcmp(asked->kind, kinds[1]))
        return 0;
    return error_set(error, "field \"kind\": expected claimed or measured");
}

static bool is_asked_for(const struct asked *asked, const struct profile *profile)
{
    return (!asked->model || !strcmp(asked->model, profile->row.model)) &&
           (asked->batch_size == 0 || asked->batch_size == profile->row.batch_size) &&
           (!asked->kind || !strcmp(asked->kind, profiling_kind(profile)));
}

/* ---- what there is ---- */

/* Whether the profile plans a job of the asking user that brings no rates. */
static bool is_used(const struct serving *self, const client_t *client,
                    const struct profile *profile)
{
    const struct throughput_row *row = &profile->row;

    return !throughput_find(self->inputs.throughputs[0], row->model, row->batch_size) &&
           profiles_find(self->profiles, client_user(client), row->model, row->batch_size) ==
               profile;
}

json_t *profiling_json(const struct serving *self, const client_t *client,
                       const struct profile *profile)
{
    const bool removed = profile->row.level_count == 0;

    return json_pack("{s:s, s:i, s:o, s:s, s:o, s:o, s:o, s:b}", "model", profile->row.model,
                     "batch_size", profile->row.batch_size, "owner",
                     profile->owner ? json_string(profile->owner) : json_null(), "kind",
                     profiling_kind(profile), "rates",
                     removed ? json_null() : rates_json(&profile->row), "by",
                     profile->by ? json_string(profile->by) : json_null(), "at",
                     profile->at > 0 ? json_integer(profile->at) : json_null(), "used",
                     is_used(self, client, profile));
}

static bool is_listed(const struct asked *asked, const struct profile *profile)
{
    return is_asked_for(asked, profile) && (profile->row.level_count > 0 || asked->history) &&
           (!asked->user || (profile->owner && !strcmp(asked->user, profile->owner)));
}

/* The profiles that were asked for. NULL with `error`. */
static json_t *list_all(const struct serving *self, const client_t *client,
                        const struct asked *asked, struct error *error)
{
    const struct profile **list;
    const size_t count = profiles_list(self->profiles, &list);
    const int64_t limit =
        asked->history && asked->limit > LIST_PAST_MAX ? LIST_PAST_MAX : asked->limit;
    json_t *profiles = json_array();
    json_t *next = json_null();

    for (size_t i = (size_t)asked->after; i < count; i++) {
        json_t *told;

        if (!is_listed(asked, list[i]))
            continue;
        if ((int64_t)json_array_size(profiles) == limit) {
            next = json_integer((json_int_t)i);
            break;
        }
        told = profiling_json(self, client, list[i]);
        if (asked->history)
            json_object_set_new(told, "past", profiles_past(self->profiles, list[i], error));
        json_array_append_new(profiles, told);
    }
    free(list);
    return json_pack("{s:o, s:o}", "profiles", profiles, "next", next);
}

void profiling_list(struct serving *self, struct request *request)
{
    struct asked asked = {.limit = LIST_MAX};
    arena_t *texts = arena_new();
    struct error error;

    if (read_asked(request->document, list_fields, &asked, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else
        clients_answer(self->clients, &request, ANSWER_DONE,
                       list_all(self, request->client, &asked, &error));
    arena_destroy(&texts);
}

/* ---- what is removed ---- */

/* The owner of the profiles that a client removes, NULL for those that serve all. Only operators
 * may remove those of others. */
static const char *owner_for(const client_t *client, const struct asked *asked)
{
    if (asked->user)
        return asked->user;
    return client_role(client) == ROLE_OPERATE ? NULL : client_user(client);
}

static bool is_of(const struct profile *profile, const char *owner)
{
    return owner ? profile->owner && !strcmp(owner, profile->owner) : !profile->owner;
}

struct removal {
    const struct asked *asked;
    const client_t *client;
    json_t *removed; /* removed profiles; NULL before the removal is kept */
};

/* Writes the removal of `profile` to the journal. -1 with `error`. */
static int put(struct serving *self, const struct removal *removal, const struct profile *profile,
               struct error *error)
{
    struct profile removed = *profile;
    char text[THROUGHPUT_MODEL_BYTES_MAX + USER_MAX + 128];

    removed.row.level_count = 0;
    removed.by = client_user(removal->client);
    removed.at = self->epoch + serving_now_s(self);
    if (profiles_put(self->profiles, &removed, error) < 0)
        return -1;
    (void)snprintf(text, sizeof(text), "how fast %s trains at batch size %d, as %s, for %s%s",
                   profile->row.model, profile->row.batch_size, profiling_kind(profile),
                   profile->owner ? "user " : "all", profile->owner ? profile->owner : "");
    noting_order(self, removal->client, 0, "forgotten", text);
    return 0;
}

/* The removal of `profile` is kept: from now on no job is planned by it. */
static int take_out(struct serving *self, const struct removal *removal,
                    const struct profile *profile, struct error *error)
{
    json_t *told = profiling_json(self, removal->client, profile);
    const struct profile *now = profiles_learn(self->profiles, profile, error);

    if (now && now->row.level_count == 0) /* the same step may have learnt it anew */
        json_array_append(removal->removed, told);
    json_decref(told);
    return now ? 0 : -1;
}

/* Removes each profile that is meant. Returns how many; -1 with `error`. */
static int remove_each(struct serving *self, const struct removal *removal, struct error *error)
{
    const char *owner = owner_for(removal->client, removal->asked);
    const struct profile **list;
    const size_t count = profiles_list(self->profiles, &list);
    int found = 0;

    for (size_t i = 0; i < count && found >= 0; i++) {
        if (list[i]->row.level_count == 0 || !is_asked_for(removal->asked, list[i]) ||
            !is_of(list[i], owner))
            continue;
        if ((removal->removed ? take_out : put)(self, removal, list[i], error) < 0)
            found = -1;
        else
            found++;
    }
    free(list);
    return found;
}

static void answer_forgotten(struct serving *self, struct change *change)
{
    struct asked asked = {0};
    arena_t *texts = arena_new();
    const struct removal removal = {&asked, change->request->client, json_array()};
    struct error error;

    (void)read_asked(change->request->document, forget_fields, &asked, texts, &error);
    if (remove_each(self, &removal, &error) < 0)
        clients_fail(self->clients, &change->request, ANSWER_FAILED, "%s", error.text);
    else
        clients_answer(self->clients, &change->request, ANSWER_DONE,
                       json_pack("{s:O}", "removed", removal.removed));
    json_decref(removal.removed);
    arena_destroy(&texts);
    free(change);
}

static void forget(struct serving *self, struct request *request, const struct asked *asked)
{
    const struct removal removal = {asked, request->client, NULL};
    const char *owner = owner_for(request->client, asked);
    struct error error;
    const int found = steps_open(self, &error) < 0 ? -1 : remove_each(self, &removal, &error);

    if (found < 0)
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s; nothing was done", error.text);
    else if (found == 0)
        clients_fail(self->clients, &request, ANSWER_UNKNOWN,
                     "there is no such profile of model %.64s %s%s", asked->model,
                     owner ? "of user " : "that serves all", owner ? owner : "");
    else
        steps_await(self, &request, 0, false, answer_forgotten);
}

void profiling_forget(struct serving *self, struct request *request)
{
    const client_t *client = request->client;
    struct asked asked = {0};
    arena_t *texts = arena_new();
    struct error error;

    if (read_asked(request->document, forget_fields, &asked, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else if (asked.user && client_role(client) != ROLE_OPERATE &&
             strcmp(asked.user, client_user(client)) != 0)
        clients_fail(self->clients, &request, ANSWER_NOT_ALLOWED,
                     "profiles of user %s are removed by that user or by an operator", asked.user);
    else
        forget(self, request, &asked);
    arena_destroy(&texts);
}
