/* options.c - see options.h. */
#include "common/options.h"

#include "common/config.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/option_names.h"
#include "common/option_places.h"
#include "common/option_value.h"
#include "common/options_print.h"
#include "common/output.h"
#include "common/suggestion.h"
#include "common/version.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BASE 1000 /* argp's keys below 256 are short options */

enum { KEY_CONFIG = 900, KEY_PRINT_CONFIG, KEY_PRINT_MAN, KEY_PRINT_WORDS, KEY_USAGE, KEY_VERSION };

struct assignment {
    const struct option_spec *option;
    const char *value; /* NULL for a switch that stands alone */
};

struct parse {
    const struct command *command;
    struct assignment *assignments;
    size_t count;
    size_t capacity;
    const char *config_path;
    int asked_for; /* the KEY_PRINT_... option that was given, or 0 */
    struct operands *operands;
    size_t operand_capacity;
};

static size_t count_options(const struct option_spec *options)
{
    size_t count = 0;

    while (options[count].kind != OPTION_KIND_END)
        count++;
    return count;
}

static bool has_name(const struct option_spec options[], const char *name)
{
    for (; options->kind != OPTION_KIND_END; options++)
        if (options->name && !strcmp(options->name, name))
            return true;
    return false;
}

/* Whether an option of `options` itself, or of a table before `place`, has the name `name`. */
static bool is_taken(const struct option_spec options[], size_t place, const char *name)
{
    bool taken = has_name(options, name);

    for (size_t i = 0; i < place && !taken; i++)
        taken = options[i].kind == OPTION_KIND_TABLE && has_name(options[i].value, name);
    return taken;
}

/* Copies the flat options into `flat` unless `flat` is NULL; returns the number of flat options. */
static size_t flatten(const struct option_spec options[], struct option_spec *flat)
{
    size_t count = 0;

    for (size_t i = 0; options[i].kind != OPTION_KIND_END; i++) {
        const struct option_spec *more = options[i].value;

        if (options[i].kind != OPTION_KIND_TABLE) {
            if (flat)
                flat[count] = options[i];
            count++;
            continue;
        }
        for (; more->kind != OPTION_KIND_END; more++) {
            if (is_taken(options, i, more->name))
                continue;
            if (flat)
                flat[count] = *more;
            count++;
        }
    }
    return count;
}

struct option_spec *options_flat(const struct option_spec options[], arena_t *memory)
{
    const size_t count = flatten(options, NULL);
    struct option_spec *flat = arena_alloc(memory, (count + 1) * sizeof(*flat));

    (void)flatten(options, flat);
    flat[count] = (struct option_spec)OPTION_END;
    return flat;
}

static int set_option(const struct option_spec *option, const char *text, const char *dashes,
                      struct error *error)
{
    char expected[512];
    char hint[128] = "";

    if (option_parse_value(option, text) == 0)
        return 0;
    option_describe(option, expected, sizeof(expected));
    if (option->kind == OPTION_KIND_CHOICE || option->kind == OPTION_KIND_ENUM)
        suggestion_print(text, option->choices, "\"", "\"", hint, sizeof(hint));
    return error_set(error, "%s%s: expected %s, found \"%s\"%s", dashes, option->name, expected,
                     text, hint);
}

/* Keeps a copy of a text option: libconfuse frees its own copy, and the text must outlive the
 * parse, as those in `argv` do. */
static const char *keep(const char *text)
{
    static arena_t *kept;

    if (!kept)
        kept = arena_new();
    return arena_text(kept, text, strlen(text));
}

static int set_from_config(void *context, size_t key, const char *value, int line,
                           struct error *error)
{
    const struct parse *parse = context;
    const struct option_spec *option = &parse->command->options[key];
    const bool is_text = option->kind == OPTION_KIND_TEXT || option->kind == OPTION_KIND_LIST;

    option_places_note(option->name, parse->config_path, line);
    return set_option(option, is_text ? keep(value) : value, "", error);
}

static int apply_config(const struct parse *parse, struct error *error)
{
    const struct option_spec *options = parse->command->options;
    const size_t count = count_options(options);
    const char **names = xcalloc(count, sizeof(*names));
    int result;

    for (size_t i = 0; i < count; i++)
        names[i] = options[i].name;
    result = config_read(parse->config_path, names, count, set_from_config,
                         (void *)(uintptr_t)parse, error);
    free(names);
    return result;
}

static void add_operand(struct parse *parse, char *text)
{
    struct operands *operands = parse->operands;

    operands->items = grow_array(operands->items, operands->count, &parse->operand_capacity,
                                 sizeof(*operands->items));
    operands->items[operands->count++] = text;
}

/* The option that argp's `key` stands for, -1 for none: argp's own keys are far beyond the index of
 * any option. */
static int index_of_key(const struct command *command, int key)
{
    const int count = (int)count_options(command->options);

    if (key >= KEY_BASE)
        return key - KEY_BASE < count ? key - KEY_BASE : -1;
    for (int i = 0; i < count && key > 0; i++)
        if (command->options[i].letter == key)
            return i;
    return -1;
}

/* Ends the process if the text that was asked for did not reach standard output. */
static void check_printed(const struct command *command)
{
    struct error error;

    if (output_check_stdout(&error) < 0)
        exit(options_fail(command, &error));
}

static void print_help(const struct argp_state *state, unsigned flags)
{
    const struct parse *parse = state->input;

    argp_state_help(state, stdout, flags & ~(unsigned)ARGP_HELP_EXIT_OK);
    check_printed(parse->command);
    exit(0);
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
    struct parse *parse = state->input;

    const int index = index_of_key(parse->command, key);

    if (index >= 0) {
        parse->assignments = grow_array(parse->assignments, parse->count, &parse->capacity,
                                        sizeof(*parse->assignments));
        parse->assignments[parse->count++] =
            (struct assignment){&parse->command->options[index], text};
        return 0;
    }
    switch (key) {
    case KEY_CONFIG:
        parse->config_path = text;
        return 0;
    case 'h':
    case '?':
        print_help(state, ARGP_HELP_STD_HELP);
        return 0;
    case KEY_USAGE:
        print_help(state, ARGP_HELP_USAGE);
        return 0;
    case KEY_PRINT_CONFIG:
    case KEY_PRINT_MAN:
    case KEY_PRINT_WORDS:
    case KEY_VERSION:
        parse->asked_for = key;
        return 0;
    case ARGP_KEY_ARG:
        if (!parse->command->operands)
            argp_failure(state, 2, 0, "unexpected argument \"%s\"", text);
        add_operand(parse, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The help of an option: its values and its default after the sentence. */
static char *help_text(const struct option_spec *option)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        memory_out();
    (void)fputs(option->help, out);
    if (option->kind == OPTION_KIND_CHOICE || option->kind == OPTION_KIND_ENUM) {
        char values[512];

        option_describe(option, values, sizeof(values));
        (void)fprintf(out, ": %s", values);
    }
    if (option_has_value(option)) {
        (void)fputs(" (default ", out);
        option_print_value(option, out);
        (void)fputc(')', out);
    }
    (void)fclose(out);
    return text;
}

/* The text that argp prints in the place of `text`; called only when help is asked for. */
static char *on_help(int key, const char *text, void *input)
{
    const struct parse *parse = input;
    const int index = index_of_key(parse->command, key);

    return index >= 0 ? help_text(&parse->command->options[index]) : (char *)(uintptr_t)text;
}

static struct argp_option *argp_table(const struct command *command)
{
    static const struct argp_option always[] = {
        {"config", KEY_CONFIG, "FILE", 0, "read settings from FILE, lines of key = value", -1},
        {"print-config", KEY_PRINT_CONFIG, NULL, 0, "print the settings as such a file and stop",
         -1},
        {"print-man", KEY_PRINT_MAN, NULL, OPTION_HIDDEN, NULL, -1},
        {"print-words", KEY_PRINT_WORDS, NULL, OPTION_HIDDEN, NULL, -1},
        {"help", 'h', NULL, 0, "print this help and stop", -1},
        {NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
        {"usage", KEY_USAGE, NULL, 0, "print a very short help and stop", -1},
        {"version", KEY_VERSION, NULL, 0, "print the version and stop", -1},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const size_t count = count_options(command->options);
    struct argp_option *table = xcalloc(count + sizeof(always) / sizeof(always[0]), sizeof(*table));

    for (size_t i = 0; i < count; i++) {
        const struct option_spec *option = &command->options[i];

        table[i].name = option->name;
        table[i].key = option->letter ? option->letter : KEY_BASE + (int)i;
        table[i].arg = option->kind == OPTION_KIND_SWITCH ? "BOOL" : option->unit;
        table[i].flags = option->kind == OPTION_KIND_SWITCH ? OPTION_ARG_OPTIONAL : 0;
        table[i].doc = option->help;
    }
    memcpy(table + count, always, sizeof(always));
    return table;
}

/* Joins "--simulation True" to "--simulation=True": getopt takes an optional value only after
 * '='. */
static void join_switches(const struct command *command, int *argc, char **argv)
{
    for (int i = 1; i + 1 < *argc && strcmp(argv[i], "--") != 0; i++) {
        const struct option_spec *option = command->options;
        const char *value = argv[i + 1];
        bool ignored;
        size_t size;
        char *joined;

        if (strncmp(argv[i], "--", 2) != 0 || option_parse_switch(value, &ignored) < 0)
            continue;
        while (option->kind && strcmp(option->name, argv[i] + 2) != 0)
            option++;
        if (option->kind != OPTION_KIND_SWITCH)
            continue;
        size = strlen(argv[i]) + strlen(value) + 2;
        joined = xmalloc(size); /* kept for the whole process, as argv is */
        (void)snprintf(joined, size, "%s=%s", argv[i], value);
        argv[i] = joined;
        memmove(&argv[i + 1], &argv[i + 2], sizeof(*argv) * (size_t)(*argc - i - 1));
        (*argc)--;
    }
}

static int apply(const struct parse *parse, struct error *error)
{
    if (parse->config_path && apply_config(parse, error) < 0)
        return -1;
    for (size_t i = 0; i < parse->count; i++) {
        const struct assignment *assignment = &parse->assignments[i];
        const char *value = assignment->value ? assignment->value : "true";

        option_places_note(assignment->option->name, NULL, 0);
        if (set_option(assignment->option, value, "--", error) < 0)
            return -1;
    }
    return 0;
}

static void run_argp(struct parse *parse, const struct argp_option *table, int argc, char **argv)
{
    const struct command *command = parse->command;
    const size_t size = strlen(command->summary) + (command->text ? strlen(command->text) : 0) + 8;
    char *doc = xmalloc(size);

    (void)snprintf(doc, size, "%s.%s%s", command->summary, command->text ? "\v" : "",
                   command->text ? command->text : "");
    argp_err_exit_status = 2;
    if (argp_parse(&(struct argp){table, on_key, command->operands, doc, NULL, on_help, NULL}, argc,
                   argv, ARGP_NO_HELP, NULL, parse) != 0)
        abort();
    free(doc);
}

/* Prints the first word of the command only: "rubato simulate" has the version of "rubato". */
static void print_version(const struct command *command)
{
    printf("%.*s %s\n", (int)strcspn(command->name, " "), command->name, version_text);
}

/* Prints the help, the version or the settings, whichever the options ask for; returns 1. */
static int print_asked(const struct parse *parse)
{
    switch (parse->asked_for) {
    case KEY_PRINT_MAN:
        options_print_man(parse->command, stdout);
        break;
    case KEY_PRINT_WORDS:
        options_print_words(parse->command, stdout);
        break;
    case KEY_PRINT_CONFIG:
        options_print_config(parse->command, stdout);
        break;
    default:
        print_version(parse->command);
        break;
    }
    check_printed(parse->command);
    return 1;
}

/* Parses the options of a command whose options are flat. */
static int parse_flat(const struct command *command, int argc, char **argv,
                      struct operands *operands, struct error *error)
{
    struct parse parse = {.command = command, .operands = operands};
    struct argp_option *table = argp_table(command);
    int result;

    join_switches(command, &argc, argv);
    argv[0] = (char *)(uintptr_t)command->name; /* the program's name for argp */
    result = option_names_check(table, command->name, argc, argv, error);
    if (result == 0) {
        run_argp(&parse, table, argc, argv);
        if (parse.asked_for == 0 || parse.asked_for == KEY_PRINT_CONFIG)
            result = apply(&parse, error);
        if (result == 0 && parse.asked_for != 0)
            result = print_asked(&parse);
    }
    free(parse.assignments);
    free(table);
    return result;
}

int options_parse(const struct command *command, int argc, char **argv, struct operands *operands,
                  struct error *error)
{
    arena_t *memory = arena_new();
    struct command flat = *command;
    int result;

    flat.options = options_flat(command->options, memory);
    result = parse_flat(&flat, argc, argv, operands, error);
    arena_destroy(&memory);
    return result;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_list(const struct option_list *a, const struct option_list *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = same_text(a->items[i], b->items[i]);
    return same;
}

bool option_same(const struct option_spec *a, const struct option_spec *b)
{
    switch (a->kind) {
    case OPTION_KIND_SWITCH:
        return *(const bool *)a->value == *(const bool *)b->value;
    case OPTION_KIND_TEXT:
    case OPTION_KIND_CHOICE:
        return same_text(*(const char *const *)a->value, *(const char *const *)b->value);
    case OPTION_KIND_ENUM:
        return *(const int *)a->value == *(const int *)b->value;
    case OPTION_KIND_WHOLE:
        return *(const int64_t *)a->value == *(const int64_t *)b->value;
    case OPTION_KIND_REAL:
        return memcmp(a->value, b->value, sizeof(double)) == 0;
    case OPTION_KIND_RANGE:
        return memcmp(a->value, b->value, sizeof(struct option_range)) == 0;
    case OPTION_KIND_LIST:
        return same_list(a->value, b->value);
    case OPTION_KIND_TABLE:
    case OPTION_KIND_END:
        break;
    }
    return true;
}

void options_place(struct error *error)
{
    option_places_tell(error);
}

int options_fail(const struct command *command, const struct error *error)
{
    char shown[sizeof(error->text)]; /* a path in the error may hold escape sequences */
    struct error told = *error;

    option_places_tell(&told);
    (void)input_printable(shown, sizeof(shown), told.text, strlen(told.text));
    (void)fprintf(stderr, "%s: %s\n", command->name, shown);
    return error->unwritten ? 1 : 2;
}
