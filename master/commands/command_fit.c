/* command_fit.c - see command_fit.h. */
#include "master/commands/command_fit.h"

#include <inttypes.h>

bool command_fit_are_there(const command_file_t *commands, const registry_t *registry)
{
    int32_t up = 0;

    for (size_t i = 0; i < registry_count(registry); i++)
        up += registry_at(registry, i)->state == NODE_UP;
    return up >= command_file_workers(commands);
}

static int check_part(const command_file_t *commands, const registry_t *registry,
                      const struct command *part, struct error *error)
{
    const struct node *node = registry_at(registry, (size_t)part->worker);

    for (size_t i = 0; i < part->gpu_count; i++) {
        if (part->gpus[i] >= node->gpus)
            return error_set(
                error,
                "%s:%" PRId64 ": worker %" PRId32 " has %" PRId32 " GPUs, there is no GPU %" PRId32,
                command_file_path(commands), part->line, part->worker, node->gpus, part->gpus[i]);
        if (part->ranks[i] != node->first_rank + part->gpus[i])
            return error_set(error,
                             "%s:%" PRId64 ": GPU %" PRId32 " of worker %" PRId32
                             " has the rank %" PRId32 ", not %" PRId32,
                             command_file_path(commands), part->line, part->gpus[i], part->worker,
                             node->first_rank + part->gpus[i], part->ranks[i]);
    }
    return 0;
}

static int check_ranks(const command_file_t *commands, const registry_t *registry,
                       const struct command *group, struct error *error)
{
    const int32_t gpus = registry_gpus(registry);

    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= gpus)
            return error_set(error,
                             "%s:%" PRId64 ": the workers have %" PRId32
                             " GPUs, there is no rank %" PRId32,
                             command_file_path(commands), group->line, gpus, group->ranks[i]);
    return 0;
}

int command_fit_check(const command_file_t *commands, const registry_t *registry,
                      struct error *error)
{
    for (size_t i = 0; i < command_file_count(commands); i++) {
        const struct command *command = command_file_at(commands, i);
        const bool runs = command->kind == COMMAND_RUN || command->kind == COMMAND_UPDATE;
        const bool groups = command->kind == COMMAND_GROUP || command->kind == COMMAND_MOVE;

        if ((runs && check_part(commands, registry, command, error) < 0) ||
            (groups && check_ranks(commands, registry, command, error) < 0))
            return -1;
    }
    return 0;
}
