/* job_options.c - see job_options.h. */
#include "tools/service/job_options.h"

#include "common/json_text.h"
#include "common/memory.h"
#include "common/number.h"
#include "scheduler/state/submission.h"
#include "tools/service/call.h"
#include "tools/service/moment.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- the options ---- */

/* Options whose text is not yet the value of the field in a document. */
static const struct {
    const char *option;
    enum option_kind kind;
    size_t place;
} own[] = {
    {"deadline", OPTION_KIND_TEXT, offsetof(struct job_options, deadline)},
    {"confidence", OPTION_KIND_TEXT, offsetof(struct job_options, confidence)},
    {"after", OPTION_KIND_TEXT, offsetof(struct job_options, after)},
    {"environment", OPTION_KIND_LIST, offsetof(struct job_options, environment)},
    {"rate", OPTION_KIND_LIST, offsetof(struct job_options, rates)},
};

static const enum option_kind kinds[] = {
    [FORM_TEXT] = OPTION_KIND_TEXT, [FORM_LABEL] = OPTION_KIND_TEXT,
    [FORM_LINE] = OPTION_KIND_TEXT, [FORM_WHOLE] = OPTION_KIND_WHOLE,
    [FORM_REAL] = OPTION_KIND_REAL, [FORM_SWITCH] = OPTION_KIND_SWITCH,
    [FORM_WORDS] = OPTION_KIND_END, [FORM_WHOLES] = OPTION_KIND_END,
};

#define OWN (sizeof(own) / sizeof(own[0]))

/* The index in `own` of the field's option; OWN if the option is not listed there. */
static size_t find_own(const struct job_field *field)
{
    size_t i = 0;

    while (i < OWN && strcmp(own[i].option, field->option) != 0)
        i++;
    return i;
}

static struct option_spec option_of(struct job_options *self, const struct job_field *field)
{
    const size_t i = find_own(field);
    struct option_spec option = {.kind = kinds[field->form.kind],
                                 .name = field->option,
                                 .unit = field->unit,
                                 .value = (char *)&self->said + field->form.place,
                                 .help = field->help};

    if (i < OWN) {
        option.kind = own[i].kind;
        option.value = (char *)self + own[i].place;
    } else if (option.kind == OPTION_KIND_WHOLE) {
        option.max = (double)field->form.max; /* 0 stands for an option that was not given */
    }
    assert(option.kind != OPTION_KIND_END);
    return option;
}

const struct option_spec *job_options_table(struct job_options *self)
{
    const struct job_field *field;
    size_t count = 0;

    self->table[count++] = (struct option_spec)OPTION_TEXT(
        "job", "FILE", &self->file,
        "the job as a JSON object of the fields in docs/service.md; options win");
    for (size_t i = 0; (field = job_field_at(i)); i++)
        if (field->option) {
            assert(count + 1 < JOB_OPTIONS_MAX);
            self->table[count++] = option_of(self, field);
        }
    self->table[count] = (struct option_spec)OPTION_END;
    return self->table;
}

/* ---- the fields ---- */

static int set_text(json_t *document, const char *name, const char *text, struct error *error)
{
    return json_object_set_new(document, name, call_text(name, text, error));
}

/* Sets a field whose option has the same value as the document, if the option is given. */
static int set_plain(json_t *document, const struct job_request *said,
                     const struct job_field *field, struct error *error)
{
    const char *name = field->form.name;
    const void *place = (const char *)said + field->form.place;
    const char *text = job_field_text(field, said);

    if (text)
        return set_text(document, name, text, error);
    if (field->form.kind == FORM_WHOLE && *(const int64_t *)place != 0)
        json_object_set_new(document, name, json_integer(*(const int64_t *)place));
    else if (field->form.kind == FORM_SWITCH && *(const bool *)place)
        json_object_set_new(document, name, json_true());
    return 0;
}

static int set_plain_fields(json_t *document, const struct job_request *said, struct error *error)
{
    const struct job_field *field;

    for (size_t i = 0; (field = job_field_at(i)); i++)
        if (strcmp(field->form.name, "folder") != 0 && /* set_folder sets the folder */
            set_plain(document, said, field, error) < 0)
            return -1;
    return 0;
}

/* ---- the file ---- */

static json_t *read_file(const char *path, struct error *error)
{
    json_t *document = json_read(path, error);

    if (!document || json_is_object(document))
        return document;
    (void)error_set(error, "%s: expected a JSON object", path);
    json_decref(document);
    return NULL;
}

/* Whether `text` is a list of steps, or one step whose time counts from now on. A colon alone
 * proves no step, because dates have colons, too. */
static bool is_steps(const char *text)
{
    return strchr(text, ',') || (*text == '+' && strchr(text, ':'));
}

/* Adds the step "TIME:VALUE" of `length` bytes, with its time in seconds as the service expects
 * it. */
static int add_step(json_t *steps, const char *text, size_t length, struct error *error)
{
    const char *colon = memrchr(text, ':', length);
    struct deadline deadline;
    char *date;
    int result;

    if (!colon || colon == text)
        return error_set(error, "expected TIME:VALUE, found \"%.*s\"", (int)length, text);
    date = strndup(text, (size_t)(colon - text));
    result = deadline_parse(date, &deadline, error);
    free(date);
    if (result < 0)
        return -1;
    if (deadline.kind == DEADLINE_NONE)
        return error_set(error, "expected a time, found \"none\"");
    return json_array_append_new(
               steps, json_sprintf("%s%" PRId64 ":%.*s", deadline.kind == DEADLINE_IN ? "+" : "",
                                   deadline.s, (int)(text + length - colon - 1), colon + 1)) == 0
               ? 0
               : error_set(error, "expected a number after the colon");
}

/* Adds the steps of a soft deadline. The service checks whether times rise and values fall. */
static int add_steps(json_t *document, const char *text, struct error *error)
{
    json_t *steps = json_array();
    size_t count = 0;

    json_object_set_new(document, "deadlines", steps);
    for (;;) {
        const size_t length = strcspn(text, ",");
        char step[32];

        (void)snprintf(step, sizeof(step), "step %zu", ++count);
        if (add_step(steps, text, length, error) < 0)
            return error_prefix(error, step);
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

static void remove_deadline(json_t *document)
{
    json_object_del(document, "deadline");
    json_object_del(document, "deadline_in");
    json_object_del(document, "deadlines");
    json_object_del(document, "earliest");
}

int job_options_add_deadline(json_t *document, const char *text, struct error *error)
{
    struct deadline deadline;

    remove_deadline(document);
    if (is_steps(text))
        return add_steps(document, text, error);
    if (deadline_parse(text, &deadline, error) < 0)
        return -1;
    json_object_set_new(document, deadline.kind == DEADLINE_IN ? "deadline_in" : "deadline",
                        json_integer(deadline.s)); /* 0 means no deadline */
    return 0;
}

/* Adds a deadline or, for "earliest", the request for the earliest one. */
static int add_deadline(json_t *document, const char *text, struct error *error)
{
    if (strcmp(text, "earliest") != 0)
        return job_options_add_deadline(document, text, error);
    remove_deadline(document);
    json_object_set_new(document, "earliest", json_true());
    return 0;
}

/* Replaces a deadline that the file states as a text, in the form of --deadline, by the member that
 * the service expects. */
static int mend_deadline(json_t *document, const char *path, struct error *error)
{
    const char *text = json_string_value(json_object_get(document, "deadline"));
    char *copy = text ? xstrdup(text) : NULL;
    int result = 0;

    if (copy) {
        json_object_del(document, "deadline");
        result = add_deadline(document, copy, error);
    }
    free(copy);
    return result < 0 ? error_prefix(error, path) : 0;
}

/* ---- jobs that the job waits for ---- */

/* Sets "after" to the words of a text such as "7,8:any". */
static int set_after(json_t *document, const char *text, struct error *error)
{
    json_t *list = json_array();
    size_t length;
    int result = 0;

    do {
        length = strcspn(text, ",");
        if (json_array_append_new(list, json_stringn(text, length)) < 0)
            result = error_set(error, "after: not UTF-8");
        text += length + 1;
    } while (text[-1] == ',');
    json_object_set_new(document, "after", list);
    return result;
}

static json_t *word_of(json_t *job)
{
    return json_is_integer(job) ? json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(job))
                                : json_incref(job);
}

/* Makes a list of words of "after". In a file the member may also be a number, a text, or a list
 * with numbers. */
static int mend_after(json_t *document, struct error *error)
{
    json_t *after = json_object_get(document, "after");
    char *copy = json_is_string(after) ? xstrdup(json_string_value(after)) : NULL;
    int result;

    if (copy) {
        result = set_after(document, copy, error);
        free(copy);
        return result;
    }
    if (json_is_integer(after))
        json_object_set_new(document, "after", json_pack("[o]", word_of(after)));
    for (size_t i = 0; json_is_array(after) && i < json_array_size(after); i++)
        json_array_set_new(after, i, word_of(json_array_get(after, i)));
    return 0;
}

/* ---- the command ---- */

static int add_variable(json_t *list, const char *text, struct error *error)
{
    const char *value = strchr(text, '=') ? "" : getenv(text);
    json_t *variable;

    if (!value)
        return error_set(error, "--environment: %s is not set here", text);
    variable = *value ? json_sprintf("%s=%s", text, value)
                      : json_sprintf("%s%s", text, strchr(text, '=') ? "" : "=");
    return json_array_append_new(list, variable) == 0
               ? 0
               : error_set(error, "--environment: %s is not UTF-8", text);
}

static int set_environment(json_t *document, const struct option_list *environment,
                           struct error *error)
{
    json_t *list;

    if (environment->count == 0)
        return 0;
    list = json_array();
    json_object_set_new(document, "environment", list);
    for (size_t i = 0; i < environment->count; i++)
        if (add_variable(list, environment->items[i], error) < 0)
            return -1;
    return 0;
}

int job_options_add_list(json_t *document, const char *name, const char *const texts[],
                         size_t count, struct error *error)
{
    json_t *list = count > 0 ? json_array() : NULL;

    if (list)
        json_object_set_new(document, name, list);
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(list, call_text(name, texts[i], error)) < 0)
            return -1;
    return 0;
}

/* Sets the absolute path of the folder. A job with a command but no folder runs in the current
 * folder. */
static int set_folder(json_t *document, const char *folder, struct error *error)
{
    const bool wants = json_object_get(document, "command") && !json_object_get(document, "folder");
    char *path;
    int result;

    if (!folder && !wants)
        return 0;
    path = realpath(folder ? folder : ".", NULL);
    if (!path)
        return error_set(error, "--folder: %s: %s", folder ? folder : ".", strerror(errno));
    result = set_text(document, "folder", path, error);
    free(path);
    return result;
}

/* ---- the document ---- */

static void set_key(json_t *document)
{
    uint64_t number[2] = {0, 0};

    if (json_object_get(document, "key"))
        return;
    (void)!getrandom(number, sizeof(number), 0);
    json_object_set_new(document, "key",
                        json_sprintf("%016" PRIx64 "%016" PRIx64, number[0], number[1]));
}

int job_options_confidence(const char *text, double *confidence, struct error *error)
{
    *confidence = 0;
    if (!strcmp(text, "none") ||
        number_parse_real(text, strlen(text), 0, CONFIDENCE_MAX, confidence) == NUMBER_OK)
        return 0;
    return error_set(error, "expected none or a number from 0 to %g, found \"%.40s\"",
                     CONFIDENCE_MAX, text);
}

static int add_confidence(json_t *document, const char *text, struct error *error)
{
    double confidence;

    if (job_options_confidence(text, &confidence, error) < 0)
        return error_prefix(error, "--confidence");
    return json_object_set_new(document, "confidence", json_real(confidence));
}

static int fill(json_t *document, const struct job_options *self, char *const command[],
                size_t count, struct error *error)
{
    if (self->file && mend_deadline(document, self->file, error) < 0)
        return -1;
    if ((self->after ? set_after(document, self->after, error) : mend_after(document, error)) < 0)
        return -1;
    if (set_plain_fields(document, &self->said, error) < 0)
        return -1;
    if (self->deadline && add_deadline(document, self->deadline, error) < 0)
        return error_prefix(error, "--deadline");
    if (self->confidence && add_confidence(document, self->confidence, error) < 0)
        return -1;
    if (set_environment(document, &self->environment, error) < 0 ||
        job_options_add_list(document, "rates", self->rates.items, self->rates.count, error) < 0 ||
        job_options_add_list(document, "command", (const char *const *)command, count, error) < 0)
        return -1;
    set_key(document);
    return set_folder(document, self->said.folder, error);
}

/* Begins with the document of the file. Without a file, the options must describe the whole job,
 * unless the job takes a quote that does. */
static json_t *begin(const struct job_options *self, struct error *error)
{
    const char *missing = !self->said.model            ? "--model"
                          : self->said.batch_size == 0 ? "--batch-size"
                          : self->said.iterations == 0 ? "--iterations"
                                                       : NULL;

    if (self->file)
        return read_file(self->file, error);
    if (!missing || self->said.hold > 0)
        return json_object();
    (void)error_set(error, "%s is missing, or --job with a file that says it", missing);
    return NULL;
}

json_t *job_options_document(const struct job_options *self, char *const command[], size_t count,
                             struct error *error)
{
    json_t *document = begin(self, error);

    if (document && fill(document, self, command, count, error) < 0) {
        json_decref(document);
        document = NULL;
    }
    return document;
}
