/* start.h - starts the programs of a cluster on this machine: their paths, their command lines and
 * the file of the cluster. */
#ifndef LOCAL_START_H
#define LOCAL_START_H

#include "common/error.h"
#include "common/memory.h"

#include <stddef.h>
#include <stdint.h>

#define WORDS_MAX 48

/* The words of a command line, kept in `memory`, with a NULL after the last word. */
struct command_words {
    arena_t *memory;
    char *items[WORDS_MAX + 1];
    size_t count;
};

void words_add(struct command_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds --option=value, unless `value` is NULL. */
void words_add_text(struct command_words *words, const char *option, const char *value);

/* Finds the folder of this program, which has the other programs, too. -1 with `error`. */
int start_find_programs(char *path, size_t size, struct error *error);

/* Writes cluster.csv in `folder`. -1 with `error`. */
int start_write_cluster(const char *folder, int64_t nodes, int64_t gpus_per_node,
                        struct error *error);

/* Makes a new folder in TMPDIR or the system's folder for temporary files. -1 with `error`. */
int start_make_temporary(char *path, size_t size, struct error *error);

/* The first of the ports at which ranks of jobs on this node meet. */
int start_first_port(int node);

#endif
