/* record_reader.c - see record_reader.h. */
#include "scheduler/record/record_reader.h"

#include "common/memory.h"
#include "common/option_value.h"
#include "scheduler/admission/admission.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/record_lines.h"
#include "scheduler/record/setting_text.h"
#include "scheduler/record/step_lines.h"
#include "scheduler/record/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES     4096
#define INTERVAL_MAX_S 1000000

struct record_reader {
    record_lines_t *lines;
    struct record_setting setting;
    int64_t version;
    const char *program; /* the program that wrote the record */
    struct step_lines step;
    struct text decision;
    int64_t steps;
    int64_t now_s;
    bool failed; /* whether the last step failed */
    enum record_end end;
    const char *why;
};

/* ---- what the run is about ---- */

static int name_after(struct record_reader *self, struct cursor *cursor, const char *key,
                      const char **name, struct error *error)
{
    char text[NAME_BYTES];

    if (cursor_key(cursor, key, error) < 0 || cursor_quoted(cursor, text, sizeof(text), error) < 0)
        return -1;
    *name = arena_text(self->step.known.kept, text, strlen(text));
    return 0;
}

static int number_after(struct cursor *cursor, const char *key, int64_t min, int64_t max,
                        int64_t *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_number(cursor, min, max, value, error);
}

static int read_version(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    if (!cursor_skips(cursor, "rubato-record"))
        return error_set(error,
                         "%s: is no record of a run: it does not begin with \"rubato-record\"",
                         cursor->path);
    if (cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, 1, INT32_MAX, &self->version, error) < 0)
        return -1;
    if (self->version > RECORD_VERSION)
        return error_set(error, "%s:1: is a record of version %" PRId64 ", expected at most %d",
                         cursor->path, self->version, RECORD_VERSION);
    return name_after(self, cursor, "by", &self->program, error);
}

/* Reads the admission of the run, if one was chosen. */
static int read_admission(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    const struct admission *chosen;
    char name[NAME_BYTES];

    if (!cursor_has(cursor, "admission"))
        return 0;
    if (cursor_quoted(cursor, name, sizeof(name), error) < 0)
        return -1;
    chosen = admission_find(name);
    if (!chosen)
        return cursor_complain(cursor, "the name of an admission before", error);
    self->setting.admission = chosen->name;
    return 0;
}

static int read_setting(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    struct record_setting *setting = &self->setting;

    if (cursor_word(cursor, "setting", error) < 0 ||
        name_after(self, cursor, "policy", &setting->policy, error) < 0 ||
        name_after(self, cursor, "rules", &setting->rules, error) < 0 ||
        name_after(self, cursor, "placement", &setting->placement, error) < 0 ||
        name_after(self, cursor, "gpu_type", &setting->gpu_type, error) < 0 ||
        number_after(cursor, "slot", 0, INTERVAL_MAX_S, &setting->slot_s, error) < 0)
        return -1;
    if (number_after(cursor, "restart", 0, 1000000000, &setting->restart_threshold, error) < 0)
        return -1;
    return read_admission(self, cursor, error);
}

/* Reads the GPU type of a pool. A single pool may have none. */
static int read_type(struct cursor *cursor, bool is_first, struct pool_spec *pool,
                     struct error *error)
{
    if (!cursor_has(cursor, "type"))
        return is_first ? 0 : cursor_complain(cursor, "\" type=\"", error);
    if (cursor_quoted(cursor, pool->gpu_type, sizeof(pool->gpu_type), error) < 0)
        return -1;
    return gpu_type_is_good(pool->gpu_type)
               ? 0
               : cursor_complain(cursor, GPU_TYPE_EXPECTED " before", error);
}

static int check_pool(const struct cluster_spec *cluster, const struct cursor *cursor,
                      int64_t nodes, int64_t gpus, struct error *error)
{
    if (cluster->pool_count == CLUSTER_POOLS_MAX)
        return cursor_complain(cursor, "at most 64 pools before", error);
    if (cluster->pool_count > 0 && cluster->pools[0].gpu_type[0] == '\0')
        return cursor_complain(cursor, "a type of the pool before", error);
    if (nodes + cluster_spec_nodes(cluster) > CLUSTER_NODES_MAX)
        return cursor_complain(cursor, "at most 100000 nodes below all switches before", error);
    if (nodes * gpus + cluster_spec_gpus(cluster) > CLUSTER_GPUS_MAX)
        return cursor_complain(cursor, "at most 1048576 GPUs on all nodes before", error);
    return 0;
}

static int read_pool(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    struct cluster_spec *cluster = &self->setting.cluster;
    struct pool_spec pool = {.gpu_type = ""};
    int64_t switches;
    int64_t nodes;
    int64_t gpus;

    if (cursor_word(cursor, "cluster", error) < 0 ||
        number_after(cursor, "switches", 1, CLUSTER_NODES_MAX, &switches, error) < 0 ||
        number_after(cursor, "nodes", 1, CLUSTER_NODES_MAX / switches, &nodes, error) < 0 ||
        number_after(cursor, "gpus", 1, CLUSTER_GPUS_PER_NODE_MAX, &gpus, error) < 0 ||
        check_pool(cluster, cursor, switches * nodes, gpus, error) < 0)
        return -1;
    pool.switches = (int)switches;
    pool.nodes_per_switch = (int)nodes;
    pool.gpus_per_node = (int)gpus;
    if (read_type(cursor, cluster->pool_count == 0, &pool, error) < 0)
        return -1;
    cluster_spec_add(cluster, &pool);
    self->step.known.cluster = *cluster;
    return 0;
}

typedef int read_fn(struct record_reader *self, struct cursor *cursor, struct error *error);

static int complain_cut(const struct record_reader *self, const char *where, struct error *error)
{
    char text[64];

    if (self->steps == 0)
        return record_lines_complain_cut(self->lines, "before its first step", error);
    (void)snprintf(text, sizeof(text), "%s step %" PRId64, where, self->steps);
    return record_lines_complain_cut(self->lines, text, error);
}

/* Takes the next line by `read`. */
static int read_line(struct record_reader *self, read_fn *read, struct error *error)
{
    struct cursor cursor;
    const int got = record_lines_look(self->lines, &cursor, error);

    if (got == 0)
        return complain_cut(self, "after", error);
    if (got < 0 || read(self, &cursor, error) < 0 || cursor_end(&cursor, error) < 0)
        return -1;
    record_lines_take(self->lines);
    return 0;
}

static int read_check(struct record_reader *self, struct error *error)
{
    struct cursor cursor;
    const int got = record_lines_look(self->lines, &cursor, error);

    if (got == 0)
        return complain_cut(self, "after", error);
    return got < 0 ? -1 : record_lines_check(self->lines, error);
}

/* Whether the next line begins with `word`. Returns 0 at the end of the file. */
static int begins_with(struct record_reader *self, const char *word, bool *begins,
                       struct error *error)
{
    struct cursor cursor;
    const int got = record_lines_look(self->lines, &cursor, error);

    *begins = got > 0 && cursor_skips(&cursor, word);
    return got;
}

static int read_pools(struct record_reader *self, struct error *error)
{
    bool more;

    do
        if (read_line(self, read_pool, error) < 0 || begins_with(self, "cluster", &more, error) < 0)
            return -1;
    while (more);
    return 0;
}

static const char *option_word(const struct record_setting *setting)
{
    const char *word = setting->options->record_word;

    return word ? word : RECORD_OPTIONS_WORD;
}

static int read_value(struct record_reader *self, struct cursor *cursor,
                      const struct option_spec *option, struct error *error)
{
    const size_t begin = cursor->at;
    char text[NAME_BYTES];
    char expected[256];

    if (cursor_value(cursor, text, sizeof(text), error) < 0)
        return -1;
    if (option_parse_value(option, arena_text(self->step.known.kept, text, strlen(text))) == 0)
        return 0;
    cursor->at = begin;
    option_describe(option, expected, sizeof(expected));
    return cursor_complain(cursor, expected, error);
}

/* Reads options in the order of the table. Usual values may be missing, except those of options
 * that are always recorded. */
static int read_options(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    const struct record_setting *setting = &self->setting;

    if (cursor_word(cursor, option_word(setting), error) < 0)
        return -1;
    for (const struct policy_option *item = setting->options->items; item->spec.kind; item++) {
        const struct option_spec option = policy_option_at(item, setting->values);
        const char *key = policy_option_key(item);

        if (item->record == RECORD_NEVER)
            continue;
        if (!cursor_has(cursor, key)) {
            if (item->record == RECORD_UNUSUAL)
                continue;
            return cursor_key(cursor, key, error);
        }
        if (read_value(self, cursor, &option, error) < 0)
            return -1;
    }
    return 0;
}

/* Reads the options of the record's own policy. */
static int read_own(struct record_reader *self, struct error *error)
{
    struct record_setting *setting = &self->setting;
    const struct policy *policy = policy_find(setting->policy);
    const struct policy_options *options = policy ? policy->options : NULL;
    bool begins;

    if (!options)
        return 0;
    setting->options = options;
    setting->values =
        memcpy(arena_alloc(self->step.known.kept, options->size), options->usual, options->size);
    if (begins_with(self, option_word(setting), &begins, error) < 0)
        return -1;
    return begins ? read_line(self, read_options, error) : 0;
}

static int read_beginning(struct record_reader *self, struct error *error)
{
    if (read_line(self, read_version, error) < 0 || read_line(self, read_setting, error) < 0 ||
        read_pools(self, error) < 0 || read_own(self, error) < 0)
        return -1;
    return read_check(self, error);
}

record_reader_t *record_reader_open(const char *path, struct error *error)
{
    record_lines_t *lines = record_lines_open(path, error);
    record_reader_t *self;

    if (!lines)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->lines = lines;
    step_lines_open(&self->step);
    self->now_s = -TIME_MAX_S;
    if (read_beginning(self, error) < 0)
        record_reader_close(&self);
    return self;
}

void record_reader_close(record_reader_t **self)
{
    if (!*self)
        return;
    record_lines_close(&(*self)->lines);
    step_lines_close(&(*self)->step);
    text_free(&(*self)->decision);
    free(*self);
    *self = NULL;
}

int64_t record_reader_version(const record_reader_t *self)
{
    return self->version;
}

const struct record_setting *record_reader_setting(const record_reader_t *self)
{
    return &self->setting;
}

enum record_end record_reader_end(const record_reader_t *self, const char **why)
{
    *why = self->why;
    return self->end;
}

/* ---- steps ---- */

static int read_step(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    int64_t number;

    if (cursor_word(cursor, "step", error) < 0 || cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, self->steps + 1, self->steps + 1, &number, error) < 0 ||
        cursor_key(cursor, "at", error) < 0 ||
        cursor_whole(cursor, self->now_s, TIME_MAX_S, &self->now_s, error) < 0)
        return -1;
    self->steps = number;
    return 0;
}

static int read_by_clock(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    (void)self;
    return cursor_word(cursor, "by-clock", error);
}

/* Keeps a line of a decision, which is compared as text. */
static int read_decision(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    (void)error;
    if (cursor->length >= 8 && !memcmp(cursor->text, "> failed", 8))
        self->failed = true;
    text_bytes(&self->decision, cursor->text, cursor->length);
    text_word(&self->decision, "\n");
    cursor->at = cursor->length;
    return 0;
}

/* Takes a line of the step before its decision. 1 if it was one, 0 if not, -1 with `error`. */
static int take_occurrence(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    struct cursor start = *cursor;

    if (cursor_skips(&start, "<") && self->decision.used > 0)
        return cursor_complain(cursor, "another line of the decision, or its check", error);
    return step_lines_take(&self->step, cursor, error);
}

/* Takes a line of the step. 1 if it was one, 0 if it is the check. */
static int read_line_of_step(struct record_reader *self, struct cursor *cursor,
                             struct recorded_step *step, struct error *error)
{
    static const struct {
        const char *word;
        read_fn *read;
    } kinds[] = {{">", read_decision}, {"by-clock", read_by_clock}};
    int took = take_occurrence(self, cursor, error);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && took == 0; i++) {
        struct cursor start = *cursor;

        if (!cursor_skips(&start, kinds[i].word))
            continue;
        if (kinds[i].read == read_decision && self->decision.used == 0)
            step->decision_line = cursor->line;
        step->by_clock = step->by_clock || kinds[i].read == read_by_clock;
        if (kinds[i].read(self, cursor, error) < 0 || cursor_end(cursor, error) < 0)
            return -1;
        took = 1;
    }
    if (took > 0)
        record_lines_take(self->lines);
    if (took != 0)
        return took;
    if (self->decision.used == 0)
        return cursor_complain(cursor, "an occurrence (<), a row or a decision (>)", error);
    return record_lines_check(self->lines, error);
}

static int read_rest_of_step(struct record_reader *self, struct recorded_step *step,
                             struct error *error)
{
    struct cursor cursor;
    int got = 1;

    while (got > 0) {
        got = record_lines_look(self->lines, &cursor, error);
        if (got == 0)
            return complain_cut(self, "in", error);
        if (got > 0)
            got = read_line_of_step(self, &cursor, step, error);
    }
    return got;
}

static int read_end(struct record_reader *self, struct cursor *cursor, struct error *error)
{
    static const char *const ends[] = {"over", "stopped", "failed", NULL};
    int64_t steps;
    size_t end;

    if (cursor_word(cursor, "end", error) < 0 || cursor_blank(cursor, error) < 0 ||
        cursor_number(cursor, self->steps, self->steps, &steps, error) < 0 ||
        cursor_blank(cursor, error) < 0 || cursor_choice(cursor, ends, &end, error) < 0)
        return -1;
    self->end = (enum record_end)end;
    return self->end == RECORD_FAILED ? name_after(self, cursor, "because", &self->why, error) : 0;
}

static int finish(struct record_reader *self, struct error *error)
{
    struct cursor cursor;
    int got;

    if (read_line(self, read_end, error) < 0 || read_check(self, error) < 0)
        return -1;
    got = record_lines_look(self->lines, &cursor, error);
    return got > 0 ? cursor_complain(&cursor, "the end of the file", error) : got;
}

int record_reader_next(record_reader_t *self, struct recorded_step *step, struct error *error)
{
    bool is_end;
    int got = begins_with(self, "end", &is_end, error);

    if (got == 0)
        return complain_cut(self, "after", error);
    if (got < 0 || is_end || self->failed)
        return got < 0 ? -1 : finish(self, error);
    *step = (struct recorded_step){.number = self->steps + 1};
    self->decision.used = 0;
    step_lines_clear(&self->step);
    if (read_line(self, read_step, error) < 0 || read_rest_of_step(self, step, error) < 0)
        return -1;
    step->now_s = self->now_s;
    step->items = self->step.items;
    step->count = self->step.count;
    step->decision = self->decision.bytes;
    step->decision_bytes = self->decision.used;
    return 1;
}
