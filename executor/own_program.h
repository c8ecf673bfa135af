/* own_program.h - a program that a job brings along, as PROGRAM names it, made ready for its start:
 * the arguments as they are, the environment, the user. */
#ifndef EXECUTOR_OWN_PROGRAM_H
#define EXECUTOR_OWN_PROGRAM_H

#include "common/child.h"
#include "protocol/program.h"

/* The user of a job's own program, found on this machine. */
typedef struct own_user own_user_t;

/* NULL, with `error`, if this machine has no such user, or this process may not run programs as
 * that user. */
own_user_t *own_user_find(const char *name, struct error *error);
void own_user_destroy(own_user_t **self);

/* The user to start the program as: NULL for the user of this process. */
const struct child_user *own_user_child(const own_user_t *self);

/* The arguments of the program, ended with NULL, to be freed with launch_words_free. `python` comes
 * before a script whose name ends in .py. */
char **own_program_arguments(const struct msg_program *program, const char *python);

/* The environment: `passed`, overridden by the program's own variables, ended with NULL. HOME, USER
 * and LOGNAME are those of `user` if it is another user. To be freed with launch_words_free. */
char **own_program_environment(const struct msg_program *program, const own_user_t *user,
                               char *const *passed);

#endif
