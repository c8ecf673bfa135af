/* policy_values.c - see policy_values.h. */
#include "scheduler/run/policy_values.h"

#include "common/memory.h"
#include "common/option_value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that several policies may share, with their values. */
struct family {
    const struct policy_options *options;
    void *values;
    void *usual;
};

struct policy_values {
    arena_t *memory;
    char separator;
    struct family *families;
    size_t family_count;
    struct option_spec *table; /* all options, each once, up to OPTION_END */
    struct option_spec *usual; /* these options with their usual values */
    struct option_spec *plain; /* these options with their usual values outside of a service */
    size_t count;
};

/* ---- names ---- */

/* Copies `text` with this program's separator in names of options: the whole text if it is a name,
 * else its words that begin with "--". */
static const char *respell(const policy_values_t *self, const char *text, bool is_name)
{
    char *copy = arena_text(self->memory, text, strlen(text));
    bool inside = is_name;

    for (char *c = copy; *c; c++) {
        if (!is_name && c[0] == '-' && c[1] == '-' && c[2] != '\0') {
            inside = true;
            c += 2;
        }
        inside = inside && (is_name || *c == '-' || (*c >= 'a' && *c <= 'z'));
        if (inside && *c == '-')
            *c = self->separator;
    }
    return copy;
}

static bool is_called(const char *name, const char *asked)
{
    for (; *name && *asked; name++, asked++)
        if (*name != *asked && (strchr("-_", *name) == NULL || strchr("-_", *asked) == NULL))
            return false;
    return *name == *asked;
}

static size_t find(const policy_values_t *self, const char *name)
{
    size_t at = 0;

    while (at < self->count && !is_called(self->table[at].name, name))
        at++;
    return at;
}

/* ---- the table ---- */

static bool is_known(const policy_values_t *self, const struct policy_options *options)
{
    for (size_t i = 0; i < self->family_count; i++)
        if (self->families[i].options == options)
            return true;
    return false;
}

/* Adds an option. Options with the same name are one option. */
static void add_option(policy_values_t *self, const struct policy_option *option,
                       const struct family *family)
{
    const size_t at = find(self, option->spec.name);

    if (at < self->count) {
        assert(self->table[at].kind == option->spec.kind);
        assert(self->table[at].choices == option->spec.choices);
        return;
    }
    self->table[at] = policy_option_at(option, family->values);
    self->table[at].name = respell(self, option->spec.name, true);
    self->table[at].help = respell(self, option->spec.help, false);
    self->usual[at] = policy_option_at(option, family->usual);
    self->plain[at] = policy_option_at(option, family->options->usual);
    self->count++;
}

static size_t count_items(const struct policy_options *options)
{
    size_t count = 0;

    while (options && options->items[count].spec.kind != OPTION_KIND_END)
        count++;
    return count;
}

policy_values_t *policy_values_new(char separator)
{
    policy_values_t *self = xcalloc(1, sizeof(*self));
    const struct policy *policy;
    size_t policies = 0;
    size_t room = 1;

    while ((policy = policy_at(policies++)))
        room += count_items(policy->options);
    self->memory = arena_new();
    self->separator = separator;
    self->families = xcalloc(policies, sizeof(*self->families));
    self->table = xcalloc(room, sizeof(*self->table));
    self->usual = xcalloc(room, sizeof(*self->usual));
    self->plain = xcalloc(room, sizeof(*self->plain));
    for (size_t i = 0; (policy = policy_at(i)); i++) {
        struct family *family = &self->families[self->family_count];

        if (!policy->options || is_known(self, policy->options))
            continue;
        *family = (struct family){policy->options, policy_options_copy(policy->options, NULL),
                                  policy_options_copy(policy->options, NULL)};
        self->family_count++;
        for (const struct policy_option *item = policy->options->items; item->spec.kind; item++)
            add_option(self, item, family);
    }
    return self;
}

static void give(const struct option_spec *option, const char *text)
{
    const int status = option_parse_value(option, text);

    assert(status == 0);
}

static void take_of_service(const struct family *family)
{
    for (const struct policy_option *item = family->options->items; item->spec.kind; item++) {
        const struct option_spec value = policy_option_at(item, family->values);
        const struct option_spec usual = policy_option_at(item, family->usual);

        if (!item->of_service)
            continue;
        give(&value, item->of_service);
        give(&usual, item->of_service);
    }
}

policy_values_t *policy_values_new_of_service(char separator)
{
    policy_values_t *self = policy_values_new(separator);

    for (size_t i = 0; i < self->family_count; i++)
        take_of_service(&self->families[i]);
    return self;
}

void policy_values_destroy(policy_values_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->family_count; i++) {
        free((*self)->families[i].values);
        free((*self)->families[i].usual);
    }
    free((*self)->families);
    free((*self)->table);
    free((*self)->usual);
    free((*self)->plain);
    arena_destroy(&(*self)->memory);
    free(*self);
    *self = NULL;
}

const struct option_spec *policy_values_table(policy_values_t *self)
{
    return self->table;
}

const struct option_spec *policy_values_table_of(policy_values_t *self, const struct policy *policy)
{
    const size_t count = count_items(policy->options);
    struct option_spec *table = arena_alloc(self->memory, (count + 1) * sizeof(*table));

    for (size_t i = 0; i < count; i++)
        table[i] = self->table[find(self, policy->options->items[i].spec.name)];
    table[count] = (struct option_spec)OPTION_END;
    return table;
}

const struct option_spec *policy_values_join(policy_values_t *self, const struct option_spec own[])
{
    return options_flat(own, self->memory);
}

/* ---- values ---- */

bool policy_values_have(const policy_values_t *self, const struct option_spec *option)
{
    const size_t at = find(self, option->name);

    return at < self->count && self->table[at].value == option->value;
}

void policy_values_set(policy_values_t *self, const char *name, const char *text)
{
    const size_t at = find(self, name);

    assert(at < self->count);
    give(&self->table[at], text);
}

const struct option_spec *policy_values_next(const policy_values_t *self,
                                             const struct option_spec *option)
{
    for (size_t i = option ? (size_t)(option - self->table) + 1 : 0; i < self->count; i++)
        if (!option_same(&self->table[i], &self->usual[i]))
            return &self->table[i];
    return NULL;
}

static bool has(const struct policy *policy, const char *name)
{
    for (size_t i = 0; i < count_items(policy->options); i++)
        if (is_called(policy->options->items[i].spec.name, name))
            return true;
    return false;
}

static bool is_passed_over(const char *name)
{
    const struct policy *policy;

    for (size_t i = 0; (policy = policy_at(i)); i++)
        if (has(policy, name))
            return policy->options->passed_over;
    return false;
}

static int complain(const struct option_spec *option, const struct policy *const policies[],
                    size_t count, struct error *error)
{
    char *value = option_text(option);
    char owners[256] = "";
    size_t used = 0;
    const struct policy *policy;

    for (size_t i = 0; (policy = policy_at(i)) && used < sizeof(owners); i++)
        if (has(policy, option->name))
            used += (size_t)snprintf(owners + used, sizeof(owners) - used, "%s%s",
                                     used > 0 ? ", " : "", policy->name);
    if (count == 1)
        error_set(error, "--%s %s: policy %s has no such option, which is of %s", option->name,
                  value ? value : "", policies[0]->name, owners);
    else
        error_set(error, "--%s %s: no policy of --policies has such an option, which is of %s",
                  option->name, value ? value : "", owners);
    free(value);
    return -1;
}

int policy_values_check(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, struct error *error)
{
    const struct option_spec *option = NULL;

    while ((option = policy_values_next(self, option))) {
        size_t at = 0;

        while (at < count && !has(policies[at], option->name))
            at++;
        if (at == count && !is_passed_over(option->name) &&
            !option_same(option, &self->plain[option - self->table]))
            return complain(option, policies, count, error);
    }
    return 0;
}

void policy_values_note(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, const char *program)
{
    const struct option_spec *option = NULL;

    while ((option = policy_values_next(self, option))) {
        char names[512] = "";
        size_t used = 0;
        size_t lacking = 0;

        for (size_t i = 0; i < count && used < sizeof(names); i++)
            if (!has(policies[i], option->name))
                used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
                                         lacking++ > 0 ? ", " : "", policies[i]->name);
        if (lacking > 0 && !is_passed_over(option->name))
            (void)fprintf(stderr, "%s: --%s: passed over by %s, without such an option\n", program,
                          option->name, names);
    }
}

int policies_check_admission(const char *asked, const struct policy *const policies[], size_t count,
                             struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!policy_admission(policies[i], asked, error))
            return -1;
    return 0;
}

static const struct family *family_of(const policy_values_t *self, const struct policy *policy)
{
    const struct family *family = self->families;

    while (family->options != policy->options)
        family++;
    return family;
}

void *policy_values_copy(const policy_values_t *self, const struct policy *policy)
{
    const struct policy_options *options = policy->options;
    void *values;

    if (!options)
        return NULL;
    values = policy_options_copy(options, self ? family_of(self, policy)->values : NULL);
    for (const struct policy_option *item = options->items; self && item->spec.kind; item++) {
        const struct option_spec own = policy_option_at(item, values);
        const size_t at = find(self, item->spec.name);

        if (!option_same(&self->table[at], &self->usual[at]))
            option_assign(&own, &self->table[at]);
    }
    return values;
}

static json_t *value_json(const struct option_spec *option)
{
    char *text;
    json_t *value;

    if (option->kind == OPTION_KIND_SWITCH)
        return json_boolean(*(const bool *)option->value);
    if (option->kind == OPTION_KIND_WHOLE)
        return json_integer((json_int_t) * (const int64_t *)option->value);
    if (option->kind == OPTION_KIND_REAL)
        return json_real(*(const double *)option->value);
    text = option_text(option);
    value = text ? json_string(text) : json_null();
    free(text);
    return value;
}

static void add_value(json_t *object, const struct policy_option *item, const void *values)
{
    const struct option_spec option = policy_option_at(item, values);
    char name[128];

    (void)snprintf(name, sizeof(name), "%s", item->spec.name);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
    json_object_set_new(object, name, value_json(&option));
}

json_t *policy_values_json(const struct policy_options *options, const void *values)
{
    json_t *object = NULL;

    for (const struct policy_option *item = options->items; item->spec.kind; item++) {
        if (policy_option_is_usual(options, item, values))
            continue;
        if (!object)
            object = json_object();
        add_value(object, item, values);
    }
    return object;
}
