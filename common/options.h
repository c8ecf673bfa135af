/* options.h - one table of options parses the command line and a config file, checks values, and
 * prints the help, the man page and the words that a shell completes. glibc's argp does the
 * parsing.
 *
 * `--name=value` and `--name value` are the same; a switch may stand alone or take one of
 * true false yes no 1 0. A value on the command line wins over one in the file of --config. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/error.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_KIND_END,
    OPTION_KIND_SWITCH, /* bool */
    OPTION_KIND_TEXT,   /* const char *, NULL when it has no default */
    OPTION_KIND_CHOICE, /* const char *, one of `choices` */
    OPTION_KIND_ENUM,   /* an enumeration in the order of `choices` */
    OPTION_KIND_WHOLE,  /* int64_t in min .. max */
    OPTION_KIND_REAL,   /* double in min .. max */
    OPTION_KIND_RANGE,  /* struct option_range, "LOW:HIGH" or one number, both in min .. max */
    OPTION_KIND_LIST,   /* struct option_list: each occurrence of the option adds a text */
    OPTION_KIND_TABLE,  /* const struct option_spec []: more options, see options_flat */
};

#define OPTION_LIST_MAX 1024

/* Is not printed as a setting: a file sets an option once. */
struct option_list {
    const char *items[OPTION_LIST_MAX];
    size_t count;
};

struct option_range {
    double low;
    double high;
};

struct option_spec {
    enum option_kind kind;
    const char *name;
    const char *unit; /* name of the value, in capitals: "SECONDS", "FILE" */
    void *value;      /* address of the value; holds the default before parsing */
    double min;
    double max;
    const char *const *choices; /* ended with NULL; "KIND:REST" stands for any text after the colon.
                                   Of a text: words that it may list with commas between them, for
                                   shells, or NULL */
    const char *help;
    char letter; /* letter of the short form, 0 for none */
};

#define OPTION_SWITCH(name, value, help)                                                           \
    {                                                                                              \
        OPTION_KIND_SWITCH, name, NULL, (bool *){value}, 0, 0, NULL, help, 0                       \
    }
#define OPTION_TEXT(name, unit, value, help) OPTION_LETTER_TEXT(0, name, unit, value, help)
#define OPTION_WORDS(name, unit, value, words, help)                                               \
    {                                                                                              \
        OPTION_KIND_TEXT, name, unit, (const char **){value}, 0, 0, words, help, 0                 \
    }
#define OPTION_CHOICE(name, unit, value, choices, help)                                            \
    {                                                                                              \
        OPTION_KIND_CHOICE, name, unit, (const char **){value}, 0, 0, choices, help, 0             \
    }
#define OPTION_WHOLE(name, unit, value, min, max, help)                                            \
    OPTION_LETTER_WHOLE(0, name, unit, value, min, max, help)
#define OPTION_REAL(name, unit, value, min, max, help)                                             \
    {                                                                                              \
        OPTION_KIND_REAL, name, unit, (double *){value}, min, max, NULL, help, 0                   \
    }
#define OPTION_RANGE(name, unit, value, min, max, help)                                            \
    {                                                                                              \
        OPTION_KIND_RANGE, name, unit, (struct option_range *){value}, min, max, NULL, help, 0     \
    }

#define OPTION_LIST(name, unit, value, help)                                                       \
    {                                                                                              \
        OPTION_KIND_LIST, name, unit, (struct option_list *){value}, 0, 0, NULL, help, 0           \
    }

/* Inserts the options of another table here. */
#define OPTION_TABLE(table)                                                                        \
    {                                                                                              \
        OPTION_KIND_TABLE, NULL, NULL, (void *)(uintptr_t)(table), 0, 0, NULL, NULL, 0             \
    }

/* A switch with a short form. */
#define OPTION_LETTER_SWITCH(letter, name, value, help)                                            \
    {                                                                                              \
        OPTION_KIND_SWITCH, name, NULL, (bool *){value}, 0, 0, NULL, help, letter                  \
    }
#define OPTION_LETTER_TEXT(letter, name, unit, value, help)                                        \
    {                                                                                              \
        OPTION_KIND_TEXT, name, unit, (const char **){value}, 0, 0, NULL, help, letter             \
    }
#define OPTION_LETTER_WHOLE(letter, name, unit, value, min, max, help)                             \
    {                                                                                              \
        OPTION_KIND_WHOLE, name, unit, (int64_t *){value}, min, max, NULL, help, letter            \
    }

#define OPTION_END                                                                                 \
    {                                                                                              \
        OPTION_KIND_END, NULL, NULL, NULL, 0, 0, NULL, NULL, 0                                     \
    }

struct command {
    const char *name;     /* full name: "rubato simulate" */
    const char *summary;  /* a line without a full stop */
    const char *operands; /* operands in the usage line, "TRACE..."; NULL if there are none */
    const char *text;     /* description for help and man page; may be NULL */
    const struct option_spec *options;
};

/* Words of a command line that are neither options nor their values: texts lent from `argv`, in an
 * array that the caller frees. */
struct operands {
    char **items;
    size_t count;
};

/* Parses `argv`. Returns 0 to go on, 1 when the command is done (--help, --print-config),
 * -1 with `error` that names the option. Texts point into `argv` or stay for the whole process.
 * An unknown option ends the process with status 2, as argp does. */
int options_parse(const struct command *command, int argc, char **argv, struct operands *operands,
                  struct error *error);

/* A copy of `options`, in `memory`, with the options of each OPTION_TABLE in its place. Of options
 * of one name `options` itself comes first, then the tables in their order. */
struct option_spec *options_flat(const struct option_spec options[], arena_t *memory);

/* The value of an option as text that a config file can set; the caller frees the text; NULL for
 * none. */
char *option_text(const struct option_spec *option);

/* Whether two options of the same table have the same value; `a` and `b` may be copies. */
bool option_same(const struct option_spec *a, const struct option_spec *b);

/* Replaces the option at the start of a sentence by file and line of the config file that set the
 * option. */
void options_place(struct error *error);

/* Prints "PROGRAM: SENTENCE" on stderr; a sentence that begins with an option that a config file
 * set begins with that file and line instead of the dashes. Returns the exit status: 1 if
 * an output cannot be written, 2 for a user's mistake. */
int options_fail(const struct command *command, const struct error *error);

#endif
