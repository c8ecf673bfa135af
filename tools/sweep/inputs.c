/* inputs.c - see inputs.h. */
#include "tools/sweep/inputs.h"

#include "common/input.h"
#include "common/memory.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_file(uint64_t *sum, const char *path, int64_t *bytes, struct error *error)
{
    input_t *input = input_open(path, error);
    char chunk[65536];
    long got = input ? 1 : -1;

    while (got > 0) {
        got = input_read(input, chunk, sizeof(chunk), error);
        if (got > 0) {
            *sum = checksum(*sum, chunk, (size_t)got);
            *bytes += got;
        }
    }
    input_destroy(&input);
    return got < 0 ? -1 : 0;
}

size_t inputs_read_file(struct inputs_read *self, const char *path, struct error *error)
{
    uint64_t sum = CHECKSUM_OF_NOTHING;
    struct input input = {.path = path};

    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->items[i].path, path))
            return i;
    if (add_file(&sum, path, &input.bytes, error) < 0)
        return SIZE_MAX;
    checksum_print(sum, input.checksum);
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    self->items[self->count] = input;
    return self->count++;
}

int input_checksum_file(const char *path, char text[CHECKSUM_TEXT_BYTES], struct error *error)
{
    uint64_t sum = CHECKSUM_OF_NOTHING;
    int64_t bytes = 0;

    if (add_file(&sum, path, &bytes, error) < 0)
        return -1;
    checksum_print(sum, text);
    return 0;
}

void inputs_read_clear(struct inputs_read *self)
{
    free(self->items);
    *self = (struct inputs_read){.items = NULL};
}

static int by_name(const FTSENT **one, const FTSENT **other)
{
    return strcmp((*one)->fts_name, (*other)->fts_name);
}

static int add_entry(uint64_t *sum, const FTSENT *entry, size_t folder_length, struct error *error)
{
    const char *name = entry->fts_path + folder_length;
    int64_t bytes = 0;

    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
        return error_set(error, "%s: cannot be read: %s", entry->fts_path,
                         strerror(entry->fts_errno));
    if (entry->fts_info != FTS_F)
        return 0;
    *sum = checksum(*sum, name, strlen(name) + 1);
    return add_file(sum, entry->fts_accpath, &bytes, error);
}

int input_checksum_folder(const char *folder, char text[CHECKSUM_TEXT_BYTES], struct error *error)
{
    char *const paths[] = {(char *)(uintptr_t)folder, NULL};
    FTS *walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    uint64_t sum = CHECKSUM_OF_NOTHING;
    const FTSENT *entry;
    int result = 0;

    if (!walk)
        return error_set(error, "%s: cannot be read: %s", folder, strerror(errno));
    while (result == 0 && (entry = fts_read(walk)))
        result = add_entry(&sum, entry, strlen(folder), error);
    (void)fts_close(walk);
    checksum_print(sum, text);
    return result;
}

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int input_checksum_command(const char *command, char text[CHECKSUM_TEXT_BYTES], struct error *error)
{
    char *words = xstrdup(command);
    char *rest = NULL;
    uint64_t sum = CHECKSUM_OF_NOTHING;
    int64_t bytes = 0;
    int result = 0;

    for (const char *word = strtok_r(words, " ", &rest); word && result == 0;
         word = strtok_r(NULL, " ", &rest))
        if (is_file(word))
            result = add_file(&sum, word, &bytes, error);
    checksum_print(bytes > 0 ? sum : 0, text);
    free(words);
    return result;
}

void input_checksum_text(const char *of, char text[CHECKSUM_TEXT_BYTES])
{
    checksum_print(checksum(CHECKSUM_OF_NOTHING, of, strlen(of)), text);
}
