/* record.c - see record.h. */
#include "scheduler/record/record.h"

#include "common/checksum.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/output.h"
#include "common/version.h"
#include "scheduler/record/decision_text.h"
#include "scheduler/record/setting_text.h"
#include "scheduler/record/step_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    output_t *output;
    bool at_once;
    int64_t steps;
    uint64_t check;
    struct text step; /* lines of the present step */
    step_text_t *occurrences;
    decision_text_t *decisions;
};

/* ---- the lines ---- */

/* Writes the text of `step` to the file, and then its check. */
static void send(record_t *self)
{
    self->check = checksum(self->check, self->step.bytes, self->step.used);
    output_bytes(self->output, self->step.bytes, self->step.used);
    self->step.used = 0;
    text_word(&self->step, "check ");
    text_digest(&self->step, self->check);
    text_word(&self->step, "\n");
    self->check = checksum(self->check, self->step.bytes, self->step.used);
    output_bytes(self->output, self->step.bytes, self->step.used);
    self->step.used = 0;
}

static void write_setting(struct text *text, const struct record_setting *setting)
{
    text_word(text, "rubato-record ");
    text_whole(text, RECORD_VERSION);
    text_key_quoted(text, "by", version_text);
    text_word(text, "\n");
    setting_text_write(setting, text);
}

const struct occurrence *record_occurrences(record_t *self, engine_t *engine, int64_t now_s,
                                            const struct occurrence occurrences[], size_t count)
{
    text_word(&self->step, "step ");
    text_whole(&self->step, self->steps + 1);
    text_key_whole(&self->step, "at", now_s);
    text_word(&self->step, "\n");
    return step_text_write(self->occurrences, engine, now_s, occurrences, count, &self->step);
}

void record_decision(record_t *self, const struct decision *decision, bool by_clock,
                     const struct error *error)
{
    if (by_clock)
        text_word(&self->step, "by-clock\n");
    if (decision)
        decision_text_write(self->decisions, decision, &self->step);
    else
        decision_text_fail(&self->step, error);
    self->steps++;
    send(self);
    if (self->at_once)
        output_flush(self->output);
}

/* ---- life ---- */

record_t *record_new(const char *path, bool forced, const struct record_setting *setting,
                     bool at_once, struct error *error)
{
    output_t *output = output_new(path, error);
    record_t *self;

    if (!output || output_claim(output, forced, error) < 0) {
        output_destroy(&output);
        return NULL;
    }
    self = xcalloc(1, sizeof(*self));
    self->output = output;
    self->at_once = at_once;
    self->check = CHECKSUM_OF_NOTHING;
    self->occurrences = step_text_new(setting->cluster.pool_count);
    self->decisions = decision_text_new(RECORD_VERSION);
    write_setting(&self->step, setting);
    send(self);
    return self;
}

int record_commit(record_t **self, enum record_end end, const char *why, struct error *error)
{
    static const char *const ends[] = {
        [RECORD_OVER] = "over", [RECORD_STOPPED] = "stopped", [RECORD_FAILED] = "failed"};
    struct text *text = &(*self)->step;
    int result;

    text->used = 0;
    text_word(text, "end ");
    text_whole(text, (*self)->steps);
    text_word(text, " ");
    text_word(text, ends[end]);
    if (end == RECORD_FAILED)
        text_key_quoted(text, "because", why);
    text_word(text, "\n");
    send(*self);
    result = output_commit(&(*self)->output, error);
    record_destroy(self);
    return result;
}

void record_tell(const char *program, const char *path)
{
    char shown[PATH_MAX];

    if (!path)
        return;
    (void)input_printable(shown, sizeof(shown), output_name(path), strlen(output_name(path)));
    (void)fprintf(stderr, "%s: the record is in %s\n", program, shown);
}

void record_destroy(record_t **self)
{
    if (!*self)
        return;
    output_destroy(&(*self)->output);
    text_free(&(*self)->step);
    step_text_destroy(&(*self)->occurrences);
    decision_text_destroy(&(*self)->decisions);
    free(*self);
    *self = NULL;
}
