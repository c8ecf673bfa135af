/* key_file.h - parses the files of a folder of keys: lines of words, '#' for comments. */
#ifndef PROTOCOL_KEY_FILE_H
#define PROTOCOL_KEY_FILE_H

#include "common/error.h"
#include "protocol/keys.h"
#include "protocol/process_name.h"

#include <stdbool.h>
#include <stddef.h>

/* NAME.key: the lines "public KEY" and "secret KEY". */
struct key_pair {
    char public_key[KEY_CHARS + 1];
    char secret_key[KEY_CHARS + 1];
};

/* A line of `allowed`. */
struct allowed_line {
    char public_key[KEY_CHARS + 1];
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

struct allowed_list {
    struct allowed_line *lines;
    size_t count;
    size_t capacity;
};

/* -1, with `error`, if `path` is no folder, or if others may write to it: they could replace a
 * file, whatever its access rights. Folders above `path` are not checked, so that it may lie in
 * /tmp. */
int key_folder_check(const char *path, struct error *error);

/* The access to a file that other users must not have. */
enum key_file_care {
    KEY_FILE_SECRET,  /* no other user may read or write the file */
    KEY_FILE_TRUSTED, /* no other user may write the file */
};

/* The whole file at `path`, which the caller frees. NULL, with `error`, if the file cannot be read,
 * is too large, or is open to others. */
char *key_file_read(const char *path, enum key_file_care care, size_t *size, struct error *error);

/* Each returns -1, with `error` that names `path` and the line, if `text` is malformed. */
int key_file_parse_pair(const char *text, size_t size, const char *path, struct key_pair *pair,
                        struct error *error);
int key_file_parse_public(const char *text, size_t size, const char *path, char key[KEY_CHARS + 1],
                          struct error *error);

/* Appends the lines to `list`. A `lenient` reader passes bad lines over and returns 0. */
int key_file_parse_allowed(const char *text, size_t size, const char *path, bool lenient,
                           struct allowed_list *list, struct error *error);

#endif
