/* config.c - see config.h. */
#include "common/config.h"

#include "common/input.h"
#include "common/memory.h"

#include <assert.h>
#include <confuse.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)

/* What a parse in progress needs. libconfuse's callbacks carry no pointer of ours, so the parse
 * that is running is noted in `parsing`; parsing is neither concurrent nor nested. */
struct parse {
    const char *path;
    const char *const *names;
    size_t count;
    config_set_fn *set;
    void *context;
    struct error *error;
    bool complained;
};

static struct parse *parsing;

static int complain(cfg_t *cfg, const char *what)
{
    if (!parsing->complained)
        error_set(parsing->error, "%s:%d: %s", parsing->path, cfg->line, what);
    parsing->complained = true;
    return -1;
}

static void on_error(cfg_t *cfg, const char *format, va_list arguments)
{
    char what[512];

    (void)vsnprintf(what, sizeof(what), format, arguments);
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = '?'; /* an escape sequence must not reach the terminal */
    complain(cfg, what);
}

static int on_value(cfg_t *cfg, cfg_opt_t *opt)
{
    const char *value = cfg_opt_getstr(opt);
    struct error why;

    for (size_t i = 0; i < parsing->count; i++) {
        if (strcmp(parsing->names[i], cfg_opt_name(opt)) != 0)
            continue;
        if (parsing->set(parsing->context, i, value ? value : "", &why) < 0)
            return complain(cfg, why.text);
        return 0;
    }
    return complain(cfg, "unknown key");
}

static int parse_text(const char *text, cfg_opt_t *opts)
{
    cfg_t *cfg = cfg_init(opts, CFGF_NONE);
    int result;

    assert(cfg);
    (void)cfg_set_error_function(cfg, on_error);
    for (size_t i = 0; i < parsing->count; i++)
        (void)cfg_set_validate_func(cfg, parsing->names[i], on_value);
    result = cfg_parse_buf(cfg, text);
    if (result != CFG_SUCCESS)
        complain(cfg, "syntax error");
    cfg_free(cfg);
    return result == CFG_SUCCESS && !parsing->complained ? 0 : -1;
}

int config_parse(const char *path, const char *text, const char *const names[], size_t count,
                 config_set_fn *set, void *context, struct error *error)
{
    struct parse parse = {path, names, count, set, context, error, false};
    cfg_opt_t *opts = xcalloc(count + 1, sizeof(*opts));
    int result;

    for (size_t i = 0; i < count; i++)
        opts[i] = (cfg_opt_t)CFG_STR(names[i], NULL, CFGF_NODEFAULT);
    opts[count] = (cfg_opt_t)CFG_END();
    parsing = &parse;
    result = parse_text(text, opts);
    parsing = NULL;
    free(opts);
    return result;
}

static char *read_whole(const char *path, struct error *error)
{
    char *text = xmalloc(CONFIG_BYTES_MAX + 1);
    input_t *input = input_open(path, error);
    size_t length = 0;
    long got = input ? 1 : -1;

    while (got > 0 && length < CONFIG_BYTES_MAX) {
        got = input_read(input, text + length, CONFIG_BYTES_MAX - length, error);
        if (got > 0)
            length += (size_t)got;
    }
    text[length] = '\0';
    if (got > 0)
        got = error_set(error, "%s: longer than %zu bytes", path, CONFIG_BYTES_MAX);
    else if (got == 0 && strlen(text) != length)
        got = error_set(error, "%s: a NUL byte, expected text", path);
    input_destroy(&input);
    if (got < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

int config_read(const char *path, const char *const names[], size_t count, config_set_fn *set,
                void *context, struct error *error)
{
    struct stat status;
    char *text;
    int result;

    if (stat(path, &status) < 0)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (status.st_mode & S_IWOTH)
        return error_set(error, "%s: everybody may write to it, so it cannot be trusted: chmod o-w",
                         path);
    text = read_whole(path, error);
    if (!text)
        return -1;
    result = config_parse(path, text, names, count, set, context, error);
    free(text);
    return result;
}
