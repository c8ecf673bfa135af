/* launch.c - see launch.h. The names without RUBATO_ are those of torch.distributed and torchrun,
 * so that programs written for these run as they are. */
#include "executor/launch.h"

#include "common/executable.h"
#include "common/memory.h"
#include "protocol/job_number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_BYTES      ((size_t)65536)
#define FILE_BYTES_MAX   ((size_t)1 << 20)
#define PLACEHOLDER_SIZE 32

typedef void write_value_fn(const struct rank_start *launch, FILE *out);

static void put_number(FILE *out, int64_t number)
{
    (void)fprintf(out, "%" PRId64, number);
}

static void master_address(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->prepare->run.rendezvous_address, out);
}

static void master_port(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.rendezvous_port);
}

static void rank(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.ranks[0]);
}

static void local_rank(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->local_rank);
}

static void world_size(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.world);
}

static void local_world_size(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->local_world);
}

static void node_rank(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.node_rank);
}

static void devices(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->devices, out);
}

static void restart_count(const struct rank_start *launch, FILE *out)
{
    put_number(out, (int64_t)launch->prepare->run.incarnation - 1);
}

static void run_id(const struct rank_start *launch, FILE *out)
{
    (void)fprintf(out, "rubato-%s", job_number_name(launch->prepare->run.job).text);
}

static void job(const struct rank_start *launch, FILE *out)
{
    (void)fputs(job_number_name(launch->prepare->run.job).text, out);
}

static void job_name(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->prepare->run.name, out);
}

static void incarnation(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.incarnation);
}

static void checkpoint_dir(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->checkpoint_dir, out);
}

static void deadline(const struct rank_start *launch, FILE *out)
{
    if (launch->prepare->run.deadline_s == INT64_MAX)
        (void)fputs("none", out);
    else
        put_number(out, launch->prepare->run.deadline_s);
}

static void grace(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->grace_ms / 1000);
}

static void progress(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->progress, out);
}

static void model(const struct rank_start *launch, FILE *out)
{
    (void)fputs(launch->prepare->run.model, out);
}

static void batch_size(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.batch_size);
}

static void iterations(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->prepare->run.iterations);
}

static void step(const struct rank_start *launch, FILE *out)
{
    put_number(out, launch->step);
}

static const struct {
    const char *name;        /* name of the variable */
    const char *placeholder; /* name in braces in the program's arguments, NULL if there is none */
    const char *summary;     /* sentence for the man page */
    write_value_fn *write;
} table[] = {
    {"MASTER_ADDR", "master_addr", "address at which rank 0 waits for the others", master_address},
    {"MASTER_PORT", "master_port", "port at which it does", master_port},
    {"RANK", "rank", "number of this process among all of the job, from 0", rank},
    {"LOCAL_RANK", "local_rank",
     "number of this process among those of the job on this node, from 0; it is also the number of "
     "its GPU "
     "among those that are visible",
     local_rank},
    {"WORLD_SIZE", "world_size", "processes of the job, one for each GPU", world_size},
    {"LOCAL_WORLD_SIZE", "local_world_size", "those of them on this node", local_world_size},
    {"GROUP_RANK", NULL, "number of this node among those of the job, from 0", node_rank},
    {"NODE_RANK", "node_rank", "the same", node_rank},
    {"CUDA_VISIBLE_DEVICES", NULL,
     "the GPUs of the job on this node, in the order of the local ranks: UUIDs where they are "
     "known",
     devices},
    {"TORCHELASTIC_RESTART_COUNT", NULL,
     "how often the job was started before: RUBATO_INCARNATION less one", restart_count},
    {"TORCHELASTIC_RUN_ID", NULL, "the same for all processes and all starts of the job", run_id},
    {"RUBATO_JOB_ID", "job",
     "what folders and logs call the job: its run in hexadecimal and its row there, as in 3fa2c1-7",
     job},
    {"RUBATO_JOB_NAME", "name", "what its user calls it, as it was given", job_name},
    {"RUBATO_INCARNATION", "incarnation", "number of this start of the job, from 1", incarnation},
    {"RUBATO_CHECKPOINT_DIR", "checkpoint_dir",
     "folder for the job's checkpoints, the same at each start and on all nodes; it exists",
     checkpoint_dir},
    {"RUBATO_DEADLINE", "deadline",
     "when the job is to be done, in seconds of the scheduler's clock, or \"none\"", deadline},
    {"RUBATO_GRACE_SECONDS", "grace_seconds", "between SIGTERM and SIGKILL", grace},
    {"RUBATO_PROGRESS", NULL,
     "address of a local datagram socket for messages about progress; the @ at its front stands "
     "for a NUL",
     progress},
    {"RUBATO_MODEL", "model", "name of the model, as the trace has it", model},
    {"RUBATO_BATCH_SIZE", "batch_size", "samples of an iteration, over all processes together",
     batch_size},
    {"RUBATO_ITERATIONS", "iterations", "iterations of the job in all", iterations},
    {"RUBATO_STEP", "step",
     "iterations that are done: to go on from a checkpoint of this step; -1: of "
     "the last there is",
     step},
};

#define ROWS (sizeof(table) / sizeof(*table))

/* The text that the row's `write` makes; the caller frees the text. */
static char *value_of(size_t row, const struct rank_start *launch)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        memory_out();
    table[row].write(launch, out);
    if (fclose(out) != 0)
        memory_out();
    return text;
}

/* ---- environment ---- */

static bool is_ours(const char *word)
{
    for (size_t row = 0; row < ROWS; row++) {
        const size_t length = strlen(table[row].name);

        if (!strncmp(word, table[row].name, length) && word[length] == '=')
            return true;
    }
    return false;
}

static char *join(const char *name, const char *value)
{
    const size_t size = strlen(name) + strlen(value) + 2;
    char *word = xmalloc(size);

    (void)snprintf(word, size, "%s=%s", name, value);
    return word;
}

char **launch_environment(const struct rank_start *launch, char *const *base)
{
    size_t count = 0;
    char **words;

    while (base[count])
        count++;
    words = xcalloc(count + ROWS + 1, sizeof(*words));
    count = 0;
    for (size_t i = 0; base[i]; i++)
        if (!is_ours(base[i]))
            words[count++] = xstrdup(base[i]);
    for (size_t row = 0; row < ROWS; row++) {
        char *value = value_of(row, launch);

        words[count++] = join(table[row].name, value);
        free(value);
    }
    return words;
}

void launch_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

char *launch_devices(const struct msg_prepare *prepare, const char *all)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        memory_out();
    for (int32_t i = 0; i < prepare->local_world; i++) {
        const char *device = all;

        for (int32_t gpu = 0; gpu < prepare->local_gpus[i] && *device; gpu++) {
            device += strcspn(device, ",");
            device += *device == ',';
        }
        (void)fputs(i > 0 ? "," : "", out);
        if (*device)
            (void)fwrite(device, 1, strcspn(device, ","), out);
        else
            put_number(out, prepare->local_gpus[i]);
    }
    if (fclose(out) != 0)
        memory_out();
    return text;
}

/* ---- arguments ---- */

/* The line of a file of arguments that is being read. */
struct place {
    const char *path;
    long line;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Writes the value of the placeholder {name} to `out`; `length` is that of `name`. -1 with
 * `error` if there is no such placeholder. */
static int put_placeholder(const struct rank_start *launch, const char *name, size_t length,
                           FILE *out, const struct place *place, struct error *error)
{
    for (size_t row = 0; row < ROWS; row++) {
        const char *known = table[row].placeholder;

        if (!known || strlen(known) != length || memcmp(known, name, length) != 0)
            continue;
        if (launch)
            table[row].write(launch, out);
        else
            (void)fprintf(out, "{%s}", known);
        return 0;
    }
    return error_set(error,
                     "%s:%ld: {%.*s} is no placeholder, see rubato-launch(7); {{ stands for {",
                     place->path, place->line, (int)length, name);
}

/* Writes one line with its placeholders replaced. A brace without a name after it stays a brace. */
static int expand(const struct rank_start *launch, const char *line, size_t length, FILE *out,
                  const struct place *place, struct error *error)
{
    for (size_t at = 0; at < length; at++) {
        size_t name = 0;

        while (line[at] == '{' && at + 1 + name < length && is_letter(line[at + 1 + name]))
            name++;
        if (name > 0 && at + 1 + name < length && line[at + 1 + name] == '}') {
            if (put_placeholder(launch, line + at + 1, name, out, place, error) < 0)
                return -1;
            at += name + 1;
            continue;
        }
        if (line[at] == '{' && at + 1 < length && line[at + 1] == '{')
            at++;
        (void)fputc(line[at], out);
    }
    return 0;
}

static char *expand_line(const struct rank_start *launch, const char *line, size_t length,
                         const struct place *place, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int result;

    if (!out)
        memory_out();
    result = expand(launch, line, length, out, place, error);
    if (fclose(out) != 0)
        memory_out();
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

/* All of a small file, ended with a NUL; NULL with `error`. */
static char *read_file(const char *path, struct error *error)
{
    FILE *in = fopen(path, "re");
    char *text;
    size_t length;

    if (!in) {
        (void)error_set(error, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    text = xmalloc(FILE_BYTES_MAX + 1);
    length = fread(text, 1, FILE_BYTES_MAX + 1, in);
    if (ferror(in) || length > FILE_BYTES_MAX || memchr(text, '\0', length)) {
        (void)error_set(error, "%s: %s", path,
                        ferror(in) ? "cannot be read" : "expected at most 1 MiB of text");
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    (void)fclose(in);
    return text;
}

bool launch_is_script(const char *word)
{
    const size_t length = strlen(word);

    return length > 3 && !strcmp(word + length - 3, ".py");
}

struct words {
    char **items;
    size_t count;
    size_t capacity;
};

static void add_word(struct words *words, char *word)
{
    words->items = grow_array(words->items, words->count, &words->capacity, sizeof(char *));
    words->items[words->count++] = word;
}

char **launch_arguments(const struct rank_start *launch, const char *path, const char *python,
                        struct error *error)
{
    char *text = read_file(path, error);
    struct place place = {path, 0};
    struct words words = {0};
    const char *line = text;

    while (line && *line) {
        const size_t length = strcspn(line, "\n");
        const size_t kept = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        char *word;

        place.line++;
        if (kept > 0 && *line != '#') {
            word = expand_line(launch, line, kept, &place, error);
            if (!word)
                goto fail;
            if (words.count == 0 && launch_is_script(word))
                add_word(&words, xstrdup(python));
            add_word(&words, word);
        }
        line += length;
        line += *line == '\n';
    }
    if (!text)
        return NULL;
    if (words.count == 0) {
        (void)error_set(error, "%s: names no program", path);
        goto fail;
    }
    add_word(&words, NULL);
    free(text);
    return words.items;

fail:
    add_word(&words, NULL);
    launch_words_free(words.items);
    free(text);
    return NULL;
}

/* Whether a word has a placeholder: the word then depends on the job, which is not known yet. */
static bool has_placeholder(const char *word)
{
    return strchr(word, '{') != NULL;
}

int launch_check(const char *path, const char *python, struct error *error)
{
    char **words = launch_arguments(NULL, path, python, error);
    int result = words ? 0 : -1;

    if (words && !has_placeholder(words[0]) && executable_check(words[0], error) < 0)
        result = error_prefix(error, path);
    else if (words && words[1] && !strcmp(words[0], python) && launch_is_script(words[1]) &&
             !has_placeholder(words[1]) && access(words[1], R_OK) < 0)
        result = error_set(error, "%s: %s: cannot be read: %s", path, words[1], strerror(errno));
    launch_words_free(words);
    return result;
}

/* ---- documentation ---- */

/* Prints a word for roff, escaped so that a hyphen stays a hyphen. */
static void print_roff(const char *text, FILE *out)
{
    for (; *text; text++)
        (void)fprintf(out, *text == '-' ? "\\-" : "%c", *text);
}

void launch_print_variables(FILE *out)
{
    for (size_t row = 0; row < ROWS; row++) {
        (void)fprintf(out, ".TP\n.B %s\n", table[row].name);
        print_roff(table[row].summary, out);
        (void)fputs(".\n", out);
    }
}

void launch_print_placeholders(FILE *out)
{
    for (size_t row = 0; row < ROWS; row++)
        if (table[row].placeholder)
            (void)fprintf(out, ".TP\n.B {%s}\n%s\n", table[row].placeholder, table[row].name);
}

const char *launch_variable(size_t index)
{
    return index < ROWS ? table[index].name : NULL;
}
