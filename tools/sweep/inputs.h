/* inputs.h - the checksums of what a sweep reads, so that a change of it is seen. */
#ifndef SWEEP_INPUTS_H
#define SWEEP_INPUTS_H

#include "common/checksum.h"
#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct input {
    const char *path; /* lent */
    int64_t bytes;    /* once it is unpacked */
    char checksum[CHECKSUM_TEXT_BYTES];
};

/* Each file once. */
struct inputs_read {
    struct input *items;
    size_t count;
    size_t room;
};

/* The number of the file at `path`, read if it is new; SIZE_MAX with `error` if it cannot be. */
size_t inputs_read_file(struct inputs_read *self, const char *path, struct error *error);
void inputs_read_clear(struct inputs_read *self);

/* Of one file; and of all files in `folder` and below it with their names. -1 with `error`. */
int input_checksum_file(const char *path, char text[CHECKSUM_TEXT_BYTES], struct error *error);
int input_checksum_folder(const char *folder, char text[CHECKSUM_TEXT_BYTES], struct error *error);

/* Of the files that are words of `command`, 0 of no file at all. -1 with `error`. */
int input_checksum_command(const char *command, char text[CHECKSUM_TEXT_BYTES],
                           struct error *error);

void input_checksum_text(const char *of, char text[CHECKSUM_TEXT_BYTES]);

#endif
