/* replay.c - see replay.h. */
#include "scheduler/replay/replay.h"

#include "common/input.h"
#include "scheduler/record/decision_text.h"
#include "scheduler/record/record_reader.h"
#include "scheduler/record/retelling.h"
#include "scheduler/run/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 300

struct replay {
    const char *path;
    record_reader_t *reader;
    struct inputs inputs;
    engine_t *engine;
    decision_text_t *decisions;
    struct text decided;
    struct retelling told;
    int64_t steps; /* number of steps that were decided as recorded */
};

/* ---- what differs ---- */

static int line_bytes(const char *text, size_t bytes)
{
    const char *end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;

    return (int)(end ? (size_t)(end - text) : bytes);
}

static void show_line(char shown[SHOWN_BYTES], const char *text, size_t bytes)
{
    if (bytes == 0)
        (void)snprintf(shown, SHOWN_BYTES, "nothing more");
    else
        (void)input_printable(shown, SHOWN_BYTES, text, (size_t)line_bytes(text, bytes));
}

/* Tells the first line in which `decided` differs from the recorded decision. */
static int tell_difference(const struct replay *self, const struct recorded_step *step,
                           struct error *told)
{
    const struct text *decided = &self->decided;
    int64_t line = step->decision_line;
    char recorded_line[SHOWN_BYTES];
    char decided_line[SHOWN_BYTES];
    size_t at = 0; /* start of the line */

    for (size_t i = 0; i < decided->used && i < step->decision_bytes; i++) {
        if (decided->bytes[i] != step->decision[i])
            break;
        if (decided->bytes[i] == '\n') {
            at = i + 1;
            line++;
        }
    }
    show_line(recorded_line, step->decision + at, step->decision_bytes - at);
    show_line(decided_line, decided->bytes + at, decided->used - at);
    error_set(told,
              "%s:%" PRId64 ": step %" PRId64 " at %" PRId64
              " s is decided otherwise: recorded '%s', now '%s'%s",
              self->path, line, step->number, step->now_s, recorded_line, decided_line,
              step->by_clock ? "; what was recorded may hang on the time that the solver had" : "");
    return 1;
}

static int tell_other_progress(const struct replay *self, const struct recorded_step *step,
                               const struct error *why, struct error *told)
{
    error_set(told, "%s:%" PRId64 ": step %" PRId64 " at %" PRId64 " s: %s", self->path,
              step->decision_line, step->number, step->now_s, why->text);
    return 1;
}

/* ---- one step ---- */

static int replay_step(struct replay *self, const struct recorded_step *step, struct error *told)
{
    struct decision decision;
    struct error why;

    if (retelling_gather(&self->told, self->engine, step->now_s, step->items, step->count, &why) <
        0)
        return tell_other_progress(self, step, &why, told);
    self->decided.used = 0;
    if (engine_step(self->engine, step->now_s, self->told.items, self->told.count, &decision,
                    &why) == 0)
        decision_text_write(self->decisions, &decision, &self->decided);
    else
        decision_text_fail(&self->decided, &why);
    if (self->decided.used == step->decision_bytes &&
        !memcmp(self->decided.bytes, step->decision, step->decision_bytes))
        return 0;
    return tell_difference(self, step, told);
}

/* ---- a whole record ---- */

static void tell_success(const struct replay *self, struct error *told)
{
    const char *why;
    const enum record_end end = record_reader_end(self->reader, &why);

    error_set(told, "%s: %" PRId64 " steps, all decisions as recorded%s%s", self->path, self->steps,
              end == RECORD_OVER      ? ""
              : end == RECORD_STOPPED ? "; the run was stopped then"
                                      : "; the run failed then: ",
              end == RECORD_FAILED ? why : "");
}

/* Adds to the error how many steps before the damage were good. */
static int complain(const struct replay *self, struct error *error)
{
    const struct error damage = *error;

    if (self->steps == 0)
        return -1;
    return error_set(error, "%s; the %" PRId64 " steps before are decided as recorded", damage.text,
                     self->steps);
}

static int replay_steps(struct replay *self, struct error *told, struct error *error)
{
    struct recorded_step step;
    int got;

    while ((got = record_reader_next(self->reader, &step, error)) > 0) {
        if (replay_step(self, &step, told) > 0)
            return 1;
        self->steps++;
    }
    if (got < 0)
        return complain(self, error);
    tell_success(self, told);
    return 0;
}

struct simulation replay_simulation(const struct record_setting *recorded)
{
    struct simulation simulation = SIMULATION_DEFAULT;

    simulation.policy = recorded->policy;
    simulation.rules = recorded->rules;
    simulation.placement = recorded->placement;
    simulation.admission = recorded->admission;
    simulation.gpu_type = recorded->gpu_type;
    simulation.described = recorded->cluster;
    simulation.slot_s = recorded->slot_s;
    simulation.restart_threshold = recorded->restart_threshold;
    simulation.own = recorded->values;
    return simulation;
}

static int open_engine(struct replay *self, struct error *error)
{
    const struct simulation simulation = replay_simulation(record_reader_setting(self->reader));

    if (inputs_settle(&self->inputs, &simulation, error) < 0)
        return error_prefix(error, self->path);
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, error);
    return self->engine ? 0 : error_prefix(error, self->path);
}

int replay_run(const char *path, struct error *told, struct error *error)
{
    struct replay self = {.path = path, .reader = record_reader_open(path, error)};
    int status = -1;

    if (!self.reader)
        return -1;
    self.decisions = decision_text_new(record_reader_version(self.reader));
    if (open_engine(&self, error) == 0)
        status = replay_steps(&self, told, error);
    engine_destroy(&self.engine);
    inputs_free(&self.inputs);
    decision_text_destroy(&self.decisions);
    text_free(&self.decided);
    retelling_free(&self.told);
    record_reader_close(&self.reader);
    return status;
}
