/* own_program.c - see own_program.h. */
#include "executor/own_program.h"

#include "common/memory.h"
#include "common/privileges.h"
#include "executor/launch.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Groups of a user that are read at first; getgrouplist says how many there are. */
#define GROUPS_AT_FIRST 64

struct own_user {
    struct child_user child;
    bool other; /* the user is not that of this process */
    gid_t *groups;
    char *home; /* "HOME=..." */
    char *name;
    char *login;
};

/* ---- the user ---- */

static void find_groups(own_user_t *self, const char *name)
{
    int count = GROUPS_AT_FIRST;

    self->groups = xcalloc((size_t)count, sizeof(*self->groups));
    if (getgrouplist(name, self->child.gid, self->groups, &count) < 0) {
        self->groups = xrealloc(self->groups, (size_t)count * sizeof(*self->groups));
        if (getgrouplist(name, self->child.gid, self->groups, &count) < 0)
            count = 0; /* the user joined groups since the first call */
    }
    self->child.group_count = (size_t)count;
    self->child.groups = self->groups;
}

static char *assignment(const char *name, const char *value)
{
    const size_t size = strlen(name) + strlen(value) + 2;
    char *text = xmalloc(size);

    (void)snprintf(text, size, "%s=%s", name, value);
    return text;
}

own_user_t *own_user_find(const char *name, struct error *error)
{
    own_user_t *self = xcalloc(1, sizeof(*self));
    const struct passwd *entry;

    if (!*name)
        return self;
    errno = 0;
    entry = getpwnam(name);
    if (!entry) {
        (void)error_set(error, "this node has no user \"%s\"%s%s", name, errno ? ": " : "",
                        errno ? strerror(errno) : "");
        own_user_destroy(&self);
        return NULL;
    }
    self->other = entry->pw_uid != geteuid();
    if (self->other && (!privileges_run_others() || entry->pw_uid == 0)) {
        (void)error_set(error,
                        "the worker of this node runs as user %s, and no program as user \"%s\"",
                        privileges_user(), name);
        own_user_destroy(&self);
        return NULL;
    }
    self->child = (struct child_user){.uid = entry->pw_uid, .gid = entry->pw_gid};
    self->home = assignment("HOME", entry->pw_dir);
    self->name = assignment("USER", entry->pw_name);
    self->login = assignment("LOGNAME", entry->pw_name);
    find_groups(self, name);
    return self;
}

void own_user_destroy(own_user_t **self)
{
    if (!*self)
        return;
    free((*self)->groups);
    free((*self)->home);
    free((*self)->name);
    free((*self)->login);
    free(*self);
    *self = NULL;
}

const struct child_user *own_user_child(const own_user_t *self)
{
    return self->other ? &self->child : NULL;
}

/* ---- words ---- */

char **own_program_arguments(const struct msg_program *program, const char *python)
{
    char **words = xcalloc(program->argument_count + 2, sizeof(*words));
    size_t count = 0;

    if (launch_is_script(program->arguments[0]))
        words[count++] = xstrdup(python);
    for (size_t i = 0; i < program->argument_count; i++)
        words[count++] = xstrdup(program->arguments[i]);
    return words;
}

struct words {
    char **items;
    size_t count;
};

/* Of two variables with one name the later one counts. */
static void put(struct words *words, const char *word)
{
    const size_t length = strcspn(word, "=") + 1;

    for (size_t i = 0; i < words->count; i++) {
        if (strncmp(words->items[i], word, length) != 0)
            continue;
        free(words->items[i]);
        words->items[i] = xstrdup(word);
        return;
    }
    words->items[words->count++] = xstrdup(word);
}

char **own_program_environment(const struct msg_program *program, const own_user_t *user,
                               char *const *passed)
{
    struct words words = {NULL, 0};
    size_t room = program->variable_count + 4;

    for (size_t i = 0; passed[i]; i++)
        room++;
    words.items = xcalloc(room, sizeof(*words.items));
    for (size_t i = 0; passed[i]; i++)
        put(&words, passed[i]);
    if (user->other) {
        put(&words, user->home);
        put(&words, user->name);
        put(&words, user->login);
    }
    for (size_t i = 0; i < program->variable_count; i++)
        put(&words, program->variables[i]);
    assert(words.count < room);
    return words.items;
}
