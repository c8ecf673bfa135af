/* job_fields.h - the fields of a job that a user submits, each declared once: its name in
 * documents, its limits, its option on a command line, and where else it goes.
 *
 * Requests, documents of the journal, `rubato submit` and `rubato quote`, quotes that are held,
 * submissions and programs walk this table. docs/adding-a-field.md says how a field is added. */
#ifndef SERVICE_JOB_FIELDS_H
#define SERVICE_JOB_FIELDS_H

#include "scheduler/service/form.h"

#define JOB_LABEL_MAX       64   /* bytes of a job's name, and of a key */
#define JOB_COMMENT_MAX     256  /* bytes */
#define JOB_WORD_MAX        4096 /* bytes of a word of its command, as in messages */
#define REQUEST_SECONDS_MAX INT64_C(1000000000)
#define WITHIN_MAX          3600 /* seconds that a quote may hold */

/* A job as a user asks the service for it. Times are seconds since 1970. */
struct job_request {
    const char *name;    /* NULL: the service finds one */
    const char *comment; /* NULL for none */
    const char *model;
    int64_t batch_size;
    int64_t iterations;
    int64_t duration_s; /* on the fewest GPUs that it may use; 0: as its rate there has it */
    struct words command;
    const char *folder;
    struct words environment;
    struct words rates;     /* how fast it trains, where no table and no profile says so */
    int64_t deadline;       /* since 1970; 0 for none */
    int64_t deadline_in;    /* seconds from its arrival, in the place of that; 0 for none */
    struct words deadlines; /* steps of a soft deadline, in the place of both; see state/steps.h */
    int64_t value;
    bool promise_or_decline;
    double confidence; /* per cent, 0 for none; below 0: that of the service */
    int64_t gpus_min;  /* 0 for no limit of its own */
    int64_t gpus_max;
    int64_t grace_s;
    int64_t checkpoint_s;
    struct words after; /* jobs that it waits for: "7", or "7:any" */
    const char *key;    /* NULL for none */
    bool held;
    bool dry_run;
    bool verdict_only; /* without the earliest deadline that would be promised */
    bool earliest;     /* the deadline is the earliest that is promised */
    int64_t within_s;  /* of a quote: it is to hold for so many seconds; 0 for the usual number */

    int64_t hold_s;     /* of a quote: it is to be held for so long; 0: it is not */
    int64_t held_until; /* since 1970: it is held until then; the service's own, 0 for none */
    int64_t hold;       /* the number of the quote that the job takes; 0 for none */
};

enum job_field_use {
    JOB_FIELD_PRIVATE = 1 << 0, /* seen by the job's user and by operators only */
    JOB_FIELD_ORDER = 1 << 1,   /* how the job is kept, and whether: no part of a question */
    JOB_FIELD_FIXED = 1 << 2,   /* a job that takes a quote has that of the quote */
    JOB_FIELD_REFUSED = 1 << 3, /* not for a job that takes a quote */
    JOB_FIELD_SAID = 1 << 4,    /* a text by which nothing plans: the submission has it */
};

struct job_field {
    struct form_field form; /* its place is in struct job_request */
    unsigned uses;          /* of enum job_field_use */
    const char *option;     /* NULL for a field that no option has under this name */
    const char *unit;       /* name of the option's value, in capitals */
    const char *help;
    const char *variable; /* in which the program of the job finds a text; NULL for none */
};

/* Field `index`, in the order of the options; NULL after the last. */
const struct job_field *job_field_at(size_t index);

/* Reads a document as form_read_json does, by the table. -1 with `error`. */
int job_fields_read(const json_t *document, struct job_request *request, arena_t *texts,
                    struct error *error);

/* The text that `request` has in a field of kind FORM_TEXT, FORM_LABEL or FORM_LINE, else NULL. */
const char *job_field_text(const struct job_field *field, const struct job_request *request);

/* ---- help that other verbs have, too ---- */

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
