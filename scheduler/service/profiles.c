/* profiles.c - see profiles.h.
 *
 * A profile is a document of the kind "profile". Its key is "BATCH MODEL", then "\tmeasured" if its
 * rates were measured, and "\tof OWNER" if it has an owner: a model has no control character. The
 * document is an object. Its "rates" are null once the profile is removed; "by" and "at" say who
 * wrote it and when; "past" lists earlier such objects. Earlier versions wrote the list of rates
 * alone. */
#include "scheduler/service/profiles.h"

#include "scheduler/service/rates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define KIND      "profile"
#define MEASURED  "\tmeasured"
#define OF        "\tof "
#define KEY_BYTES (THROUGHPUT_MODEL_BYTES_MAX + 256)

struct kept_profile {
    struct profile profile; /* first: callers' pointers to it are cast back */
    arena_t *texts;         /* texts of the profile */
    char key[KEY_BYTES];
    UT_hash_handle hh;
};

struct profiles {
    journal_t *journal;
    struct kept_profile *by_key;
    struct error trouble;
};

static void write_key(char key[KEY_BYTES], const char *owner, bool measured, const char *model,
                      int batch_size)
{
    (void)snprintf(key, KEY_BYTES, "%d %s%s%s%s", batch_size, model, measured ? MEASURED : "",
                   owner ? OF : "", owner ? owner : "");
}

static void key_of(char key[KEY_BYTES], const struct profile *profile)
{
    write_key(key, profile->owner, profile->measured, profile->row.model, profile->row.batch_size);
}

/* ---- documents ---- */

/* The present rates of a document, as an object that the caller owns. NULL if there are none. */
static json_t *read_body(const char *body)
{
    json_t *document = json_loads(body, 0, NULL);

    return json_is_array(document) ? json_pack("{s:o}", "rates", document) : document;
}

static int read_document(const json_t *document, struct kept_profile *kept, struct error *error)
{
    struct profile *profile = &kept->profile;
    const struct throughput_row removed = profile->row;
    const json_t *list = json_object_get(document, "rates");
    const char *by = json_string_value(json_object_get(document, "by"));
    const char *items[THROUGHPUT_LEVELS_MAX];
    struct words rates = {0, items};

    profile->by = by ? arena_text(kept->texts, by, strlen(by)) : NULL;
    profile->at = json_integer_value(json_object_get(document, "at"));
    if (json_is_null(list))
        return 0;
    for (; rates.count < json_array_size(list) && rates.count < THROUGHPUT_LEVELS_MAX;
         rates.count++) {
        items[rates.count] = json_string_value(json_array_get(list, rates.count));
        if (!items[rates.count])
            return error_set(error, "the rates of model %s are no texts", removed.model);
    }
    return rates_read(&rates, removed.model, removed.batch_size, &profile->row, error);
}

static void read_key(const char *key, struct kept_profile *kept)
{
    const char *model = strchr(key, ' ');
    const size_t length = model ? strcspn(model + 1, "\t") : 0;
    const char *rest = model ? model + 1 + length : "";
    struct profile *profile = &kept->profile;

    (void)snprintf(kept->key, sizeof(kept->key), "%s", key);
    profile->row.batch_size = (int)strtol(key, NULL, 10);
    profile->row.model = arena_text(kept->texts, model ? model + 1 : "", length);
    profile->measured = !strncmp(rest, MEASURED, strlen(MEASURED));
    if (profile->measured)
        rest += strlen(MEASURED);
    if (!strncmp(rest, OF, strlen(OF)))
        profile->owner = arena_text(kept->texts, rest + strlen(OF), strlen(rest) - strlen(OF));
}

static void drop(profiles_t *self, struct kept_profile **kept)
{
    HASH_DEL(self->by_key, *kept);
    arena_destroy(&(*kept)->texts);
    free(*kept);
    *kept = NULL;
}

/* Replaces the profile of `key` by that of a document. NULL with `error`. */
static const struct profile *add(profiles_t *self, const char *key, const char *body,
                                 struct error *error)
{
    struct kept_profile *kept = xcalloc(1, sizeof(*kept));
    struct kept_profile *before;
    json_t *document = read_body(body);
    int status;

    kept->texts = arena_new();
    read_key(key, kept);
    HASH_FIND_STR(self->by_key, kept->key, before);
    if (before)
        drop(self, &before);
    HASH_ADD_STR(self->by_key, key, kept);
    status = read_document(document, kept, error);
    json_decref(document);
    return status == 0 ? &kept->profile : NULL;
}

/* ---- which profile serves ---- */

const struct profile *profiles_of(const profiles_t *self, const char *owner, bool measured,
                                  const char *model, int batch_size)
{
    struct kept_profile *kept;
    char key[KEY_BYTES];

    write_key(key, owner, measured, model, batch_size);
    HASH_FIND_STR(self->by_key, key, kept);
    return kept ? &kept->profile : NULL;
}

const struct profile *profiles_find(const profiles_t *self, const char *user, const char *model,
                                    int batch_size)
{
    const struct {
        bool measured;
        const char *owner;
    } turns[] = {{true, user}, {true, NULL}, {false, user}, {false, NULL}};

    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        const struct profile *profile =
            profiles_of(self, turns[i].owner, turns[i].measured, model, batch_size);

        if (profile && profile->row.level_count > 0)
            return profile;
    }
    return NULL;
}

/* ---- all profiles ---- */

static int compare(const void *left, const void *right)
{
    const struct profile *const a = *(const struct profile *const *)left;
    const struct profile *const b = *(const struct profile *const *)right;
    const int models = strcmp(a->row.model, b->row.model);

    if (models != 0)
        return models;
    if (a->row.batch_size != b->row.batch_size)
        return a->row.batch_size < b->row.batch_size ? -1 : 1;
    if (a->measured != b->measured)
        return a->measured ? -1 : 1;
    if (!a->owner || !b->owner)
        return (a->owner == NULL) - (b->owner == NULL);
    return strcmp(a->owner, b->owner);
}

size_t profiles_list(const profiles_t *self, const struct profile ***list)
{
    const size_t count = HASH_COUNT(self->by_key);
    const struct kept_profile *kept = self->by_key;

    *list = xcalloc(count + 1, sizeof(struct profile *));
    for (size_t i = 0; i < count; i++, kept = kept->hh.next)
        (*list)[i] = &kept->profile;
    qsort(*list, count, sizeof(struct profile *), compare);
    return count;
}

json_t *profiles_past(const profiles_t *self, const struct profile *profile, struct error *error)
{
    char key[KEY_BYTES];
    const char *body;
    json_t *document = NULL;
    json_t *past;

    key_of(key, profile);
    if (journal_get(self->journal, KIND, key, &body, error) < 0)
        return NULL;
    document = read_body(body);
    past = json_incref(json_object_get(document, "past"));
    json_decref(document);
    return past ? past : json_array();
}

/* ---- changes ---- */

/* Makes room for one more profile of `owner`: at the limit, the profile that was removed first is
 * forgotten. */
static int make_room(profiles_t *self, const char *owner, struct error *error)
{
    struct kept_profile *oldest = NULL;
    struct kept_profile *kept;
    struct kept_profile *next;
    size_t count = 0;

    HASH_ITER(hh, self->by_key, kept, next)
    {
        const struct profile *profile = &kept->profile;

        if (!profile->owner != !owner || (owner && strcmp(profile->owner, owner) != 0))
            continue;
        count++;
        if (profile->row.level_count == 0 && (!oldest || profile->at < oldest->profile.at))
            oldest = kept;
    }
    if (count < PROFILES_MAX)
        return 0;
    if (!oldest)
        return error_set(error, "%s%s %zu profiles, and may have no more: remove some first",
                         owner ? owner : "all users", owner ? " has" : " have", count);
    if (journal_forget(self->journal, KIND, oldest->key, error) < 0)
        return -1;
    drop(self, &oldest);
    return 0;
}

/* The document of a profile: `now`, whose reference is taken, with the rates of `before` first in
 * its past. */
static json_t *add_past(json_t *now, json_t *before)
{
    json_t *past = json_incref(json_object_get(before, "past"));

    if (!past)
        past = json_array();
    if (before) {
        json_object_del(before, "past");
        json_array_insert(past, 0, before);
        while (json_array_size(past) > PROFILES_PAST_MAX)
            json_array_remove(past, json_array_size(past) - 1);
    }
    json_object_set_new(now, "past", past);
    return now;
}

int profiles_put(profiles_t *self, const struct profile *profile, struct error *error)
{
    char key[KEY_BYTES];
    const char *before = NULL;
    json_t *said;
    json_t *document;
    char *body;
    int status;

    key_of(key, profile);
    status = journal_get(self->journal, KIND, key, &before, error);
    if (status < 0 || (status == 0 && make_room(self, profile->owner, error) < 0))
        return -1;
    said = status > 0 ? read_body(before) : NULL;
    document =
        add_past(json_pack("{s:o, s:s, s:I}", "rates",
                           profile->row.level_count > 0 ? rates_json(&profile->row) : json_null(),
                           "by", profile->by, "at", (json_int_t)profile->at),
                 said);
    json_decref(said);
    body = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    status = journal_put(self->journal, KIND, key, body, error);
    free(body);
    return status;
}

const struct profile *profiles_learn(profiles_t *self, const struct profile *profile,
                                     struct error *error)
{
    char key[KEY_BYTES];
    const char *body;
    int got;

    key_of(key, profile);
    got = journal_get(self->journal, KIND, key, &body, error);
    if (got == 0)
        error_set(error, "the profile of model %s is not in the state", profile->row.model);
    return got > 0 ? add(self, key, body, error) : NULL;
}

static int recall(void *owner, const char *key, const char *body)
{
    profiles_t *self = owner;

    return !add(self, key, body, &self->trouble);
}

/* ---- life ---- */

profiles_t *profiles_new(journal_t *journal, struct error *error)
{
    profiles_t *self = xcalloc(1, sizeof(*self));
    int status;

    self->journal = journal;
    status = journal_each(journal, KIND, recall, self, error);
    if (status == 0)
        return self;
    if (status > 0)
        *error = self->trouble;
    profiles_destroy(&self);
    return NULL;
}

void profiles_destroy(profiles_t **self)
{
    struct kept_profile *kept;

    if (!*self)
        return;
    kept = (*self)->by_key;
    HASH_CLEAR(hh, (*self)->by_key); /* the profiles stay linked as a list */
    while (kept) {
        struct kept_profile *const next = kept->hh.next;

        arena_destroy(&kept->texts);
        free(kept);
        kept = next;
    }
    free(*self);
    *self = NULL;
}
