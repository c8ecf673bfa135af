/* milp_find.c - back ends by name, each a shared object that is loaded when it is first wanted. */
#include "common/memory.h"
#include "scheduler/solver/milp_solver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "lib/rubato"

/* FOLDER/milp_NAME.so below `folder`; the caller frees it. */
static char *join(const char *folder, const char *below, const char *name)
{
    const size_t size = strlen(folder) + strlen(below) + strlen(name) + 16;
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s%s/milp_%s.so", folder, below, name);
    return path;
}

/* The object of that name in one of the folders above the running program, so that an installation
 * works from wherever it is moved to; or NULL. */
static char *find_above_program(const char *name)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        char *found;

        *slash = '\0';
        found = join(path, "/" FOLDER, name);
        if (access(found, F_OK) == 0)
            return found;
        free(found);
    }
    return NULL;
}

static bool is_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static const struct milp_solver *load(const char *path, const char *name, struct error *error)
{
    /* Never closed: a user of the constant needs the object, and a second opening costs
     * nothing. */
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct milp_solver *solver;
    const char *why;

    if (!object) {
        why = dlerror();
        error_set(error, "solver %s cannot be loaded: %s", name, why ? why : path);
        return NULL;
    }
    solver = dlsym(object, "milp_solver");
    if (!solver)
        error_set(error, "solver %s: %s has no milp_solver in it", name, path);
    return solver;
}

const struct milp_solver *milp_find_solver(const char *name, struct error *error)
{
    const char *folder = getenv("RUBATO_SOLVERS");
    const struct milp_solver *solver = NULL;
    char *path = NULL;

    if (is_name(name))
        path = folder && *folder ? join(folder, "", name) : find_above_program(name);
    if (!path)
        error_set(error, "there is no solver %s: no " FOLDER "/milp_%s.so above the program", name,
                  name);
    else if (access(path, R_OK) < 0)
        error_set(error, "there is no solver %s: no %s", name, path);
    else
        solver = load(path, name, error);
    free(path);
    return solver;
}
