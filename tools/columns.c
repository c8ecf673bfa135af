/* columns.c - see columns.h. */
#include "tools/columns.h"

#include "common/memory.h"
#include "common/number.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/figures_json.h"
#include "tools/cells.h"
#include "tools/comparison.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The types of values. */
enum value {
    VALUE_FILE,      /* const char *, NULL for none; users see the name without the folder */
    VALUE_TEXT,      /* const char * */
    VALUE_NAME,      /* char [] */
    VALUE_WHOLE,     /* int64_t */
    VALUE_REAL,      /* double, NaN where it is unknown */
    VALUE_SHARE,     /* the same; users see per cent */
    VALUE_PROMISES,  /* int64_t; users see "none" of policies that promise nothing */
    VALUE_DEMOTIONS, /* int64_t of policies that have queues */
    VALUE_SERVICE,   /* int64_t [], one for each queue */
    VALUE_OWN,       /* a figure of some policies' own */
    VALUE_CLOCK,     /* double, seconds of a clock, of which six decimals mean something */
    VALUE_BOUND,     /* int64_t of what no policy can beat */
    VALUE_WORTH,     /* the same of value, in tenths; not of traces where all jobs are worth 1 */
    VALUE_REFERENCE, /* the counts that are expected */
    VALUE_AGREEMENT, /* whether they were found */
};

struct column {
    const char *key;
    const char *title;
    enum value value;
    size_t offset; /* of the value in a cell */

    /* For users alone. */
    int decimals;
    const char *unit; /* with a blank before it; NULL for none */

    const struct figure *figure; /* of a policy's own */
};

#define CELL(member)  offsetof(struct cell, member)
#define COUNT(member) offsetof(struct cell, figures.member)

/* In the order of JSON, those of policies' own figures before the last two. Another figure is
 * another row. */
static const struct column fixed[] = {
    {"trace", "TRACE", VALUE_FILE, CELL(simulation.trace), 0, NULL, NULL},
    {"policy", "POLICY", VALUE_TEXT, CELL(simulation.policy), 0, NULL, NULL},
    {"rules", "RULES", VALUE_TEXT, CELL(simulation.rules), 0, NULL, NULL},
    {"cluster", "CLUSTER", VALUE_FILE, CELL(simulation.cluster), 0, NULL, NULL},
    {"slot_s", "SLOT", VALUE_WHOLE, CELL(simulation.slot_s), 0, " s", NULL},
    {"gpu_type", "GPU", VALUE_NAME, CELL(gpu_type), 0, NULL, NULL},
    {"jobs", "JOBS", VALUE_WHOLE, COUNT(jobs), 0, NULL, NULL},
    {"deadline_jobs", "WITH DEADLINE", VALUE_WHOLE, COUNT(deadline_jobs), 0, NULL, NULL},
    {"on_time", "ON TIME", VALUE_WHOLE, COUNT(outcomes.on_time), 0, NULL, NULL},
    {"bound", "BOUND", VALUE_BOUND, COUNT(bounds.free.jobs), 0, NULL, NULL},
    {"bound_gap", "BOUND GAP", VALUE_BOUND, COUNT(bounds.free.gap), 0, NULL, NULL},
    {"bound_with_overheads", "BOUND WITH OVERHEADS", VALUE_BOUND, COUNT(bounds.with_overheads.jobs),
     0, NULL, NULL},
    {"bound_with_overheads_gap", "BOUND WITH OVERHEADS GAP", VALUE_BOUND,
     COUNT(bounds.with_overheads.gap), 0, NULL, NULL},
    {"value_bound", "VALUE BOUND", VALUE_WORTH, COUNT(bounds.value.jobs), 1, NULL, NULL},
    {"value_bound_gap", "VALUE BOUND GAP", VALUE_WORTH, COUNT(bounds.value.gap), 1, NULL, NULL},
    {"value_bound_with_overheads", "VALUE BOUND WITH OVERHEADS", VALUE_WORTH,
     COUNT(bounds.value_with_overheads.jobs), 1, NULL, NULL},
    {"value_bound_with_overheads_gap", "VALUE BOUND WITH OVERHEADS GAP", VALUE_WORTH,
     COUNT(bounds.value_with_overheads.gap), 1, NULL, NULL},
    {"promised", "PROMISED", VALUE_PROMISES, COUNT(outcomes.promised), 0, NULL, NULL},
    {"promised_at_arrival", "PROMISED AT ARRIVAL", VALUE_PROMISES,
     COUNT(outcomes.promised_at_arrival), 0, NULL, NULL},
    {"promised_later", "PROMISED LATER", VALUE_PROMISES, COUNT(outcomes.promised_later), 0, NULL,
     NULL},
    {"withdrawn", "WITHDRAWN", VALUE_PROMISES, COUNT(outcomes.withdrawn), 0, NULL, NULL},
    {"broken", "BROKEN", VALUE_PROMISES, COUNT(outcomes.broken), 0, NULL, NULL},
    {"best_effort_on_time", "BEST EFFORT ON TIME", VALUE_WHOLE, COUNT(outcomes.best_effort_on_time),
     0, NULL, NULL},
    {"value_on_time", "VALUE ON TIME", VALUE_REAL, COUNT(outcomes.value_on_time), 1, NULL, NULL},
    {"gpu_hours_on_time", "GPU HOURS ON TIME", VALUE_REAL, COUNT(outcomes.gpu_hours_on_time), 1,
     " h", NULL},
    {"accepted", "ARTIFACT ACCEPTED", VALUE_WHOLE, COUNT(accepted), 0, NULL, NULL},
    {"declined", "ARTIFACT DECLINED", VALUE_WHOLE, COUNT(declined), 0, NULL, NULL},
    {"finished", "FINISHED", VALUE_WHOLE, COUNT(finished), 0, NULL, NULL},
    {"deadline_satisfaction", "DEADLINE SATISFACTION", VALUE_SHARE, COUNT(deadline_satisfaction), 1,
     " %", NULL},
    {"jct_mean_s", "MEAN JCT", VALUE_REAL, COUNT(jct_mean_s), 0, " s", NULL},
    {"jct_p99_s", "P99 JCT", VALUE_REAL, COUNT(jct_p99_s), 0, " s", NULL},
    {"gpu_utilisation", "GPU USE", VALUE_SHARE, COUNT(gpu_utilisation), 1, " %", NULL},
    {"makespan_s", "MAKESPAN", VALUE_WHOLE, COUNT(makespan_s), 0, " s", NULL},
    {"rounds", "ROUNDS", VALUE_WHOLE, COUNT(rounds), 0, NULL, NULL},
    {"wall_s", "WALL", VALUE_CLOCK, CELL(process_s), 3, " s", NULL},
    {"memory_kib", "MEMORY", VALUE_WHOLE, CELL(memory_kib), 0, " KiB", NULL},
    {"preemptions", "PREEMPTIONS", VALUE_WHOLE, COUNT(preemptions), 0, NULL, NULL},
    {"migrations", "MIGRATIONS", VALUE_WHOLE, COUNT(migrations), 0, NULL, NULL},
    {"resizes", "RESIZES", VALUE_WHOLE, COUNT(resizes), 0, NULL, NULL},
    {"queueing_delay_mean_s", "MEAN DELAY", VALUE_REAL, COUNT(queueing_delay_mean_s), 0, " s",
     NULL},
    {"queueing_delay_p99_s", "P99 DELAY", VALUE_REAL, COUNT(queueing_delay_p99_s), 0, " s", NULL},
    {"finish_time_fairness_jobs", "FAIRNESS JOBS", VALUE_WHOLE, COUNT(finish_time_fairness_jobs), 0,
     NULL, NULL},
    {"finish_time_fairness_mean", "MEAN FAIRNESS", VALUE_REAL, COUNT(finish_time_fairness_mean), 2,
     NULL, NULL},
    {"finish_time_fairness_p99", "P99 FAIRNESS", VALUE_REAL, COUNT(finish_time_fairness_p99), 2,
     NULL, NULL},
    {"finish_time_fairness_max", "MAX FAIRNESS", VALUE_REAL, COUNT(finish_time_fairness_max), 2,
     NULL, NULL},
    {"fair_share", "FAIR", VALUE_SHARE, COUNT(fair_share), 1, " %", NULL},
    {"attained_service_gpu_s", "SERVICE", VALUE_SERVICE, COUNT(attained_service_gpu_s), 0, " GPU s",
     NULL},
    {"demotions", "DEMOTIONS", VALUE_DEMOTIONS, COUNT(demotions), 0, NULL, NULL},
    {"agrees", "AGREES", VALUE_AGREEMENT, 0, 0, NULL, NULL},
    {"reference", "REFERENCE", VALUE_REFERENCE, 0, 0, NULL, NULL},
};

#define FIXED_COUNT (sizeof(fixed) / sizeof(fixed[0]))
#define FIXED_LAST  2

/* All columns. Every one can be chosen at the same time. */
static struct column table[COLUMNS_MAX];
static size_t table_count;

static const struct column *find(const char *key, size_t length)
{
    for (size_t i = 0; i < table_count; i++)
        if (strlen(table[i].key) == length && !strncmp(table[i].key, key, length))
            return &table[i];
    return NULL;
}

static void add_column(const struct column *column)
{
    assert(table_count < COLUMNS_MAX);
    table[table_count++] = *column;
}

/* The key of a figure in capitals, for the whole process. */
static const char *title_of(const struct figure *figure)
{
    char *title = xstrdup(figure->key);

    for (char *c = title; *c; c++)
        *c = (char)(*c == '_' ? ' ' : toupper((unsigned char)*c));
    return title;
}

/* Figures of one key are one column. */
static void add_own(const struct figure *figure)
{
    if (figure->no_column || find(figure->key, strlen(figure->key)) ||
        (figure->kind != FIGURE_KIND_WHOLE && figure->kind != FIGURE_KIND_REAL))
        return;
    add_column(&(struct column){.key = figure->key,
                                .title = figure->title ? figure->title : title_of(figure),
                                .value = VALUE_OWN,
                                .decimals = figure->decimals,
                                .figure = figure});
}

static void make_table(void)
{
    const struct policy *policy;

    if (table_count > 0)
        return;
    for (size_t i = 0; i < FIXED_COUNT - FIXED_LAST; i++)
        add_column(&fixed[i]);
    for (size_t i = 0; (policy = policy_at(i)); i++)
        for (const struct figure *item = policy->figures ? policy->figures->items : NULL;
             item && item->kind != FIGURE_KIND_END; item++)
            add_own(item);
    for (size_t i = FIXED_COUNT - FIXED_LAST; i < FIXED_COUNT; i++)
        add_column(&fixed[i]);
}

static const char usual[] =
    "trace,cluster,slot_s,gpu_type,policy,on_time,bound,value_on_time,value_bound,"
    "promised,broken,"
    "best_effort_on_time,accepted,"
    "declined,reference,jct_mean_s,jct_p99_s,gpu_utilisation,wall_s";

/* The option without which the column says nothing; NULL if there is none or it was given. */
static const char *missing(const struct column *column, const struct extras *extras)
{
    switch (column->value) {
    case VALUE_REFERENCE:
    case VALUE_AGREEMENT:
        return extras->reference ? NULL : "the counts of --reference";
    case VALUE_BOUND:
    case VALUE_WORTH:
        return extras->bound ? NULL : "--bound";
    default:
        return NULL;
    }
}

struct columns columns_all(const struct extras *extras)
{
    struct columns columns = {.count = 0};

    make_table();
    for (size_t i = 0; i < table_count; i++)
        if (!missing(&table[i], extras))
            columns.items[columns.count++] = &table[i];
    return columns;
}

/* A column in which all simulations are the same, or have nothing to say, is none of the usual
 * ones. */
static bool is_same(const struct column *column, const struct extras *extras)
{
    return (!extras->cluster && !strcmp(column->key, "cluster")) ||
           (!extras->slot && !strcmp(column->key, "slot_s")) ||
           (!extras->gpu_type && !strcmp(column->key, "gpu_type")) ||
           (!extras->values &&
            (!strcmp(column->key, "value_on_time") || !strcmp(column->key, "value_bound")));
}

struct columns columns_usual(const struct extras *extras)
{
    struct columns columns = {.count = 0};

    make_table();
    for (const char *key = usual; *key;) {
        const size_t length = strcspn(key, ",");
        const struct column *column = find(key, length);

        assert(column);
        if (!missing(column, extras) && !is_same(column, extras))
            columns.items[columns.count++] = column;
        key += length + (key[length] != '\0');
    }
    return columns;
}

const char *const *columns_keys(void)
{
    static const char *keys[COLUMNS_MAX + 2] = {"all"};

    make_table();
    for (size_t i = 0; i < table_count; i++)
        keys[i + 1] = table[i].key;
    return keys;
}

static int complain_unknown(const char *key, size_t length, struct error *error)
{
    char keys[1100] = "";
    size_t used = 0;

    for (size_t i = 0; i < table_count && used < sizeof(keys); i++)
        used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i > 0 ? ", " : "",
                                 table[i].key);
    return error_set(error, "--columns: there is no column \"%.*s\", only %s", (int)length, key,
                     keys);
}

static int add(struct columns *columns, const struct column *column, const struct extras *extras,
               struct error *error)
{
    const char *needed = missing(column, extras);

    if (needed)
        return error_set(error, "--columns: %s needs %s", column->key, needed);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i] == column)
            return error_set(error, "--columns: \"%s\" is listed twice", column->key);
    columns->items[columns->count++] = column;
    return 0;
}

int columns_choose(const char *list, const struct extras *extras, struct columns *columns,
                   struct error *error)
{
    make_table();
    columns->count = 0;
    if (!strcmp(list, "all")) {
        *columns = columns_all(extras);
        return 0;
    }
    for (const char *key = list;; key++) {
        const size_t length = strcspn(key, ",");
        const struct column *column = find(key, length);

        if (!column)
            return complain_unknown(key, length, error);
        if (add(columns, column, extras, error) < 0)
            return -1;
        key += length;
        if (*key == '\0')
            return 0;
    }
}

const char *column_key(const struct column *self)
{
    return self->key;
}

const char *column_title(const struct column *self)
{
    return self->title;
}

bool column_is_list(const struct column *self)
{
    return self->value == VALUE_SERVICE;
}

bool column_is_text(const struct column *self)
{
    return self->value == VALUE_FILE || self->value == VALUE_TEXT || self->value == VALUE_NAME;
}

static const void *value_in(const struct column *self, const struct cell *cell)
{
    return (const char *)cell + self->offset;
}

static const char *text_in(const struct column *self, const struct cell *cell)
{
    return *(const char *const *)value_in(self, cell);
}

static int64_t whole_in(const struct column *self, const struct cell *cell)
{
    return *(const int64_t *)value_in(self, cell);
}

static double real_in(const struct column *self, const struct cell *cell)
{
    return *(const double *)value_in(self, cell);
}

/* The figure that a policy counted for an own column, NULL if the cell has none of that key. */
static const struct figure *own_in(const struct column *self, const struct cell *cell)
{
    const struct policy_figures *own = cell->figures.own.table;

    for (const struct figure *item = own ? own->items : NULL; item && item->kind; item++)
        if (!strcmp(item->key, self->key) && item->kind == self->figure->kind)
            return item;
    return NULL;
}

static bool own_is_known(const struct column *self, const struct cell *cell)
{
    const struct figure *figure = own_in(self, cell);
    char text[NUMBER_TEXT_BYTES];

    return figure && figure_text(figure, cell->figures.own.values, text, sizeof(text));
}

static void print_own(const struct column *self, const struct cell *cell, bool for_users,
                      char *text, size_t size)
{
    const struct figure *figure = own_in(self, cell);
    const char *unit = for_users && figure->unit ? figure->unit : "";
    const void *value = figure_in(figure, cell->figures.own.values);
    const int length =
        for_users && figure->kind == FIGURE_KIND_REAL
            ? snprintf(text, size, "%.*f", figure->decimals, *(const double *)value)
            : (int)(figure_text(figure, cell->figures.own.values, text, size), strlen(text));

    if (*unit && length >= 0 && (size_t)length < size)
        (void)snprintf(text + length, size - (size_t)length, " %s", unit);
}

/* Whether the value is known. For an unknown value users see "-", JSON says null and CSV nothing.
 */
static bool is_known(const struct column *self, const struct cell *cell)
{
    switch (self->value) {
    case VALUE_FILE:
        return text_in(self, cell) != NULL;
    case VALUE_REAL:
    case VALUE_SHARE:
        return !isnan(real_in(self, cell));
    case VALUE_DEMOTIONS:
    case VALUE_SERVICE:
        return cell->figures.queues > 0;
    case VALUE_OWN:
        return own_is_known(self, cell);
    case VALUE_BOUND:
        return cell->figures.has_bounds;
    case VALUE_WORTH:
        return cell->figures.has_bounds && cell->figures.bounds.has_values;
    case VALUE_TEXT:
    case VALUE_NAME:
    case VALUE_WHOLE:
    case VALUE_PROMISES:
    case VALUE_CLOCK:
    case VALUE_REFERENCE:
    case VALUE_AGREEMENT:
        break;
    }
    return true;
}

/* The service of all queues with blanks between them. */
static void print_service(const struct column *self, const struct cell *cell, const char *unit,
                          char *text, size_t size)
{
    const int64_t *service_gpu_s = value_in(self, cell);
    size_t used = 0;

    for (int i = 0; i < cell->figures.queues && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 "%s", i > 0 ? " " : "",
                                 service_gpu_s[i], i + 1 == cell->figures.queues ? unit : "");
}

static json_t *service_json(const struct column *self, const struct cell *cell)
{
    const int64_t *service_gpu_s = value_in(self, cell);
    json_t *list = json_array();

    for (int i = 0; i < cell->figures.queues; i++)
        json_array_append_new(list, json_integer((json_int_t)service_gpu_s[i]));
    return list;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void print_promises(const struct column *self, const struct cell *cell, char *text,
                           size_t size)
{
    if (cell->figures.outcomes.promises)
        (void)snprintf(text, size, "%" PRId64, whole_in(self, cell));
    else
        (void)snprintf(text, size, "none");
}

static void print_for_users(const struct column *self, const struct comparison *comparison,
                            const struct cell *cell, char *text, size_t size)
{
    const char *unit = self->unit ? self->unit : "";
    bool agrees;

    switch (self->value) {
    case VALUE_FILE:
        (void)snprintf(text, size, "%s", base_name(text_in(self, cell)));
        break;
    case VALUE_TEXT:
        (void)snprintf(text, size, "%s", text_in(self, cell));
        break;
    case VALUE_NAME:
        (void)snprintf(text, size, "%s", (const char *)value_in(self, cell));
        break;
    case VALUE_PROMISES:
        print_promises(self, cell, text, size);
        break;
    case VALUE_WHOLE:
    case VALUE_DEMOTIONS:
    case VALUE_BOUND:
        (void)snprintf(text, size, "%" PRId64 "%s", whole_in(self, cell), unit);
        break;
    case VALUE_WORTH:
        (void)snprintf(text, size, "%.*f", self->decimals, bound_value(whole_in(self, cell)));
        break;
    case VALUE_OWN:
        print_own(self, cell, true, text, size);
        break;
    case VALUE_SERVICE:
        print_service(self, cell, unit, text, size);
        break;
    case VALUE_REAL:
    case VALUE_CLOCK:
        (void)snprintf(text, size, "%.*f%s", self->decimals, real_in(self, cell), unit);
        break;
    case VALUE_SHARE:
        (void)snprintf(text, size, "%.*f%s", self->decimals, 100 * real_in(self, cell), unit);
        break;
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, text, size);
        break;
    case VALUE_AGREEMENT:
        agrees = expected_agrees(comparison->expected, cell, text, size);
        (void)snprintf(text, size, "%s", agrees ? "yes" : "no");
        break;
    }
}

static void print_for_csv(const struct column *self, const struct comparison *comparison,
                          const struct cell *cell, char *text, size_t size)
{
    char digits[NUMBER_TEXT_BYTES];
    bool agrees;

    switch (self->value) {
    case VALUE_FILE:
    case VALUE_TEXT:
        (void)snprintf(text, size, "%s", text_in(self, cell));
        break;
    case VALUE_NAME:
        (void)snprintf(text, size, "%s", (const char *)value_in(self, cell));
        break;
    case VALUE_WHOLE:
    case VALUE_PROMISES:
    case VALUE_DEMOTIONS:
    case VALUE_BOUND:
        (void)snprintf(text, size, "%" PRId64, whole_in(self, cell));
        break;
    case VALUE_WORTH:
        (void)snprintf(text, size, "%s",
                       number_print_real(bound_value(whole_in(self, cell)), digits));
        break;
    case VALUE_OWN:
        print_own(self, cell, false, text, size);
        break;
    case VALUE_SERVICE:
        print_service(self, cell, "", text, size);
        break;
    case VALUE_REAL:
    case VALUE_SHARE:
        (void)snprintf(text, size, "%s", number_print_real(real_in(self, cell), digits));
        break;
    case VALUE_CLOCK:
        (void)snprintf(text, size, "%.6f", real_in(self, cell));
        break;
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, text, size);
        break;
    case VALUE_AGREEMENT:
        agrees = expected_agrees(comparison->expected, cell, text, size);
        (void)snprintf(text, size, "%s", agrees ? "true" : "false");
        break;
    }
}

void column_print(const struct column *self, const struct comparison *comparison,
                  const struct cell *cell, bool for_users, char *text, size_t size)
{
    if (!is_known(self, cell))
        (void)snprintf(text, size, "%s", for_users ? "-" : "");
    else
        (for_users ? print_for_users : print_for_csv)(self, comparison, cell, text, size);
}

json_t *column_json(const struct column *self, const struct comparison *comparison,
                    const struct cell *cell)
{
    char counts[64];

    if (!is_known(self, cell))
        return json_null();
    switch (self->value) {
    case VALUE_FILE:
    case VALUE_TEXT:
        return json_string(text_in(self, cell));
    case VALUE_NAME:
        return json_string(value_in(self, cell));
    case VALUE_WHOLE:
    case VALUE_PROMISES:
    case VALUE_DEMOTIONS:
    case VALUE_BOUND:
        return json_integer(whole_in(self, cell));
    case VALUE_WORTH:
        return json_real(bound_value(whole_in(self, cell)));
    case VALUE_REAL:
    case VALUE_SHARE:
    case VALUE_CLOCK:
        return json_real(real_in(self, cell));
    case VALUE_OWN:
        return figure_json(own_in(self, cell), cell->figures.own.values);
    case VALUE_SERVICE:
        return service_json(self, cell);
    case VALUE_AGREEMENT:
        return json_boolean(expected_agrees(comparison->expected, cell, counts, sizeof(counts)));
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, counts, sizeof(counts));
        return json_string(counts);
    }
    return NULL;
}
