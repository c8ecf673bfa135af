/* replay.c - `rubato replay`: checks that the decisions of a recorded run are still the same. */
#include "scheduler/replay/replay.h"
#include "common/busy_line.h"
#include "common/json_text.h"
#include "common/options.h"
#include "tools/verbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int print_json(const char *record, const struct error *told, int status)
{
    json_t *root = json_pack("{s:i, s:s, s:b, s:s}", "schema_version", 1, "record", record, "same",
                             status == 0, "sentence", told->text);
    const int failed = root ? json_print(root) : 1;

    json_decref(root);
    return failed ? failed : status;
}

int verb_replay(int argc, char **argv)
{
    bool json = false;
    const struct option_spec options[] = {
        OPTION_SWITCH("json", &json, "print the answer as JSON"),
        OPTION_END,
    };
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
    const char *record = NULL;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status > 0) {
        free(operands.items);
        return 0;
    }
    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one record, found %zu", operands.count);
    if (status == 0)
        record = operands.items[0];
    free(operands.items);
    busy_line_begin(command.name, 0);
    if (status == 0)
        status = replay_run(record, &told, &error);
    busy_line_end();
    if (status < 0)
        return options_fail(&command, &error);
    if (json)
        return print_json(record, &told, status);
    printf("%s\n", told.text);
    return status;
}
