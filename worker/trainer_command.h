/* trainer_command.h - the program and the arguments that the trainers of a node are started
 * with. */
#ifndef WORKER_TRAINER_COMMAND_H
#define WORKER_TRAINER_COMMAND_H

#include "common/error.h"
#include "worker/settings.h"

#include <stddef.h>
#include <stdint.h>

typedef struct trainer_command trainer_command_t;

/* The path of the trainer program: `named`, or the trainer beside this program if that is NULL. -1
 * with `error` if the file cannot be run. */
int trainer_program_find(const char *named, char *path, size_t size, struct error *error);

/* All texts are lent. */
struct trainer_command_setting {
    const struct worker_settings *settings;
    const char *program;
    const char *endpoint; /* endpoint at which trainers reach their worker */
    int lock;             /* descriptor that trainers inherit, 0: none */
    const char *visible;  /* all GPUs of the node, as a value of CUDA_VISIBLE_DEVICES */
};

trainer_command_t *trainer_command_new(const struct trainer_command_setting *setting);
void trainer_command_destroy(trainer_command_t **self);

/* Changes the GPUs that are visible to trainers started from now on; `visible` is lent. */
void trainer_command_set_visible(trainer_command_t *self, const char *visible);

/* argv of the trainer of `gpu`, ended with NULL; lent until the next call. */
char *const *trainer_command_arguments(trainer_command_t *self, int32_t gpu);

#endif
