/* entries_sweep.c - the lists of `rubato sweep` in a config file; see entries.h. */
#include "entries.h"

#include "common/config.h"
#include "common/input.h"
#include "common/memory.h"
#include "tools/sweep/grid.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "sweep.conf"

static int take(void *context, size_t key, const char *value, int line, struct error *error)
{
    struct sweep_grid *grid = context;
    char **list = (char **)&grid->axes[key].list;

    (void)line;
    (void)error;
    *list = xstrdup(value);
    return 0;
}

static void check_sentence(const struct error *error)
{
    const size_t length = strlen(error->text);
    char shown[sizeof(error->text)];

    assert(!strncmp(error->text, NAME ":", strlen(NAME ":")) || !strncmp(error->text, "--", 2));
    if (length + 1 == sizeof(error->text)) /* it was cut, perhaps within a character */
        return;
    assert(input_printable(shown, sizeof(shown), error->text, length) == length);
    assert(!strcmp(shown, error->text));
}

/* The values with commas between them. */
static char *print_list(const struct axis *axis)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    assert(memory);
    for (size_t i = 0; i < axis->count; i++) {
        char *value = axis_text(axis, i);

        assert(*value);
        (void)fprintf(memory, "%s%s", i > 0 ? "," : "", value);
        free(value);
    }
    (void)fclose(memory);
    return text;
}

/* What is printed is read as the same values. */
static void check_axis(const struct axis *axis)
{
    char *list = print_list(axis);
    struct axis again = {.option = axis->option, .list = list};
    struct error error;
    char *printed;

    assert(axis->count > 0);
    assert(axis_read(&again, &error) == 0 && again.count == axis->count);
    printed = print_list(&again);
    assert(!strcmp(printed, list));
    free(printed);
    axis_clear(&again);
    free(list);
}

static void read_axes(struct sweep_grid *grid)
{
    struct error error;

    for (int i = 0; i < AXES; i++) {
        struct axis *axis = &grid->axes[i];

        if (!axis->list)
            continue;
        if (axis_read(axis, &error) < 0)
            check_sentence(&error);
        else
            check_axis(axis);
    }
}

void entry_sweep(const uint8_t *bytes, size_t size)
{
    const char *names[AXES];
    char *text = xcalloc(1, size + 1);
    struct sweep_grid grid;
    struct error error;

    memcpy(text, bytes, size);
    grid_init(&grid);
    for (int i = 0; i < AXES; i++)
        names[i] = grid.axes[i].option.name;
    if (config_parse(NAME, text, names, AXES, take, &grid, &error) < 0)
        check_sentence(&error);
    else
        read_axes(&grid);
    for (int i = 0; i < AXES; i++)
        free((char *)grid.axes[i].list);
    grid_clear(&grid);
    free(text);
}
