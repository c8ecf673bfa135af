/* programs.c - what the jobs of the service execute, from their documents in the journal. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
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
