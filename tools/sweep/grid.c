/* grid.c - see grid.h. */
#include "tools/sweep/grid.h"

#include "common/data_file.h"
#include "common/memory.h"
#include "common/option_value.h"
#include "scheduler/external/external.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/state/throughput.h"
#include "tools/operand.h"
#include "tools/sweep/variation.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void grid_init(struct sweep_grid *self)
{
    const struct axis axes[AXES] = {
        [AXIS_SLOT] = {.option = OPTION_WHOLE("slots", NULL, NULL, 0, 1000000, NULL),
                       .column = "slot_s",
                       .usual = {.whole = 60}},
        [AXIS_LOAD] = {.option = OPTION_REAL("loads", NULL, NULL, 0.001, 1000, NULL),
                       .column = "load",
                       .usual = {.real = 1}},
        [AXIS_TIGHTNESS] = {.option = OPTION_RANGE("tightness", NULL, NULL, 0, 1000, NULL),
                            .column = "tightness",
                            .usual = {.range = TIGHTNESS_OF_TRACE}},
        [AXIS_BEST_EFFORT] = {.option = OPTION_REAL("best-effort", NULL, NULL, 0, 1, NULL),
                              .column = "best_effort",
                              .usual = {.real = 0}},
        [AXIS_OVERHEAD] = {.option = OPTION_REAL("overhead-factors", NULL, NULL, 0, 1000, NULL),
                           .column = "overhead_factor",
                           .usual = {.real = 1}},
        [AXIS_POLICY] = {.option = OPTION_CHOICE("policies", NULL, NULL, policy_choices(), NULL),
                         .column = "policy"},
        [AXIS_SEED] = {.option = OPTION_WHOLE("seeds", NULL, NULL, 0, 1e15, NULL),
                       .column = "seed",
                       .usual = {.whole = 0}},
    };

    *self = (struct sweep_grid){
        .simulation = SIMULATION_DEFAULT, .world = WORLD_DEFAULT, .faults_input = SIZE_MAX};
    memcpy(self->axes, axes, sizeof(axes));
}

void grid_clear(struct sweep_grid *self)
{
    for (size_t i = 0; i < self->axes[AXIS_POLICY].count && self->rules; i++)
        free(self->rules[i]);
    free(self->rules);
    free(self->programs);
    for (int i = 0; i < AXES; i++)
        axis_clear(&self->axes[i]);
    axis_clear(&self->cluster_axis);
    inputs_read_clear(&self->inputs);
    free(self->places);
    free(self->settings);
}

/* ---- inputs ---- */

static bool same_text(const char *one, const char *other)
{
    return !strcmp(one ? one : "", other ? other : "");
}

static int check_place(const struct sweep_grid *self, const struct grid_place *place,
                       struct error *error)
{
    for (const struct grid_place *other = self->places; other < place; other++)
        if (same_text(other->trace, place->trace) && same_text(other->cluster, place->cluster) &&
            same_text(other->gpu_type, place->gpu_type) && other->slot_s == place->slot_s)
            return error_set(error, "%s%s%s is listed twice", place->trace,
                             place->cluster ? "@" : "", place->cluster ? place->cluster : "");
    if (place->slot_s >= 0 && self->axes[AXIS_SLOT].count > 1)
        return error_set(error, "--slots: expected one slot, as %s has its own", place->trace);
    return 0;
}

/* The number of the input at `path`; SIZE_MAX, with `error`, if the input cannot be read. */
static size_t read_input(struct sweep_grid *self, const char *folder, const char *path,
                         struct error *error)
{
    const size_t input = inputs_read_file(&self->inputs, path, error);

    if (input == SIZE_MAX)
        data_file_suggest(folder, path, error);
    return input;
}

static int read_place(struct sweep_grid *self, const struct simulation *named, struct error *error)
{
    struct grid_place *place = &self->places[self->place_count++];

    *place = (struct grid_place){.trace = named->trace,
                                 .cluster = named->cluster,
                                 .gpu_type = named->gpu_type,
                                 .slot_s = named->slot_s,
                                 .cluster_input = SIZE_MAX};
    place->trace_input = read_input(self, DATA_TRACES, place->trace, error);
    if (place->trace_input == SIZE_MAX)
        return -1;
    if (place->cluster)
        place->cluster_input = read_input(self, DATA_CLUSTERS, place->cluster, error);
    if (place->cluster && place->cluster_input == SIZE_MAX)
        return -1;
    return check_place(self, place, error);
}

/* Lists the places: each trace on the cluster that its operand names, or else on every cluster of
 * --clusters. */
static int read_places(struct sweep_grid *self, const struct operands *traces, struct error *error)
{
    struct axis *clusters = &self->cluster_axis;
    int result;

    *clusters = (struct axis){.option = OPTION_TEXT("clusters", NULL, NULL, NULL),
                              .list = self->clusters,
                              .usual = {.text = NULL}};
    result = axis_read(clusters, error);
    self->places = xcalloc(traces->count * (clusters->count + 1), sizeof(*self->places));
    for (size_t t = 0; t < traces->count && result == 0; t++) {
        struct simulation named = self->simulation;
        bool own;

        named.cluster = NULL;
        named.slot_s = -1;
        result = operand_read(traces->items[t], &named, error);
        own = named.cluster != NULL;
        for (size_t c = 0; c < (own ? 1 : clusters->count) && result == 0; c++) {
            if (!own)
                named.cluster = data_file(DATA_CLUSTERS, clusters->values[c].text);
            result = read_place(self, &named, error);
        }
    }
    return result;
}

static int read_tables(struct sweep_grid *self, struct error *error)
{
    char *found = self->simulation.throughputs ? NULL : data_folder(DATA_THROUGHPUTS);
    const char *folder = found ? found : self->simulation.throughputs;
    int result =
        folder
            ? input_checksum_folder(folder, self->throughputs, error)
            : error_set(error,
                        "no folder \"throughputs\" near the program: name one with --throughputs");

    free(found);
    if (result == 0)
        result = input_checksum_file("/proc/self/exe", self->program, error);
    if (result == 0 && self->world.faults) {
        self->faults_input = inputs_read_file(&self->inputs, self->world.faults, error);
        result = self->faults_input == SIZE_MAX ? -1 : 0;
    }
    return result;
}

/* ---- settings ---- */

static bool is_within(const void *pointer, const void *object, size_t size)
{
    return (const char *)pointer >= (const char *)object &&
           (const char *)pointer < (const char *)object + size;
}

/* Whether the option is a setting of all cells and has a value. */
static bool is_setting(const struct sweep_grid *self, const struct option_spec *option)
{
    const struct simulation *simulation = &self->simulation;

    return (policy_values_have(simulation->values, option) ||
            is_within(option->value, simulation, sizeof(*simulation)) ||
            is_within(option->value, &self->world, sizeof(self->world))) &&
           option_has_value(option) && option->value != &simulation->gpu_type;
}

static char *print_settings(const struct sweep_grid *self, const struct option_spec *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        memory_out();
    for (; options->kind; options++) {
        if (!is_setting(self, options))
            continue;
        (void)fprintf(memory, "%s%s=", ftell(memory) > 0 ? " " : "", options->name);
        option_print_value(options, memory);
    }
    (void)fclose(memory);
    return text;
}

static int read_policies(struct sweep_grid *self, struct error *error)
{
    const struct axis *names = &self->axes[AXIS_POLICY];
    const struct policy **policies = xcalloc(names->count, sizeof(*policies));
    int result;

    self->rules = xcalloc(names->count, sizeof(*self->rules));
    self->programs = xcalloc(names->count, sizeof(*self->programs));
    for (size_t i = 0; i < names->count; i++)
        policies[i] = policy_find(names->values[i].text);
    result = policy_values_check(self->simulation.values, policies, names->count, error);
    if (result == 0)
        result =
            policies_check_admission(self->simulation.admission, policies, names->count, error);
    if (result == 0)
        policy_values_note(self->simulation.values, policies, names->count, "rubato sweep");
    if (result == 0)
        result = rules_check(self->simulation.rules, policies, names->count, error);
    for (size_t i = 0; i < names->count && result == 0; i++)
        self->rules[i] = rules_for(self->simulation.rules, policies[i]);
    for (size_t i = 0; i < names->count && result == 0; i++)
        if (!strncmp(names->values[i].text, EXTERNAL_PREFIX, strlen(EXTERNAL_PREFIX)))
            result = input_checksum_command(names->values[i].text + strlen(EXTERNAL_PREFIX),
                                            self->programs[i], error);
    free(policies);
    return result;
}

int grid_lay_out(struct sweep_grid *self, const struct operands *traces,
                 const struct option_spec *options, struct error *error)
{
    if (!self->axes[AXIS_POLICY].list)
        self->axes[AXIS_POLICY].list = PUBLISHED_POLICIES;
    for (int i = 0; i < AXES; i++)
        if (axis_read(&self->axes[i], error) < 0)
            return -1;
    if (read_policies(self, error) < 0 || read_places(self, traces, error) < 0 ||
        read_tables(self, error) < 0)
        return -1;
    self->settings = print_settings(self, options);
    self->count = self->place_count;
    for (int i = 0; i < AXES; i++) {
        self->count *= self->axes[i].count;
        if (self->count > GRID_CELLS_MAX)
            return error_set(error, "expected at most %d cells, found more", GRID_CELLS_MAX);
    }
    return 0;
}

/* ---- cells ---- */

/* Finds the index of cell `index` on each axis, and returns the number of the cell's place. */
static size_t find_point(const struct sweep_grid *self, size_t index, size_t at[AXES])
{
    for (int i = AXES - 1; i >= 0; i--) {
        at[i] = index % self->axes[i].count;
        index /= self->axes[i].count;
    }
    return index;
}

static const union axis_value *value_at(const struct sweep_grid *self, const size_t at[AXES],
                                        enum grid_axis axis)
{
    return &self->axes[axis].values[at[axis]];
}

static struct variation variation_at(const struct sweep_grid *self, const size_t at[AXES])
{
    return (struct variation){.load = value_at(self, at, AXIS_LOAD)->real,
                              .tightness = value_at(self, at, AXIS_TIGHTNESS)->range,
                              .best_effort = value_at(self, at, AXIS_BEST_EFFORT)->real,
                              .seed = value_at(self, at, AXIS_SEED)->whole};
}

static struct field field_of(const struct axis *axis, size_t index, char *text)
{
    struct field field = {.name = axis->column, .kind = FIELD_TEXT, .text = text};

    if (axis->option.kind == OPTION_KIND_WHOLE) {
        field.kind = FIELD_WHOLE;
        field.whole = axis->values[index].whole;
    } else if (axis->option.kind == OPTION_KIND_REAL) {
        field.kind = FIELD_REAL;
        field.real = axis->values[index].real;
    } else if (axis->option.kind == OPTION_KIND_RANGE && axis->values[index].range.low < 0) {
        field.text = "";
    }
    return field;
}

static const char *checksum_of(const struct sweep_grid *self, size_t input)
{
    return input == SIZE_MAX ? "" : self->inputs.items[input].checksum;
}

void grid_fields(const struct sweep_grid *self, size_t index, struct field fields[GRID_FIELDS],
                 char *texts[AXES])
{
    size_t at[AXES];
    const struct grid_place *place = &self->places[find_point(self, index, at)];
    struct field *field = fields;

    *field++ = field_text("trace", place->trace);
    *field++ = field_text("cluster", place->cluster ? place->cluster : "");
    *field++ = field_text("gpu_type", place->gpu_type);
    for (int i = 0; i < AXES; i++) {
        texts[i] = axis_text(&self->axes[i], at[i]);
        *field++ = field_of(&self->axes[i], at[i], texts[i]);
    }
    if (place->slot_s >= 0)
        fields[GRID_AXIS_FIELD + AXIS_SLOT].whole = place->slot_s;
    *field++ = field_text("settings", self->settings);
    *field++ = field_text("trace_checksum", checksum_of(self, place->trace_input));
    *field++ = field_text("cluster_checksum", checksum_of(self, place->cluster_input));
    *field++ = field_text("throughputs_checksum", self->throughputs);
    *field++ = field_text("faults_checksum", checksum_of(self, self->faults_input));
    *field++ = field_text("version", RUBATO_VERSION);
    *field++ = field_text("program_checksum", self->program);
    *field++ = field_text("policy_checksum", self->programs[at[AXIS_POLICY]]);
}

int64_t grid_trace_bytes(const struct sweep_grid *self, size_t index)
{
    size_t at[AXES];

    return self->inputs.items[self->places[find_point(self, index, at)].trace_input].bytes;
}

/* The path of a varied trace, "FOLDER/traces/NAME.CHECKSUM.csv". The checksum covers the trace and
 * all that varies it. */
static char *varied_path(const struct sweep_grid *self, const struct grid_place *place,
                         const size_t at[AXES])
{
    static const enum grid_axis varying[] = {AXIS_LOAD, AXIS_TIGHTNESS, AXIS_BEST_EFFORT,
                                             AXIS_SEED};
    const char *slash = strrchr(place->trace, '/');
    const char *name = slash ? slash + 1 : place->trace;
    char text[1024] = RUBATO_VERSION;
    char sum[CHECKSUM_TEXT_BYTES];
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(varying) / sizeof(varying[0]); i++) {
        char *value = axis_text(&self->axes[varying[i]], at[varying[i]]);
        const size_t used = strlen(text);

        (void)snprintf(text + used, sizeof(text) - used, " %s", value);
        free(value);
    }
    (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s",
                   checksum_of(self, place->trace_input));
    input_checksum_text(text, sum);
    (void)snprintf(path, sizeof(path), "%s/traces/%.*s.%s.csv", self->folder,
                   (int)strcspn(name, "."), name, sum);
    return xstrdup(path);
}

/* Makes the varied trace. The function runs in the process of the cell, whose end frees the
 * path. */
static int make_trace(struct cell *cell, struct error *error)
{
    const struct sweep_grid *self = cell->owner;
    size_t at[AXES];
    const struct grid_place *place = &self->places[find_point(self, cell->number, at)];
    const struct variation variation = variation_at(self, at);
    char *path = varied_path(self, place, at);

    if (access(path, R_OK) < 0 && variation_write(&variation, place->trace, path, error) < 0)
        return -1;
    cell->simulation.trace = path;
    return 0;
}

void grid_cell(const struct sweep_grid *self, size_t index, struct cell *cell,
               struct world_setting *world)
{
    size_t at[AXES];
    const struct grid_place *place = &self->places[find_point(self, index, at)];
    const struct policy *policy = policy_find(value_at(self, at, AXIS_POLICY)->text);
    const struct variation variation = variation_at(self, at);

    *world = self->world;
    world->seed = variation.seed;
    world->overhead_factor = value_at(self, at, AXIS_OVERHEAD)->real;
    *cell = (struct cell){.simulation = self->simulation, .number = index, .owner = self};
    cell->simulation.trace = place->trace;
    cell->simulation.cluster = place->cluster;
    cell->simulation.policy = policy->name;
    cell->simulation.rules = self->rules[at[AXIS_POLICY]];
    cell->simulation.gpu_type = place->gpu_type;
    cell->simulation.slot_s =
        place->slot_s >= 0 ? place->slot_s : value_at(self, at, AXIS_SLOT)->whole;
    cell->simulation.world = world;
    if (!variation_is_none(&variation))
        cell->prepare = make_trace;
}
