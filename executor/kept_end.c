/* kept_end.c - see kept_end.h. A file is a line with the bytes of each message, the time of day and
 * the start of the machine, and the messages. */
#include "executor/kept_end.h"

#include "common/clock.h"
#include "common/memory.h"
#include "executor/run_folder.h"
#include "protocol/job_number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER          "ends"
#define HEAD_SIZE_MAX   (48 + CLOCK_BOOT_BYTES)
#define ASIDE           ".new"
#define SIZE_MAX_OF_END ((off_t)1 << 22)

static void name_file(char *name, size_t size, uint64_t job, uint32_t incarnation, int32_t rank,
                      const char *tail)
{
    (void)snprintf(name, size, "%s.%" PRIu32 ".%" PRId32 "%s", job_number_name(job).text,
                   incarnation, rank, tail);
}

/* ---- writing ---- */

static bool put(int file, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        const ssize_t put = write(file, at, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool put_messages(int file, const struct writer *prepare, const struct writer *report)
{
    char boot[CLOCK_BOOT_BYTES];
    char head[HEAD_SIZE_MAX];

    clock_boot_name(boot);
    (void)snprintf(head, sizeof(head), "%08zx %08zx %" PRId64 " %s\n", prepare->bytes.size,
                   report->bytes.size, clock_day_us(), boot);
    return put(file, head, strlen(head)) && put(file, prepare->bytes.data, prepare->bytes.size) &&
           put(file, report->bytes.data, report->bytes.size) && fsync(file) == 0;
}

/* Writes a kept end. -1 with errno, and then no part of the file is left. */
static int fill(int folder, const char *aside, const char *name, const struct writer *prepare,
                const struct writer *report)
{
    const int file =
        openat(folder, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = file >= 0 && put_messages(file, prepare, report);
    int number = errno;

    if (file >= 0)
        (void)close(file);
    if (good && (renameat(folder, aside, folder, name) < 0 || fsync(folder) < 0)) {
        good = false;
        number = errno;
    }
    if (!good)
        (void)unlinkat(folder, aside, 0);
    errno = number;
    return good ? 0 : -1;
}

int kept_end_write(const char *run_dir, const char *node, const struct msg_prepare *prepare,
                   const struct msg_part *part, struct error *error)
{
    const struct msg_rank_report report = {.part = *part, .state = TRAINER_IDLE};
    const int folder = run_folder_open(run_dir, FOLDER, node, true, error);
    struct writer messages[2];
    char aside[96];
    char name[96];
    int status;

    if (folder < 0)
        return -1;
    name_file(name, sizeof(name), prepare->run.job, prepare->run.incarnation, prepare->run.ranks[0],
              "");
    name_file(aside, sizeof(aside), prepare->run.job, prepare->run.incarnation,
              prepare->run.ranks[0], ASIDE);
    msg_prepare_pack(prepare, &messages[0]);
    msg_rank_report_pack(&report, &messages[1]);
    status = fill(folder, aside, name, &messages[0], &messages[1]);
    if (status < 0)
        (void)error_set(error, "%s/" FOLDER "/%s/%s: cannot be written: %s", run_dir, node, name,
                        strerror(errno));
    writer_close(&messages[0]);
    writer_close(&messages[1]);
    (void)close(folder);
    return status;
}

void kept_end_remove(const char *run_dir, const char *node, uint64_t job, uint32_t incarnation,
                     int32_t rank)
{
    struct error none;
    const int folder = run_folder_open(run_dir, FOLDER, node, false, &none);
    char name[96];

    if (folder < 0)
        return;
    name_file(name, sizeof(name), job, incarnation, rank, "");
    (void)unlinkat(folder, name, 0);
    (void)close(folder);
}

/* ---- reading ---- */

/* The bytes of the file, to be freed; NULL if the file is not this user's, or is too large. */
static char *read_file(int folder, const char *name, size_t *size)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    char *bytes = NULL;

    if (file < 0)
        return NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        about.st_size > 0 && about.st_size < SIZE_MAX_OF_END) {
        *size = (size_t)about.st_size;
        bytes = xcalloc(*size + 1, 1);
        if (read(file, bytes, *size) != about.st_size) {
            free(bytes);
            bytes = NULL;
        }
    }
    (void)close(file);
    return bytes;
}

static void forget(struct kept_end *end)
{
    for (int i = 0; i < 2; i++)
        if (end->readers[i])
            reader_destroy(&end->readers[i]);
}

struct head {
    unsigned sizes[2];
    int64_t day_us;
    char boot[CLOCK_BOOT_BYTES];
    size_t size; /* size of the head */
};

static int read_head(const char *bytes, size_t size, struct head *head)
{
    const char *end = memchr(bytes, '\n', size < HEAD_SIZE_MAX ? size : HEAD_SIZE_MAX);

    head->boot[0] = '\0';
    if (!end || sscanf(bytes, "%8x %8x %" SCNd64 " %63[^\n]", &head->sizes[0], &head->sizes[1],
                       &head->day_us, head->boot) < 3)
        return -1;
    head->size = (size_t)(end - bytes) + 1;
    return (size_t)head->sizes[0] + head->sizes[1] + head->size == size ? 0 : -1;
}

/* Dates an end. The clock of the end is this machine's since its present start, or another
 * clock; in that case the time of day tells how long ago the end was. */
static void date(const struct head *head, struct msg_part *part)
{
    const int64_t now_us = clock_boot_us();
    const int64_t ago_us = clock_day_us() - head->day_us;
    char boot[CLOCK_BOOT_BYTES];

    clock_boot_name(boot);
    if (part->ended_us == 0 || (boot[0] && !strcmp(boot, head->boot)))
        return;
    part->ended_us = ago_us > 0 ? now_us - ago_us : now_us;
}

static int unpack(const char *bytes, size_t size, struct kept_end *end)
{
    struct msg_rank_report report;
    struct error error;
    struct head head;

    if (read_head(bytes, size, &head) < 0)
        return -1;
    end->readers[0] = reader_new(bytes + head.size, head.sizes[0], &error);
    if (!end->readers[0] || msg_prepare_unpack(end->readers[0], &end->prepare, &error) < 0)
        return -1;
    end->readers[1] = reader_new(bytes + head.size + head.sizes[0], head.sizes[1], &error);
    if (!end->readers[1] || msg_rank_report_unpack(end->readers[1], &report, &error) < 0)
        return -1;
    end->part = report.part;
    date(&head, &end->part);
    return end->part.state == PART_DONE && end->part.job == end->prepare.run.job &&
                   end->part.incarnation == end->prepare.run.incarnation
               ? 0
               : -1;
}

static int read_end(int folder, const char *name, struct kept_end *end)
{
    size_t size = 0;
    char *bytes = read_file(folder, name, &size);
    int status;

    *end = (struct kept_end){.readers = {NULL, NULL}};
    if (!bytes)
        return -1;
    status = unpack(bytes, size, end);
    free(bytes);
    if (status < 0)
        forget(end);
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct msg_run *x = &((const struct kept_end *)a)->prepare.run;
    const struct msg_run *y = &((const struct kept_end *)b)->prepare.run;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->incarnation != y->incarnation)
        return x->incarnation < y->incarnation ? -1 : 1;
    return (x->gpus[0] > y->gpus[0]) - (x->gpus[0] < y->gpus[0]);
}

size_t kept_ends_read(const char *run_dir, const char *node, struct kept_end **found)
{
    struct error none;
    const int fd = run_folder_open(run_dir, FOLDER, node, false, &none);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    size_t capacity = 0;
    size_t count = 0;

    *found = NULL;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        *found = grow_array(*found, count, &capacity, sizeof(**found));
        if (read_end(fd, entry->d_name, &(*found)[count]) == 0)
            count++;
        else
            (void)unlinkat(fd, entry->d_name, 0);
    }
    if (folder)
        (void)closedir(folder);
    if (count > 0)
        qsort(*found, count, sizeof(**found), compare);
    return count;
}

void kept_ends_free(struct kept_end *ends, size_t count)
{
    for (size_t i = 0; i < count; i++)
        forget(&ends[i]);
    free(ends);
}
