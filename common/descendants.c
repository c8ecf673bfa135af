/* descendants.c - see descendants.h. The kernel's own list of children is not built into every
 * kernel; the parents in /proc/PID/stat are. */
#include "common/descendants.h"

#include "common/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIELD_STARTED 22 /* field of /proc/PID/stat, counted from 1 */

struct list {
    struct descendant *items;
    size_t count;
    size_t capacity;
};

void descendants_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Reads the status line of the process. */
bool descendants_look(pid_t pid, struct descendant *process)
{
    char path[40];
    char line[1024];
    const char *at;
    char state;
    ssize_t length;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    length = read(fd, line, sizeof(line) - 1);
    (void)close(fd);
    if (length <= 0)
        return false;
    line[length] = '\0';
    at = strrchr(line, ')'); /* a program's name may hold anything */
    if (!at || at[1] != ' ' || !at[2])
        return false;
    state = at[2];
    at += 3;
    process->pid = pid;
    process->parent = (pid_t)strtol(at, NULL, 10);
    process->ended = state == 'Z' || state == 'X';
    for (int field = 4; field < FIELD_STARTED && at; field++)
        at = strchr(at + 1, ' ');
    process->started = at ? strtoull(at, NULL, 10) : 0;
    return true;
}

static void list_processes(struct list *all)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;

    if (!folder)
        return;
    while ((entry = readdir(folder))) {
        const long pid = strtol(entry->d_name, NULL, 10);

        all->items = grow_array(all->items, all->count, &all->capacity, sizeof(*all->items));
        if (pid > 0 && descendants_look((pid_t)pid, &all->items[all->count]))
            all->count++;
    }
    (void)closedir(folder);
}

struct spared {
    const pid_t *pids;
    size_t count;
};

static bool is_spared(const struct spared *spared, pid_t pid)
{
    for (size_t i = 0; i < spared->count; i++)
        if (spared->pids[i] == pid)
            return true;
    return false;
}

/* Moves the processes below `root` from `all` to `below`, each after its parent, except those in
 * `spared`. */
static void collect(const struct list *all, pid_t root, const struct spared *spared,
                    struct list *below)
{
    pid_t parent = root;

    for (size_t next = 0; next <= below->count; next++) {
        if (next > 0)
            parent = below->items[next - 1].pid;
        for (size_t i = 0; i < all->count; i++) {
            if (all->items[i].parent != parent || is_spared(spared, all->items[i].pid))
                continue;
            below->items =
                grow_array(below->items, below->count, &below->capacity, sizeof(*below->items));
            below->items[below->count++] = all->items[i];
        }
    }
}

static struct list find(pid_t root, const struct spared *spared)
{
    struct list all = {0};
    struct list below = {0};

    list_processes(&all);
    collect(&all, root, spared, &below);
    free(all.items);
    return below;
}

size_t descendants_of(pid_t root, struct descendant **found)
{
    const struct spared none = {NULL, 0};
    const struct list below = find(root, &none);

    *found = below.items;
    return below.count;
}

/* Kills the process described, not a later process with the same number. */
static void kill_one(const struct descendant *process)
{
    const int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    struct descendant now;

    if (fd < 0)
        return;
    if (descendants_look(process->pid, &now) && now.started == process->started)
        (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    (void)close(fd);
}

size_t descendants_kill(pid_t root, const pid_t spared[], size_t count)
{
    const struct spared others = {spared, count};
    struct list below = find(root, &others);
    size_t left = 0;

    for (size_t i = 0; i < below.count; i++) {
        if (below.items[i].ended)
            continue;
        kill_one(&below.items[i]);
        left++;
    }
    free(below.items);
    return left;
}

void descendants_kill_below(const pid_t roots[], size_t count)
{
    const struct spared none = {NULL, 0};
    struct list all = {0};

    list_processes(&all);
    for (size_t root = 0; root < count; root++) {
        struct list below = {0};

        collect(&all, roots[root], &none, &below);
        for (size_t i = 0; i < below.count; i++)
            if (!below.items[i].ended)
                kill_one(&below.items[i]);
        free(below.items);
    }
    free(all.items);
}

void descendants_reap(const pid_t spared[], size_t count)
{
    const struct spared others = {spared, count};
    struct list below = find(getpid(), &others);

    for (size_t i = 0; i < below.count; i++)
        if (below.items[i].ended && below.items[i].parent == getpid())
            (void)waitpid(below.items[i].pid, NULL, WNOHANG);
    free(below.items);
}
