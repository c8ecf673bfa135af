/* object.c - see object.h. */
#include "common/object.h"

#include "common/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The caller frees it. */
static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + sizeof("/" OBJECT_FOLDER "/.so") + strlen(name);
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s/" OBJECT_FOLDER "/%s.so", folder, name);
    return path;
}

char *object_path(const char *name)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        char *found;

        *slash = '\0';
        found = join(path, name);
        if (access(found, F_OK) == 0)
            return found;
        free(found);
    }
    return NULL;
}

const void *object_load(const char *path, const char *symbol, struct error *error)
{
    /* Never closed: a user of the constant needs the object, and a second opening costs
     * nothing. */
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found;
    const char *why;

    if (!object) {
        why = dlerror();
        error_set(error, "cannot be loaded: %s", why ? why : path);
        return NULL;
    }
    found = dlsym(object, symbol);
    if (!found)
        error_set(error, "has no %s in it: %s", symbol, path);
    return found;
}
