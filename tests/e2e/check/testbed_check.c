/* testbed_check.c - judges a run of the testbed from the logs of all its processes.
 *
 * It shares no code with those processes: what a line means it knows from docs/protocol.md and
 * common/log.h alone. Exit status 0: nothing to find fault with, 1: something, 2: it could not
 * judge. */
#include "common/options.h"
#include "tests/e2e/check/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    bool running;
    bool credited;
};

static int judge(const struct config *config, struct run_logs *logs, findings_t *findings,
                 struct error *error)
{
    struct run run = {
        .logs = logs,
        .complete = !config->running,
        .credited = config->credited,
    };
    struct holds *holds;

    if (logs->line_count == 0)
        return error_set(error, "there is not one line of a log");
    run_logs_sort(logs);
    holds = holds_new(logs);
    run.holds = holds;
    rules_judge(&run, findings);
    (void)printf("%zu lines, %zu holds, %zu violations\n", logs->line_count, holds->count,
                 findings_count(findings));
    holds_destroy(&holds);
    return 0;
}

static int check(const struct config *config, const struct operands *operands, struct error *error)
{
    struct run_logs *logs = run_logs_new();
    findings_t *findings = findings_new(stdout);
    int status = 0;

    for (size_t i = 0; i < operands->count && status == 0; i++)
        status = run_logs_add(logs, operands->items[i], findings, error);
    if (status == 0)
        status = judge(config, logs, findings, error);
    if (status == 0)
        status = findings_count(findings) > 0 ? 1 : 0;
    findings_destroy(&findings);
    run_logs_destroy(&logs);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {0};
    const struct option_spec options[] = {
        OPTION_SWITCH("running", &config.running,
                      "the run was cut short: what is left over is no violation"),
        OPTION_SWITCH("credited", &config.credited,
                      "the run was fast-forwarded under a policy that credits what was not done"),
        OPTION_END,
    };
    const struct command command = {
        .name = "testbed_check",
        .summary = "Judge a run of the testbed from the logs of its processes",
        .operands = "FOLDER-OR-FILE...",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected the folder of the logs");
    if (status != 0)
        status = status < 0 ? options_fail(&command, &error) : 0;
    else if ((status = check(&config, &operands, &error)) < 0)
        status = options_fail(&command, &error);
    free(operands.items);
    return status;
}
