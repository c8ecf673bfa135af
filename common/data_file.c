/* data_file.c - see data_file.h. */
#include "common/data_file.h"

#include "common/memory.h"
#include "common/suggestion.h"

#include <dirent.h>
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

/* A path found in the place of an option's value must live as long as the texts of `argv`. */
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

/* The length of `name` without .csv. */
static size_t stem(const char *name)
{
    const char *end = strrchr(name, '.');

    return end && !strcmp(end, ".csv") ? (size_t)(end - name) : strlen(name);
}

static int is_data(const struct dirent *entry)
{
    return entry->d_name[stem(entry->d_name)] != '\0';
}

/* Suggests one of the files in the folder at `path`. */
static void suggest_from(const char *path, const char *name, char *hint, size_t size)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_data, alphasort);
    const char **names = xcalloc((size_t)(count < 0 ? 0 : count) + 1, sizeof(*names));

    for (int i = 0; i < count; i++) {
        entries[i]->d_name[stem(entries[i]->d_name)] = '\0';
        names[i] = entries[i]->d_name;
    }
    suggestion_print(name, names, "", "", hint, size);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(names);
}

void data_file_suggest(const char *folder, const char *name, struct error *error)
{
    const size_t used = strlen(error->text);
    char *whole = strchr(name, '/') || access(name, F_OK) == 0 ? NULL : data_folder(folder);
    char *word = xstrdup(name);

    word[stem(word)] = '\0';
    if (whole)
        suggest_from(whole, word, error->text + used, sizeof(error->text) - used);
    free(word);
    free(whole);
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
