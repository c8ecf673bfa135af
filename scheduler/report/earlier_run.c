/* earlier_run.c - see earlier_run.h. */
#include "scheduler/report/earlier_run.h"

#include "common/input.h"
#include "scheduler/report/result_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHOWN_BYTES 200

struct comparison {
    const char *folder;
    const json_t *then; /* summary of the earlier run */
    json_t *now;        /* summary that this run would have, as far as settings go */
    struct error *error;
};

/* Prints a value for a sentence, a text without its quotes. */
static void show(const json_t *value, char shown[SHOWN_BYTES])
{
    char *text = json_string_value(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    const char *words = text ? text : json_string_value(value) ? json_string_value(value) : "none";

    (void)input_printable(shown, SHOWN_BYTES, words, strlen(words));
    free(text);
}

static int complain(const struct comparison *self, const char *what, const char *then,
                    const char *now)
{
    return error_set(self->error,
                     "%s: holds the results of another run: its %s is %s, this one's is %s; name "
                     "another folder, or say --force to replace them",
                     self->folder, what, then, now);
}

static int compare_value(const struct comparison *self, const char *what, const json_t *then,
                         const json_t *now)
{
    char shown_then[SHOWN_BYTES];
    char shown_now[SHOWN_BYTES];

    if (json_equal(then, now))
        return 0;
    show(then, shown_then);
    show(now, shown_now);
    return complain(self, what, shown_then, shown_now);
}

static int compare_members(const struct comparison *self, const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *then = json_object_get(self->then, names[i]);

        if (then && compare_value(self, names[i], then, json_object_get(self->now, names[i])) < 0)
            return -1;
    }
    return 0;
}

/* ---- inputs ---- */

/* Kinds of inputs that are compared. The program of a policy is left out, as it may change while it
 * is being written. */
static const char *const kinds[] = {FILE_OF_TRACE, FILE_OF_CLUSTER, FILE_OF_THROUGHPUTS,
                                    FILE_OF_FAULTS};

/* The input of a kind by its number, from 0; NULL if there are fewer. */
static const json_t *find_input(const json_t *inputs, const char *kind, size_t number)
{
    const json_t *input;
    size_t i;

    json_array_foreach(inputs, i, input)
    {
        const char *its_kind = json_string_value(json_object_get(input, "kind"));

        if (its_kind && !strcmp(its_kind, kind) && number-- == 0)
            return input;
    }
    return NULL;
}

/* Prints "PATH (checksum SUM)", or "none". */
static void show_input(const json_t *input, char text[SHOWN_BYTES + 32])
{
    const char *sum = json_string_value(json_object_get(input, "checksum"));
    char path[SHOWN_BYTES];

    (void)snprintf(text, SHOWN_BYTES + 32, "none");
    if (!input)
        return;
    show(json_object_get(input, "path"), path);
    (void)snprintf(text, SHOWN_BYTES + 32, "%s (checksum %.16s)", path, sum ? sum : "none");
}

static int compare_input(const struct comparison *self, const char *kind, const json_t *then,
                         const json_t *now)
{
    char then_text[SHOWN_BYTES + 32];
    char now_text[SHOWN_BYTES + 32];

    if (then && now &&
        json_equal(json_object_get(then, "checksum"), json_object_get(now, "checksum")))
        return 0;
    show_input(then, then_text);
    show_input(now, now_text);
    return complain(self, kind, then_text, now_text);
}

static int compare_inputs(const struct comparison *self, const json_t *then, const json_t *now)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (size_t number = 0;; number++) {
            const json_t *one = find_input(then, kinds[i], number);
            const json_t *other = find_input(now, kinds[i], number);

            if (!one && !other)
                break;
            if (compare_input(self, kinds[i], one, other) < 0)
                return -1;
        }
    return 0;
}

/* ---- options ---- */

/* Compares the options of two runs. The first that differs, or that only one run has, is complained
 * of. */
static int compare_options(const struct comparison *self, const json_t *then, const json_t *now)
{
    json_t *both = json_deep_copy(then);
    const char *name;
    json_t *value;
    int result = 0;

    json_object_update_missing(both, (json_t *)(uintptr_t)now);
    json_object_foreach(both, name, value)
    {
        char shown[SHOWN_BYTES];
        char what[SHOWN_BYTES + 8];

        (void)input_printable(shown, sizeof(shown), name, strlen(name));
        (void)snprintf(what, sizeof(what), "--%s", shown);
        if (result == 0)
            result =
                compare_value(self, what, json_object_get(then, name), json_object_get(now, name));
    }
    json_decref(both);
    return result;
}

/* Compares the admissions. The summary of a run that chose none has none. */
static int compare_admission(const struct comparison *self)
{
    const json_t *then = json_object_get(self->then, "admission");
    const json_t *now = json_object_get(self->now, "admission");

    return then || now ? compare_value(self, "admission", then, now) : 0;
}

static int compare(const struct comparison *self)
{
    static const char *const members[] = {"policy",   "rules",  "placement",
                                          "gpu_type", "slot_s", "restart_threshold"};
    static const char *const paths[] = {"trace", "cluster"};
    const json_t *inputs = json_object_get(self->then, "inputs");
    const json_t *options = json_object_get(self->then, "options");
    int result = compare_members(self, members, sizeof(members) / sizeof(members[0]));

    if (result == 0)
        result = compare_admission(self);
    if (result == 0)
        result = json_is_array(inputs)
                     ? compare_inputs(self, inputs, json_object_get(self->now, "inputs"))
                     : compare_members(self, paths, sizeof(paths) / sizeof(paths[0]));
    if (result == 0 && json_is_object(options) && json_object_get(self->now, "options"))
        result = compare_options(self, options, json_object_get(self->now, "options"));
    return result;
}

/* Reads without json_read, which would note the file as an input that no result may replace. */
static json_t *read_summary(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) ? json_load_file(path, 0, NULL)
                                                                : NULL;
}

int earlier_run_check(const char *folder, const struct setting_names *names, struct error *error)
{
    const struct figures none = {.jobs = 0};
    struct comparison comparison = {.folder = folder, .error = error};
    char path[4096];
    json_t *then;
    int result;

    (void)snprintf(path, sizeof(path), "%s/" RESULT_SUMMARY, folder);
    then = read_summary(path);
    if (!then)
        return 0;
    comparison.then = then;
    comparison.now = report_summary(names, &none);
    result = compare(&comparison);
    json_decref(comparison.now);
    json_decref(then);
    return result;
}
