/* recipe.c - see recipe.h. */
#include "tools/trace_tools/recipe.h"

#include "common/option_value.h"
#include "tools/trace_tools/trace_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How the rows of this trace are written. */
struct form {
    char delimiter;
    bool best_effort; /* a column of its own */
};

struct recipe recipe_default(void)
{
    return (struct recipe){
        .setting = {.seed = 1,
                    .arrival_interval_s = 300,
                    .duration_s = {600, 36000},
                    .tightness = {0.5, 1.5},
                    .gpus_mix = "1:70,2:10,4:15,8:5"},
        .jobs = 1000,
        .gpu_type = "A100",
        .dialect = "public",
    };
}

static void write_header(output_t *output, enum dialect dialect, struct form form)
{
    const char *const names[] = {"job_id",
                                 dialect_column_name(dialect, DIALECT_SUBMISSION),
                                 dialect_column_name(dialect, DIALECT_ITERATIONS),
                                 "model_name",
                                 dialect_column_name(dialect, DIALECT_DEADLINE),
                                 "batch_size",
                                 "num_gpu",
                                 "duration",
                                 "best_effort"};
    const size_t count = sizeof(names) / sizeof(names[0]) - (form.best_effort ? 0 : 1);

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            output_char(output, form.delimiter);
        output_text(output, names[i]);
    }
    output_char(output, '\n');
}

static void write_number(output_t *output, struct form form, int64_t number)
{
    output_char(output, form.delimiter);
    output_whole(output, number);
}

static void write_job(output_t *output, const struct generated_job *job, struct form form)
{
    output_whole(output, job->number);
    write_number(output, form, job->submit_s);
    write_number(output, form, job->iterations);
    output_char(output, form.delimiter);
    trace_file_cell(output, form.delimiter, job->row->model, strlen(job->row->model));
    write_number(output, form, job->deadline_s);
    write_number(output, form, job->row->batch_size);
    write_number(output, form, job->gpus);
    write_number(output, form, job->duration_s);
    if (form.best_effort)
        write_number(output, form, job->best_effort);
    output_char(output, '\n');
}

int recipe_write(const struct recipe *recipe, const throughput_table_t *table, char delimiter,
                 output_t *output, struct error *error)
{
    const struct form form = {.delimiter = delimiter,
                              .best_effort = recipe->setting.best_effort_share > 0};
    generator_t *generator = generator_new(&recipe->setting, table, error);
    int status = generator ? 0 : -1;

    if (generator)
        write_header(output, dialect_find(recipe->dialect), form);
    for (int64_t i = 0; i < recipe->jobs && status == 0; i++) {
        struct generated_job job;

        status = generator_next(generator, &job, error);
        if (status == 0)
            write_job(output, &job, form);
    }
    generator_destroy(&generator);
    return status;
}

/* `text` as a shell reads it back. */
static void print_word(const char *text, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./,:=+@%";

    if (text[strspn(text, plain)] == '\0') {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*text, out);
    (void)fputc('\'', out);
}

static void print_option(const struct option_spec *option, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory;

    if (!option_has_value(option))
        return;
    memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    option_print_value(option, memory);
    (void)fclose(memory);
    (void)fprintf(out, " --%s ", option->name);
    print_word(text, out);
    free(text);
}

void recipe_print_command(const struct recipe *recipe, const char *path, FILE *out)
{
    struct recipe copy = *recipe; /* an option points to what it could change */
    const struct option_spec options[] = {
        OPTION_WHOLE("seed", "S", &copy.setting.seed, 0, RECIPE_SEED_MAX, NULL),
        OPTION_TEXT("output", "FILE", &path, NULL),
        RECIPE_OPTIONS(&copy),
        OPTION_END,
    };

    (void)fputs("rubato trace generate", out);
    for (const struct option_spec *option = options; option->kind; option++)
        print_option(option, out);
}
