/* promise_shares.c - see promise_shares.h. */
#include "scheduler/state/promise_shares.h"

#include "common/number.h"

#include <stdlib.h>
#include <string.h>

#define ANY_USER   "*"
#define GROUP_SIGN '@'

/* Smaller shares are hardly a minute of one GPU. */
#define SHARE_MIN 1e-6

#define EXPECTED "WHO=SHARE with commas between, WHO a user, @GROUP or *, SHARE from 1e-6 to 1"

struct promise_shares {
    arena_t *texts;
    struct job_share *items;
    size_t count;
    size_t room;
};

static bool is_group(const struct job_share *share)
{
    return share->name[0] == GROUP_SIGN;
}

static const struct job_share *find(const promise_shares_t *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->items[i].name, name))
            return &self->items[i];
    return NULL;
}

static int complain(const char *text, size_t length, struct error *error)
{
    return error_set(error, "a promise share: expected %s, found \"%.*s\"", EXPECTED, (int)length,
                     text);
}

/* Parses one WHO=SHARE. */
static int parse_one(promise_shares_t *self, const char *text, size_t length, int64_t horizon_s,
                     struct error *error)
{
    const char *sign = memrchr(text, '=', length);
    const size_t bytes = sign ? (size_t)(sign - text) : 0;
    struct job_share share = {.horizon_s = horizon_s};

    if (bytes == 0 || bytes > SHARE_NAME_MAX || (bytes == 1 && text[0] == GROUP_SIGN) ||
        number_parse_real(sign + 1, length - bytes - 1, SHARE_MIN, 1, &share.of) != NUMBER_OK)
        return complain(text, length, error);
    share.name = arena_text(self->texts, text, bytes);
    if (find(self, share.name))
        return error_set(error, "a promise share: \"%s\" has two", share.name);
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    self->items[self->count++] = share;
    return 0;
}

promise_shares_t *promise_shares_new(const char *text, int64_t horizon_s, struct error *error)
{
    promise_shares_t *self = xcalloc(1, sizeof(*self));

    self->texts = arena_new();
    for (;;) {
        const size_t length = strcspn(text, ",");

        if (parse_one(self, text, length, horizon_s, error) < 0) {
            promise_shares_destroy(&self);
            return NULL;
        }
        if (!text[length])
            return self;
        text += length + 1;
    }
}

void promise_shares_destroy(promise_shares_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->texts);
    free((*self)->items);
    free(*self);
    *self = NULL;
}

bool promise_shares_have_users(const promise_shares_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!is_group(&self->items[i]))
            return true;
    return false;
}

const char *promise_shares_group(const promise_shares_t *self, size_t index)
{
    for (size_t i = 0; i < self->count; i++)
        if (is_group(&self->items[i]) && index-- == 0)
            return self->items[i].name + 1;
    return NULL;
}

/* Adds a share to the job. Its name is copied: the job may outlive the shares. */
static void add(struct submission *job, struct job_share *given, const struct job_share *share,
                const char *name, arena_t *kept)
{
    given[job->share_count] = *share;
    given[job->share_count++].name = arena_text(kept, name, strlen(name));
}

/* The user's own share, else the share of every user without one. */
static const struct job_share *own_share(const promise_shares_t *self, const char *user)
{
    const struct job_share *own = user[0] == GROUP_SIGN ? NULL : find(self, user);

    return own ? own : find(self, ANY_USER);
}

void promise_shares_give(const promise_shares_t *self, const char *user, share_member *is_member,
                         const void *owner, arena_t *kept, struct submission *job)
{
    struct job_share *given = arena_alloc(kept, (self->count + 1) * sizeof(*given));
    const struct job_share *own = *user ? own_share(self, user) : NULL;

    job->shares = given;
    job->share_count = 0;
    if (own)
        add(job, given, own, user, kept);
    for (size_t i = 0; i < self->count; i++)
        if (is_group(&self->items[i]) && is_member(owner, user, self->items[i].name + 1))
            add(job, given, &self->items[i], self->items[i].name, kept);
}
