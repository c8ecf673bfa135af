/* program_test.c - what a job executes is bounded, and said to be wrong in one sentence. */
#include "common/memory.h"
#include "protocol/master_worker.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const char *arguments[PROGRAM_WORDS_MAX + 1];
static const char *variables[PROGRAM_WORDS_MAX + 1];

/* "true" without anything else. */
static struct msg_program plain(void)
{
    arguments[0] = "true";
    variables[0] = "A=1";
    return (struct msg_program){.argument_count = 1,
                                .arguments = arguments,
                                .folder = "",
                                .variables = variables,
                                .user = ""};
}

static void expect(const struct msg_program *program, const char *complaint)
{
    struct error error = {.text = ""};

    assert_int_equal(program_check(program, &error), complaint ? -1 : 0);
    assert_string_equal(error.text, complaint ? complaint : "");
}

/* As many `bytes` as a text; the caller frees it. */
static char *long_text(size_t bytes)
{
    char *text = xmalloc(bytes + 1);

    memset(text, 'x', bytes);
    text[bytes] = '\0';
    return text;
}

TEST(a_program_has_a_file_to_execute)
{
    struct msg_program program = plain();

    expect(&program, NULL);
    arguments[0] = "";
    expect(&program, "it names no file to execute");
    program.argument_count = 0;
    expect(&program, "it names no file to execute");
}

TEST(a_folder_begins_at_the_root)
{
    struct msg_program program = plain();

    program.folder = "/a/b";
    expect(&program, NULL);
    program.folder = "a";
    expect(&program, "its folder \"a\" does not begin with /");
}

TEST(variables_have_names)
{
    struct msg_program program = plain();

    program.variable_count = 1;
    expect(&program, NULL);
    variables[0] = "=1";
    expect(&program, "variable 1: expected NAME=value");
    variables[0] = "A";
    expect(&program, "variable 1: expected NAME=value");
}

TEST(texts_are_utf_8)
{
    struct msg_program program = plain();

    program.argument_count = 2;
    arguments[1] = "\xff";
    expect(&program, "argument 2 is not UTF-8");
}

TEST(words_have_a_longest)
{
    struct msg_program program = plain();
    char *text = long_text(WIRE_WORD_MAX + 1);

    program.argument_count = 2;
    arguments[1] = text;
    expect(&program, "argument 2 has 4097 bytes, more than 4096");
    arguments[1] = text + 1;
    expect(&program, NULL);
    free(text);
}

TEST(all_words_have_a_longest)
{
    struct msg_program program = plain();
    char *text = long_text(WIRE_WORD_MAX);
    const size_t fit = PROGRAM_BYTES_MAX / WIRE_WORD_MAX;

    for (size_t i = 0; i < fit; i++)
        arguments[i] = text;
    program.argument_count = fit;
    expect(&program, NULL);
    program.variable_count = 1;
    expect(&program, "arguments and variables have 262147 bytes, more than 262144");
    free(text);
}

TEST(words_are_1024_at_most)
{
    struct msg_program program = plain();

    for (size_t i = 1; i <= PROGRAM_WORDS_MAX; i++)
        arguments[i] = "";
    program.argument_count = PROGRAM_WORDS_MAX;
    expect(&program, NULL);
    program.argument_count++;
    expect(&program, "1025 arguments, more than 1024");
}

/* The largest that there may be is a frame that there may be, with the rest of a RUN to spare. */
TEST(the_largest_program_arrives_whole)
{
    struct msg_program program = plain();
    struct msg_program got;
    char *text = long_text(WIRE_WORD_MAX);
    struct error error;
    struct writer out;
    reader_t *in;

    for (size_t i = 0; i < PROGRAM_BYTES_MAX / WIRE_WORD_MAX; i++)
        arguments[i] = text;
    program.argument_count = PROGRAM_BYTES_MAX / WIRE_WORD_MAX;
    program.job = UINT64_MAX;
    msg_program_pack(&program, &out);
    assert_true(out.bytes.size < WIRE_FRAME_MAX / 2);
    writer_stamp(&out, 1, 1);
    in = reader_new(out.bytes.data, out.bytes.size, &error);
    assert_non_null(in);
    assert_int_equal(msg_program_unpack(in, &got, &error), 0);
    assert_true(got.job == UINT64_MAX);
    assert_int_equal(got.argument_count, program.argument_count);
    assert_string_equal(got.arguments[got.argument_count - 1], text);
    reader_destroy(&in);
    writer_close(&out);
    free(text);
}

/* The programs of all jobs of a node would be too large for one frame. */
TEST(the_hello_of_a_worker_has_no_programs)
{
    struct msg_program program = plain();
    int32_t numbers[] = {0};
    struct msg_run runs[8];
    struct msg_part parts[8] = {{.cause = ""}};
    const struct msg_worker_hello hello = {
        .part_count = 8, .parts = parts, .runs = runs, .run_count = 8};
    char *text = long_text(WIRE_WORD_MAX);
    struct writer out;

    for (size_t i = 0; i < PROGRAM_BYTES_MAX / WIRE_WORD_MAX; i++)
        arguments[i] = text;
    program.argument_count = PROGRAM_BYTES_MAX / WIRE_WORD_MAX;
    for (size_t i = 0; i < 8; i++)
        runs[i] = (struct msg_run){
            .world = 1, .gpu_count = 1, .gpus = numbers, .ranks = numbers, .program = &program};
    msg_worker_hello_pack("a", WIRE_VERSION, &hello, &out);
    assert_true(out.bytes.size < PROGRAM_BYTES_MAX);
    writer_close(&out);
    free(text);
}

TEST(a_copy_has_texts_of_its_own)
{
    struct msg_program program = plain();
    char folder[] = "/a";
    struct msg_program *copy;

    assert_null(program_copy(NULL));
    program.folder = folder;
    program.variable_count = 1;
    copy = program_copy(&program);
    folder[1] = 'b';
    assert_string_equal(copy->folder, "/a");
    assert_string_equal(copy->arguments[0], "true");
    assert_string_equal(copy->variables[0], "A=1");
    free(copy);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
