/* keeper.h - the process between a trainer and a user's program that sees to it that nothing of the
 * program is left, whichever of them dies first.
 *
 *   trainer --- keeper --- program --- whatever it forks, in any group or session
 *
 * The keeper is the subreaper of all that is below it and kills it when the program ends, or when
 * the trainer does; when the keeper itself is killed, program and rest come to the trainer, which
 * is a subreaper too. It also copies what the program prints to its log, up to a limit. */
#ifndef EXECUTOR_KEEPER_H
#define EXECUTOR_KEEPER_H

#include "common/child.h"
#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long to wait between two calls of keeper_kill. */
#define KEEPER_SWEEP_US 5000

typedef struct keeper keeper_t;

struct keeper_setting {
    char *const *argv; /* ended with NULL */
    char *const *environment;
    const char *folder;            /* folder that the program runs in, NULL: the trainer's */
    const struct child_user *user; /* user that the program runs as, NULL: the trainer's */
    const char *writes_to; /* folder that the program must be able to write to, NULL for none */
    int log;               /* where output goes, -1: nowhere */
    int64_t log_bytes_max;
    const int *kept; /* descriptors that stay open as long as any process of the program is left */
    int kept_count;
};

/* Starts the program, in a session of its own. NULL, with `error`, if it cannot be run; `again`
 * says whether another try may help, as when the machine is out of processes. */
keeper_t *keeper_new(const struct keeper_setting *setting, bool *again, struct error *error);
void keeper_destroy(keeper_t **self); /* only after keeper_is_gone */

/* Asks the program and its process group to end. */
void keeper_terminate(const keeper_t *self);

/* Sends SIGUSR1 to the program alone. */
void keeper_signal_save(const keeper_t *self);

/* Kills the keeper and all processes of the program; to be called until keeper_is_gone. */
void keeper_kill(const keeper_t *self);

/* A child of this process ended. */
void keeper_child_ended(keeper_t *self, pid_t pid, int status);

/* keeper_has_ended: whether the keeper process itself has ended. keeper_is_gone: whether no process
 * of the program is left either; kills what a killed keeper left. keeper_status: how the program
 * ended, as waitpid has it, once keeper_is_gone. */
bool keeper_has_ended(const keeper_t *self);
bool keeper_is_gone(const keeper_t *self);
int keeper_status(const keeper_t *self);

#endif
