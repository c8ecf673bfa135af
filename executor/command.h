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
    own_user_t *user; /* of a program that the job brought along, else NULL */
    progress_socket_t *socket;
    keeper_t *keeper; /* NULL before it began and after the end */
    int64_t prepared_us;
    int64_t begun_us;
    int64_t kill_us;  /* when the grace is over; INT64_MAX before the program is told to stop */
    int64_t save_us;  /* when it is to save its state, INT64_MAX for not before it has done so */
    int64_t saves_us; /* when it was last told to, and has not done so yet; 0 for never */
    bool saves;       /* it understands that */
    bool spoke;       /* the program reports its progress */
    bool counts;      /* ... and which steps are done */
    bool asked;       /* to stop */
    bool killed;
    bool cancelled; /* from outside: killed_for says why */
    char killed_for[256];
};

/* Finds what would not be there another time either: the program as far as that is known, or its
 * user. -1 with `error`. */
int command_look(struct command_workload *self, struct error *error);

/* Makes its folder, its log and the socket for progress ready. -1 with `error`. */
int command_make_ready(struct command_workload *self, struct error *error);

/* Starts the program, which goes on from `step`. -1 with `error`; `again` as keeper_new has it. */
int command_start(struct command_workload *self, int64_t step, bool *again, struct error *error);

#endif
