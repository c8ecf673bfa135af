/* oracle_files.h - what the oracle's command lines read: CSV files, clusters, lists of quirks.
 *
 * The reader knows no quotes, as the traces have none. Whatever cannot be read ends the process
 * with a sentence and exit status 2. What is read lasts as long as the `memory` that is handed
 * around. */
#ifndef ORACLE_FILES_H
#define ORACLE_FILES_H

#include "oracle_internal.h"

#define LINE_MAX_BYTES 4096
#define CELL_MAX       64

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A CSV file in memory; cells of a short row are empty. In a .txt file a space is the separator. */
struct sheet {
    const char *path;
    size_t column_count;
    const char *columns[CELL_MAX];
    size_t row_count;
    const char *(*rows)[CELL_MAX];
};

/* Returns -1 if there is no such file. */
int sheet_read(struct oracle_call *memory, struct sheet *sheet, const char *path);

/* The first of two columns that exists; -1 if neither does. */
int sheet_column(const struct sheet *sheet, const char *name, const char *otherwise);
const char *sheet_text(const struct sheet *sheet, size_t row, int column, const char *what);

/* EF-Q8: only plain digits make a number. */
double sheet_integer(const struct sheet *sheet, size_t row, int column, const char *what);

/* `spec` is SxNxG, or the path of a file with a row of these. */
struct oracle_cluster cluster_read(struct oracle_call *memory, const char *spec);

/* The bits of a list of tags like GA-Q3,GA-Q4; 0 of NULL. */
unsigned cleaned_of(struct oracle_call *memory, const char *list);

/* Makes the folder unless it is there. */
void folder_make(const char *path);
void file_write(const char *folder, const char *name, const struct oracle_buffer *buffer);

#endif
