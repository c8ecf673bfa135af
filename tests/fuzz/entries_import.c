/* entries_import.c - the job logs of other systems; see entries.h. */
#include "entries.h"

#include "common/error.h"
#include "common/input.h"
#include "tools/trace_import/format.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_bytes(const void *bytes, size_t size, char *path, size_t path_size)
{
    const int fd = memfd_create("log", MFD_CLOEXEC);

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    assert(lseek(fd, 0, SEEK_SET) == 0);
    (void)snprintf(path, path_size, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_jobs(foreign_t *jobs)
{
    foreign_order(jobs);
    for (size_t i = 0; i < foreign_count(jobs); i++) {
        const struct foreign_job *job = foreign_at(jobs, i);

        assert(job->gpus > 0 && job->gpus <= FOREIGN_GPUS_MAX);
        assert(job->duration_s > 0 && job->duration_s <= FOREIGN_DURATION_MAX_S);
        assert(job->submit_s >= 0 && job->submit_s <= FOREIGN_SUBMIT_MAX_S);
        assert(i == 0 || foreign_at(jobs, i - 1)->submit_s <= job->submit_s);
        assert(job->name[0] && strlen(job->name) <= 128 && !strpbrk(job->name, "/ ,\"\n"));
    }
}

static void check_sentence(const struct error *error)
{
    char shown[sizeof(error->text)];

    assert(!strncmp(error->text, "/proc/self/fd/", 14) || !strncmp(error->text, "--", 2));
    assert(input_printable(shown, sizeof(shown), error->text, strlen(error->text)) ==
           strlen(error->text));
    assert(!strcmp(shown, error->text));
}

static void read_files(const struct format *format, const char *first, const char *second)
{
    const struct format_setting setting = {.gavel_gpu = "v100", .processors_per_gpu = 1};
    const char *const paths[FORMAT_FILES_MAX] = {first, second};
    struct error error = {.text = ""};
    foreign_t *jobs = foreign_new();

    if (format->read(paths, &setting, jobs, &error) == 0)
        check_jobs(jobs);
    else
        check_sentence(&error);
    foreign_destroy(&jobs);
}

/* Of a format with two files each is the made-up one, and both are. */
void entry_import(const uint8_t *bytes, size_t size)
{
    static const char rates[] = "{\"v100\": {\"('A (batch size 1)', 1)\": {\"null\": 2}}}";
    static const char gavel[] = "A (batch size 1)\tc\t-n\t0\t100\t0\t1\n";
    char path[64];
    char rates_path[64];
    char gavel_path[64];
    const int fds[] = {open_bytes(bytes, size, path, sizeof(path)),
                       open_bytes(rates, strlen(rates), rates_path, sizeof(rates_path)),
                       open_bytes(gavel, strlen(gavel), gavel_path, sizeof(gavel_path))};

    for (const char *const *name = format_names; *name; name++) {
        const struct format *format = format_find(*name);

        read_files(format, path, format->read == gavel_read ? rates_path : path);
        if (format->read == gavel_read)
            read_files(format, gavel_path, path);
    }
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        (void)close(fds[i]);
}
