/* folder.c - see folder.h. */
#include "tests/support/folder.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char *path;
    arena_t *names;
};

folder_t *folder_new(void)
{
    const char *temporary = getenv("TMPDIR");
    folder_t *self = xcalloc(1, sizeof(*self));
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/rubato-test-XXXXXX", temporary ? temporary : "/tmp");
    assert_non_null(mkdtemp(path));
    self->path = xstrdup(path);
    self->names = arena_new();
    return self;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void folder_destroy(folder_t **self)
{
    if (!*self)
        return;
    (void)nftw((*self)->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_destroy(&(*self)->names);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

const char *folder_path(const folder_t *self)
{
    return self->path;
}

const char *folder_file(folder_t *self, const char *name)
{
    const size_t size = strlen(self->path) + strlen(name) + 2;
    char *path = arena_alloc(self->names, size);

    (void)snprintf(path, size, "%s/%s", self->path, name);
    return path;
}

const char *folder_write_bytes(folder_t *self, const char *name, const void *bytes, size_t length)
{
    const char *path = folder_file(self, name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *folder_write(folder_t *self, const char *name, const char *text)
{
    return folder_write_bytes(self, name, text, strlen(text));
}

char *folder_read(folder_t *self, const char *name)
{
    FILE *file = fopen(folder_file(self, name), "rb");
    char *text = NULL;
    size_t length = 0;
    size_t capacity = 0;

    if (!file)
        fail_msg("%s/%s cannot be read", self->path, name);
    do {
        if (length + 1 >= capacity) {
            capacity = 2 * capacity + 4096;
            text = xrealloc(text, capacity);
        }
        length += fread(text + length, 1, capacity - length - 1, file);
    } while (!feof(file) && !ferror(file));
    assert_false(ferror(file));
    (void)fclose(file);
    text[length] = '\0';
    return text;
}

bool folder_has(folder_t *self, const char *name)
{
    return access(folder_file(self, name), F_OK) == 0;
}

size_t folder_count(const folder_t *self)
{
    DIR *entries = opendir(self->path);
    size_t count = 0;

    assert_non_null(entries);
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(entries);
    return count;
}
