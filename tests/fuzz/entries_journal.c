/* entries_journal.c - what a state has of a run; see entries.h. */
#include "entries.h"

#include "common/input.h"
#include "scheduler/capacity/trained_jobs.h"
#include "scheduler/journal/wal_damage.h"
#include "scheduler/record/step_lines.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_sentence(const struct error *error, const char *path)
{
    char shown[sizeof(error->text)];

    assert(!strncmp(error->text, path, strlen(path)));
    assert(input_printable(shown, sizeof(shown), error->text, strlen(error->text)) ==
           strlen(error->text));
    assert(!strcmp(shown, error->text));
}

void entry_step(const uint8_t *bytes, size_t size)
{
    struct error error;
    struct step_lines lines;

    step_lines_open(&lines);
    lines.known.cluster = (struct cluster_spec)CLUSTER_OF(1, 8, 4);
    if (step_lines_read(&lines, "state", (const char *)bytes, size, &error) < 0)
        check_sentence(&error, "state");
    else
        for (size_t i = 0; i < lines.count; i++)
            assert(lines.items[i].occurrence.node >= -1 && lines.items[i].occurrence.node < 8);
    step_lines_close(&lines);
}

void entry_jobs(const uint8_t *bytes, size_t size)
{
    struct cursor cursor = {
        .path = "state", .line = 1, .text = (const char *)bytes, .length = size};
    trained_jobs_t *jobs = trained_jobs_new();
    struct error error;

    if (trained_jobs_read(jobs, &cursor, &error) < 0)
        check_sentence(&error, "state");
    trained_jobs_destroy(&jobs);
}

void entry_log(const uint8_t *bytes, size_t size)
{
    const int fd = memfd_create("log", MFD_CLOEXEC);
    struct error error;
    char path[64];

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (wal_damage_check(path, &error) < 0)
        check_sentence(&error, path);
    (void)close(fd);
}
