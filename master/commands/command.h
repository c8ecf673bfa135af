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

/* Only what the kind has is set. Texts and numbers are those of the arena of its line. */
struct debug_command {
    enum command_kind kind;
    int64_t line;
    uint64_t job;
    int32_t worker;
    const char *model;
    int32_t batch_size;
    int32_t nodes;     /* that the job runs on; command_check counts them where the file does not */
    int32_t node_rank; /* likewise */
    const char *address;
    int32_t port;
    int64_t iterations;
    bool from_scratch;
    size_t gpu_count;
    int32_t *gpus; /* of the worker, rising */
    size_t rank_count;
    int32_t *ranks; /* rising; of a group in the cluster, of a run for each GPU */
    int32_t source; /* rank that has the state */
    double seconds;
};

/* Takes the command of `line`, for a file of that many workers. -1, with the error of the line, if
 * it is none. */
int command_read(struct line *line, int32_t workers, struct debug_command *command);

#endif
