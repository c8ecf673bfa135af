/* state.c - `rubato state`: checks, copies and repairs the state folder of a service. */
#include "common/options.h"
#include "common/privileges.h"
#include "scheduler/journal/upkeep.h"
#include "tools/service/call.h"
#include "tools/service/place.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_extent(const char *folder, const struct extent *extent)
{
    printf("%s: %" PRId64 " steps, jobs up to number %" PRId64 "\n", folder, extent->steps,
           extent->jobs);
}

static int check(const char *folder, struct error *error)
{
    struct found_state found;

    if (upkeep_check(folder, &found, error) < 0)
        return -1;
    print_extent(folder, &found.extent);
    if (*found.writer)
        printf("the last step is of version %s\n", found.writer);
    if (found.damaged > 0)
        printf("%" PRId64 " documents are damaged; a start sets them aside\n", found.damaged);
    return 0;
}

static int write_copy(const char *folder, bool forced, struct error *error)
{
    struct extent found;

    if (upkeep_back_up(folder, forced, &found, error) < 0)
        return -1;
    print_extent(folder, &found);
    return 0;
}

static int back_up(const char *folder, struct error *error)
{
    return write_copy(folder, false, error);
}

static int replace_copy(const char *folder, struct error *error)
{
    return write_copy(folder, true, error);
}

static void print_aside(const char *aside)
{
    if (*aside)
        printf("what was there is in %s\n", aside);
}

static int restore(const char *folder, struct error *error)
{
    char aside[PATH_MAX];
    struct extent found;

    if (upkeep_restore(folder, &found, aside, error) < 0)
        return -1;
    print_extent(folder, &found);
    print_aside(aside);
    return 0;
}

static int accept_loss(const char *folder, struct error *error)
{
    char aside[PATH_MAX];

    if (upkeep_accept_loss(folder, aside, error) < 0)
        return -1;
    printf("%s: the next start goes on with what is there\n", folder);
    print_aside(aside);
    return 0;
}

/* ---- a copy of a state in use, made by the service ---- */

static int show_copy(const struct call_request *request, const struct answer *answer,
                     struct error *error)
{
    (void)request;
    (void)answer;
    (void)error;
    return 0;
}

static int ask_service(const char *folder, const struct command *command)
{
    char socket[PATH_MAX + 16];
    struct call call = CALL_DEFAULT;
    struct call_request request = {.verb = "backup", .document = json_object(), .show = show_copy};
    int status;

    (void)snprintf(socket, sizeof(socket), "%s/rubato.sock", folder);
    call.client.timeout_s = 600;
    if (access(socket, F_OK) == 0)
        call.client.socket = socket;
    status = call_once(&call, command, &request);
    if (status == 0)
        printf("%s/backup.db: is a copy of the state as it is now\n", folder);
    return status;
}

static const struct {
    const char *name;
    int (*run)(const char *folder, struct error *error);
    int (*forced)(const char *folder, struct error *error); /* in the place of `run` with --force;
                                                               NULL if the act takes no --force */
    bool writes;
} acts[] = {
    {"check", check, NULL, false},
    {"backup", back_up, replace_copy, true},
    {"restore", restore, NULL, true},
    {"accept-loss", accept_loss, NULL, true},
};

static int run(const struct command *command, const char *act, const char *folder, bool forced)
{
    struct error error;

    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(act, acts[i].name) != 0)
            continue;
        if (forced && !acts[i].forced) {
            error_set(&error, "--force: belongs to backup alone");
            return options_fail(command, &error);
        }
        if (acts[i].writes && privileges_become_owner(folder, &error) < 0)
            return options_fail(command, &error), 1;
        if ((forced ? acts[i].forced : acts[i].run)(folder, &error) == 0)
            return 0;
        if (!strcmp(act, "backup") && strstr(error.text, ": is used by "))
            return ask_service(folder, command);
        return options_fail(command, &error), 1;
    }
    error_set(&error, "expected check, backup, restore or accept-loss, found %.64s", act);
    return options_fail(command, &error);
}

int verb_state(int argc, char **argv)
{
    bool forced = false;
    const struct option_spec options[] = {
        OPTION_SWITCH("force", &forced, "backup: replace a backup.db that is no copy of the state"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato state",
        .summary = "Look after the state folder of a service",
        .operands = "check|backup|restore|accept-loss [DIR]",
        .text = "check looks through the state as a start does, and changes nothing; a service may "
                "use the state. backup writes DIR/backup.db anew, "
                "while a service uses the state too. restore puts that copy in the place of the "
                "state, and keeps what it replaces. accept-loss lets the next start go on with "
                "what is there after a start said that something is missing. Numbers of jobs that "
                "may have been given out are never given again. DIR is the folder of the service; "
                "without it that of this user.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    char folder[PATH_MAX];
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && (operands.count < 1 || operands.count > 2))
        status = error_set(&error, "expected check, backup, restore or accept-loss, and a folder");
    if (status == 0 && operands.count == 2)
        (void)snprintf(folder, sizeof(folder), "%s", operands.items[1]);
    else if (status == 0)
        status = place_state(folder, sizeof(folder), &error);
    if (status == 0 && access(folder, F_OK) < 0)
        status = error_set(&error, "%s: there is no such folder", folder);
    if (status < 0)
        status = options_fail(&command, &error);
    else
        status = status > 0 ? 0 : run(&command, operands.items[0], folder, forced);
    free(operands.items);
    return status;
}
