/* down.c - `rubato down`: ends the service of this machine. The state folder stays. */
#include "common/options.h"
#include "tools/service/household.h"
#include "tools/service/place.h"
#include "tools/verbs.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Returns how many members were ended, or -1 with `error`. */
static int end_all(const char *state, double timeout_s, struct error *error)
{
    int ended = 0;

    for (int i = HOUSEHOLD_MEMBERS - 1; i >= 0; i--) {
        const int result =
            household_end(state, (enum household_member)i, (int)(timeout_s * 1000), error);

        if (result < 0)
            return -1;
        ended += result == 0;
    }
    return ended;
}

static int end(const struct command *command, const char *asked, double timeout_s)
{
    char state[PATH_MAX];
    struct error error;
    pid_t stranger;
    int ended;

    if (asked)
        (void)snprintf(state, sizeof(state), "%s", asked);
    else if (place_state(state, sizeof(state), &error) < 0)
        return options_fail(command, &error);
    if (access(state, F_OK) < 0) {
        printf("no service of %s runs\n", state);
        return 0;
    }
    ended = household_lock(state, &error) < 0 ? -1 : end_all(state, timeout_s, &error);
    if (ended < 0)
        return options_fail(command, &error), 1;
    stranger = household_stranger(state);
    if (stranger > 0) {
        (void)error_set(&error,
                        "%s: is used by process %ld, which `rubato up` did not start and `rubato "
                        "down` does not end",
                        state, (long)stranger);
        return options_fail(command, &error), 1;
    }
    printf(ended > 0 ? "the service has ended; `rubato up` goes on from %s\n"
                     : "no service of %s runs\n",
           state);
    return 0;
}

int verb_down(int argc, char **argv)
{
    const char *state = NULL;
    double timeout_s = 60;
    const struct option_spec options[] = {
        OPTION_TEXT("state", "DIR", &state, "folder of the service; without it that of this user"),
        OPTION_REAL("timeout", "SECONDS", &timeout_s, 0, 100000,
                    "how long to wait for the end of each process"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato down",
        .summary = "End the service that `rubato up` started",
        .text = "Jobs that run save their state, and go on when the service is started again.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    return end(&command, state, timeout_s);
}
