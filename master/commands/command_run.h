/* command_run.h - carries out a file of commands instead of a scheduler's plans, and times each
 * operation. Has no socket and no clock, like the dispatch. */
#ifndef MASTER_COMMAND_RUN_H
#define MASTER_COMMAND_RUN_H

#include "master/commands/command_file.h"
#include "master/dispatch.h"

#include <stdio.h>

typedef struct command_run command_run_t;

struct command_run_setting {
    double time_scale; /* emulated seconds in a real second, 0: no waiting */
    FILE *out;         /* the times of rounds */
};

enum command_run_state {
    COMMAND_RUN_GOES_ON,
    COMMAND_RUN_DONE,
    COMMAND_RUN_FAILED, /* an operation failed; the last line on `out` names the operation */
};

/* The dispatch made with this watch, and the run as its owner, must be handed to
 * command_run_use. */
extern const struct dispatch_watch command_run_watch;

command_run_t *command_run_new(const command_file_t *commands,
                               const struct command_run_setting *setting);
void command_run_destroy(command_run_t **self);
void command_run_use(command_run_t *self, dispatch_t *dispatch);

/* Carries out commands until a command has to wait. -1, with `error`, before any command ran, if
 * the workers in session do not fit the file. */
int command_run_go_on(command_run_t *self, int64_t now_us, struct error *error);

/* Ends the run with the master: stops all jobs; no further command is carried out or timed. */
void command_run_end(command_run_t *self, int64_t now_us);

enum command_run_state command_run_state(const command_run_t *self);

/* Prints the table of timed operations. */
void command_run_print(const command_run_t *self);

#endif
