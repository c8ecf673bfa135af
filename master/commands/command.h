/* command.h - one command of a file of commands, as command_file.h writes it. */
#ifndef MASTER_COMMAND_H
#define MASTER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line;

enum command_kind {
    COMMAND_GROUP,
    COMMAND_MOVE,
    COMMAND_RUN,
    COMMAND_UPDATE,
    COMMAND_KILL,
    COMMAND_FORMED,
    COMMAND_TRAIN,
    COMMAND_WAIT,
    COMMAND_RESTART,
    COMMAND_SHUTDOWN,
};

/* Only the fields of its kind are set. Texts and arrays live in the arena of the line. */
struct debug_command {
    enum command_kind kind;
    int64_t line;
    uint64_t job;
    int32_t worker;
    const char *model;
    int32_t batch_size;
    int32_t nodes;     /* number of nodes of the job; command_check counts them where the file does
                          not */
    int32_t node_rank; /* rank of the node in the job; command_check numbers nodes where the file
                          does not */
    const char *address;
    int32_t port;
    int64_t iterations;
    bool from_scratch;
    size_t gpu_count;
    int32_t *gpus; /* indices on the worker, rising */
    size_t rank_count;
    int32_t *ranks; /* rising; of a group: ranks in the cluster; of a run: a rank for each GPU */
    int32_t source; /* rank that holds the state */
    double seconds;
};

/* Takes the command of `line`, for a file of `workers` workers. -1, with the error of the line, if
 * the line is no command. */
int command_read(struct line *line, int32_t workers, struct debug_command *command);

#endif
