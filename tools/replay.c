/* replay.c - `rubato replay`: whether the decisions of a recorded run are still the same. */
#include "scheduler/replay/replay.h"
#include "common/options.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>

int verb_replay(int argc, char **argv)
{
    const struct option_spec options[] = {OPTION_END};
    const struct command command = {
        .name = "rubato replay",
        .summary = "Replay the record of a run and compare its decisions",
        .operands = "RECORD",
        .text = "Feeds a fresh engine all that --record has noted and prints whether each step is "
                "decided as it was then, or the first that is not.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    struct error told;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status > 0) {
        free(operands.items);
        return 0;
    }
    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one record, found %zu", operands.count);
    if (status == 0)
        status = replay_run(operands.items[0], &told, &error);
    free(operands.items);
    if (status < 0)
        return options_fail(&command, &error);
    printf("%s\n", told.text);
    return status;
}
