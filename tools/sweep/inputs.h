/* inputs.h - checksums of the inputs of a sweep, so that changed inputs are noticed. */
#ifndef SWEEP_INPUTS_H
#define SWEEP_INPUTS_H

#include "common/checksum.h"
#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct input {
    const char *path; /* lent */
    int64_t bytes;    /* size of the unpacked file */
    char checksum[CHECKSUM_TEXT_BYTES];
};

/* All inputs; each file is listed once. */
struct inputs_read {
    struct input *items;
    size_t count;
    size_t room;
};

/* The number of the file at `path`, which is read if it is new. SIZE_MAX with `error` if the file
 * cannot be read. */
size_t inputs_read_file(struct inputs_read *self, const char *path, struct error *error);
void inputs_read_clear(struct inputs_read *self);

/* input_checksum_file: the checksum of one file. input_checksum_folder: the checksum of all files
 * below `folder`, with their names. Both return -1 with `error`. */
int input_checksum_file(const char *path, char text[CHECKSUM_TEXT_BYTES], struct error *error);
int input_checksum_folder(const char *folder, char text[CHECKSUM_TEXT_BYTES], struct error *error);

/* The checksum of the files that words of `command` name; 0 if no word names a file. Returns -1
 * with `error`. */
int input_checksum_command(const char *command, char text[CHECKSUM_TEXT_BYTES],
                           struct error *error);

void input_checksum_text(const char *of, char text[CHECKSUM_TEXT_BYTES]);

#endif
