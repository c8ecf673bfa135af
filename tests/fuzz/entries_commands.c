/* entries_commands.c - the master's files of commands; see entries.h. */
#include "entries.h"

#include "common/error.h"
#include "common/input.h"
#include "master/commands/command_file.h"
#include "protocol/scheduler_master.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_part(const struct debug_command *part, int32_t workers)
{
    assert(part->worker >= 0 && part->worker < workers);
    assert(part->nodes >= 1 && part->nodes <= workers);
    assert(part->node_rank >= 0 && part->node_rank < part->nodes);
    assert(part->gpu_count >= 1 && part->gpu_count == part->rank_count);
    assert(part->batch_size >= 1 && part->iterations >= 1 && part->port >= 1);
    assert(part->model[0] && part->address[0]);
    for (size_t i = 0; i < part->gpu_count; i++) {
        assert(part->gpus[i] >= 0 && part->gpus[i] < NODE_GPUS_MAX);
        assert(i == 0 || part->gpus[i] > part->gpus[i - 1]);
        assert(i == 0 || part->ranks[i] > part->ranks[i - 1]);
    }
}

static void check_command(const struct debug_command *command, const struct debug_command *before,
                          int32_t workers)
{
    assert(!before || command->line > before->line);
    for (size_t i = 0; i < command->rank_count; i++)
        assert(command->ranks[i] >= 0 && command->ranks[i] < RANKS_MAX);
    if (command->kind == COMMAND_RUN || command->kind == COMMAND_UPDATE)
        check_part(command, workers);
    if (command->kind == COMMAND_WAIT)
        assert(command->seconds >= 0);
}

void entry_commands(const uint8_t *bytes, size_t size)
{
    const int fd = memfd_create("commands", MFD_CLOEXEC);
    struct error error = {.text = ""};
    command_file_t *commands;
    char path[64];

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    assert(lseek(fd, 0, SEEK_SET) == 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    commands = command_file_read(path, &error);
    if (commands) {
        assert(command_file_workers(commands) >= 1 && command_file_workers(commands) <= NODES_MAX);
        for (size_t i = 0; i < command_file_count(commands); i++)
            check_command(command_file_at(commands, i),
                          i > 0 ? command_file_at(commands, i - 1) : NULL,
                          command_file_workers(commands));
    } else {
        char shown[sizeof(error.text)];

        assert(!strncmp(error.text, path, strlen(path)));
        assert(input_printable(shown, sizeof(shown), error.text, strlen(error.text)) ==
               strlen(error.text));
        assert(!strcmp(shown, error.text));
    }
    command_file_destroy(&commands);
    (void)close(fd);
}
