/* milp_find.c - back ends by name, each a shared object that is loaded on first use. */
#include "common/memory.h"
#include "common/object.h"
#include "scheduler/solver/milp_solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

char *milp_solver_path(const char *name)
{
    const char *folder = getenv("RUBATO_SOLVERS");
    const size_t size = (folder ? strlen(folder) : 0) + strlen(name) + sizeof("/milp_.so");
    char *path;
    char *found;

    if (!is_name(name))
        return NULL;
    path = xmalloc(size);
    if (folder && *folder) {
        (void)snprintf(path, size, "%s/milp_%s.so", folder, name);
        return path;
    }
    (void)snprintf(path, size, "milp_%s", name);
    found = object_path(path);
    free(path);
    return found;
}

const struct milp_solver *milp_find_solver(const char *name, struct error *error)
{
    const struct milp_solver *solver = NULL;
    char *path = milp_solver_path(name);

    if (!path) {
        error_set(error, "there is no solver %s: no " OBJECT_FOLDER "/milp_%s.so above the program",
                  name, name);
    } else if (access(path, R_OK) < 0) {
        error_set(error, "there is no solver %s: no %s", name, path);
    } else {
        solver = object_load(path, "milp_solver", error);
        if (!solver) {
            const struct error why = *error;

            error_set(error, "solver %s %s", name, why.text);
        }
    }
    free(path);
    return solver;
}
