/* programs.c - what the jobs of the service execute, from their documents in the journal, and whose
 * programs the workers run. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* The request that the job came with; NULL, with nothing said, if it cannot be read. */
static json_t *read_request(const struct serving *self, uint32_t row)
{
    char key[16];
    const char *body;
    struct error error;
    json_t *document;
    json_t *request;

    (void)snprintf(key, sizeof(key), "%" PRIu32, row);
    if (journal_get(self->journal, "job", key, &body, &error) <= 0)
        return NULL;
    document = json_loads(body, 0, NULL);
    request = json_incref(json_object_get(document, "request"));
    json_decref(document);
    return request;
}

const struct msg_program *programs_of(void *owner, uint64_t job)
{
    struct serving *self = owner;
    const struct entry *entry = ledger_find(self->ledger, job_number_row(job));
    json_t *request = entry ? read_request(self, job_number_row(job)) : NULL;
    struct job_request asked;
    struct error error;
    bool has;

    arena_reset(self->program_texts);
    has = job_request_read_json(request, &asked, self->program_texts, &error) == 0 &&
          asked.command.count > 0;
    json_decref(request);
    if (!has)
        return NULL;
    self->program = job_request_program(&asked, entry->number, entry->user);
    return &self->program;
}

/* ---- whose programs run ---- */

/* A user of a machine without a name goes by number, which may be the name of another user. */
static bool has_no_name(const char *user)
{
    const struct passwd *entry;

    if (user[strspn(user, "0123456789")] != '\0')
        return false;
    entry = getpwnam(user);
    return !entry || (uintmax_t)entry->pw_uid != strtoumax(user, NULL, 10);
}

/* -1, with `error`, if the worker of the node runs no program as `user`. One that is not root's
 * runs none as root. */
static int check_node(const struct testbed_node *node, const char *user, struct error *error)
{
    if (!*node->user || !strcmp(node->user, user) || (!*node->only && strcmp(user, "root") != 0))
        return 0;
    if (!*node->only)
        return error_set(error, "its worker is user %s, and runs those of all users but root",
                         node->user);
    return error_set(error, "which runs those of user %s only: %s", node->user, node->only);
}

/* The same, with a whole sentence. */
static int complain_of_node(const struct testbed_node *node, const char *user, struct error *error)
{
    struct error why;

    return check_node(node, user, &why) == 0
               ? 0
               : error_set(error, "a program of user %s cannot run on node %s%s %s", user,
                           node->name, *node->only ? "," : ":", why.text);
}

int programs_check(const struct serving *self, const struct job_request *asked, const char *user,
                   struct error *error)
{
    const testbed_driver_t *const driver = self->driver;

    if (asked->command.count == 0)
        return 0;
    if (has_no_name(user))
        return error_set(error, "user %s has no name on this machine, and no program can run as it",
                         user);
    for (int i = 0; i < driver->node_count && i < driver->cluster_nodes; i++)
        if (driver->nodes[i].up && complain_of_node(&driver->nodes[i], user, error) < 0)
            return -1;
    return 0;
}

int programs_check_again(struct serving *self, const struct entry *entry, struct error *error)
{
    json_t *request = read_request(self, job_number_row(entry->number));
    arena_t *texts = arena_new();
    struct job_request asked;
    struct error unread;
    int result = 0;

    if (job_request_read_json(request, &asked, texts, &unread) == 0)
        result = programs_check(self, &asked, entry->user, error);
    json_decref(request);
    arena_destroy(&texts);
    return result;
}

/* ---- nodes that join ---- */

static bool is_counted_on(const struct entry *entry)
{
    return entry && entry->decided &&
           (entry->standing == STANDING_WAITING || entry->standing == STANDING_RUNNING);
}

bool programs_may_use(void *owner, const struct testbed_node *node, char *why, size_t size)
{
    struct serving *self = owner;
    struct error error;

    for (uint32_t row = 1; row < ledger_next(self->ledger); row++) {
        const struct entry *entry = ledger_find(self->ledger, row);

        if (!is_counted_on(entry) || check_node(node, entry->user, &error) == 0 ||
            !programs_of(self, entry->number))
            continue;
        (void)snprintf(why, size, "it cannot run programs of user %s, as job %" PRIu32 " needs: %s",
                       entry->user, row, *node->only ? node->only : error.text);
        return false;
    }
    return true;
}
