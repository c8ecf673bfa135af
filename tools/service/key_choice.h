/* key_choice.h - with which key of a folder a client comes, and in which role. */
#ifndef SERVICE_KEY_CHOICE_H
#define SERVICE_KEY_CHOICE_H

#include "protocol/keys.h"
#include "protocol/process_name.h"

struct key_choice {
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

/* Reads the keys of `as`, which is NAME or ROLE:NAME; NULL: of the only NAME.key in `folder`.
 * Without a role, the role is that in the file `allowed`, if there is one, else "submit". NULL with
 * `error`. */
keys_t *key_choice_read(const char *folder, const char *as, struct key_choice *choice,
                        struct error *error);

#endif
