/* options_print.c - an option table as a config file, a man page, or words that a shell
 * completes. */
#include "common/options_print.h"

#include "common/memory.h"
#include "common/option_value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

void options_print_config(const struct command *command, FILE *out)
{
    (void)fprintf(out, "# settings of %s\n", command->name);
    for (const struct option_spec *option = command->options; option->kind; option++) {
        char *text = option_text(option);

        if (!text)
            continue;
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

    if (!option_has_value(option))
        return;
    memory = open_memstream(&text, &size);
    if (!memory)
        memory_out();
    option_print_value(option, memory);
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
    if (option->kind != OPTION_KIND_TEXT && option->kind != OPTION_KIND_SWITCH &&
        option->kind != OPTION_KIND_LIST) {
        option_describe(option, values, sizeof(values));
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
    ".TP\n.B \\-h, \\-\\-help\nprint a short help and stop.\n"
    ".TP\n.B \\-\\-usage\nprint a very short one and stop.\n"
    ".TP\n.B \\-\\-version\nprint the version and stop.\n"
    ".PP\n\\fB\\-\\-\\fIname\\fB=\\fIvalue\\fR and \\fB\\-\\-\\fIname value\\fR are the same. A "
    "\\fIBOOL\\fR is true, false, yes, no, 1 or 0; without it the option means true.\n"
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nAll went well.\n"
    ".TP\n.B 1\nThe work is done, but what was asked for does not hold, or the output could not be "
    "written.\n"
    ".TP\n.B 2\nA mistake in the command line or in an input; standard error names it.\n"
    ".TP\n.B 130\nStopped by a signal; nothing is left half written.\n";

void options_print_man(const struct command *command, FILE *out)
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

/* The length of a choice up to the colon, after which users choose the rest. */
static int fixed_length(const char *choice)
{
    const char *colon = strchr(choice, ':');

    return colon ? (int)(colon + 1 - choice) : (int)strlen(choice);
}

void options_print_words(const struct command *command, FILE *out)
{
    for (const struct option_spec *option = command->options; option->kind; option++) {
        const bool is_list = option->kind == OPTION_KIND_TEXT && option->choices;

        (void)fprintf(out, "--%s%s%s", option->name, option->unit ? "=" : "", is_list ? "," : "");
        for (const char *const *choice = option->choices; choice && *choice; choice++)
            (void)fprintf(out, " %.*s", fixed_length(*choice), *choice);
        (void)fputc('\n', out);
    }
    (void)fputs("--config=\n--print-config\n--help\n--usage\n--version\n", out);
}
