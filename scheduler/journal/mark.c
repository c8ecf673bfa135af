/* mark.c - see mark.h. */
#include "scheduler/journal/mark.h"

#include "common/checksum.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 2, SLOT_BYTES = 4096, LINE_BYTES = 256 };

#define LINE                                                                                       \
    "rubato-mark turn=%" PRIu64 " run=%" PRIu64 " commits=%" PRIu64 " digest=%016" PRIx64          \
    " numbers=%" PRIu64 " lost=%d"
#define SCANNED                                                                                    \
    "rubato-mark turn=%" SCNu64 " run=%" SCNu64 " commits=%" SCNu64 " digest=%" SCNx64             \
    " numbers=%" SCNu64 " lost=%d check=%" SCNx64

static int write_line(char line[LINE_BYTES], uint64_t turn, const struct mark *mark)
{
    const int length = snprintf(line, LINE_BYTES, LINE, turn, mark->run, mark->commits,
                                mark->digest, mark->numbers, mark->lost);
    const uint64_t check = checksum(CHECKSUM_OF_NOTHING, line, (size_t)length);

    return length +
           snprintf(line + length, (size_t)(LINE_BYTES - length), " check=%016" PRIx64 "\n", check);
}

/* Whether `line` is complete. If so, `turn` and `mark` have its content. */
static bool read_line(const char *line, uint64_t *turn, struct mark *mark)
{
    char again[LINE_BYTES];
    uint64_t check;
    int lost;

    *mark = (struct mark){0};
    if (sscanf(line, SCANNED, turn, &mark->run, &mark->commits, &mark->digest, &mark->numbers,
               &lost, &check) != 7)
        return false;
    mark->lost = lost != 0;
    (void)write_line(again, *turn, mark);
    return !strcmp(line, again);
}

static void read_slots(struct mark_file *self)
{
    for (int i = 0; i < SLOTS; i++) {
        char line[LINE_BYTES] = "";
        struct mark mark;
        uint64_t turn;
        const ssize_t got = pread(self->fd, line, sizeof(line) - 1, (off_t)i * (off_t)SLOT_BYTES);

        line[got > 0 ? (size_t)got : 0] = '\0';
        if (strchr(line, '\n'))
            strchr(line, '\n')[1] = '\0';
        if (!read_line(line, &turn, &mark) || turn < self->turn)
            continue;
        self->turn = turn;
        self->mark = mark;
    }
}

int mark_open(struct mark_file *self, const char *folder, const char *name, struct error *error)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    *self = (struct mark_file){.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (self->fd < 0)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    self->path = xstrdup(path);
    read_slots(self);
    return 0;
}

void mark_close(struct mark_file *self)
{
    if (self->path && self->fd >= 0)
        (void)close(self->fd);
    free(self->path);
    *self = (struct mark_file){.fd = -1};
}

/* Writes a whole slot, so that nothing of its earlier content shows, and its blocks on the disk
 * stay. */
int mark_write(struct mark_file *self, const struct mark *mark, bool durable, struct error *error)
{
    char slot[SLOT_BYTES] = "";
    const uint64_t turn = self->turn + 1;
    const off_t at = (off_t)(turn % SLOTS) * (off_t)SLOT_BYTES;
    ssize_t put;

    (void)write_line(slot, turn, mark);
    do
        put = pwrite(self->fd, slot, sizeof(slot), at);
    while (put < 0 && errno == EINTR);
    if (put != (ssize_t)sizeof(slot) || (durable && fdatasync(self->fd) < 0))
        return error_set(error, "%s: cannot be written: %s", self->path,
                         put >= 0 && put != (ssize_t)sizeof(slot) ? strerror(ENOSPC)
                                                                  : strerror(errno));
    self->turn = turn;
    self->mark = *mark;
    return 0;
}
