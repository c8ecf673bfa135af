/* folder.h - a temporary folder of a test, with whatever is in it. */
#ifndef SUPPORT_FOLDER_H
#define SUPPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct folder folder_t;

/* A new, empty folder; destroying it removes all that is in it. */
folder_t *folder_new(void);
void folder_destroy(folder_t **self);

/* The path of the folder, and of `name` in it. The latter is lent while the folder lasts. */
const char *folder_path(const folder_t *self);
const char *folder_file(folder_t *self, const char *name);

/* Writes a file and returns its path, lent as above. */
const char *folder_write(folder_t *self, const char *name, const char *text);
const char *folder_write_bytes(folder_t *self, const char *name, const void *bytes, size_t length);

/* The whole file, ended with a NUL; the caller frees it. The test fails if there is none. */
char *folder_read(folder_t *self, const char *name);

/* Whether there is something called `name`, and how many things there are. */
bool folder_has(folder_t *self, const char *name);
size_t folder_count(const folder_t *self);

#endif
