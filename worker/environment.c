/* environment.c - see environment.h. */
#include "worker/environment.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"PATH", "HOME", "LANG", "TZ"};
static const char *const prefixes[] = {"LC_", "RUBATO_"};

/* NCCL takes a name without = for the beginning of names. */
static const struct {
    const char *name;
    const char *value;
} network_variables[ENVIRONMENT_NETWORK_WORDS] = {{"GLOO_SOCKET_IFNAME", ""},
                                                  {"NCCL_SOCKET_IFNAME", "="}};

static bool has_name(const char *word, const char *name, size_t length)
{
    return strlen(word) > length && !memcmp(word, name, length) && word[length] == '=';
}

static bool is_named(const char *word, const char *more)
{
    while (more && *more) {
        const size_t length = strcspn(more, ",");

        if (has_name(word, more, length))
            return true;
        more += length;
        more += *more == ',';
    }
    return false;
}

static bool is_passed(const char *word, const char *more)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (has_name(word, names[i], strlen(names[i])))
            return true;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (!strncmp(word, prefixes[i], strlen(prefixes[i])))
            return true;
    return is_named(word, more);
}

static int check_names(const char *more, struct error *error)
{
    while (more && *more) {
        const size_t length = strcspn(more, ",");

        if (length == 0 || memchr(more, '=', length))
            return error_set(error, "--pass-env: \"%.*s\" is no name of a variable", (int)length,
                             more);
        more += length;
        more += *more == ',';
    }
    return 0;
}

char **environment_select(char *const *environment, const char *more, struct error *error)
{
    char **selected;
    size_t count = 0;

    if (check_names(more, error) < 0)
        return NULL;
    while (environment[count])
        count++;
    selected = xcalloc(count + 1, sizeof(*selected));
    count = 0;
    for (size_t i = 0; environment[i]; i++)
        if (is_passed(environment[i], more))
            selected[count++] = environment[i];
    return selected;
}

static char *find_word(char *const *environment, const char *name)
{
    for (size_t i = 0; environment[i]; i++)
        if (has_name(environment[i], name, strlen(name)))
            return environment[i];
    return NULL;
}

char **environment_of_node(char *const *environment, const char *more, const char *interface,
                           struct environment_network *network, struct error *error)
{
    char **selected = environment_select(environment, more, error);
    size_t count = 0;

    if (!selected || !*interface)
        return selected;
    while (selected[count])
        count++;
    selected = xrealloc(selected, (count + ENVIRONMENT_NETWORK_WORDS + 1) * sizeof(*selected));
    for (size_t i = 0; i < ENVIRONMENT_NETWORK_WORDS; i++) {
        const char *name = network_variables[i].name;
        char *own = find_word(environment, name);

        if (find_word(selected, name))
            continue;
        (void)snprintf(network->words[i], sizeof(network->words[i]), "%s=%s%s", name,
                       network_variables[i].value, interface);
        selected[count++] = own ? own : network->words[i];
        selected[count] = NULL;
    }
    return selected;
}
