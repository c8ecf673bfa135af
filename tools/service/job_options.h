/* job_options.h - makes the document of a request from the options and the file of a job. */
#ifndef SERVICE_JOB_OPTIONS_H
#define SERVICE_JOB_OPTIONS_H

#include "common/options.h"
#include "scheduler/service/job_fields.h"

#include <jansson.h>

#define JOB_OPTIONS_MAX 32

/* Unset fields are 0, NULL or false. */
struct job_options {
    const char *file;        /* path of the JSON document of the job */
    struct job_request said; /* the fields given as options */
    struct option_list environment;
    struct option_list rates;
    const char *deadline;
    const char *confidence;
    const char *after;
    struct option_spec table[JOB_OPTIONS_MAX]; /* see job_options_table */
};

/* The options of a job: --job, then one option for each field that has one. Parsing them stores the
 * values in `self`, which also lends the table. */
const struct option_spec *job_options_table(struct job_options *self);

/* The document of a job that executes the `count` words of `command`. The caller owns it. NULL with
 * `error`. */
json_t *job_options_document(const struct job_options *self, char *const command[], size_t count,
                             struct error *error);

/* Parses `text`, the value of --confidence, as per cent. "none" is 0. -1 with `error`. */
int job_options_confidence(const char *text, double *confidence, struct error *error);

/* Adds the `count` texts as the list `name`, unless there are none. -1, with `error`, if a text is
 * not UTF-8. */
int job_options_add_list(json_t *document, const char *name, const char *const texts[],
                         size_t count, struct error *error);

/* Adds the deadline in `text`, the value of --deadline, replacing any earlier deadline: a time,
 * none, or steps of a soft deadline. -1, with `error`. */
int job_options_add_deadline(json_t *document, const char *text, struct error *error);

#endif
