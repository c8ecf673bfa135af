/* nvidia_smi.c - GPUs as the program nvidia-smi lists them: a line "UUID, MIB" for each. */
#include "common/child.h"
#include "common/memory.h"
#include "common/number.h"
#include "worker/gpus.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES_MAX ((size_t)1 << 20)
#define ANSWER_MS        30000 /* a driver that hangs is as good as none */
#define STATUS_NONE      6     /* nvidia-smi found no device */
#define STATUS_NO_DRIVER 9     /* no module of the kernel: no GPU */

/* Reads all output from `fd`, ended with a NUL; NULL if reading takes too long or the output is
 * too large. */
static char *read_all(int fd)
{
    char *text = xmalloc(OUTPUT_BYTES_MAX + 1);
    size_t length = 0;
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    while (poll(&ready, 1, ANSWER_MS) > 0 && length < OUTPUT_BYTES_MAX) {
        const ssize_t more = read(fd, text + length, OUTPUT_BYTES_MAX - length);

        if (more < 0)
            break;
        length += (size_t)more;
        text[length] = '\0';
        if (more == 0)
            return text;
    }
    free(text);
    return NULL;
}

/* The output of nvidia-smi, NULL if the program cannot be run or fails. `answer` is then 0 if
 * the failure means that there is no GPU, else -1. */
static char *ask(int32_t *answer)
{
    static char *const arguments[] = {"nvidia-smi", "--query-gpu=uuid,memory.total",
                                      "--format=csv,noheader,nounits", NULL};
    struct child_setting child = {
        .argv = arguments,
        .environment = environ,
        .err = -1,
        .death_signal = SIGKILL,
    };
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct error error;
    char *text = NULL;
    int pipes[2];
    int status = -1;
    pid_t pid;

    *answer = -1;
    if (pipe2(pipes, O_CLOEXEC) < 0)
        return NULL;
    child.out = pipes[1];
    child.err = nothing;
    pid = child_start(&child, &error);
    (void)close(pipes[1]);
    if (nothing >= 0)
        (void)close(nothing);
    if (pid < 0)
        *answer = 0;
    if (pid > 0) {
        text = read_all(pipes[0]);
        if (!text)
            (void)kill(pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
    }
    (void)close(pipes[0]);
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == STATUS_NONE || WEXITSTATUS(status) == STATUS_NO_DRIVER))
        *answer = 0;
    if (text && status != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Reads a line of `length` characters, without its end, into `gpu`. False if the line names no
 * GPU. */
static bool parse(const char *line, size_t length, struct gpu *gpu)
{
    const char *comma = memchr(line, ',', length);
    const size_t uuid = comma ? (size_t)(comma - line) : length;
    const char *memory = comma ? comma + 1 : line + length;

    *gpu = (struct gpu){.memory_mib = 0};
    if (uuid == 0 || uuid >= sizeof(gpu->uuid) || strncmp(line, "GPU-", 4) != 0)
        return false;
    memcpy(gpu->uuid, line, uuid);
    while (memory < line + length && *memory == ' ')
        memory++;
    (void)number_parse_whole(memory, (size_t)(line + length - memory), 0, INT64_MAX,
                             &gpu->memory_mib);
    return true;
}

int32_t nvidia_smi_find(struct gpu **found)
{
    int32_t answer;
    char *text = ask(&answer);
    size_t count = 0;
    size_t capacity = 0;

    *found = NULL;
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\r\n");

        *found = grow_array(*found, count, &capacity, sizeof(**found));
        count += parse(line, length, &(*found)[count]);
        line += length;
        line += strspn(line, "\r\n");
    }
    if (count == 0) {
        free(*found);
        *found = NULL;
    }
    if (text)
        answer = (int32_t)count;
    free(text);
    return answer;
}
