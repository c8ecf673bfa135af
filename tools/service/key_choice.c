/* key_choice.c - see key_choice.h. */
#include "tools/service/key_choice.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SUFFIX       ".key"
#define ROLE_DEFAULT "submit"

static int put(char text[PROCESS_NAME_MAX + 1], const char *from, size_t length,
               struct error *error)
{
    if (length > PROCESS_NAME_MAX)
        return error_set(error, "--as: \"%.*s\": expected " PROCESS_NAME_RULE, (int)length, from);
    memcpy(text, from, length);
    text[length] = '\0';
    return process_name_check(text, error);
}

static size_t name_length(const char *file)
{
    const size_t length = strlen(file);
    const size_t suffix = strlen(SUFFIX);

    return length > suffix && !strcmp(file + length - suffix, SUFFIX) ? length - suffix : 0;
}

static int find_only(const char *folder, struct key_choice *choice, struct error *error)
{
    DIR *files = opendir(folder);
    const struct dirent *file;
    int found = 0;

    if (!files)
        return error_set(error, "--keys: %s: %s", folder, strerror(errno));
    while ((file = readdir(files)) && found < 2)
        if (name_length(file->d_name) > 0 &&
            put(choice->name, file->d_name, name_length(file->d_name), error) == 0)
            found++;
    (void)closedir(files);
    if (found == 0)
        return error_set(error, "--keys: %s: there is no NAME.key", folder);
    return found == 1
               ? 0
               : error_set(error, "--keys: %s: there are several keys: name one with --as", folder);
}

static int parse(const char *as, struct key_choice *choice, struct error *error)
{
    const char *colon = strchr(as, ':');
    const char *name = colon ? colon + 1 : as;

    if (colon && put(choice->role, as, (size_t)(colon - as), error) < 0)
        return -1;
    return put(choice->name, name, strlen(name), error);
}

keys_t *key_choice_read(const char *folder, const char *as, struct key_choice *choice,
                        struct error *error)
{
    struct allowed_key allowed = {ROLE_DEFAULT, NULL};
    keys_t *keys;

    *choice = (struct key_choice){"", ""};
    if ((as ? parse(as, choice, error) : find_only(folder, choice, error)) < 0)
        return NULL;
    keys = keys_read(folder, choice->name, error);
    if (!keys || choice->role[0])
        return keys;
    (void)keys_allow(keys, keys_public(keys), &allowed);
    (void)snprintf(choice->role, sizeof(choice->role), "%s", allowed.role);
    return keys;
}
