/* program.h - a program of a job's own. PROGRAM, scheduler to master, comes before the first plan
 * of a session that names the job. RUN and PREPARE hand the program on. */
#ifndef PROTOCOL_PROGRAM_H
#define PROTOCOL_PROGRAM_H

#include "common/packing.h"
#include "protocol/wire.h"

#define PROGRAM_WORDS_MAX    ((size_t)1024)       /* arguments, and as many variables */
#define PROGRAM_BYTES_MAX    ((size_t)256 * 1024) /* of all its texts together */
#define PROGRAM_GRACE_MS_MAX INT64_C(86400000)
#define CHECKPOINT_S_MAX     1000000000

struct msg_program {
    uint64_t job;
    size_t argument_count; /* at least one: the file that is executed */
    const char **arguments;
    const char *folder; /* it runs in, from the root; "": that of the worker */
    size_t variable_count;
    const char **variables; /* NAME=value, beside those that the worker passes on */
    const char *user;       /* it runs as; "": that of the worker */
    int64_t grace_ms;       /* between SIGTERM and SIGKILL, 0: as the worker has it */
    int64_t checkpoint_s;   /* between two checkpoints, 0: as the worker has it */
};

/* Whether it may be sent: within the limits, with a file to execute, a folder from the root, and
 * variables that have a name. -1, with `error` that says what is wrong, if it may not. */
int program_check(const struct msg_program *program, struct error *error);

/* With texts of its own, in one piece of memory that the caller frees. NULL of NULL. */
struct msg_program *program_copy(const struct msg_program *program);

/* The same as a piece of a larger copy. */
struct msg_program *program_pack(const struct msg_program *program, struct packing *packing);

/* `program` must be good by program_check. */
void msg_program_pack(const struct msg_program *program, struct writer *out);

/* -1, with `error`, if `in` is no such message; arrays and texts live as long as `in`. */
int msg_program_unpack(reader_t *in, struct msg_program *program, struct error *error);

#endif
