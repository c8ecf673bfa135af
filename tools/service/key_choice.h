/* key_choice.h - with which key of a folder a client comes, and in which role. */
#ifndef SERVICE_KEY_CHOICE_H
#define SERVICE_KEY_CHOICE_H

#include "protocol/keys.h"
#include "protocol/process_name.h"

struct key_choice {
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

/* The keys of `as`, which is NAME or ROLE:NAME; NULL: of the only NAME.key in `folder`. Without a
 * role it is that of `allowed`, where that is there, else "submit". NULL with `error`. */
keys_t *key_choice_read(const char *folder, const char *as, struct key_choice *choice,
                        struct error *error);

#endif
