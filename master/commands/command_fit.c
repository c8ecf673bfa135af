/* command_fit.c - see command_fit.h. */
#include "master/commands/command_fit.h"

#include "common/memory.h"
#include "master/node_gpus.h"

#include <inttypes.h>
#include <stdlib.h>

bool command_fit_are_there(const command_file_t *commands, const registry_t *registry)
{
    int32_t up = 0;

    for (size_t i = 0; i < registry_count(registry); i++)
        up += registry_at(registry, i)->state == WORKER_UP;
    return up >= command_file_workers(commands);
}

struct fit {
    const command_file_t *commands;
    const registry_t *registry;
    const struct debug_command *
        *holders; /* by rank in the cluster: the last part that has that GPU */
    size_t round; /* index of the first command of the round */
    struct error *error;
};

/* Checks a rank of a part against the part's mask. Ranks are those in the cluster, or are counted
 * from 0. */
static int check_rank(const struct fit *self, const struct debug_command *part, size_t i,
                      int32_t rank)
{
    const bool from_0 = part->ranks[part->rank_count - 1] == (int32_t)part->rank_count - 1;

    if (from_0 || part->ranks[i] == rank)
        return 0;
    return error_set(self->error,
                     "%s:%" PRId64 ": GPU %" PRId32 " of worker %" PRId32 " has the rank %" PRId32
                     ", not %" PRId32,
                     command_file_path(self->commands), part->line, part->gpus[i], part->worker,
                     rank, part->ranks[i]);
}

static int check_part(const struct fit *self, const struct debug_command *part)
{
    const struct worker_node *node = registry_at(self->registry, (size_t)part->worker);

    for (size_t i = 0; i < part->gpu_count; i++) {
        const int32_t rank = node->first_rank + part->gpus[i];

        if (node_rank(node, part->gpus[i]) < 0)
            return error_set(self->error,
                             "%s:%" PRId64 ": worker %" PRId32 " has %" PRId32
                             " GPUs, there is no GPU %" PRId32,
                             command_file_path(self->commands), part->line, part->worker,
                             node->gpus, part->gpus[i]);
        if (check_rank(self, part, i, rank) < 0)
            return -1;
        self->holders[rank] = part;
    }
    return 0;
}

static int check_ranks(const struct fit *self, const struct debug_command *group)
{
    const int32_t gpus = registry_gpus(self->registry);

    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= gpus)
            return error_set(self->error,
                             "%s:%" PRId64 ": the workers have %" PRId32
                             " GPUs, there is no rank %" PRId32,
                             command_file_path(self->commands), group->line, gpus, group->ranks[i]);
    return 0;
}

/* Checks that the ranks of a group differ, and are as many as the GPUs of its parts; see
 * command_check.h. */
static int check_group(const struct fit *self, const struct debug_command *group)
{
    const int64_t from_line = command_file_at(self->commands, self->round)->line;

    for (size_t i = 0; i < group->rank_count; i++) {
        const struct debug_command *holder = self->holders[group->ranks[i]];

        if (!holder || holder->job != group->job || holder->line < from_line)
            return error_set(self->error,
                             "%s:%" PRId64 ": job %" PRIu64
                             " has no part in this round on the GPU of rank %" PRId32,
                             command_file_path(self->commands), group->line, group->job,
                             group->ranks[i]);
    }
    return 0;
}

/* Checks the groups of the round from `self->round` to `end`. */
static int check_groups(const struct fit *self, size_t end)
{
    for (size_t i = self->round; i < end; i++) {
        const struct debug_command *command = command_file_at(self->commands, i);

        if (command->kind == COMMAND_GROUP && check_group(self, command) < 0)
            return -1;
    }
    return 0;
}

static int check_one(struct fit *self, size_t place)
{
    const struct debug_command *command = command_file_at(self->commands, place);

    switch (command->kind) {
    case COMMAND_RUN:
    case COMMAND_UPDATE:
        return check_part(self, command);
    case COMMAND_GROUP:
    case COMMAND_MOVE:
        return check_ranks(self, command);
    case COMMAND_TRAIN:
        if (check_groups(self, place) < 0)
            return -1;
        self->round = place + 1;
        return 0;
    default:
        return 0;
    }
}

int command_fit_check(const command_file_t *commands, const registry_t *registry,
                      struct error *error)
{
    struct fit self = {.commands = commands, .registry = registry, .error = error};
    int status = 0;

    self.holders =
        xcalloc((size_t)registry_gpus(registry) + 1, sizeof(const struct debug_command *));
    for (size_t i = 0; i < command_file_count(commands) && status == 0; i++)
        status = check_one(&self, i);
    free(self.holders);
    return status;
}
