/* options.c - see options.h. */
#include "common/options.h"

#include "common/config.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"

#include <argp.h>
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KEY_BASE 1000 /* argp's keys below 256 are short options */

enum { KEY_CONFIG = 900, KEY_PRINT_CONFIG, KEY_PRINT_MAN, KEY_PRINT_WORDS };

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
    int asked_for; /* KEY_PRINT_... or 0 */
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

static int parse_switch(const char *text, bool *value)
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

static int parse_choice(const struct option_spec *option, const char *text)
{
    for (const char *const *choice = option->choices; *choice; choice++)
        if (!strcmp(*choice, text)) {
            *(const char **)option->value = *choice;
            return 0;
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

static int parse_value(const struct option_spec *option, const char *text)
{
    switch (option->kind) {
    case OPTION_KIND_SWITCH:
        return parse_switch(text, option->value);
    case OPTION_KIND_TEXT:
        *(const char **)option->value = text;
        return *text ? 0 : -1;
    case OPTION_KIND_CHOICE:
        return parse_choice(option, text);
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
    case OPTION_KIND_END:
        break;
    }
    abort();
}

static void describe_value(const struct option_spec *option, char *text, size_t size)
{
    size_t used = 0;

    switch (option->kind) {
    case OPTION_KIND_SWITCH:
        (void)snprintf(text, size, "true or false");
        return;
    case OPTION_KIND_CHOICE:
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
    case OPTION_KIND_TEXT:
    case OPTION_KIND_END:
        break;
    }
    (void)snprintf(text, size, "a text that is not empty");
}

static int set_option(const struct option_spec *option, const char *text, const char *dashes,
                      struct error *error)
{
    char expected[512];

    if (parse_value(option, text) == 0)
        return 0;
    describe_value(option, expected, sizeof(expected));
    return error_set(error, "%s%s: expected %s, found \"%s\"", dashes, option->name, expected,
                     text);
}

/* libconfuse frees its copy; a text option must outlive the parse, as those in `argv` do. */
static const char *keep(const char *text)
{
    static arena_t *kept;

    if (!kept)
        kept = arena_new();
    return arena_text(kept, text, strlen(text));
}

static int set_from_config(void *context, size_t key, const char *value, struct error *error)
{
    const struct command *command = context;
    const struct option_spec *option = &command->options[key];

    return set_option(option, option->kind == OPTION_KIND_TEXT ? keep(value) : value, "", error);
}

static int apply_config(const struct command *command, const char *path, struct error *error)
{
    const size_t count = count_options(command->options);
    const char **names = xcalloc(count, sizeof(*names));
    int result;

    for (size_t i = 0; i < count; i++)
        names[i] = command->options[i].name;
    result = config_read(path, names, count, set_from_config, (void *)(uintptr_t)command, error);
    free(names);
    return result;
}

static void print_value(const struct option_spec *option, FILE *out)
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
    case OPTION_KIND_WHOLE:
        (void)fprintf(out, "%" PRId64, *(const int64_t *)option->value);
        break;
    case OPTION_KIND_REAL:
        (void)fprintf(out, "%.17g", *(const double *)option->value);
        break;
    case OPTION_KIND_RANGE:
        (void)fprintf(out, "%.17g:%.17g", range->low, range->high);
        break;
    case OPTION_KIND_END:
        break;
    }
}

static bool has_value(const struct option_spec *option)
{
    return (option->kind != OPTION_KIND_TEXT && option->kind != OPTION_KIND_CHOICE) ||
           *(const char *const *)option->value;
}

/* A quoted string as libconfuse reads it. */
static void print_quoted(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '$')
            (void)fputc('\\', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void print_config(const struct command *command, FILE *out)
{
    (void)fprintf(out, "# settings of %s\n", command->name);
    for (const struct option_spec *option = command->options; option->kind; option++) {
        char *text = NULL;
        size_t size = 0;
        FILE *memory;

        if (!has_value(option))
            continue;
        memory = open_memstream(&text, &size);
        if (!memory)
            abort();
        print_value(option, memory);
        (void)fclose(memory);
        (void)fprintf(out, "%s = ", option->name);
        print_quoted(text, out);
        (void)fputc('\n', out);
        free(text);
    }
}

/* Text for roff: no line starts with a control character, a hyphen stays one, and a new line is a
 * new paragraph. */
static void print_roff(const char *text, FILE *out)
{
    for (const char *c = text; *c; c++) {
        if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\''))
            (void)fputs("\\&", out);
        if (*c == '-')
            (void)fputs("\\-", out);
        else if (*c == '\\')
            (void)fputs("\\e", out);
        else if (*c == '\n')
            (void)fputs("\n.PP\n", out);
        else
            (void)fputc(*c, out);
    }
}

/* "TRACE[@CLUSTER]..." with what a user has to replace, the words in capitals, in italics. */
static void print_man_operands(const char *operands, FILE *out)
{
    bool italic = false;

    for (const char *c = operands; *c; c++) {
        const bool capital = *c >= 'A' && *c <= 'Z';

        if (capital != italic)
            (void)fputs(capital ? "\\fI" : "\\fR", out);
        italic = capital;
        (void)fputc(*c, out);
    }
    (void)fputs(italic ? "\\fR" : "", out);
}

static void print_man_default(const struct option_spec *option, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory;

    if (!has_value(option))
        return;
    memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    print_value(option, memory);
    (void)fclose(memory);
    (void)fputs("Default: ", out);
    print_roff(text, out);
    (void)fputs(".\n", out);
    free(text);
}

static void print_man_option(const struct option_spec *option, FILE *out)
{
    char values[512];

    (void)fputs(".TP\n.B ", out);
    if (option->letter)
        (void)fprintf(out, "\\-%c, ", option->letter);
    (void)fputs("\\-\\-", out);
    print_roff(option->name, out);
    if (option->unit)
        (void)fprintf(out, "=\\fI%s\\fR", option->unit);
    else
        (void)fputs("[=\\fIBOOL\\fR]", out);
    (void)fputc('\n', out);
    print_roff(option->help, out);
    if (option->kind != OPTION_KIND_TEXT && option->kind != OPTION_KIND_SWITCH) {
        describe_value(option, values, sizeof(values));
        (void)fputs(":\n", out);
        print_roff(values, out);
    }
    (void)fputs(".\n", out);
    print_man_default(option, out);
}

static const char man_end[] =
    ".TP\n.B \\-\\-config=\\fIFILE\\fR\n"
    "read settings from \\fIFILE\\fR, lines of\n.I option\n=\n.I value\nthat may end in a comment "
    "after a #; the command line wins.\n"
    ".TP\n.B \\-\\-print\\-config\nprint the settings as such a file and stop.\n"
    ".TP\n.B \\-?, \\-\\-help\nprint a short help and stop.\n"
    ".TP\n.B \\-\\-usage\nprint a very short one and stop.\n"
    ".PP\n\\fB\\-\\-\\fIname\\fB=\\fIvalue\\fR and \\fB\\-\\-\\fIname value\\fR are the same. A "
    "\\fIBOOL\\fR is true, false, yes, no, 1 or 0; without it the option means true.\n"
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nAll went well.\n"
    ".TP\n.B 1\nThe work is done, but what was asked for does not hold, or the output could not be "
    "written.\n"
    ".TP\n.B 2\nA mistake in the command line or in an input; standard error names it.\n"
    ".TP\n.B 130\nStopped by a signal; nothing is left half written.\n";

static void print_man(const struct command *command, FILE *out)
{
    const char *summary = command->summary;
    char page[64];
    size_t length = 0;

    for (; command->name[length] && length + 1 < sizeof(page); length++)
        page[length] = (char)(command->name[length] == ' ' ? '-' : command->name[length]);
    page[length] = '\0';
    (void)fprintf(out, ".TH \"%s\" 1 \"\" \"Rubato %s\" \"Rubato\"\n", page, RUBATO_VERSION);
    (void)fputs(".nr HY 0\n.nh\n.ad l\n.SH NAME\n", out); /* names are not hyphenated */
    (void)fprintf(out, "%s \\- %c", page, tolower((unsigned char)summary[0]));
    print_roff(summary + 1, out);
    (void)fprintf(out, "\n.SH SYNOPSIS\n.B %s\n[\\fIOPTION\\fR]...\n", command->name);
    if (command->operands)
        print_man_operands(command->operands, out);
    (void)fputs(command->operands ? "\n.SH DESCRIPTION\n" : ".SH DESCRIPTION\n", out);
    print_roff(summary, out);
    (void)fputs(".\n", out);
    if (command->text) {
        (void)fputs(".PP\n", out);
        print_roff(command->text, out);
        (void)fputc('\n', out);
    }
    (void)fputs(".SH OPTIONS\n", out);
    for (const struct option_spec *option = command->options; option->kind; option++)
        print_man_option(option, out);
    (void)fputs(man_end, out);
}

static void print_words(const struct command *command, FILE *out)
{
    for (const struct option_spec *option = command->options; option->kind; option++) {
        (void)fprintf(out, "--%s%s", option->name, option->unit ? "=" : "");
        for (const char *const *choice = option->choices; choice && *choice; choice++)
            (void)fprintf(out, " %s", *choice);
        (void)fputc('\n', out);
    }
    (void)fputs("--config=\n--print-config\n--help\n", out);
}

static void add_operand(struct parse *parse, char *text)
{
    struct operands *operands = parse->operands;

    operands->items = grow_array(operands->items, operands->count, &parse->operand_capacity,
                                 sizeof(*operands->items));
    operands->items[operands->count++] = text;
}

/* The option behind argp's `key`, -1 for none: argp's own keys are far beyond ours. */
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
    case KEY_PRINT_CONFIG:
    case KEY_PRINT_MAN:
    case KEY_PRINT_WORDS:
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

/* The help of an option as argp prints it: unit behind the name, default behind the sentence. */
static char *help_text(const struct option_spec *option)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    (void)fputs(option->help, out);
    if (option->kind == OPTION_KIND_CHOICE) {
        char values[512];

        describe_value(option, values, sizeof(values));
        (void)fprintf(out, ": %s", values);
    }
    if (has_value(option)) {
        (void)fputs(" (default ", out);
        print_value(option, out);
        (void)fputc(')', out);
    }
    (void)fclose(out);
    return text;
}

static struct argp_option *argp_table(const struct command *command)
{
    static const struct argp_option always[] = {
        {"config", KEY_CONFIG, "FILE", 0, "read settings from FILE, lines of key = value", -1},
        {"print-config", KEY_PRINT_CONFIG, NULL, 0, "print the settings as such a file and stop",
         -1},
        {"print-man", KEY_PRINT_MAN, NULL, OPTION_HIDDEN, NULL, -1},
        {"print-words", KEY_PRINT_WORDS, NULL, OPTION_HIDDEN, NULL, -1},
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
        table[i].doc = help_text(option);
    }
    memcpy(table + count, always, sizeof(always));
    return table;
}

static void argp_table_free(const struct command *command, struct argp_option *table)
{
    const size_t count = count_options(command->options);

    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)table[i].doc);
    free(table);
}

/* "--simulation True" becomes "--simulation=True": getopt takes an optional value only after '='.
 */
static void join_switches(const struct command *command, int *argc, char **argv)
{
    for (int i = 1; i + 1 < *argc && strcmp(argv[i], "--") != 0; i++) {
        const struct option_spec *option = command->options;
        const char *value = argv[i + 1];
        bool ignored;
        size_t size;
        char *joined;

        if (strncmp(argv[i], "--", 2) != 0 || parse_switch(value, &ignored) < 0)
            continue;
        while (option->kind && strcmp(option->name, argv[i] + 2) != 0)
            option++;
        if (option->kind != OPTION_KIND_SWITCH)
            continue;
        size = strlen(argv[i]) + strlen(value) + 2;
        joined = xmalloc(size); /* kept as long as argv is: for the whole process */
        (void)snprintf(joined, size, "%s=%s", argv[i], value);
        argv[i] = joined;
        memmove(&argv[i + 1], &argv[i + 2], sizeof(*argv) * (size_t)(*argc - i - 1));
        (*argc)--;
    }
}

static int apply(const struct parse *parse, struct error *error)
{
    if (parse->config_path && apply_config(parse->command, parse->config_path, error) < 0)
        return -1;
    for (size_t i = 0; i < parse->count; i++) {
        const struct assignment *assignment = &parse->assignments[i];
        const char *value = assignment->value ? assignment->value : "true";

        if (set_option(assignment->option, value, "--", error) < 0)
            return -1;
    }
    return 0;
}

static void run_argp(struct parse *parse, int argc, char **argv)
{
    const struct command *command = parse->command;
    struct argp_option *table = argp_table(command);
    const size_t size = strlen(command->summary) + (command->text ? strlen(command->text) : 0) + 8;
    char *doc = xmalloc(size);

    (void)snprintf(doc, size, "%s.%s%s", command->summary, command->text ? "\v" : "",
                   command->text ? command->text : "");
    argp_err_exit_status = 2;
    if (argp_parse(&(struct argp){table, on_key, command->operands, doc, NULL, NULL, NULL}, argc,
                   argv, 0, NULL, parse) != 0)
        abort();
    free(doc);
    argp_table_free(command, table);
}

int options_parse(const struct command *command, int argc, char **argv, struct operands *operands,
                  struct error *error)
{
    struct parse parse = {.command = command, .operands = operands};
    int result;

    join_switches(command, &argc, argv);
    argv[0] = (char *)(uintptr_t)command->name; /* what argp calls the program */
    run_argp(&parse, argc, argv);
    if (parse.asked_for == KEY_PRINT_MAN || parse.asked_for == KEY_PRINT_WORDS) {
        (parse.asked_for == KEY_PRINT_MAN ? print_man : print_words)(command, stdout);
        result = 1;
    } else {
        result = apply(&parse, error);
        if (result == 0 && parse.asked_for == KEY_PRINT_CONFIG) {
            print_config(command, stdout);
            result = 1;
        }
    }
    free(parse.assignments);
    return result;
}

int options_fail(const struct command *command, const struct error *error)
{
    char shown[sizeof(error->text)]; /* a path, for one, may hold escape sequences */

    (void)input_printable(shown, sizeof(shown), error->text, strlen(error->text));
    (void)fprintf(stderr, "%s: %s\n", command->name, shown);
    return 2;
}
