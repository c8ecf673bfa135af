/* job_options.h - a job as the options of a command line and a file have it, as the document of a
 * request. */
#ifndef SERVICE_JOB_OPTIONS_H
#define SERVICE_JOB_OPTIONS_H

#include "common/options.h"

#include <jansson.h>

/* 0, NULL and false where nothing is said. */
struct job_options {
    const char *file; /* JSON */
    const char *name;
    const char *model;
    int64_t batch_size;
    int64_t iterations;
    int64_t duration_s;
    const char *folder;
    struct option_list environment;
    struct option_list rates;
    const char *deadline;
    bool promise_or_decline;
    const char *confidence;
    int64_t value;
    int64_t gpus_min;
    int64_t gpus_max;
    int64_t grace_s;
    int64_t checkpoint_s;
    const char *after;
    const char *key;
    bool held;
    bool dry_run;
    bool verdict_only;
    int64_t hold; /* the quote that it takes */
};

#define DEADLINE_HELP                                                                              \
    "when it must be done: +3h, +1h30m, 2026-11-24T18:00 in local time, with a Z at the end in "   \
    "UTC, or none"

#define STEPS_HELP "or steps with values that fall, +1h:10,+2h:6,+4h:1"

#define AFTER_HELP                                                                                 \
    "jobs of the same user that must be done before it starts; with :any it starts however that "  \
    "one ends"

#define RATE_HELP                                                                                  \
    "how many iterations a second it does on so many GPUs, in the place of the tables; once for "  \
    "each number of GPUs, rising"

#define CONFIDENCE_HELP                                                                            \
    "with what chance its promise is to hold, by how slow jobs are beside their profiles, up to "  \
    "99.9; none takes its profile as it is; without it that of the service"

#define FOLDER_HELP "working folder of the command; without it this one"

#define ENVIRONMENT_HELP                                                                           \
    "a variable of the command; without a value that of this environment; may stand there "        \
    "several times"

/* clang-format off */
#define OPTIONS_OF_JOB(job)                                                                        \
    OPTION_TEXT("job", "FILE", &(job)->file,                                                       \
                "the job as a JSON object of the fields in docs/service.md; options win"),         \
    OPTION_TEXT("name", "NAME", &(job)->name, "what to call it"),                                  \
    OPTION_TEXT("model", "MODEL", &(job)->model, "model of the job, of the throughput tables"),    \
    OPTION_WHOLE("batch-size", "SAMPLES", &(job)->batch_size, 0, 100000000,                        \
                 "global batch size of the job, 0 where --job says it"),                           \
    OPTION_WHOLE("iterations", "N", &(job)->iterations, 0, 1000000000000,                          \
                 "iterations that it is to do, 0 where --job says it"),                            \
    OPTION_WHOLE("duration", "SECONDS", &(job)->duration_s, 0, 1000000000,                         \
                 "how long it takes on the fewest GPUs that it may use, for policies that go by "  \
                 "it, 0 for what its rate there says"),                                            \
    OPTION_TEXT("deadline", "TIME", &(job)->deadline,                                              \
                DEADLINE_HELP ", or earliest: the earliest one that is promised; " STEPS_HELP),    \
    OPTION_SWITCH("promise-or-decline", &(job)->promise_or_decline,                                \
                  "decline it if the deadline is not promised; otherwise it runs when it can"),    \
    OPTION_TEXT("confidence", "PERCENT", &(job)->confidence, CONFIDENCE_HELP),                     \
    OPTION_WHOLE("value", "VALUE", &(job)->value, 0, 1000,                                         \
                 "what it is worth to end on time, 0 for 1"),                                      \
    OPTION_WHOLE("min-gpus", "GPUS", &(job)->gpus_min, 0, 65536,                                   \
                 "the fewest that it may use, 0 for no limit"),                                    \
    OPTION_WHOLE("max-gpus", "GPUS", &(job)->gpus_max, 0, 65536,                                   \
                 "the most that it may use, 0 for no limit"),                                      \
    OPTION_WHOLE("grace", "SECONDS", &(job)->grace_s, 0, 86400,                                    \
                 "how long it may take to save its state when it is asked to stop, 0 for the "     \
                 "worker's"),                                                                      \
    OPTION_WHOLE("checkpoint-interval", "SECONDS", &(job)->checkpoint_s, 0, 1000000000,            \
                 "how often it saves its state, 0 for the worker's"),                              \
    OPTION_TEXT("folder", "DIR", &(job)->folder,                                                   \
                FOLDER_HELP),                                                                      \
    OPTION_LIST("environment", "NAME[=VALUE]", &(job)->environment,                                \
                ENVIRONMENT_HELP),                                                                 \
    OPTION_LIST("rate", "GPUS:RATE", &(job)->rates, RATE_HELP),                                    \
    OPTION_TEXT("after", "JOB[:any],...", &(job)->after, AFTER_HELP),                              \
    OPTION_TEXT("key", "KEY", &(job)->key,                                                         \
                "the same key is the same job, however often it is submitted; without it each "    \
                "call is a job of its own"),                                                       \
    OPTION_SWITCH("held", &(job)->held, "it waits for `rubato release`"),                          \
    OPTION_SWITCH("dry-run", &(job)->dry_run, "only say what would be answered"),           \
    OPTION_SWITCH("verdict-only", &(job)->verdict_only,                                            \
                  "answer at once, without the earliest deadline that would be promised")
/* clang-format on */

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
