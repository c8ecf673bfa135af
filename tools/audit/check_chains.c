/* check_chains.c - the column `after` of the trace. No job starts before all its parents have
 * ended. A job whose parent must succeed never starts if that parent failed. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <string.h>

#define ANY ":any"

/* The parent that the first `length` bytes of `word` name, AUDIT_NO_JOB if there is no such job. */
static size_t find_parent(const struct audit_case *given, const char *word, size_t length,
                          bool *any)
{
    char id[256] = "";
    size_t found;

    *any = false;
    if (length >= sizeof(id))
        return AUDIT_NO_JOB;
    memcpy(id, word, length);
    found = audit_case_find(given, id);
    if (found != AUDIT_NO_JOB || length <= strlen(ANY) ||
        strcmp(id + length - strlen(ANY), ANY) != 0)
        return found;
    *any = true;
    id[length - strlen(ANY)] = '\0';
    return audit_case_find(given, id);
}

static void check_parent(const struct audit *self, size_t child, const char *word, size_t length)
{
    const struct audit_record *record = self->histories[child].record;
    const struct audit_record *ended;
    bool any;
    const size_t parent = find_parent(self->given, word, length, &any);

    if (parent == AUDIT_NO_JOB) {
        audit_report(self, "unknown-job", AUDIT_NO_TIME, self->given->jobs[child].id,
                     "waits for \"%.*s\", which is no job of the trace", (int)length, word);
        return;
    }
    ended = self->histories[parent].record;
    if (!record)
        return;
    if (!ended && !any)
        audit_report(self, "before-parent", record->start_s, record->id,
                     "started, though its parent %s never was done", self->given->jobs[parent].id);
    else if (ended && (double)record->start_s < ended->ended_s)
        audit_report(self, "before-parent", record->start_s, record->id,
                     "started before its parent %s ended at %" PRId64, self->given->jobs[parent].id,
                     ended->end_s);
}

void audit_check_chains(const struct audit *self)
{
    for (size_t i = 0; i < self->given->job_count; i++) {
        const char *word = self->given->jobs[i].after;

        while (word && *word) {
            const size_t length = strcspn(word, ",; ");

            if (length > 0)
                check_parent(self, i, word, length);
            word += length + (word[length] != '\0');
        }
    }
}
