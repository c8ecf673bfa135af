/* entries_record.c - records of runs; see entries.h. */
#include "entries.h"

#include "common/error.h"
#include "common/input.h"
#include "scheduler/record/record_reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_occurrence(const struct recorded *item, const struct record_setting *setting)
{
    const struct occurrence *occurrence = &item->occurrence;
    const int nodes = cluster_spec_nodes(&setting->cluster);

    if (occurrence->kind == OCCURRENCE_SUBMITTED) {
        const struct submission *job = occurrence->submission;

        assert(job->iterations >= 1 && job->iterations <= ITERATIONS_MAX);
        assert(job->submit_s >= 0 && job->submit_s <= TIME_MAX_S);
        assert(job->best_effort ? job->deadline_s == DEADLINE_NONE_S
                                : job->deadline_s >= job->submit_s && job->level_count > 0);
        assert(!job->throughput || job->throughput->level_count > 0);
    }
    if (occurrence->kind >= OCCURRENCE_NODE_UP && occurrence->kind <= OCCURRENCE_NODE_GONE)
        assert(occurrence->node >= 0 && occurrence->node < nodes);
}

static int read_steps(record_reader_t *reader, struct error *error)
{
    const struct record_setting *setting = record_reader_setting(reader);
    struct recorded_step step;
    int64_t steps = 0;
    int got;

    assert(cluster_spec_gpus(&setting->cluster) > 0 && setting->slot_s > 0);
    while ((got = record_reader_next(reader, &step, error)) > 0) {
        assert(step.number == ++steps);
        assert(step.decision_bytes > 0);
        for (size_t i = 0; i < step.count; i++)
            check_occurrence(&step.items[i], setting);
    }
    return got;
}

void entry_record(const uint8_t *bytes, size_t size)
{
    const int fd = memfd_create("record", MFD_CLOEXEC);
    struct error error = {.text = ""};
    record_reader_t *reader;
    char path[64];

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    assert(lseek(fd, 0, SEEK_SET) == 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    reader = record_reader_open(path, &error);
    if (!reader || read_steps(reader, &error) < 0) {
        char shown[sizeof(error.text)];

        assert(!strncmp(error.text, path, strlen(path)));
        assert(input_printable(shown, sizeof(shown), error.text, strlen(error.text)) ==
               strlen(error.text));
        assert(!strcmp(shown, error.text));
    }
    record_reader_close(&reader);
    (void)close(fd);
}
