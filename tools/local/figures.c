/* figures.c - see figures.h. */
#include "tools/local/figures.h"

#include "common/json_text.h"
#include "scheduler/report/result_folder.h"

#include <limits.h>
#include <stdio.h>

int figures_print(const char *results, struct error *error)
{
    char path[PATH_MAX];
    json_error_t why;
    json_t *summary;

    (void)snprintf(path, sizeof(path), "%s/" RESULT_SUMMARY, results);
    summary = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!summary)
        return error_set(error, "%s: %s", path, why.text);
    (void)json_print(summary); /* the caller looks at standard output */
    json_decref(summary);
    return 0;
}
