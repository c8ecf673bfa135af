/* data_file.c - see data_file.h. */
#include "common/data_file.h"

#include "common/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *data_folder(const char *name)
{
    static const char *const below[] = {"share/rubato/", ""};
    char program[PATH_MAX];
    char path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    if (length < 0)
        return NULL;
    program[length] = '\0';
    for (char *slash = strrchr(program, '/'); slash; slash = strrchr(program, '/')) {
        *slash = '\0';
        for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
            (void)snprintf(path, sizeof(path), "%s/%s%s", program, below[i], name);
            if (is_folder(path))
                return xstrdup(path);
        }
    }
    return NULL;
}

/* What an option means must outlive it, as what stands in `argv` does. */
static const char *keep(const char *text)
{
    static arena_t *kept;

    if (!kept)
        kept = arena_new();
    return arena_text(kept, text, strlen(text));
}

const char *data_file(const char *folder, const char *name)
{
    static const char *const endings[] = {".csv", ""};
    char path[2 * PATH_MAX];
    const char *found = name;
    char *whole;

    if (!name || !*name || strchr(name, '/') || access(name, F_OK) == 0)
        return name;
    whole = data_folder(folder);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && whole && found == name; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s%s", whole, name, endings[i]);
        if (access(path, F_OK) == 0)
            found = keep(path);
    }
    free(whole);
    return found;
}

bool data_file_is_from(const char *folder, const char *path)
{
    char *whole = data_folder(folder);
    char *real_folder = whole ? realpath(whole, NULL) : NULL;
    char *real = realpath(path, NULL);
    const size_t length = real_folder ? strlen(real_folder) : 0;
    const bool is_from =
        real && length > 0 && !strncmp(real, real_folder, length) && real[length] == '/';

    free(whole);
    free(real_folder);
    free(real);
    return is_from;
}
