/* oracle_files.c - reads the oracle's files into memory. */
#define _POSIX_C_SOURCE 200809L

#include "oracle_files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void die(const char *format, ...)
{
    va_list arguments;

    fputs("oracle: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static char *duplicate(struct oracle_call *memory, const char *text)
{
    size_t bytes = strlen(text) + 1;

    return memcpy(oracle_resize(memory, NULL, bytes), text, bytes);
}

static size_t split(char *line, char separator, const char *cells[CELL_MAX])
{
    size_t count = 0;

    for (char *at = line; at && count < CELL_MAX; count++) {
        char *end = strchr(at, separator);

        if (end)
            *end++ = '\0';
        cells[count] = at;
        at = end;
    }
    return count;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

int sheet_read(struct oracle_call *memory, struct sheet *sheet, const char *path)
{
    char separator = ends_with(path, ".txt") ? ' ' : ',';
    static char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "r");

    *sheet = (struct sheet){.path = path};
    if (!file)
        return -1;
    while (fgets(line, sizeof(line), file)) {
        size_t length = strcspn(line, "\r\n");
        const char *cells[CELL_MAX];
        size_t count;

        if (length == sizeof(line) - 1)
            die("%s: a line is too long", path);
        line[length] = '\0';
        if (length == 0)
            continue;
        count = split(duplicate(memory, line), separator, cells);
        if (sheet->column_count == 0) {
            memcpy(sheet->columns, cells, sizeof(cells));
            sheet->column_count = count;
            continue;
        }
        for (; count < CELL_MAX; count++)
            cells[count] = "";
        sheet->rows =
            oracle_resize(memory, sheet->rows, (sheet->row_count + 1) * sizeof(sheet->rows[0]));
        memcpy(sheet->rows[sheet->row_count++], cells, sizeof(cells));
    }
    fclose(file);
    return 0;
}

int sheet_column(const struct sheet *sheet, const char *name, const char *otherwise)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        if (strcmp(sheet->columns[i], name) == 0)
            return (int)i;
    return otherwise ? sheet_column(sheet, otherwise, NULL) : -1;
}

const char *sheet_text(const struct sheet *sheet, size_t row, int column, const char *what)
{
    if (column < 0)
        die("%s: no column %s", sheet->path, what);
    return sheet->rows[row][column];
}

double sheet_integer(const struct sheet *sheet, size_t row, int column, const char *what)
{
    const char *text = sheet_text(sheet, row, column, what);

    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
        die("%s: row %zu: %s is no integer: '%s'", sheet->path, row + 1, what, text);
    return strtod(text, NULL);
}

struct oracle_cluster cluster_read(struct oracle_call *memory, const char *spec)
{
    struct oracle_cluster cluster;
    struct sheet sheet;
    char rest;

    if (sscanf(spec, "%dx%dx%d%c", &cluster.switches, &cluster.nodes_per_switch,
               &cluster.gpus_per_node, &rest) != 3) {
        if (sheet_read(memory, &sheet, spec) < 0 || sheet.row_count == 0)
            die("%s: no cluster", spec);
        cluster.switches =
            (int)sheet_integer(&sheet, 0, sheet_column(&sheet, "num_switch", NULL), "num_switch");
        cluster.nodes_per_switch = (int)sheet_integer(
            &sheet, 0, sheet_column(&sheet, "num_node_p_switch", NULL), "num_node_p_switch");
        cluster.gpus_per_node = (int)sheet_integer(
            &sheet, 0, sheet_column(&sheet, "num_gpu_p_node", NULL), "num_gpu_p_node");
    }
    if (cluster.switches < 1 || cluster.nodes_per_switch < 1 || cluster.gpus_per_node < 1)
        die("%s: an empty cluster", spec);
    return cluster;
}

unsigned cleaned_of(struct oracle_call *memory, const char *list)
{
    const char *tags[CELL_MAX];
    size_t count = list ? split(duplicate(memory, list), ',', tags) : 0;
    unsigned cleaned = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned repair = oracle_repair_of(tags[i]);

        if (repair == 0)
            die("%s: no such quirk to repair", tags[i]);
        cleaned |= repair;
    }
    return cleaned;
}

void folder_make(const char *path)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        die("%s: %s", path, strerror(errno));
}

void file_write(const char *folder, const char *name, const struct oracle_buffer *buffer)
{
    char path[LINE_MAX_BYTES];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    if (!file || fwrite(buffer->text, 1, buffer->length, file) != buffer->length ||
        fclose(file) != 0)
        die("%s: %s", path, strerror(errno));
}
