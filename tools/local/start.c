/* start.c - see start.h. */
#include "tools/local/start.h"

#include "common/output.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORTS_OF_A_NODE 1000  /* ports where ranks meet, which a master uses in turn */
#define PORTS_FIRST     10000 /* below the ports that the kernel gives to outgoing connections */
#define PORTS_ROOM      20

void words_add(struct command_words *words, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof(text) && words->count < WORDS_MAX);
    words->items[words->count++] = arena_text(words->memory, text, (size_t)length);
    words->items[words->count] = NULL;
}

void words_add_text(struct command_words *words, const char *option, const char *value)
{
    if (value)
        words_add(words, "--%s=%s", option, value);
}

int start_find_programs(char *path, size_t size, struct error *error)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length < 0)
        return error_set(error, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return 0;
}

int start_write_cluster(const char *folder, int64_t nodes, int64_t gpus_per_node,
                        struct error *error)
{
    char path[4096];
    output_t *file;

    (void)snprintf(path, sizeof(path), "%s/cluster.csv", folder);
    file = output_new(path, error);
    if (!file)
        return -1;
    output_format(file,
                  "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
                  "1,%" PRId64 ",%" PRId64 ",1,1\n",
                  nodes, gpus_per_node);
    return output_commit(&file, error);
}

/* The first port depends on the process, so that two runs on this machine rarely use the same
 * ports. If they do, a job tries the next port. */
int start_first_port(int node)
{
    return PORTS_FIRST + (int)(getpid() + node) % PORTS_ROOM * PORTS_OF_A_NODE;
}

int start_make_temporary(char *path, size_t size, struct error *error)
{
    const char *folder = getenv("TMPDIR");

    (void)snprintf(path, size, "%s/rubato-local-XXXXXX", folder && *folder ? folder : "/tmp");
    return mkdtemp(path) ? 0 : error_set(error, "%s: cannot be made: %s", path, strerror(errno));
}
