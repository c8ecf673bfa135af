/* recipe.c - see recipe.h. */
#include "tools/trace_tools/recipe.h"

#include "common/memory.h"
#include "common/option_value.h"
#include "common/shell_word.h"
#include "tools/trace_tools/drawn_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct recipe recipe_default(void)
{
    return (struct recipe){
        .setting = {.seed = 1,
                    .arrival_interval_s = 300,
                    .duration_s = {600, 36000},
                    .long_duration_s = {18974, 600000},
                    .tightness = {0.5, 1.5},
                    .gpus_mix = "1:70,2:10,4:15,8:5"},
        .jobs = 1000,
        .gpu_type = "A100",
        .dialect = "public",
    };
}

int recipe_write(const struct recipe *recipe, const throughput_table_t *table, char delimiter,
                 output_t *output, struct error *error)
{
    struct drawn_rows rows = {.row = {.output = output, .delimiter = delimiter},
                              .best_effort = recipe->setting.best_effort_share > 0};
    generator_t *generator = generator_new(&recipe->setting, table, error);
    int status = generator ? 0 : -1;

    if (generator)
        drawn_rows_header(&rows, dialect_find(recipe->dialect));
    for (int64_t i = 0; i < recipe->jobs && status == 0; i++) {
        struct generated_job job;
        char name[24];

        status = generator_next(generator, &job, error);
        (void)snprintf(name, sizeof(name), "%" PRId64, i);
        if (status == 0)
            drawn_rows_job(&rows, name, NULL, NULL, &job);
    }
    generator_destroy(&generator);
    return status;
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
        memory_out();
    option_print_value(option, memory);
    (void)fclose(memory);
    (void)fprintf(out, " --%s ", option->name);
    shell_word_print(text, out);
    free(text);
}

void recipe_print_options(const struct option_spec options[], FILE *out)
{
    for (const struct option_spec *option = options; option->kind; option++)
        print_option(option, out);
}

void recipe_print_command(const struct recipe *recipe, const char *path, FILE *out)
{
    struct recipe copy = *recipe; /* options need pointers to variables that they could change */
    const struct option_spec options[] = {
        OPTION_WHOLE("seed", "S", &copy.setting.seed, 0, RECIPE_SEED_MAX, NULL),
        OPTION_TEXT("output", "FILE", &path, NULL),
        RECIPE_OPTIONS(&copy),
        OPTION_END,
    };

    (void)fputs("rubato trace generate", out);
    recipe_print_options(options, out);
}
