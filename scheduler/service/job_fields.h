/* job_fields.h - the fields of a submitted job, each declared once: its name in documents, its
 * limits, its option on a command line, and its further uses.
 *
 * Requests, documents of the journal, `rubato submit` and `rubato quote`, held quotes, submissions
 * and programs walk this table. docs/adding-a-field.md says how to add a field. */
#ifndef SERVICE_JOB_FIELDS_H
#define SERVICE_JOB_FIELDS_H

#include "scheduler/service/form.h"

#define JOB_LABEL_MAX       64   /* bytes of a job's name, or of a key */
#define JOB_COMMENT_MAX     256  /* bytes of a comment */
#define JOB_WORD_MAX        4096 /* bytes of a word of a job's command, as in messages */
#define REQUEST_SECONDS_MAX INT64_C(1000000000)
#define WITHIN_MAX          3600 /* seconds for which a quote may be valid */

/* A job as a user asks the service for it. Times are seconds since 1970. */
struct job_request {
    const char *name;    /* NULL: the service makes a name */
    const char *comment; /* NULL for none */
    const char *model;
    int64_t batch_size;
    int64_t iterations;
    int64_t duration_s; /* on the fewest GPUs that the job may use; 0: by the job's rate */
    struct words command;
    const char *folder;
    struct words environment;
    struct words rates;     /* training rates, if no table or profile has them */
    int64_t deadline;       /* since 1970; 0 for none */
    int64_t deadline_in;    /* seconds from now, instead of `deadline`; 0 for none */
    struct words deadlines; /* steps of a soft deadline, instead of both; see state/steps.h */
    int64_t value;
    bool promise_or_decline;
    double confidence; /* per cent, 0 for none; below 0: the service's default */
    int64_t gpus_min;  /* least GPUs; 0 for no own limit */
    int64_t gpus_max;
    int64_t grace_s;
    int64_t checkpoint_s;
    struct words after; /* parents: "7", or "7:any" */
    const char *key;    /* NULL for none */
    bool held;
    bool dry_run;
    bool verdict_only; /* if refused, the earliest promised deadline is not looked for */
    bool earliest;     /* the deadline is to be the earliest promised one */
    int64_t within_s;  /* of a quote: seconds in which to submit; 0 for the default */

    int64_t hold_s;     /* of a quote: seconds for which to hold it; 0: not held */
    int64_t held_until; /* end of holding, since 1970; set by the service; 0 for none */
    int64_t hold;       /* number of the quote to take; 0 for none */
};

enum job_field_use {
    JOB_FIELD_PRIVATE = 1 << 0, /* seen by the job's user and by operators only */
    JOB_FIELD_ORDER = 1 << 1,   /* about the keeping of the job, not part of a question */
    JOB_FIELD_FIXED = 1 << 2,   /* a job that takes a quote must have the quote's value */
    JOB_FIELD_REFUSED = 1 << 3, /* a job that takes a quote may not have it */
    JOB_FIELD_SAID = 1 << 4,    /* a text that no plan depends on, kept in the submission */
};

struct job_field {
    struct form_field form; /* with its offset in struct job_request */
    unsigned uses;          /* bits of enum job_field_use */
    const char *option;     /* NULL if no option has this field's name */
    const char *unit;       /* name of the option's value, in capitals */
    const char *help;
    const char *variable; /* environment variable of the job's program; NULL for none */
};

/* Field number `index`, in the order of the options; NULL after the last. */
const struct job_field *job_field_at(size_t index);

/* Reads a document by the table, as form_read_json does. -1 with `error`. */
int job_fields_read(const json_t *document, struct job_request *request, arena_t *texts,
                    struct error *error);

/* The text of a field in `request`; NULL for a field that is not FORM_TEXT, FORM_LABEL or
 * FORM_LINE. */
const char *job_field_text(const struct job_field *field, const struct job_request *request);

/* ---- help that other verbs use, too ---- */

#define DEADLINE_HELP                                                                              \
    "when it must be done: +3h, +1h30m, 2026-11-24T18:00 in local time, with a Z at the end in "   \
    "UTC, or none"

#define STEPS_HELP "or steps with values that fall, +1h:10,+2h:6,+4h:1"

#define RATE_HELP                                                                                  \
    "how many iterations a second it does on so many GPUs, in the place of the tables; once for "  \
    "each number of GPUs, rising"

#define FOLDER_HELP "working folder of the command; without it this one"

#define ENVIRONMENT_HELP                                                                           \
    "a variable of the command; without a value that of this environment; may stand there "        \
    "several times"

#endif
