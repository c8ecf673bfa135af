/* folder.h - a temporary folder of a test, and the files in it. */
#ifndef SUPPORT_FOLDER_H
#define SUPPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct folder folder_t;

/* A new, empty folder. folder_destroy removes it with everything in it. */
folder_t *folder_new(void);
void folder_destroy(folder_t **self);

/* The path of the folder, and of `name` in it. The folder lends both as long as it lasts. */
const char *folder_path(const folder_t *self);
const char *folder_file(folder_t *self, const char *name);

/* Writes a file and returns its path, which the folder lends. */
const char *folder_write(folder_t *self, const char *name, const char *text);
const char *folder_write_bytes(folder_t *self, const char *name, const void *bytes, size_t length);

/* The whole file, followed by a NUL. The caller frees it. The test fails if there is no such
 * file. */
char *folder_read(folder_t *self, const char *name);

/* Whether the folder has an entry `name`, and how many entries it has. */
bool folder_has(folder_t *self, const char *name);
size_t folder_count(const folder_t *self);

#endif
