/* own_program.h - a program that a job brings along, as PROGRAM names it, made ready for its start:
 * the arguments as they are, the environment, the user. */
#ifndef EXECUTOR_OWN_PROGRAM_H
#define EXECUTOR_OWN_PROGRAM_H

#include "common/child.h"
#include "protocol/program.h"

/* The user of a job's own program, found on this machine. */
typedef struct own_user own_user_t;

/* NULL, with `error`, if this machine has no such user, or this process may not run a program as
 * that one. */
own_user_t *own_user_find(const char *name, struct error *error);
void own_user_destroy(own_user_t **self);

/* As whom the program is started: NULL where that is the user of this process. */
const struct child_user *own_user_child(const own_user_t *self);

/* The arguments of the program, ended with NULL, to be freed with launch_words_free. `python` comes
 * before a script whose name ends in .py. */
char **own_program_arguments(const struct msg_program *program, const char *python);

/* `passed` and the variables of the program, which count where both have one, ended with NULL. Of
 * another user HOME, USER and LOGNAME are that one's. To be freed with launch_words_free. */
char **own_program_environment(const struct msg_program *program, const own_user_t *user,
                               char *const *passed);

#endif
