/* program.c - see program.h. */
#include "protocol/program.h"

#include "common/input.h"
#include "protocol/pieces.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- checks ---- */

/* The program of a job is read from messages and from users alike: `what` names the place. */
struct look {
    size_t bytes; /* bytes of the texts so far */
    struct error *error;
};

static int look_at(struct look *look, const char *text, const char *what, size_t number)
{
    const size_t length = strlen(text);

    look->bytes += length;
    if (length > WIRE_WORD_MAX)
        return error_set(look->error, "%s %zu has %zu bytes, more than %zu", what, number, length,
                         (size_t)WIRE_WORD_MAX);
    if (input_valid_utf8(text, length) != length)
        return error_set(look->error, "%s %zu is not UTF-8", what, number);
    return 0;
}

static int look_at_all(struct look *look, const char *const *texts, size_t count, const char *what)
{
    if (count > PROGRAM_WORDS_MAX)
        return error_set(look->error, "%zu %ss, more than %zu", count, what, PROGRAM_WORDS_MAX);
    for (size_t i = 0; i < count; i++)
        if (look_at(look, texts[i], what, i + 1) < 0)
            return -1;
    return 0;
}

static int check_names(const struct msg_program *program, struct error *error)
{
    for (size_t i = 0; i < program->variable_count; i++)
        if (strcspn(program->variables[i], "=") == 0 || !strchr(program->variables[i], '='))
            return error_set(error, "variable %zu: expected NAME=value", i + 1);
    return 0;
}

static int check_texts(const struct msg_program *program, struct error *error)
{
    struct look look = {.error = error};

    if (look_at_all(&look, program->arguments, program->argument_count, "argument") < 0 ||
        look_at_all(&look, program->variables, program->variable_count, "variable") < 0 ||
        look_at(&look, program->folder, "folder", 1) < 0 ||
        look_at(&look, program->user, "user", 1) < 0)
        return -1;
    if (strlen(program->user) > WIRE_NAME_MAX)
        return error_set(error, "the name of its user has more than %d bytes", WIRE_NAME_MAX);
    if (look.bytes > PROGRAM_BYTES_MAX)
        return error_set(error, "arguments and variables have %zu bytes, more than %zu", look.bytes,
                         PROGRAM_BYTES_MAX);
    return 0;
}

int program_check(const struct msg_program *program, struct error *error)
{
    if (program->argument_count == 0 || !*program->arguments[0])
        return error_set(error, "it names no file to execute");
    if (*program->folder && *program->folder != '/')
        return error_set(error, "its folder \"%s\" does not begin with /", program->folder);
    if (program->grace_ms < 0 || program->grace_ms > PROGRAM_GRACE_MS_MAX)
        return error_set(error, "its grace of %" PRId64 " ms is not within 0 to %" PRId64,
                         program->grace_ms, PROGRAM_GRACE_MS_MAX);
    if (program->checkpoint_s < 0 || program->checkpoint_s > CHECKPOINT_S_MAX)
        return error_set(error, "%" PRId64 " s between its checkpoints are not within 0 to %d",
                         program->checkpoint_s, CHECKPOINT_S_MAX);
    return check_texts(program, error) < 0 ? -1 : check_names(program, error);
}

/* ---- copies ---- */

struct msg_program *program_pack(const struct msg_program *program, struct packing *packing)
{
    struct msg_program *own = packing_bytes(packing, program, sizeof(*program));
    struct msg_program copy = *program;

    copy.arguments = packing_texts(packing, program->arguments, program->argument_count);
    copy.variables = packing_texts(packing, program->variables, program->variable_count);
    copy.folder = packing_text(packing, program->folder);
    copy.user = packing_text(packing, program->user);
    if (own)
        *own = copy;
    return own;
}

struct msg_program *program_copy(const struct msg_program *program)
{
    struct packing packing = {NULL, 0};

    if (!program)
        return NULL;
    (void)program_pack(program, &packing);
    packing_begin(&packing);
    return program_pack(program, &packing);
}

/* ---- on the wire ---- */

#define PROGRAM_FIELDS 6

static void write_texts(const char *const *texts, size_t count, struct writer *out)
{
    writer_list(out, count);
    for (size_t i = 0; i < count; i++)
        writer_word(out, texts[i]);
}

static const char **read_texts(reader_t *in, size_t *count)
{
    const char **texts;

    *count = reader_enter(in, PROGRAM_WORDS_MAX);
    texts = arena_alloc(reader_arena(in), (*count + 1) * sizeof(*texts));
    for (size_t i = 0; i < *count; i++)
        texts[i] = reader_text(in, WIRE_WORD_MAX);
    texts[*count] = NULL;
    reader_leave(in);
    return texts;
}

void write_program(const struct msg_program *program, struct writer *out)
{
    struct error error;

    assert(program_check(program, &error) == 0);
    writer_list(out, PROGRAM_FIELDS);
    write_texts(program->arguments, program->argument_count, out);
    writer_word(out, program->folder);
    write_texts(program->variables, program->variable_count, out);
    write_name(program->user, out);
    writer_whole(out, program->grace_ms);
    writer_whole(out, program->checkpoint_s);
}

void read_program(reader_t *in, struct msg_program *program)
{
    struct error error;

    reader_enter(in, PROGRAM_FIELDS);
    program->arguments = read_texts(in, &program->argument_count);
    program->folder = reader_text(in, WIRE_WORD_MAX);
    program->variables = read_texts(in, &program->variable_count);
    program->user = reader_text(in, WIRE_NAME_MAX);
    program->grace_ms = reader_whole(in, 0, PROGRAM_GRACE_MS_MAX);
    program->checkpoint_s = reader_whole(in, 0, CHECKPOINT_S_MAX);
    reader_leave(in);
    if (!reader_failed(in) && program_check(program, &error) < 0)
        reader_refuse(in, "%s", error.text);
}

void msg_program_pack(const struct msg_program *program, struct writer *out)
{
    writer_open(out, MSG_PROGRAM, 2);
    writer_number(out, program->job);
    write_program(program, out);
}

int msg_program_unpack(reader_t *in, struct msg_program *program, struct error *error)
{
    reader_expect(in, MSG_PROGRAM);
    program->job = reader_number(in);
    read_program(in, program);
    return reader_close(in, error);
}
