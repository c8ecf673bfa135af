/* link_account.h - what one owner uses of a server: all connections of a key, or of a user where
 * there are no keys. For the files of the link only. */
#ifndef PROTOCOL_LINK_ACCOUNT_H
#define PROTOCOL_LINK_ACCOUNT_H

#include "protocol/keys.h"

#include <czmq.h>
#include <stdbool.h>
#include <stdint.h>

struct link_account {
    char owner[KEY_CHARS + 1]; /* the key, or the uid */
    size_t peers;              /* number of its connections */
    int64_t room;              /* thousandths of messages that the owner may send now */
    int64_t filled_ms;         /* when `room` was last updated */
};

/* A table of accounts, by owner. */
zhashx_t *link_accounts_new(void);

/* The account of `key`, or of `uid` where `key` is ""; a new account may send the messages of a
 * second at once. Counts one more peer. */
struct link_account *link_account_open(zhashx_t *accounts, const char *key, int64_t uid,
                                       int32_t rate_max);

/* Whether one more message is within `rate_max` messages a second; 0 is no limit. */
bool link_account_take(struct link_account *self, int32_t rate_max);

/* Frees accounts without peers whose rate budget is full again. */
void link_accounts_sweep(zhashx_t *accounts, int32_t rate_max);

#endif
