/* job_options.h - a job as the options of a command line and a file have it, as the document of a
 * request. */
#ifndef SERVICE_JOB_OPTIONS_H
#define SERVICE_JOB_OPTIONS_H

#include "common/options.h"
#include "scheduler/service/job_fields.h"

#include <jansson.h>

#define JOB_OPTIONS_MAX 32

/* 0, NULL and false where nothing is said. */
struct job_options {
    const char *file;        /* JSON */
    struct job_request said; /* the fields that are given as documents have them */
    struct option_list environment;
    struct option_list rates;
    const char *deadline;
    const char *confidence;
    const char *after;
    struct option_spec table[JOB_OPTIONS_MAX]; /* see job_options_table */
};

/* The options of a job: --job, then one for each field of a job that has one. They put their values
 * into `self`, which lends the table. */
const struct option_spec *job_options_table(struct job_options *self);

/* The document of a job that executes the `count` words of `command`; the caller's. NULL, with
 * `error`. */
json_t *job_options_document(const struct job_options *self, char *const command[], size_t count,
                             struct error *error);

/* In per cent what `text`, the value of --confidence, says, 0 for none. -1, with `error`. */
int job_options_confidence(const char *text, double *confidence, struct error *error);

/* Adds `list` as a member, unless it is empty. -1, with `error`, if it is not UTF-8. */
int job_options_add_list(json_t *document, const char *name, const char *const texts[],
                         size_t count, struct error *error);

/* Adds what `text`, the value of --deadline, says in the place of any deadline before: a time,
 * none, or steps of a soft deadline. -1, with `error`. */
int job_options_add_deadline(json_t *document, const char *text, struct error *error);

#endif
