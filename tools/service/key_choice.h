/* key_choice.h - chooses the key and the role of a client. */
#ifndef SERVICE_KEY_CHOICE_H
#define SERVICE_KEY_CHOICE_H

#include "protocol/keys.h"
#include "protocol/process_name.h"

struct key_choice {
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

/* Reads the keys that `as` names, as NAME or ROLE:NAME. If `as` is NULL, reads the only NAME.key in
 * `folder`. Without ROLE, the role comes from the file `allowed` if there is one, else it is
 * "submit". NULL with `error`. */
keys_t *key_choice_read(const char *folder, const char *as, struct key_choice *choice,
                        struct error *error);

#endif
