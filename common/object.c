/* object.c - see object.h. */
#include "common/object.h"

#include "common/memory.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The caller frees the result. */
static char *join(const char *folder, const char *file)
{
    const size_t size = strlen(folder) + sizeof("/" OBJECT_FOLDER "/") + strlen(file);
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s/" OBJECT_FOLDER "/%s", folder, file);
    return path;
}

char *object_file(const char *file)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        char *found;

        *slash = '\0';
        found = join(path, file);
        if (access(found, F_OK) == 0)
            return found;
        free(found);
    }
    return NULL;
}

char *object_path(const char *name)
{
    const size_t size = strlen(name) + sizeof(".so");
    char *file = xmalloc(size);
    char *path;

    (void)snprintf(file, size, "%s.so", name);
    path = object_file(file);
    free(file);
    return path;
}

/* Whether the linker ran out of memory: errno says nothing after dlopen. */
static bool is_about_memory(const char *why)
{
    return strstr(why, "failed to map segment") || strstr(why, "annot allocate memory") ||
           strstr(why, "cannot map zero-fill pages") || strstr(why, "cannot create ");
}

void *object_open(const char *library, struct error *error)
{
    void *object = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const char *why = object ? NULL : dlerror();

    if (why && is_about_memory(why))
        memory_out();
    if (!object)
        error_set(error, "cannot be loaded: %s", why ? why : library);
    return object;
}

const void *object_load(const char *path, const char *symbol, struct error *error)
{
    /* Never closed: a user of the constant needs the object, and a second opening costs
     * nothing. */
    void *object = object_open(path, error);
    const void *found;

    if (!object)
        return NULL;
    found = dlsym(object, symbol);
    if (!found)
        error_set(error, "has no %s in it: %s", symbol, path);
    return found;
}
