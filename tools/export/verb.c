/* verb.c - `rubato export`: the results of a run as files that other programs read. */
#include "common/input.h"
#include "common/options.h"
#include "tools/export/artifact_logs.h"
#include "tools/verbs.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char explanation[] =
    "DIR holds the results of a run on one pool of nodes. artifact: the logs that the plot scripts "
    "of the published artifact read, scheduling_events.csv, job.csv and final_result.csv, and for "
    "chronus time-aware-with-lease_resource.csv.";

static void tell(const char *program, const char *folder)
{
    char shown[PATH_MAX];

    (void)input_printable(shown, sizeof(shown), folder, strlen(folder));
    (void)fprintf(stderr, "%s: logs are in %s\n", program, shown);
}

int verb_export(int argc, char **argv)
{
    static const char *const formats[] = {"artifact", NULL};
    const char *to = NULL;
    const char *folder = NULL;
    bool forced = false;
    const struct option_spec options[] = {
        OPTION_CHOICE("to", "FORMAT", &to, formats, "what to write"),
        OPTION_TEXT("output", "DIR", &folder, "where to write it; made if it is missing"),
        OPTION_SWITCH("force", &forced, "replace logs that are there"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato export",
        .summary = "Write the results of a run for other programs",
        .operands = "DIR",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one result folder, found %zu", operands.count);
    if (status == 0 && (!to || !folder))
        status = error_set(&error, "expected --to and --output");
    if (status == 0)
        status = artifact_logs_write(operands.items[0], folder, forced, &error);
    free(operands.items);
    if (status < 0)
        return options_fail(&command, &error);
    if (status == 0 && folder) /* for the analyser: `folder` is set */
        tell(command.name, folder);
    return 0;
}
