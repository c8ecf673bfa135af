/* figures.c - see figures.h. */
#include "tools/local/figures.h"

#include "common/json_text.h"
#include "scheduler/report/result_folder.h"

#include <limits.h>
#include <stdio.h>

int figures_print(const char *results, struct error *error)
{
    char path[PATH_MAX];
    json_t *summary;

    (void)snprintf(path, sizeof(path), "%s/" RESULT_SUMMARY, results);
    summary = json_read(path, error);
    if (!summary)
        return -1;
    (void)json_print(summary); /* the caller checks standard output */
    json_decref(summary);
    return 0;
}
