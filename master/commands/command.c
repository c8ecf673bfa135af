/* command.c - see command.h. */
#include "master/commands/command.h"

#include "common/number.h"
#include "master/commands/gpu_mask.h"
#include "master/commands/line.h"
#include "protocol/scheduler_master.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JOB_MAX        (INT64_C(1) << 53)
#define ITERATIONS_MAX INT64_C(1000000000000)
#define SECONDS_MAX    1e9
#define PORT_MAX       65535

static int read_job(struct line *line, struct debug_command *command)
{
    int64_t job;

    if (line_whole(line, "the number of a job", 0, JOB_MAX, &job) < 0)
        return -1;
    command->job = (uint64_t)job;
    return 0;
}

static int read_worker(struct line *line, int32_t workers, struct debug_command *command)
{
    return line_small(line, "the number of a worker", 0, workers - 1, &command->worker);
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static bool are_distinct(const int32_t ranks[], size_t count)
{
    int32_t *sorted = xcalloc(count, sizeof(*sorted));
    bool distinct = true;

    memcpy(sorted, ranks, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare);
    for (size_t i = 1; i < count; i++)
        distinct = distinct && sorted[i] != sorted[i - 1];
    free(sorted);
    return distinct;
}

static int check_distinct(const struct line *line, const struct debug_command *command)
{
    if (are_distinct(command->ranks, command->rank_count))
        return 0;
    return error_set(line->error, "%s:%" PRId64 ": a rank is listed twice", line->path,
                     line->number);
}

static int read_group(struct line *line, struct debug_command *command)
{
    int32_t whole;

    if (line_small(line, "1 for a group or 0 for a pair", 0, 1, &whole) < 0 ||
        read_job(line, command) < 0 || line_ranks(line, &command->ranks, &command->rank_count) < 0)
        return -1;
    line->word = "";
    if (whole) {
        command->kind = COMMAND_GROUP;
        return command->rank_count > 0 ? check_distinct(line, command)
                                       : line_complain(line, "the ranks of the group");
    }
    command->kind = COMMAND_MOVE;
    if (command->rank_count != 3)
        return error_set(line->error,
                         "%s:%" PRId64 ": expected two ranks and the one of them that "
                         "has the state, found %zu numbers",
                         line->path, line->number, command->rank_count);
    command->source = command->ranks[2];
    command->rank_count = 2;
    if (command->source != command->ranks[0] && command->source != command->ranks[1])
        return error_set(line->error,
                         "%s:%" PRId64 ": rank %" PRId32 " has the state, but is not of "
                         "the pair",
                         line->path, line->number, command->source);
    return check_distinct(line, command);
}

static int read_gpus(struct line *line, int32_t processes, struct debug_command *command)
{
    const char *word = line_word(line);

    command->gpus = arena_alloc(line->arena, NODE_GPUS_MAX * sizeof(*command->gpus));
    if (gpu_mask_parse(word, command->gpus, &command->gpu_count) < 0)
        return line_complain(line, "a mask of GPUs, in decimal or 0x and hexadecimal");
    if (command->gpu_count > 0 && command->gpu_count <= (size_t)processes)
        return 0;
    return error_set(line->error,
                     "%s:%" PRId64 ": the mask %.80s is of %zu GPUs, expected 1 to %" PRId32
                     ", as many as processes at most",
                     line->path, line->number, word, command->gpu_count, processes);
}

static int check_ranks_of_gpus(const struct line *line, const struct debug_command *command)
{
    if (command->rank_count != command->gpu_count)
        return error_set(line->error,
                         "%s:%" PRId64 ": expected %zu ranks, one for each GPU, found %zu",
                         line->path, line->number, command->gpu_count, command->rank_count);
    for (size_t i = 1; i < command->rank_count; i++)
        if (command->ranks[i] <= command->ranks[i - 1])
            return error_set(line->error,
                             "%s:%" PRId64 ": expected ranks that rise, found %" PRId32
                             " after %" PRId32,
                             line->path, line->number, command->ranks[i], command->ranks[i - 1]);
    return 0;
}

static int read_run(struct line *line, int32_t workers, bool goes_on, struct debug_command *command)
{
    int32_t processes;
    int32_t scratch = 0;

    if (read_worker(line, workers, command) < 0 ||
        line_name(line, "the name of a model", "._-", &command->model) < 0 ||
        line_small(line, "the global batch size", 1, INT32_MAX, &command->batch_size) < 0 ||
        read_job(line, command) < 0 ||
        line_small(line, "how many processes may run on this worker", 1, NODE_GPUS_MAX,
                   &processes) < 0 ||
        line_small(line, "how many workers the job has", 1, workers, &command->nodes) < 0 ||
        line_small(line, "which of them this is", 0, command->nodes - 1, &command->node_rank) < 0 ||
        line_name(line, "the address of the first of them", ".:-_", &command->address) < 0 ||
        line_small(line, "the port at which its ranks meet", 1, PORT_MAX, &command->port) < 0 ||
        read_gpus(line, processes, command) < 0 ||
        line_whole(line, "how many iterations there are", 1, ITERATIONS_MAX, &command->iterations) <
            0 ||
        (!goes_on && line_small(line, "1 for from scratch or 0", 0, 1, &scratch) < 0) ||
        line_ranks(line, &command->ranks, &command->rank_count) < 0)
        return -1;
    command->kind = goes_on ? COMMAND_UPDATE : COMMAND_RUN;
    command->from_scratch = scratch == 1;
    return check_ranks_of_gpus(line, command);
}

static int read_wait(struct line *line, struct debug_command *command)
{
    const char *word = line_word(line);

    command->kind = COMMAND_WAIT;
    if (number_parse_real(word, strlen(word), 0, SECONDS_MAX, &command->seconds) != NUMBER_OK)
        return line_complain(line, "how many seconds to wait");
    return line_end(line);
}

static int read_kill(struct line *line, int32_t workers, struct debug_command *command)
{
    command->kind = COMMAND_KILL;
    if (read_worker(line, workers, command) < 0 || read_job(line, command) < 0)
        return -1;
    return line_end(line);
}

static int read_bare(struct line *line, enum command_kind kind, struct debug_command *command)
{
    command->kind = kind;
    return line_end(line);
}

int command_read(struct line *line, int32_t workers, struct debug_command *command)
{
    const char *word = line_word(line);

    if (!strcmp(word, "G"))
        return read_group(line, command);
    if (!strcmp(word, "R") || !strcmp(word, "U"))
        return read_run(line, workers, *word == 'U', command);
    if (!strcmp(word, "K"))
        return read_kill(line, workers, command);
    if (!strcmp(word, "W"))
        return read_wait(line, command);
    if (!strcmp(word, "F"))
        return read_bare(line, COMMAND_FORMED, command);
    if (!strcmp(word, "T"))
        return read_bare(line, COMMAND_TRAIN, command);
    if (!strcmp(word, "RE"))
        return read_bare(line, COMMAND_RESTART, command);
    if (!strcmp(word, "S"))
        return read_bare(line, COMMAND_SHUTDOWN, command);
    return line_complain(line, "a command: G, R, U, K, F, T, W, RE or S");
}
