/* option_value.c - see option_value.h. */
#include "common/option_value.h"

#include "common/memory.h"
#include "common/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int option_parse_switch(const char *text, bool *value)
{
    static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"0", "1"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        for (int k = 0; k < 2; k++)
            if (!strcasecmp(text, words[i][k])) {
                *value = k == 1;
                return 0;
            }
    return -1;
}

/* Whether `choice` is "KIND:REST" with any rest, and `text` begins with "KIND:". */
static bool is_open(const char *choice, const char *text)
{
    const char *colon = strchr(choice, ':');
    const size_t length = colon ? (size_t)(colon - choice) + 1 : 0;

    return colon && !strncmp(choice, text, length) && text[length] != '\0';
}

static int parse_enum(const struct option_spec *option, const char *text)
{
    for (int i = 0; option->choices[i]; i++)
        if (!strcmp(option->choices[i], text)) {
            *(int *)option->value = i;
            return 0;
        }
    return -1;
}

static int parse_choice(const struct option_spec *option, const char *text)
{
    for (const char *const *choice = option->choices; *choice; choice++) {
        const bool open = is_open(*choice, text);

        if (open || !strcmp(*choice, text)) {
            *(const char **)option->value = open ? text : *choice;
            return 0;
        }
    }
    return -1;
}

static int parse_range(const struct option_spec *option, const char *text)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    struct option_range range;

    if (number_parse_real(text, length, option->min, option->max, &range.low) != NUMBER_OK)
        return -1;
    range.high = range.low;
    if (colon && number_parse_real(colon + 1, strlen(colon + 1), option->min, option->max,
                                   &range.high) != NUMBER_OK)
        return -1;
    if (range.low > range.high)
        return -1;
    *(struct option_range *)option->value = range;
    return 0;
}

static int add_to_list(struct option_list *list, const char *text)
{
    if (!*text || list->count == OPTION_LIST_MAX)
        return -1;
    list->items[list->count++] = text;
    return 0;
}

int option_parse_value(const struct option_spec *option, const char *text)
{
    switch (option->kind) {
    case OPTION_KIND_SWITCH:
        return option_parse_switch(text, option->value);
    case OPTION_KIND_TEXT:
        *(const char **)option->value = text;
        return *text ? 0 : -1;
    case OPTION_KIND_CHOICE:
        return parse_choice(option, text);
    case OPTION_KIND_ENUM:
        return parse_enum(option, text);
    case OPTION_KIND_WHOLE:
        return number_parse_whole(text, strlen(text), (int64_t)option->min, (int64_t)option->max,
                                  option->value) == NUMBER_OK
                   ? 0
                   : -1;
    case OPTION_KIND_REAL:
        return number_parse_real(text, strlen(text), option->min, option->max, option->value) ==
                       NUMBER_OK
                   ? 0
                   : -1;
    case OPTION_KIND_RANGE:
        return parse_range(option, text);
    case OPTION_KIND_LIST:
        return add_to_list(option->value, text);
    case OPTION_KIND_TABLE:
    case OPTION_KIND_END:
        break;
    }
    abort();
}

static size_t value_bytes(enum option_kind kind)
{
    switch (kind) {
    case OPTION_KIND_SWITCH:
        return sizeof(bool);
    case OPTION_KIND_TEXT:
    case OPTION_KIND_CHOICE:
        return sizeof(const char *);
    case OPTION_KIND_ENUM:
        return sizeof(int);
    case OPTION_KIND_WHOLE:
        return sizeof(int64_t);
    case OPTION_KIND_REAL:
        return sizeof(double);
    case OPTION_KIND_RANGE:
        return sizeof(struct option_range);
    case OPTION_KIND_LIST:
        return sizeof(struct option_list);
    case OPTION_KIND_TABLE:
    case OPTION_KIND_END:
        break;
    }
    return 0;
}

void option_assign(const struct option_spec *option, const struct option_spec *other)
{
    assert(option->kind == other->kind);
    memcpy(option->value, other->value, value_bytes(other->kind));
}

void option_describe(const struct option_spec *option, char *text, size_t size)
{
    size_t used = 0;

    switch (option->kind) {
    case OPTION_KIND_SWITCH:
        (void)snprintf(text, size, "true or false");
        return;
    case OPTION_KIND_CHOICE:
    case OPTION_KIND_ENUM:
        for (const char *const *choice = option->choices; *choice && used < size; choice++)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     choice == option->choices ? "one of " : ", ", *choice);
        return;
    case OPTION_KIND_WHOLE:
        (void)snprintf(text, size, "a whole number from %.0f to %.0f", option->min, option->max);
        return;
    case OPTION_KIND_REAL:
        (void)snprintf(text, size, "a number from %g to %g", option->min, option->max);
        return;
    case OPTION_KIND_RANGE:
        (void)snprintf(text, size, "LOW:HIGH with %g <= LOW <= HIGH <= %g", option->min,
                       option->max);
        return;
    case OPTION_KIND_LIST:
        (void)snprintf(text, size, "a text that is not empty, at most %d of them", OPTION_LIST_MAX);
        return;
    case OPTION_KIND_TEXT:
    case OPTION_KIND_TABLE:
    case OPTION_KIND_END:
        break;
    }
    (void)snprintf(text, size, "a text that is not empty");
}

static void print_real(double value, FILE *out)
{
    char text[NUMBER_TEXT_BYTES];

    (void)fputs(number_print_real(value, text), out);
}

void option_print_value(const struct option_spec *option, FILE *out)
{
    const struct option_range *range = option->value;

    switch (option->kind) {
    case OPTION_KIND_SWITCH:
        (void)fputs(*(const bool *)option->value ? "true" : "false", out);
        break;
    case OPTION_KIND_TEXT:
    case OPTION_KIND_CHOICE:
        (void)fputs(*(const char *const *)option->value, out);
        break;
    case OPTION_KIND_ENUM:
        (void)fputs(option->choices[*(const int *)option->value], out);
        break;
    case OPTION_KIND_WHOLE:
        (void)fprintf(out, "%" PRId64, *(const int64_t *)option->value);
        break;
    case OPTION_KIND_REAL:
        print_real(*(const double *)option->value, out);
        break;
    case OPTION_KIND_RANGE:
        print_real(range->low, out);
        (void)fputc(':', out);
        print_real(range->high, out);
        break;
    case OPTION_KIND_LIST:
    case OPTION_KIND_TABLE:
    case OPTION_KIND_END:
        break;
    }
}

bool option_has_value(const struct option_spec *option)
{
    const char *text;

    if (option->kind == OPTION_KIND_LIST)
        return false;
    if (option->kind != OPTION_KIND_TEXT && option->kind != OPTION_KIND_CHOICE)
        return true;
    text = *(const char *const *)option->value;
    return text && *text; /* an empty value would not be read back */
}

char *option_text(const struct option_spec *option)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory;

    if (!option_has_value(option))
        return NULL;
    memory = open_memstream(&text, &size);
    if (!memory)
        memory_out();
    option_print_value(option, memory);
    (void)fclose(memory);
    return text;
}
