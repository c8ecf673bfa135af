/* program.h - a program of a job's own. PROGRAM, scheduler to master, comes before the first plan
 * of a session that names the job. RUN and PREPARE hand the program on. */
#ifndef PROTOCOL_PROGRAM_H
#define PROTOCOL_PROGRAM_H

#include "common/packing.h"
#include "protocol/wire.h"

#define PROGRAM_WORDS_MAX    ((size_t)1024)       /* arguments, and as many variables */
#define PROGRAM_BYTES_MAX    ((size_t)256 * 1024) /* bytes of all its texts together */
#define PROGRAM_GRACE_MS_MAX INT64_C(86400000)
#define CHECKPOINT_S_MAX     1000000000

struct msg_program {
    uint64_t job;
    size_t argument_count; /* at least one: the executable file */
    const char **arguments;
    const char *folder; /* absolute folder that the program runs in; "": the worker's */
    size_t variable_count;
    const char **variables; /* NAME=value, in addition to the variables that the worker passes on */
    const char *user;       /* user that the program runs as; "": the worker's */
    int64_t grace_ms;       /* time between SIGTERM and SIGKILL, 0: the worker's setting */
    int64_t checkpoint_s;   /* seconds between two checkpoints, 0: the worker's setting */
};

/* Checks a program: within the limits, with a file to execute, an absolute folder, and variables
 * with names. -1, with `error` that says what is wrong. */
int program_check(const struct msg_program *program, struct error *error);

/* A copy with its own texts, in one piece of memory that the caller frees. NULL for NULL. */
struct msg_program *program_copy(const struct msg_program *program);

/* Like program_copy, as a piece of a larger copy. */
struct msg_program *program_pack(const struct msg_program *program, struct packing *packing);

/* `program` must be good by program_check. */
void msg_program_pack(const struct msg_program *program, struct writer *out);

/* -1, with `error`, if `in` is no valid PROGRAM; arrays and texts live as long as `in`. */
int msg_program_unpack(reader_t *in, struct msg_program *program, struct error *error);

#endif
