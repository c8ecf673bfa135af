/* pieces.h - fields that messages of several links share: for the files of the links only. */
#ifndef PROTOCOL_PIECES_H
#define PROTOCOL_PIECES_H

#include "protocol/master_worker.h"
#include "protocol/wire.h"

/* A real number that is finite and not negative. */
double read_amount(reader_t *in);

/* The number of a job's incarnation. */
uint32_t read_incarnation(reader_t *in);

/* A list of `count` numbers. */
void write_numbers(const int32_t numbers[], size_t count, struct writer *out);

/* A list of at most `count_max` numbers in 0 .. max, in the arena of `in`; `*count` says how
 * many. */
int32_t *read_numbers(reader_t *in, size_t count_max, int32_t max, size_t *count);

/* Like read_numbers, with strictly rising numbers. */
int32_t *read_rising_numbers(reader_t *in, size_t count_max, int32_t max, size_t *count);

/* A part: one field, a list. */
void write_part(const struct msg_part *part, struct writer *out);
void read_part(reader_t *in, struct msg_part *part);

/* Parts: one field, a list of lists. */
void write_parts(const struct msg_part parts[], size_t count, struct writer *out);
struct msg_part *read_parts(reader_t *in, size_t count_max, size_t *count);

/* A program: one field, a list. Its job is a field of the message. */
void write_program(const struct msg_program *program, struct writer *out);
void read_program(reader_t *in, struct msg_program *program);

/* The fields of a RUN: the next RUN_FIELDS fields, the last of which is the program. */
#define WORK_FIELDS 19
#define RUN_FIELDS  (WORK_FIELDS + 1)
void write_run(const struct msg_run *run, struct writer *out);
void read_run(reader_t *in, struct msg_run *run);

/* RUNs: one field, a list of lists, without programs: all programs of a node may exceed a frame. */
void write_runs(const struct msg_run runs[], size_t count, struct writer *out);
struct msg_run *read_runs(reader_t *in, size_t count_max, size_t *count);

#endif
