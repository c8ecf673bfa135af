/* same_inputs.c - see same_inputs.h. */
#include "tools/audit/same_inputs.h"

#include "common/checksum.h"
#include "common/input.h"
#include "common/memory.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool same_inputs_known(const json_t *summary)
{
    return json_is_array(json_object_get(summary, "inputs"));
}

void same_inputs_remark(const char *program, const char *folder)
{
    char shown[PATH_MAX];

    (void)input_printable(shown, sizeof(shown), folder, strlen(folder));
    (void)fprintf(stderr,
                  "%s: %s: an earlier version wrote these results without checksums of the inputs, "
                  "so that other inputs are not noticed\n",
                  program, shown);
}

/* The option that names the input of this kind. */
static const char *option_of(const char *kind)
{
    return !strcmp(kind, "throughputs") ? "--throughputs"
           : !strcmp(kind, "cluster")   ? "--cluster"
                                        : "--trace";
}

static int complain(const char *folder, const char *kind, const char *path, const char *then,
                    const char *now, struct error *error)
{
    const bool several = !strcmp(kind, "throughputs");

    return error_set(error,
                     "%s: %s not the %s of the run in %s: checksum %s, the run had %s; name the %s "
                     "of the run with %s, or run with %s again",
                     path, several ? "are" : "is", kind, folder, now, then, kind, option_of(kind),
                     several ? "these" : "this one");
}

static bool is_checksum(const char *text)
{
    return text && strspn(text, "0123456789abcdef") == CHECKSUM_TEXT_BYTES - 1 &&
           text[CHECKSUM_TEXT_BYTES - 1] == '\0';
}

/* Whether the checksum of `path` is known. A reader may have stopped before the end of the file, so
 * that the rest is read here. */
static bool known(const char *path, uint64_t *sum)
{
    if (input_checksum(path, sum))
        return true;
    input_skim(path);
    return input_checksum(path, sum);
}

int same_inputs_check(const json_t *summary, const char *folder, const char *kind, const char *path,
                      int read, struct error *error)
{
    const json_t *inputs = json_object_get(summary, "inputs");
    const char *then = NULL;
    char now[CHECKSUM_TEXT_BYTES];
    const json_t *input;
    uint64_t sum;
    size_t i;

    if (!path || !known(path, &sum))
        return read;
    checksum_print(sum, now);
    json_array_foreach(inputs, i, input)
    {
        const char *its_kind = json_string_value(json_object_get(input, "kind"));
        const char *its_sum = json_string_value(json_object_get(input, "checksum"));

        if (!its_kind || !is_checksum(its_sum))
            return error_set(error, "%s/summary.json: inputs: expected kind and checksum of each",
                             folder);
        if (strcmp(its_kind, kind) != 0)
            continue;
        if (!strcmp(its_sum, now))
            return read;
        then = its_sum;
    }
    return then ? complain(folder, kind, path, then, now, error) : read;
}

/* The path of the first file in `place` by name, NULL if there is none. A file left half-written by
 * a killed process has a longer name and comes later. The caller frees the path. */
static char *first_in(const char *place)
{
    DIR *entries = opendir(place);
    const struct dirent *entry;
    char *path = NULL;

    while (entries && (entry = readdir(entries))) {
        char found[PATH_MAX];

        if (entry->d_name[0] == '.' ||
            snprintf(found, sizeof(found), "%s/%s", place, entry->d_name) >= PATH_MAX ||
            (path && strcmp(path, found) < 0))
            continue;
        free(path);
        path = xstrdup(found);
    }
    if (entries)
        (void)closedir(entries);
    return path;
}

char *same_inputs_copy(const json_t *summary, const char *folder, const char *kind)
{
    const json_t *inputs = json_object_get(summary, "inputs");
    const json_t *input;
    char place[PATH_MAX];
    size_t i;

    json_array_foreach(inputs, i, input)
    {
        const char *its_kind = json_string_value(json_object_get(input, "kind"));
        const char *sum = json_string_value(json_object_get(input, "checksum"));

        if (its_kind && !strcmp(its_kind, kind) && is_checksum(sum) &&
            snprintf(place, sizeof(place), "%s/inputs/%s-%s", folder, kind, sum) < PATH_MAX)
            return first_in(place);
    }
    return NULL;
}
