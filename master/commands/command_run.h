/* command_run.h - carries a file of commands out, in the place of a scheduler's plans, and times
 * what it does. Knows no socket and no clock, like the dispatch. */
#ifndef MASTER_COMMAND_RUN_H
#define MASTER_COMMAND_RUN_H

#include "master/commands/command_file.h"
#include "master/dispatch.h"

#include <stdio.h>

typedef struct command_run command_run_t;

struct command_run_setting {
    double time_scale; /* emulated seconds to a real one, 0: no waiting */
    FILE *out;         /* the times of rounds */
};

enum command_run_state {
    COMMAND_RUN_GOES_ON,
    COMMAND_RUN_DONE,
    COMMAND_RUN_FAILED, /* something did not come about; the last thing that `out` says is what */
};

/* The dispatch made with this watch, and the run as its owner, must be handed to
 * command_run_use. */
extern const struct dispatch_watch command_run_watch;

command_run_t *command_run_new(const command_file_t *commands,
                               const struct command_run_setting *setting);
void command_run_destroy(command_run_t **self);
void command_run_use(command_run_t *self, dispatch_t *dispatch);

/* Carries commands out until one has to wait. -1, with `error`, before anything ran, if the workers
 * that came are not those that the file is for. */
int command_run_go_on(command_run_t *self, int64_t now_us, struct error *error);

/* The master ends: whatever runs is stopped, and nothing more is carried out or timed. */
void command_run_end(command_run_t *self, int64_t now_us);

enum command_run_state command_run_state(const command_run_t *self);

/* Prints the table of what was timed. */
void command_run_print(const command_run_t *self);

#endif
