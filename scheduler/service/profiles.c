/* profiles.c - see profiles.h. */
#include "scheduler/service/profiles.h"

#include "common/number.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define KIND      "profile"
#define KEY_BYTES (THROUGHPUT_MODEL_BYTES_MAX + 16)
#define RATE_MIN  1e-6
#define RATE_MAX  1e9

struct profile {
    struct throughput_row row;
    char key[KEY_BYTES]; /* "BATCH MODEL" */
    UT_hash_handle hh;
};

struct profiles {
    journal_t *journal;
    struct profile *by_key;
    arena_t *kept;
    struct error trouble;
};

static void write_key(char key[KEY_BYTES], const char *model, int batch_size)
{
    (void)snprintf(key, KEY_BYTES, "%d %s", batch_size, model);
}

/* ---- rates ---- */

static int read_rate(const char *text, int batch_size, int *gpus, double *rate)
{
    const char *colon = strchr(text, ':');
    int64_t count;

    if (!colon || number_parse_whole(text, (size_t)(colon - text), 1, THROUGHPUT_GPUS_MAX,
                                     &count) != NUMBER_OK)
        return -1;
    *gpus = (int)count;
    if ((count & (count - 1)) != 0 || batch_size % count != 0)
        return -1;
    return number_parse_real(colon + 1, strlen(colon + 1), RATE_MIN, RATE_MAX, rate) == NUMBER_OK
               ? 0
               : -1;
}

int profiles_read_rates(const struct words *rates, const char *model, int batch_size,
                        struct throughput_row *row, struct error *error)
{
    *row = (struct throughput_row){.model = model, .batch_size = batch_size};
    if (rates->count == 0 || rates->count > THROUGHPUT_LEVELS_MAX)
        return error_set(error, "field \"rates\": expected 1 to %d of GPUS:RATE",
                         THROUGHPUT_LEVELS_MAX);
    for (size_t i = 0; i < rates->count; i++) {
        const int level = row->level_count;

        if (read_rate(rates->items[i], batch_size, &row->gpus[level], &row->iters_per_s[level]) <
                0 ||
            (level > 0 && row->gpus[level] <= row->gpus[level - 1]))
            return error_set(error,
                             "field \"rates\": expected GPUS:RATE, with rising powers of two that "
                             "divide the batch size, found \"%.40s\"",
                             rates->items[i]);
        row->level_count++;
    }
    return 0;
}

/* ---- what is kept ---- */

int profiles_put(profiles_t *self, const struct throughput_row *row, struct error *error)
{
    json_t *rates = json_array();
    char key[KEY_BYTES];
    char *body;
    int status;

    for (int i = 0; i < row->level_count; i++) {
        char rate[64];

        (void)snprintf(rate, sizeof(rate), "%d:%.17g", row->gpus[i], row->iters_per_s[i]);
        json_array_append_new(rates, json_string(rate));
    }
    body = json_dumps(rates, JSON_COMPACT);
    json_decref(rates);
    write_key(key, row->model, row->batch_size);
    status = journal_put(self->journal, KIND, key, body, error);
    free(body);
    return status;
}

static int add(profiles_t *self, const char *key, const char *body, struct error *error)
{
    struct profile *profile = arena_alloc(self->kept, sizeof(*profile));
    json_t *list = json_loads(body, 0, NULL);
    const char *items[THROUGHPUT_LEVELS_MAX];
    struct words rates = {0, items};
    struct profile *before;
    int status;

    memset(profile, 0, sizeof(*profile));
    (void)snprintf(profile->key, sizeof(profile->key), "%s", key);
    for (; rates.count < json_array_size(list) && rates.count < THROUGHPUT_LEVELS_MAX;
         rates.count++)
        items[rates.count] = json_string_value(json_array_get(list, rates.count));
    status = profiles_read_rates(&rates, strchr(profile->key, ' ') + 1, (int)strtol(key, NULL, 10),
                                 &profile->row, error);
    json_decref(list);
    if (status < 0)
        return -1;
    HASH_FIND_STR(self->by_key, profile->key, before);
    if (before)
        HASH_DEL(self->by_key, before);
    HASH_ADD_STR(self->by_key, key, profile);
    return 0;
}

int profiles_learn(profiles_t *self, const char *model, int batch_size, struct error *error)
{
    char key[KEY_BYTES];
    const char *body;

    write_key(key, model, batch_size);
    if (journal_get(self->journal, KIND, key, &body, error) <= 0)
        return -1;
    return add(self, key, body, error);
}

static int recall(void *owner, const char *key, const char *body)
{
    profiles_t *self = owner;

    return add(self, key, body, &self->trouble) < 0;
}

const struct throughput_row *profiles_find(const profiles_t *self, const char *model,
                                           int batch_size)
{
    struct profile *profile;
    char key[KEY_BYTES];

    write_key(key, model, batch_size);
    HASH_FIND_STR(self->by_key, key, profile);
    return profile ? &profile->row : NULL;
}

/* ---- life ---- */

profiles_t *profiles_new(journal_t *journal, struct error *error)
{
    profiles_t *self = xcalloc(1, sizeof(*self));
    int status;

    self->journal = journal;
    self->kept = arena_new();
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
    if (!*self)
        return;
    HASH_CLEAR(hh, (*self)->by_key);
    arena_destroy(&(*self)->kept);
    free(*self);
    *self = NULL;
}
