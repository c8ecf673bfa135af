/* keys.c - see keys.h.
 *
 * The list is read again when the file was replaced or written to: a key taken out of the list
 * is refused from then on. */
#include "protocol/keys.h"

#include "common/memory.h"
#include "protocol/key_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The attributes that tell one state of a file from another. */
struct file_state {
    bool is_there;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec written;
    struct timespec changed;
};

/* Lists that are read when a key is asked for. */
struct keys_seen {
    struct allowed_list allowed;
    struct file_state state;
    uint64_t generation;
    char other[KEY_CHARS + 1]; /* public key that keys_public_of gave last */
};

struct keys {
    char *folder;
    struct key_pair pair;
    struct keys_seen *seen;
};

static char *path_in(const char *folder, const char *name, const char *suffix)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *const path = xmalloc(size);

    (void)snprintf(path, size, "%s/%s%s", folder, name, suffix);
    return path;
}

static struct file_state state_of(const char *path)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return (struct file_state){.is_there = false};
    return (struct file_state){
        .is_there = true,
        .device = status.st_dev,
        .inode = status.st_ino,
        .size = status.st_size,
        .written = status.st_mtim,
        .changed = status.st_ctim,
    };
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same_state(const struct file_state *a, const struct file_state *b)
{
    return a->is_there == b->is_there && a->device == b->device && a->inode == b->inode &&
           a->size == b->size && is_same_time(&a->written, &b->written) &&
           is_same_time(&a->changed, &b->changed);
}

/* Reads `allowed` again if the file has changed. */
static int look_at_allowed(const keys_t *self, bool lenient, struct error *error)
{
    struct keys_seen *const seen = self->seen;
    char *const path = path_in(self->folder, "allowed", "");
    const struct file_state state = state_of(path);
    int result = 0;

    if (!is_same_state(&state, &seen->state)) {
        size_t size;
        char *const text =
            state.is_there ? key_file_read(path, KEY_FILE_TRUSTED, &size, error) : NULL;

        seen->state = state;
        seen->generation++;
        seen->allowed.count = 0;
        if (text)
            result = key_file_parse_allowed(text, size, path, lenient, &seen->allowed, error);
        else if (state.is_there)
            result = -1;
        free(text);
    }
    free(path);
    return result;
}

static int read_pair(const char *folder, const char *name, struct key_pair *pair,
                     struct error *error)
{
    char *const path = path_in(folder, name, ".key");
    size_t size;
    char *const text = key_file_read(path, KEY_FILE_SECRET, &size, error);
    const int result = text ? key_file_parse_pair(text, size, path, pair, error) : -1;

    if (text)
        explicit_bzero(text, size);
    free(text);
    free(path);
    return result;
}

keys_t *keys_read(const char *folder, const char *name, struct error *error)
{
    keys_t *self;
    struct key_pair pair;

    if (process_name_check(name, error) < 0 || key_folder_check(folder, error) < 0 ||
        read_pair(folder, name, &pair, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->folder = xstrdup(folder);
    self->pair = pair;
    self->seen = xcalloc(1, sizeof(*self->seen));
    explicit_bzero(&pair, sizeof(pair));
    if (look_at_allowed(self, false, error) < 0)
        keys_destroy(&self);
    return self;
}

void keys_destroy(keys_t **self)
{
    if (!*self)
        return;
    explicit_bzero(&(*self)->pair, sizeof((*self)->pair));
    free((*self)->seen->allowed.lines);
    free((*self)->seen);
    free((*self)->folder);
    free(*self);
    *self = NULL;
}

const char *keys_public(const keys_t *self)
{
    return self->pair.public_key;
}

const char *keys_secret(const keys_t *self)
{
    return self->pair.secret_key;
}

const char *keys_public_of(const keys_t *self, const char *name, struct error *error)
{
    char *const path = path_in(self->folder, name, ".pub");
    size_t size;
    char *text = NULL;
    int result = -1;

    if (process_name_check(name, error) == 0)
        text = key_file_read(path, KEY_FILE_TRUSTED, &size, error);
    if (text)
        result = key_file_parse_public(text, size, path, self->seen->other, error);
    free(text);
    free(path);
    return result < 0 ? NULL : self->seen->other;
}

bool keys_allow(const keys_t *self, const char *public_key, struct allowed_key *found)
{
    const struct allowed_list *const allowed = &self->seen->allowed;
    struct error error;

    if (look_at_allowed(self, true, &error) < 0)
        return false;
    for (size_t i = 0; i < allowed->count; i++) {
        if (strcmp(allowed->lines[i].public_key, public_key) == 0) {
            *found = (struct allowed_key){allowed->lines[i].role, allowed->lines[i].name};
            return true;
        }
    }
    return false;
}

uint64_t keys_generation(const keys_t *self)
{
    struct error error;

    (void)look_at_allowed(self, true, &error); /* a list that cannot be read allows no key */
    return self->seen->generation;
}

int keys_check_allowed(const keys_t *self, struct error *error)
{
    if (self->seen->allowed.count > 0)
        return 0;
    return error_set(error, "%s/allowed: it lists no key, so that no peer could come in",
                     self->folder);
}
