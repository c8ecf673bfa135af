/* oracle_files.h - reads the inputs of the oracle's command lines: CSV files, clusters and lists of
 * quirks.
 *
 * The reader knows no quotes, as the traces have none. An input that cannot be read ends the
 * process with a sentence and exit status 2. Texts that were read last as long as `memory`. */
#ifndef ORACLE_FILES_H
#define ORACLE_FILES_H

#include "oracle_internal.h"

#define LINE_MAX_BYTES 4096
#define CELL_MAX       64

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A CSV file in memory. Missing cells of a short row are empty. In a .txt file a space is the
 * separator. */
struct sheet {
    const char *path;
    size_t column_count;
    const char *columns[CELL_MAX];
    size_t row_count;
    const char *(*rows)[CELL_MAX];
};

/* Returns -1 if there is no such file. */
int sheet_read(struct oracle_call *memory, struct sheet *sheet, const char *path);

/* The place of the column `name`, else of `otherwise`. -1 if neither exists. */
int sheet_column(const struct sheet *sheet, const char *name, const char *otherwise);
const char *sheet_text(const struct sheet *sheet, size_t row, int column, const char *what);

/* Reads an integer, of which only plain digits make a number (EF-Q8). */
double sheet_integer(const struct sheet *sheet, size_t row, int column, const char *what);

/* Reads a cluster. `spec` is SxNxG, or the path of a file with a row of these numbers. */
struct oracle_cluster cluster_read(struct oracle_call *memory, const char *spec);

/* The bits of a list of tags such as GA-Q3,GA-Q4. 0 if `list` is NULL. */
unsigned cleaned_of(struct oracle_call *memory, const char *list);

/* Makes the folder if it does not exist. */
void folder_make(const char *path);
void file_write(const char *folder, const char *name, const struct oracle_buffer *buffer);

#endif
