/* job_fields.c - see job_fields.h. */
#include "scheduler/service/job_fields.h"

#include "scheduler/state/submission.h"

#define FORM(name, kind, min, max)                                                                 \
    {                                                                                              \
#name, kind, offsetof(struct job_request, name), min, max, false                           \
    }

/* clang-format off */
static const struct job_field table[] = {
    {.form = FORM(name, FORM_LABEL, 0, JOB_LABEL_MAX),
     .option = "name", .unit = "NAME", .help = "what to call it"},
    {.form = FORM(comment, FORM_LINE, 0, JOB_COMMENT_MAX), .uses = JOB_FIELD_SAID,
     .option = "comment", .unit = "TEXT",
     .help = "what its user likes to say of it: lists and `rubato show` have the text, and the "
             "command in RUBATO_JOB_COMMENT",
     .variable = "RUBATO_JOB_COMMENT"},
    {.form = FORM(model, FORM_TEXT, 0, THROUGHPUT_MODEL_BYTES_MAX), .uses = JOB_FIELD_FIXED,
     .option = "model", .unit = "MODEL", .help = "model of the job, of the throughput tables"},
    {.form = FORM(batch_size, FORM_WHOLE, 1, BATCH_SIZE_MAX), .uses = JOB_FIELD_FIXED,
     .option = "batch-size", .unit = "SAMPLES",
     .help = "global batch size of the job, 0 where --job says it"},
    {.form = FORM(iterations, FORM_WHOLE, 1, ITERATIONS_MAX),
     .option = "iterations", .unit = "N",
     .help = "iterations that it is to do, 0 where --job says it"},
    {.form = FORM(duration_s, FORM_WHOLE, 0, REQUEST_SECONDS_MAX),
     .option = "duration", .unit = "SECONDS",
     .help = "how long it takes on the fewest GPUs that it may use, for policies that go by it, 0 "
             "for what its rate there says"},
    {.form = FORM(deadline, FORM_WHOLE, 0, TIME_MAX_S),
     .option = "deadline", .unit = "TIME",
     .help = DEADLINE_HELP ", or earliest: the earliest one that is promised; " STEPS_HELP},
    {.form = FORM(deadline_in, FORM_WHOLE, 1, REQUEST_SECONDS_MAX)},
    {.form = FORM(deadlines, FORM_WORDS, 0, 64), .uses = JOB_FIELD_REFUSED},
    {.form = FORM(earliest, FORM_SWITCH, 0, 0), .uses = JOB_FIELD_REFUSED},
    {.form = FORM(promise_or_decline, FORM_SWITCH, 0, 0),
     .option = "promise-or-decline",
     .help = "decline it if the deadline is not promised; otherwise it runs when it can"},
    {.form = FORM(confidence, FORM_REAL, 0, 100),
     .option = "confidence", .unit = "PERCENT",
     .help = "with what chance its promise is to hold, by how slow jobs are beside their profiles, "
             "up to 99.9; none takes its profile as it is; without it that of the service"},
    {.form = FORM(value, FORM_WHOLE, 1, VALUE_MAX),
     .option = "value", .unit = "VALUE", .help = "what it is worth to end on time, 0 for 1"},
    {.form = FORM(gpus_min, FORM_WHOLE, 0, THROUGHPUT_GPUS_MAX), .uses = JOB_FIELD_FIXED,
     .option = "min-gpus", .unit = "GPUS", .help = "the fewest that it may use, 0 for no limit"},
    {.form = FORM(gpus_max, FORM_WHOLE, 0, THROUGHPUT_GPUS_MAX), .uses = JOB_FIELD_FIXED,
     .option = "max-gpus", .unit = "GPUS", .help = "the most that it may use, 0 for no limit"},
    {.form = FORM(grace_s, FORM_WHOLE, 0, 86400),
     .option = "grace", .unit = "SECONDS",
     .help = "how long it may take to save its state when it is asked to stop, 0 for the worker's"},
    {.form = FORM(checkpoint_s, FORM_WHOLE, 0, REQUEST_SECONDS_MAX),
     .option = "checkpoint-interval", .unit = "SECONDS",
     .help = "how often it saves its state, 0 for the worker's"},
    {.form = FORM(command, FORM_WORDS, 0, JOB_WORD_MAX), .uses = JOB_FIELD_PRIVATE},
    {.form = FORM(folder, FORM_TEXT, 0, JOB_WORD_MAX), .uses = JOB_FIELD_PRIVATE,
     .option = "folder", .unit = "DIR", .help = FOLDER_HELP},
    {.form = FORM(environment, FORM_WORDS, 0, JOB_WORD_MAX), .uses = JOB_FIELD_PRIVATE,
     .option = "environment", .unit = "NAME[=VALUE]", .help = ENVIRONMENT_HELP},
    {.form = FORM(rates, FORM_WORDS, 0, 64), .uses = JOB_FIELD_FIXED,
     .option = "rate", .unit = "GPUS:RATE", .help = RATE_HELP},
    {.form = FORM(after, FORM_WORDS, 0, 16), .uses = JOB_FIELD_REFUSED,
     .option = "after", .unit = "JOB[:any],...",
     .help = "jobs of the same user that must be done before it starts; with :any it starts "
             "however that one ends"},
    {.form = FORM(key, FORM_LABEL, 0, JOB_LABEL_MAX), .uses = JOB_FIELD_PRIVATE | JOB_FIELD_ORDER,
     .option = "key", .unit = "KEY",
     .help = "the same key is the same job, however often it is submitted; without it each call is "
             "a job of its own"},
    {.form = FORM(held, FORM_SWITCH, 0, 0), .uses = JOB_FIELD_REFUSED | JOB_FIELD_ORDER,
     .option = "held", .help = "it waits for `rubato release`"},
    {.form = FORM(dry_run, FORM_SWITCH, 0, 0), .uses = JOB_FIELD_ORDER,
     .option = "dry-run", .help = "only say what would be answered"},
    {.form = FORM(verdict_only, FORM_SWITCH, 0, 0), .uses = JOB_FIELD_ORDER,
     .option = "verdict-only",
     .help = "answer at once, without the earliest deadline that would be promised"},
    {.form = FORM(within_s, FORM_WHOLE, 1, WITHIN_MAX)},
    {.form = FORM(hold_s, FORM_WHOLE, 1, REQUEST_SECONDS_MAX)},
    {.form = FORM(held_until, FORM_WHOLE, 1, TIME_MAX_S)},
    {.form = FORM(hold, FORM_WHOLE, 1, UINT32_MAX)},
};
/* clang-format on */

#define FIELDS (sizeof(table) / sizeof(table[0]))

const struct job_field *job_field_at(size_t index)
{
    return index < FIELDS ? &table[index] : NULL;
}

int job_fields_read(const json_t *document, struct job_request *request, arena_t *texts,
                    struct error *error)
{
    struct form_field forms[FIELDS + 1];

    for (size_t i = 0; i < FIELDS; i++)
        forms[i] = table[i].form;
    forms[FIELDS] = (struct form_field){.name = NULL};
    return form_read_json(document, forms, request, texts, error);
}

const char *job_field_text(const struct job_field *field, const struct job_request *request)
{
    const enum form_kind kind = field->form.kind;

    return kind == FORM_TEXT || kind == FORM_LABEL || kind == FORM_LINE
               ? *(const char *const *)((const char *)request + field->form.place)
               : NULL;
}
