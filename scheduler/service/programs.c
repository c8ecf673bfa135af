/* programs.c - the programs of jobs, from their documents in the journal, and the users whose
 * programs the workers run. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* The text of the job's document, lent by the journal. */
static const char *read_body(const struct serving *self, uint32_t row, struct error *error)
{
    const char *body = NULL;
    char key[16];

    (void)snprintf(key, sizeof(key), "%" PRIu32, row);
    if (journal_get(self->journal, "job", key, &body, error) == 0)
        error_set(error, "it is not there");
    return body;
}

/* The request by which the job was submitted, its texts in `texts`. -1, with `error`, if it cannot
 * be read: a job that had a program must not run without. */
static int read_request(const struct serving *self, uint32_t row, arena_t *texts,
                        struct job_request *asked, struct error *error)
{
    const char *body = read_body(self, row, error);
    json_t *document = body ? json_loads(body, 0, NULL) : NULL;
    const json_t *request = json_object_get(document, "request");
    struct error why = {.text = "it is no document of a job"};
    const int status = request ? job_request_read_json(request, asked, texts, &why) : -1;

    json_decref(document);
    if (status == 0)
        return 0;
    if (!body)
        why = *error;
    return error_set(error, "job %" PRIu32 ": its request in the state cannot be read: %s", row,
                     why.text);
}

int programs_of(void *owner, uint64_t job, const struct msg_program **program, struct error *error)
{
    struct serving *self = owner;
    const struct entry *entry = ledger_find(self->ledger, job_number_row(job));
    struct job_request asked;

    *program = NULL;
    if (!entry)
        return 0;
    arena_reset(self->program_texts);
    if (read_request(self, job_number_row(job), self->program_texts, &asked, error) < 0)
        return -1;
    if (asked.command.count == 0)
        return 0;
    self->program = job_request_program(&asked, entry->number, entry->user);
    *program = &self->program;
    return 0;
}

/* ---- whose programs run ---- */

/* A user without a name on this machine goes by number, which may be another user's name. */
static bool has_no_name(const char *user)
{
    const struct passwd *entry;

    if (user[strspn(user, "0123456789")] != '\0')
        return false;
    entry = getpwnam(user);
    return !entry || (uintmax_t)entry->pw_uid != strtoumax(user, NULL, 10);
}

/* -1, with `error`, if the worker of the node runs no program of `user`. Only a worker that is root
 * runs programs of root. */
static int check_node(const struct capacity_node *node, const char *user, struct error *error)
{
    if (!*node->user || !strcmp(node->user, user) || (!*node->only && strcmp(user, "root") != 0))
        return 0;
    if (!*node->only)
        return error_set(error, "its worker is user %s, and runs those of all users but root",
                         node->user);
    return error_set(error, "which runs those of user %s only: %s", node->user, node->only);
}

/* As check_node, but the error is a whole sentence. */
static int complain_of_node(const struct capacity_node *node, const char *user, struct error *error)
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
    if (asked->command.count == 0)
        return 0;
    if (has_no_name(user))
        return error_set(error, "user %s has no name on this machine, and no program can run as it",
                         user);
    for (int i = 0; i < capacity_node_count(self->capacity); i++) {
        const struct capacity_node *node = capacity_node(self->capacity, i);

        if (node->up && complain_of_node(node, user, error) < 0)
            return -1;
    }
    return 0;
}

int programs_check_again(struct serving *self, const struct entry *entry, struct error *error)
{
    arena_t *texts = arena_new();
    struct job_request asked;
    int result = read_request(self, job_number_row(entry->number), texts, &asked, error);

    if (result == 0)
        result = programs_check(self, &asked, entry->user, error);
    arena_destroy(&texts);
    return result;
}

/* ---- nodes that join ---- */

/* Whether a node has to run the program of the job. Programs of an unknown user are left out: no
 * node could run them, and every node would be refused. */
static bool is_counted_on(const struct entry *entry)
{
    return entry && entry->decided && strcmp(entry->user, USER_UNKNOWN) != 0 &&
           (entry->standing == STANDING_WAITING || entry->standing == STANDING_RUNNING ||
            entry->standing == STANDING_QUOTED);
}

/* Whether the job executes, or may execute, a program of its user. */
static bool may_have_program(struct serving *self, uint64_t job)
{
    const struct msg_program *program;
    struct error error;

    return programs_of(self, job, &program, &error) < 0 || program;
}

bool programs_may_use(void *owner, const struct capacity_node *node, char *why, size_t size)
{
    struct serving *self = owner;
    struct error error;

    for (uint32_t row = 1; row < ledger_next(self->ledger); row++) {
        const struct entry *entry = ledger_find(self->ledger, row);

        if (!is_counted_on(entry) || check_node(node, entry->user, &error) == 0 ||
            !may_have_program(self, entry->number))
            continue;
        (void)snprintf(why, size, "it cannot run programs of user %s, as job %" PRIu32 " needs: %s",
                       entry->user, row, *node->only ? node->only : error.text);
        return false;
    }
    return true;
}
