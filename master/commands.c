/* commands.c - see commands.h: the lines of the file, one by one. What makes sense together is in
 * command_check.c. */
#include "master/commands.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"
#include "master/command_check.h"
#include "master/gpu_mask.h"
#include "protocol/scheduler_master.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX ((size_t)1 << 20)
#define COMMANDS_MAX   ((size_t)100000)
#define MODEL_MAX      64
#define JOB_MAX        (INT64_C(1) << 53)
#define ITERATIONS_MAX INT64_C(1000000000000)
#define SECONDS_MAX    1e9
#define PORT_MAX       65535

struct commands {
    char *path;
    arena_t *arena; /* of texts and numbers */
    int32_t workers;
    struct command *items;
    size_t count;
    size_t capacity;
};

/* A line that is read word by word. */
struct line {
    const char *path;
    int64_t number;
    char *at;
    const char *word; /* the last one taken, "" at the end */
    arena_t *arena;
    struct error *error;
};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool has_more(struct line *line)
{
    while (is_blank(*line->at))
        line->at++;
    return *line->at != '\0';
}

/* Takes the next word; "" if there is none. */
static const char *next_word(struct line *line)
{
    line->word = "";
    if (!has_more(line))
        return line->word;
    line->word = line->at;
    while (*line->at && !is_blank(*line->at))
        line->at++;
    if (*line->at)
        *line->at++ = '\0';
    return line->word;
}

/* "FILE:LINE: expected WHAT, found WORD". */
static int complain(const struct line *line, const char *expected)
{
    char shown[64];

    (void)input_printable(shown, sizeof(shown), line->word, strlen(line->word));
    if (!*line->word)
        return error_set(line->error, "%s:%" PRId64 ": expected %s, found the end of the line",
                         line->path, line->number, expected);
    return error_set(line->error, "%s:%" PRId64 ": expected %s, found \"%s\"", line->path,
                     line->number, expected, shown);
}

static int read_whole(struct line *line, const char *what, int64_t min, int64_t max,
                      int64_t *number)
{
    const char *word = next_word(line);
    char expected[128];

    if (number_parse_whole(word, strlen(word), min, max, number) == NUMBER_OK)
        return 0;
    (void)snprintf(expected, sizeof(expected), "%s, from %" PRId64 " to %" PRId64, what, min, max);
    return complain(line, expected);
}

static int read_small(struct line *line, const char *what, int32_t min, int32_t max,
                      int32_t *number)
{
    int64_t wide;

    if (read_whole(line, what, min, max, &wide) < 0)
        return -1;
    *number = (int32_t)wide;
    return 0;
}

static bool is_name(const char *word, const char *others)
{
    for (const char *at = word; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') &&
            !(*at >= '0' && *at <= '9') && !strchr(others, *at))
            return false;
    return *word && strlen(word) <= MODEL_MAX;
}

static int read_name(struct line *line, const char *what, const char *others, const char **name)
{
    const char *word = next_word(line);

    if (!is_name(word, others))
        return complain(line, what);
    *name = arena_text(line->arena, word, strlen(word));
    return 0;
}

static int read_job(struct line *line, struct command *command)
{
    int64_t job;

    if (read_whole(line, "the number of a job", 0, JOB_MAX, &job) < 0)
        return -1;
    command->job = (uint64_t)job;
    return 0;
}

static int read_worker(struct line *line, int32_t workers, struct command *command)
{
    return read_small(line, "the number of a worker", 0, workers - 1, &command->worker);
}

static int read_end(struct line *line)
{
    (void)next_word(line);
    return *line->word ? complain(line, "the end of the line") : 0;
}

/* All that is left of the line. */
static int read_ranks(struct line *line, struct command *command)
{
    int32_t *ranks = NULL;
    size_t capacity = 0;
    int status = 0;

    while (status == 0 && has_more(line)) {
        int32_t rank = 0;

        status = read_small(line, "the rank of a GPU", 0, RANKS_MAX - 1, &rank);
        ranks = grow_array(ranks, command->rank_count, &capacity, sizeof(*ranks));
        ranks[command->rank_count++] = rank;
    }
    command->ranks = arena_alloc(line->arena, (command->rank_count + 1) * sizeof(*ranks));
    if (ranks)
        memcpy(command->ranks, ranks, command->rank_count * sizeof(*ranks));
    free(ranks);
    return status;
}

/* ---- commands ---- */

static int check_distinct(const struct line *line, const struct command *command)
{
    if (command_ranks_differ(command))
        return 0;
    return error_set(line->error, "%s:%" PRId64 ": a rank stands there twice", line->path,
                     line->number);
}

static int read_group(struct line *line, struct command *command)
{
    int32_t whole;

    if (read_small(line, "1 for a group or 0 for a pair", 0, 1, &whole) < 0 ||
        read_job(line, command) < 0 || read_ranks(line, command) < 0)
        return -1;
    line->word = "";
    if (whole) {
        command->kind = COMMAND_GROUP;
        return command->rank_count > 0 ? check_distinct(line, command)
                                       : complain(line, "the ranks of the group");
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

static int read_gpus(struct line *line, int32_t processes, struct command *command)
{
    const char *word = next_word(line);

    command->gpus = arena_alloc(line->arena, NODE_GPUS_MAX * sizeof(*command->gpus));
    if (gpu_mask_parse(word, command->gpus, &command->gpu_count) < 0)
        return complain(line, "a mask of GPUs, in decimal or 0x and hexadecimal");
    if (command->gpu_count != (size_t)processes)
        return error_set(line->error,
                         "%s:%" PRId64 ": the mask %.80s is of %zu GPUs, expected %" PRId32
                         ", one for each process",
                         line->path, line->number, word, command->gpu_count, processes);
    return 0;
}

static int check_ranks_of_gpus(const struct line *line, const struct command *command)
{
    if (command->rank_count != command->gpu_count)
        return error_set(line->error,
                         "%s:%" PRId64 ": expected %zu ranks, one for each GPU, found %zu",
                         line->path, line->number, command->gpu_count, command->rank_count);
    for (size_t i = 1; i < command->rank_count; i++)
        if (command->ranks[i] <= command->ranks[i - 1])
            return error_set(line->error,
                             "%s:%" PRId64 ": expected ranks that rise, found %" PRId32
                             " behind %" PRId32,
                             line->path, line->number, command->ranks[i], command->ranks[i - 1]);
    return 0;
}

static int read_run(struct line *line, int32_t workers, bool goes_on, struct command *command)
{
    int32_t processes;
    int32_t scratch = 0;

    if (read_worker(line, workers, command) < 0 ||
        read_name(line, "the name of a model", "._-", &command->model) < 0 ||
        read_small(line, "the global batch size", 1, INT32_MAX, &command->batch_size) < 0 ||
        read_job(line, command) < 0 ||
        read_small(line, "how many processes run on this worker", 1, NODE_GPUS_MAX, &processes) <
            0 ||
        read_small(line, "how many workers the job has", 1, workers, &command->nodes) < 0 ||
        read_small(line, "which of them this is", 0, command->nodes - 1, &command->node_rank) < 0 ||
        read_name(line, "the address of the first of them", ".:-_", &command->address) < 0 ||
        read_small(line, "the port at which its ranks meet", 1, PORT_MAX, &command->port) < 0 ||
        read_gpus(line, processes, command) < 0 ||
        read_whole(line, "how many iterations there are", 1, ITERATIONS_MAX, &command->iterations) <
            0 ||
        (!goes_on && read_small(line, "1 for from scratch or 0", 0, 1, &scratch) < 0) ||
        read_ranks(line, command) < 0)
        return -1;
    command->kind = goes_on ? COMMAND_UPDATE : COMMAND_RUN;
    command->from_scratch = scratch == 1;
    return check_ranks_of_gpus(line, command);
}

static int read_wait(struct line *line, struct command *command)
{
    const char *word = next_word(line);

    command->kind = COMMAND_WAIT;
    if (number_parse_real(word, strlen(word), 0, SECONDS_MAX, &command->seconds) != NUMBER_OK)
        return complain(line, "how many seconds to wait");
    return read_end(line);
}

static int read_kill(struct line *line, int32_t workers, struct command *command)
{
    command->kind = COMMAND_KILL;
    if (read_worker(line, workers, command) < 0 || read_job(line, command) < 0)
        return -1;
    return read_end(line);
}

static int read_bare(struct line *line, enum command_kind kind, struct command *command)
{
    command->kind = kind;
    return read_end(line);
}

static int read_command(struct line *line, int32_t workers, struct command *command)
{
    const char *word = next_word(line);

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
    return complain(line, "a command: G, R, U, K, F, T, W, RE or S");
}

/* ---- the file ---- */

static int take_line(commands_t *self, struct line *line)
{
    struct command command = {.line = line->number, .source = -1};

    if (!has_more(line) || *line->at == '#')
        return 0;
    if (self->workers == 0) {
        if (read_small(line, "how many workers there are", 1, NODES_MAX, &self->workers) < 0)
            return -1;
        return read_end(line);
    }
    if (self->count == COMMANDS_MAX)
        return error_set(line->error, "%s:%" PRId64 ": expected at most %zu commands", line->path,
                         line->number, COMMANDS_MAX);
    if (read_command(line, self->workers, &command) < 0)
        return -1;
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = command;
    return 0;
}

/* The text of a file that is being read: whole lines, and the beginning of one. */
struct text {
    input_t *input;
    char *bytes;
    size_t used;
    int64_t line;
};

/* Takes the whole lines of the text; `last`: what is left is one, too. */
static int take_lines(commands_t *self, struct text *text, bool last, struct error *error)
{
    size_t from = 0;

    while (from < text->used) {
        char *end = memchr(text->bytes + from, '\n', text->used - from);
        const size_t length = end ? (size_t)(end - text->bytes) - from : text->used - from;
        struct line line = {self->path, text->line + 1, text->bytes + from, "", self->arena, error};

        if (!end && !last)
            break;
        line.at[length] = '\0';
        if (strlen(line.at) != length || input_valid_utf8(line.at, length) != length)
            return error_set(error, "%s:%" PRId64 ": expected text", self->path, line.number);
        if (length > 0 && line.at[length - 1] == '\r')
            line.at[length - 1] = '\0';
        if (take_line(self, &line) < 0)
            return -1;
        text->line++;
        from += length + 1;
    }
    text->used = from < text->used ? text->used - from : 0;
    memmove(text->bytes, text->bytes + from, text->used);
    return 0;
}

static int read_text(commands_t *self, struct text *text, struct error *error)
{
    for (;;) {
        const long got =
            input_read(text->input, text->bytes + text->used, LINE_BYTES_MAX - text->used, error);

        if (got <= 0)
            return got < 0 ? -1 : take_lines(self, text, true, error);
        text->used += (size_t)got;
        if (take_lines(self, text, false, error) < 0)
            return -1;
        if (text->used == LINE_BYTES_MAX)
            return error_set(error, "%s:%" PRId64 ": expected a line of less than %zu bytes",
                             self->path, text->line + 1, LINE_BYTES_MAX);
    }
}

commands_t *commands_read(const char *path, struct error *error)
{
    commands_t *self = xcalloc(1, sizeof(*self));
    struct text text = {.input = input_open(path, error)};
    int status = text.input ? 0 : -1;

    self->path = xstrdup(path);
    self->arena = arena_new();
    text.bytes = xmalloc(LINE_BYTES_MAX + 1);
    if (status == 0)
        status = read_text(self, &text, error);
    if (status == 0 && self->workers == 0)
        status = error_set(error, "%s: expected how many workers there are, found nothing", path);
    if (status == 0)
        status = commands_check(self, error);
    input_destroy(&text.input);
    free(text.bytes);
    if (status < 0)
        commands_destroy(&self);
    return self;
}

void commands_destroy(commands_t **self)
{
    if (!*self)
        return;
    free((*self)->path);
    free((*self)->items);
    arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

const char *commands_path(const commands_t *self)
{
    return self->path;
}

int32_t commands_workers(const commands_t *self)
{
    return self->workers;
}

size_t commands_count(const commands_t *self)
{
    return self->count;
}

const struct command *commands_at(const commands_t *self, size_t place)
{
    assert(place < self->count);
    return &self->items[place];
}
