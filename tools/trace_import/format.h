/* format.h - job traces and job logs of other systems. Each format has a reader for the GPUs and
 * run times of its jobs. */
#ifndef TRACE_IMPORT_FORMAT_H
#define TRACE_IMPORT_FORMAT_H

#include "common/error.h"
#include "tools/trace_import/foreign.h"

#include <stdint.h>

#define FORMAT_FILES_MAX 2

/* Settings that the user gives for some formats. */
struct format_setting {
    const char *gavel_gpu;      /* GPU type whose rates turn steps into seconds */
    int64_t processors_per_gpu; /* processors for each GPU, for SWF and Batsim */
};

struct format {
    const char *name;
    int files;          /* number of files of the format */
    const char *wanted; /* names of the files, for messages */
    int (*read)(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error);
};

/* Each reader adds all jobs of the files. Readers return -1 with `error`, which names file and
 * line. */
int philly_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error);
int helios_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error);
int pai2020_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                 struct error *error);
int gpu2023_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                 struct error *error);
int gavel_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
               struct error *error);
int swf_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
             struct error *error);
int sacct_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
               struct error *error);
int batsim_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error);

/* format_names: all names, ended with NULL. format_find: the format called `name`, which must be
 * one of these names. */
extern const char *const format_names[];
const struct format *format_find(const char *name) __attribute__((returns_nonnull));

#endif
