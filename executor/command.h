/* command.h - the insides of a workload that is a user's program, shared by its files only:
 * command_start.c makes it ready and starts it, command.c has the rest of its life. */
#ifndef EXECUTOR_COMMAND_H
#define EXECUTOR_COMMAND_H

#include "executor/keeper.h"
#include "executor/own_program.h"
#include "executor/progress.h"
#include "executor/workload.h"

#include <limits.h>

struct command_workload {
    struct workload base;
    char checkpoint_dir[PATH_MAX];
    char log_path[PATH_MAX];
    char *devices;
    int log;
    own_user_t *user; /* user of a program that the job brought along, else NULL */
    progress_socket_t *socket;
    keeper_t *keeper; /* NULL before the program started and after its end */
    int64_t prepared_us;
    int64_t begun_us;
    int64_t kill_us;  /* end of the grace time; INT64_MAX before the program is told to stop */
    int64_t save_us;  /* when the program is to be told to save a checkpoint; INT64_MAX until the
                         last save is done */
    int64_t saves_us; /* when the program was last told to save and has not yet; 0 if it has
                         saved */
    bool saves;       /* the program saves on a signal */
    bool spoke;       /* the program reports its progress */
    bool counts;      /* the program reports its steps */
    bool asked;       /* the program was asked to stop */
    bool killed;
    bool cancelled; /* cancelled from outside: killed_for has the reason */
    char killed_for[256];
};

/* Checks what another try cannot cure: whether program and user exist, as far as can be known. -1
 * with `error`. */
int command_look(struct command_workload *self, struct error *error);

/* Prepares the job's folder, its log and the socket for progress. -1 with `error`. */
int command_make_ready(struct command_workload *self, struct error *error);

/* Starts the program, which goes on from `step`. -1 with `error`; `again` as keeper_new has it. */
int command_start(struct command_workload *self, int64_t step, bool *again, struct error *error);

#endif
