/* keys.c - `rubato keys`: makes keys for the processes of a testbed on several machines, and for
 * its users. */
#include "protocol/keys.h"
#include "common/options.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *folder;
    const char *role;
    const char *name; /* NULL without --name */
};

static int make(const struct request *request, const char *name, struct error *error)
{
    if (keys_make(request->folder, request->role, name, error) < 0)
        return -1;
    printf("%s/%s.key: the keys of %s %s\n", request->folder, name, request->role, name);
    return 0;
}

static bool is_alone(const char *role)
{
    return strcmp(role, "master") == 0 || strcmp(role, "scheduler") == 0;
}

/* Makes the keys of all names. Without a name, the only master or scheduler is named after its
 * role. */
static int make_all(const struct request *request, const struct operands *names,
                    struct error *error)
{
    if (!request->name && names->count == 0 && is_alone(request->role))
        return make(request, request->role, error);
    if (!request->name && names->count == 0)
        return error_set(error, "name the %s that get keys",
                         strcmp(request->role, "worker") == 0 ? "workers" : "users");
    if (request->name && make(request, request->name, error) < 0)
        return -1;
    for (size_t i = 0; i < names->count; i++) {
        if (make(request, names->items[i], error) < 0)
            return -1;
    }
    return 0;
}

int verb_keys(int argc, char **argv)
{
    static const char *const roles[] = {"master",  "scheduler", "worker", "submit",
                                        "operate", "read",      NULL};
    struct request request = {.folder = "keys", .role = "worker"};
    const struct option_spec options[] = {
        OPTION_TEXT("folder", "FOLDER", &request.folder, "where they go; made if need be"),
        OPTION_CHOICE("role", "ROLE", &request.role, roles, "what the processes may do"),
        OPTION_TEXT("name", "NAME", &request.name,
                    "name of a process or user, beside the operands"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato keys",
        .summary = "Make keys for processes of a testbed on several machines, and for its users",
        .operands = "NAME...",
        .text =
            "Every process that speaks over a network needs --keys=FOLDER, which other users may "
            "not "
            "write to, with its own NAME.key, which other users may not read; workers and the "
            "scheduler also need master.pub, and the "
            "master the file allowed, which gives role and name of each key. A line that is "
            "taken out of allowed ends the session of that key at once. Without NAME the keys of "
            "a master or scheduler have the name of their role.\n"
            "The roles read, submit and operate are for users of a service, and NAME is the "
            "user. With read a user sees all jobs. With submit a user also submits jobs and "
            "changes them. With operate a user also changes the jobs of others, and takes nodes "
            "out of use.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int result = options_parse(&command, argc, argv, &operands, &error);

    if (result == 0)
        result = make_all(&request, &operands, &error);
    free(operands.items);
    return result < 0 ? options_fail(&command, &error) : 0;
}
