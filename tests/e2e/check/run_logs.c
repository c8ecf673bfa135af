/* run_logs.c - see run_logs.h. */
#include "tests/e2e/check/run_logs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 8

struct run_logs *run_logs_new(void)
{
    struct run_logs *self = xcalloc(1, sizeof(*self));

    self->arena = arena_new();
    return self;
}

void run_logs_destroy(struct run_logs **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->arena);
    free((*self)->lines);
    free((*self)->others);
    free(*self);
    *self = NULL;
}

static void add_line(struct run_logs *self, const char *file, size_t number, const char *text,
                     findings_t *findings)
{
    struct log_line line = {.file = file, .number = number};
    struct error error;

    if (log_line_read(text, self->arena, &line, &error) < 0) {
        findings_add(findings, "log", &line, "no line of a log: %s", error.text);
        return;
    }
    self->lines =
        grow_array(self->lines, self->line_count, &self->line_capacity, sizeof(*self->lines));
    self->lines[self->line_count++] = line;
}

static void add_other(struct run_logs *self, const char *file, size_t number, const char *text)
{
    self->others =
        grow_array(self->others, self->other_count, &self->other_capacity, sizeof(*self->others));
    self->others[self->other_count++] = (struct other_line){
        .file = file,
        .number = number,
        .text = arena_text(self->arena, text, strlen(text)),
    };
}

static int add_file(struct run_logs *self, const char *path, findings_t *findings,
                    struct error *error)
{
    const char *file = arena_text(self->arena, path, strlen(path));
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    size_t number = 0;
    ssize_t length;

    if (!in)
        return error_set(error, "%s: %s", path, strerror(errno));
    while ((length = getline(&text, &size, in)) >= 0) {
        number++;
        if (length > 0 && text[length - 1] == '\n')
            text[length - 1] = '\0';
        if (log_line_looks_like(text))
            add_line(self, file, number, text, findings);
        else
            add_other(self, file, number, text);
    }
    free(text);
    (void)fclose(in);
    return 0;
}

static int add_path(struct run_logs *self, const char *path, int depth, findings_t *findings,
                    struct error *error);

static int add_folder(struct run_logs *self, const char *path, int depth, findings_t *findings,
                      struct error *error)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    int status = 0;

    if (count < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char inner[4096];

        (void)snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
        if (status == 0 && entries[i]->d_name[0] != '.')
            status = add_path(self, inner, depth + 1, findings, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_path(struct run_logs *self, const char *path, int depth, findings_t *findings,
                    struct error *error)
{
    struct stat status;

    if (depth > DEPTH_MAX)
        return error_set(error, "%s: more than %d folders deep", path, DEPTH_MAX);
    if (stat(path, &status) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return add_folder(self, path, depth, findings, error);
    return S_ISREG(status.st_mode) ? add_file(self, path, findings, error) : 0;
}

int run_logs_add(struct run_logs *self, const char *path, findings_t *findings, struct error *error)
{
    return add_path(self, path, 0, findings, error);
}

static int by_time(const void *a, const void *b)
{
    const struct log_line *left = a;
    const struct log_line *right = b;

    if (left->stamp_us != right->stamp_us)
        return left->stamp_us < right->stamp_us ? -1 : 1;
    if (left->file != right->file)
        return strcmp(left->file, right->file);
    return (left->number > right->number) - (left->number < right->number);
}

void run_logs_sort(struct run_logs *self)
{
    if (self->line_count > 0)
        qsort(self->lines, self->line_count, sizeof(*self->lines), by_time);
}
