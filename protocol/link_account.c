/* link_account.c - see link_account.h.
 *
 * An account is a token bucket, which a second fills. The account outlives the connections that
 * emptied the bucket, so that a new connection brings no new room. */
#include "protocol/link_account.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdio.h>

#define THOUSAND 1000

static void account_free(void **item)
{
    free(*item);
    *item = NULL;
}

zhashx_t *link_accounts_new(void)
{
    zhashx_t *const accounts = zhashx_new();

    zhashx_set_key_duplicator(accounts, NULL); /* the key is a member of the item */
    zhashx_set_key_destructor(accounts, NULL);
    zhashx_set_destructor(accounts, account_free);
    return accounts;
}

static void fill(struct link_account *self, int32_t rate_max)
{
    const int64_t now_ms = zclock_mono();
    const int64_t whole = (int64_t)rate_max * THOUSAND;
    const int64_t elapsed_ms = now_ms - self->filled_ms;

    self->filled_ms = now_ms;
    if (elapsed_ms >= THOUSAND || self->room + elapsed_ms * rate_max > whole)
        self->room = whole;
    else
        self->room += elapsed_ms * rate_max;
}

struct link_account *link_account_open(zhashx_t *accounts, const char *key, int64_t uid,
                                       int32_t rate_max)
{
    char owner[KEY_CHARS + 1];
    struct link_account *self;

    if (key[0])
        (void)snprintf(owner, sizeof(owner), "%s", key);
    else
        (void)snprintf(owner, sizeof(owner), "%" PRId64, uid);
    self = zhashx_lookup(accounts, owner);
    if (!self) {
        self = xcalloc(1, sizeof(*self));
        memcpy(self->owner, owner, sizeof(owner));
        self->room = (int64_t)rate_max * THOUSAND;
        self->filled_ms = zclock_mono();
        (void)zhashx_insert(accounts, self->owner, self);
    }
    self->peers++;
    return self;
}

bool link_account_take(struct link_account *self, int32_t rate_max)
{
    if (rate_max == 0)
        return true;
    if (self->room < THOUSAND)
        fill(self, rate_max);
    if (self->room < THOUSAND)
        return false;
    self->room -= THOUSAND;
    return true;
}

static bool is_idle(struct link_account *self, int32_t rate_max)
{
    if (self->peers > 0)
        return false;
    fill(self, rate_max);
    return self->room >= (int64_t)rate_max * THOUSAND;
}

void link_accounts_sweep(zhashx_t *accounts, int32_t rate_max)
{
    zlistx_t *idle = zlistx_new();

    for (struct link_account *account = zhashx_first(accounts); account;
         account = zhashx_next(accounts)) {
        if (is_idle(account, rate_max))
            (void)zlistx_add_end(idle, account);
    }
    for (struct link_account *account = zlistx_first(idle); account; account = zlistx_next(idle))
        zhashx_delete(accounts, account->owner);
    zlistx_destroy(&idle);
}
