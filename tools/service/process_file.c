/* process_file.c - see process_file.h. The file identifies a process by its number, by the time of
 * its start, and by the boot of the machine from which that time counts. */
#include "tools/service/process_file.h"

#include "common/child.h"
#include "common/descendants.h"
#include "common/output.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BOOT_BYTES 64
#define WORD_63    "%63s"

static void put_path(char path[PATH_MAX], const char *folder, const char *name)
{
    (void)snprintf(path, PATH_MAX, "%s/%s.pid", folder, name);
}

static void read_boot(char boot[BOOT_BYTES])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    (void)snprintf(boot, BOOT_BYTES, "-");
    if (file && fscanf(file, WORD_63, boot) != 1)
        (void)snprintf(boot, BOOT_BYTES, "-");
    if (file)
        (void)fclose(file);
}

int process_file_write(const char *folder, const char *name, pid_t pid, struct error *error)
{
    struct descendant process = {.pid = pid};
    char path[PATH_MAX];
    char boot[BOOT_BYTES];
    output_t *file;

    put_path(path, folder, name);
    read_boot(boot);
    (void)descendants_look(pid, &process);
    file = output_new(path, error);
    if (!file)
        return -1;
    output_format(file, "%d %llu %s\n", (int)pid, process.started, boot);
    return output_commit(&file, error);
}

static bool read_file(const char *folder, const char *name, struct descendant *noted,
                      char boot[BOOT_BYTES])
{
    char path[PATH_MAX];
    FILE *file;
    int pid = 0;
    bool is_good;

    put_path(path, folder, name);
    file = fopen(path, "re");
    if (!file)
        return false;
    is_good = fscanf(file, "%d %llu " WORD_63, &pid, &noted->started, boot) == 3 && pid > 0;
    (void)fclose(file);
    noted->pid = pid;
    return is_good;
}

/* Opens the descriptor before it compares the start time, so that the compared process is that of
 * the descriptor, even if the number is reused meanwhile. */
int process_file_open(const char *folder, const char *name)
{
    struct descendant noted = {0};
    struct descendant now;
    char then_boot[BOOT_BYTES];
    char boot[BOOT_BYTES];
    int process;

    if (!read_file(folder, name, &noted, then_boot))
        return -1;
    read_boot(boot);
    process = child_pidfd(noted.pid);
    if (process >= 0 && descendants_look(noted.pid, &now) && now.started == noted.started &&
        !now.ended && !strcmp(boot, then_boot))
        return process;
    if (process >= 0)
        (void)close(process);
    return -1;
}

void process_file_remove(const char *folder, const char *name)
{
    char path[PATH_MAX];

    put_path(path, folder, name);
    (void)unlink(path);
}

int process_end(int process, int timeout_ms)
{
    struct pollfd end = {.fd = process, .events = POLLIN};

    (void)syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
    return poll(&end, 1, timeout_ms) > 0 ? 0 : -1;
}
