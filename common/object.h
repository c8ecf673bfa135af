/* object.h - shared objects, Rubato's own and others, that are loaded only by the few runs that
 * need them, because loading takes time. */
#ifndef COMMON_OBJECT_H
#define COMMON_OBJECT_H

#include "common/error.h"

#define OBJECT_FOLDER "lib/rubato"

/* A file of OBJECT_FOLDER below one of the folders above the running program, so that an
 * installation works from wherever it is moved to; the caller frees it. NULL if there is none. */
char *object_file(const char *file);

/* The path of the shared object NAME.so, found as object_file finds it. */
char *object_path(const char *name);

/* Opens a shared object, found as dlopen finds it; NULL, with `error`, if it cannot be loaded. */
void *object_open(const char *library, struct error *error);

/* The constant `symbol` of the object at `path`, lent for as long as the process lives. NULL, with
 * `error`, if the object cannot be loaded or has no such constant. */
const void *object_load(const char *path, const char *symbol, struct error *error);

#endif
