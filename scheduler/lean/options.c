/* options.c - the options of the lean scheduler: whole names with good values. What else a command line
 * may hold (help, --config, abbreviations, mistakes) and the files that are better left to it are
 * for the full scheduler to deal with, so that there is one place that says so. */
#include "common/options.h"

#include "common/option_value.h"
#include "scheduler/lean/handover.h"

#include <string.h>
#include <sys/stat.h>

/* With a larger trace the start does not matter any more, and glibc takes less memory. */
#define FILE_BYTES_MAX ((off_t)256 * 1024)

/* The option called `name`, which is `length` long; NULL if there is none. */
static const struct option_spec *find(const struct command *command, const char *name,
                                      size_t length)
{
    for (const struct option_spec *option = command->options; option->kind != OPTION_KIND_END;
         option++)
        if (!strncmp(option->name, name, length) && !option->name[length])
            return option;
    return NULL;
}

/* A small regular file, the name of which does not say that it is compressed. */
static bool is_plain_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    struct stat status;

    return dot && (!strcmp(dot, ".csv") || !strcmp(dot, ".txt")) && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size <= FILE_BYTES_MAX;
}

/* Sets the option at `*at` and moves on to its last word; false if that is left to others. */
static bool take(const struct command *command, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    const size_t length = strcspn(name, "=");
    const struct option_spec *option = find(command, name, length);
    const char *value = name[length] ? name + length + 1 : argv[*at + 1];
    bool ignored;

    if (!option)
        return false;
    if (name[length])
        ; /* the value stands behind the '=' */
    else if (option->kind != OPTION_KIND_SWITCH ||
             (value && option_parse_switch(value, &ignored) == 0))
        ++*at;
    else
        value = "true";
    if (!value || option_parse_value(option, value) < 0)
        return false;
    return option->kind != OPTION_KIND_TEXT || strcmp(option->unit, "FILE") != 0 ||
           is_plain_file(value);
}

int options_parse(const struct command *command, int argc, char **argv, struct operands *operands,
                  struct error *error)
{
    (void)operands;
    (void)error;
    handover_prepare(argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) != 0 || !take(command, argv, &i))
            handover();
    return 0;
}
