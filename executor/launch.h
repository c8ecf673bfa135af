/* launch.h - the launch contract: environment and arguments of a user's program. One table makes
 * the environment, the placeholders in the program's arguments and the lists in
 * rubato-launch(7). */
#ifndef EXECUTOR_LAUNCH_H
#define EXECUTOR_LAUNCH_H

#include "executor/workload.h"

#include <stddef.h>
#include <stdio.h>

/* One start of one rank. All texts are lent. */
struct rank_start {
    const struct msg_prepare *prepare;
    const char *devices; /* GPUs of the local ranks, separated by commas */
    const char *checkpoint_dir;
    const char *progress; /* address of the progress socket */
    int64_t grace_ms;
    int64_t step; /* step to go on from, -1: that of the last checkpoint */
};

/* The environment of the program: `base` without variables of the contract, then the contract's
 * variables. An array ended with NULL, to be freed with launch_words_free. */
char **launch_environment(const struct rank_start *launch, char *const *base);

/* The arguments in the file at `path`, one a line, with the placeholders replaced; blank lines and
 * those that begin with # are left out. If the first ends in .py, `python` comes before it. NULL
 * with `error`, that names file and line. With a NULL `launch` placeholders stay as they are. */
char **launch_arguments(const struct rank_start *launch, const char *path, const char *python,
                        struct error *error);

/* -1, with `error`, if the file has no valid arguments, or if the program evidently cannot be
 * started: it is no executable file, or `python` or the script that it runs is missing. */
int launch_check(const char *path, const char *python, struct error *error);

void launch_words_free(char **words);

/* Whether `word` names a script that Python runs. */
bool launch_is_script(const char *word);

/* The GPUs of the local ranks as CUDA_VISIBLE_DEVICES has them. `all` are those of the node, with
 * commas between them; where `all` lists too few, indices stand for the GPUs. The caller frees
 * it. */
char *launch_devices(const struct msg_prepare *prepare, const char *all);

/* The tables as roff: variables, then placeholders. */
void launch_print_variables(FILE *out);
void launch_print_placeholders(FILE *out);

/* The variables' names, NULL after the last. */
const char *launch_variable(size_t index);

#endif
