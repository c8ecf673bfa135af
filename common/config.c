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
#define VALUE_BYTES_MAX  ((size_t)4095) /* a path cannot be longer */

/* The lines of the settings, in their order; libconfuse's own count errs after comments. */
struct places {
    int *lines;
    size_t count;
    size_t capacity;
};

/* Before libconfuse sees a text, it is checked to be lines of what settings need:
 *
 *   line   nothing, or  key = value; from # on, a comment
 *   value  a bare word, or a text in double quotes, where \" \\ and \$ stand for " \ and $
 *
 * libconfuse knows more: sections, lists, other comments and escapes, the environment. Some of that
 * goes wrong in silence (a comment that is never closed hides the rest, "\x00" ends a value), and
 * what is found wrong here can be told with its column. */
struct scan {
    const char *path;
    struct places *places;
    int line;
    const char *start; /* start of the line */
    const char *at;
    struct error *error;
};

/* "FILE:LINE:COLUMN: expected ..., found the rest of the line". */
static int expected(const struct scan *scan, const char *what)
{
    const size_t length = strcspn(scan->at, "\r\n");
    char found[33];
    const size_t shown = input_printable(found, sizeof(found), scan->at, length);

    return error_set(scan->error, "%s:%d:%td: expected %s, found %s%s%s%s", scan->path, scan->line,
                     scan->at - scan->start + 1, what, length > 0 ? "'" : "", found,
                     shown < length ? "..." : "", length > 0 ? "'" : "the end of the line");
}

static void skip_blanks(struct scan *scan)
{
    scan->at += strspn(scan->at, " \t");
}

static bool at_line_end(const struct scan *scan)
{
    return strchr("#\n", scan->at[*scan->at == '\r']); /* strchr finds the NUL, too */
}

static int scan_quoted(struct scan *scan)
{
    for (scan->at++; *scan->at != '"'; scan->at++) {
        if (strchr("\r\n", *scan->at)) /* strchr finds the NUL, too */
            return expected(scan, "a closing quote");
        if (!strncmp(scan->at, "${", 2))
            return expected(scan, "\\${ for ${, as the environment is not looked up");
        if (*scan->at != '\\')
            continue;
        if (!scan->at[1] || !strchr("\"\\$", scan->at[1]))
            return expected(scan, "\\\", \\\\ or \\$, as no other escape is known");
        scan->at++;
    }
    scan->at++;
    return 0;
}

static int scan_value(struct scan *scan)
{
    const size_t length = strspn(scan->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_./:@%~-");

    if (*scan->at == '"')
        return scan_quoted(scan);
    if (length == 0 || !strncmp(scan->at, "//", 2))
        return expected(scan, "a word or a text in double quotes");
    scan->at += length;
    return *scan->at == ',' ? expected(scan, "double quotes around a value that has commas") : 0;
}

static int scan_line(struct scan *scan)
{
    struct places *places = scan->places;

    skip_blanks(scan);
    if (at_line_end(scan))
        return 0;
    scan->at += strspn(scan->at, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (scan->at == scan->start + strspn(scan->start, " \t"))
        return expected(scan, "a key");
    skip_blanks(scan);
    if (*scan->at != '=')
        return expected(scan, "= after the key");
    scan->at++;
    skip_blanks(scan);
    if (scan_value(scan) < 0)
        return -1;
    places->lines =
        grow_array(places->lines, places->count, &places->capacity, sizeof(*places->lines));
    places->lines[places->count++] = scan->line;
    skip_blanks(scan);
    return at_line_end(scan) ? 0 : expected(scan, "the end of the line after the value");
}

static int scan_text(const char *path, const char *text, struct places *places, struct error *error)
{
    struct scan scan = {.path = path, .places = places, .error = error};

    while (*text) {
        scan.line++;
        scan.start = scan.at = text;
        if (scan_line(&scan) < 0)
            return -1;
        text = scan.at + strcspn(scan.at, "\n");
        text += *text == '\n';
    }
    return 0;
}

/* The state of a parse in progress. libconfuse's callbacks carry no pointer for the caller, so the
 * parse that is running is noted in `parsing`; parsing is neither concurrent nor nested. */
struct parse {
    const char *path;
    const char *const *names;
    size_t count;
    config_set_fn *set;
    void *context;
    struct error *error;
    bool complained;
    struct places places;
    size_t current; /* the setting that libconfuse reads, in the order of the file */
    int *lines;     /* line at which each key was set, 0 if it is not set yet */
};

static struct parse *parsing;

/* Reports the first complaint of a parse. Later complaints of libconfuse are only about the
 * consequences of the first. */
static int complain(const char *what)
{
    const struct places *places = &parsing->places;
    char shown[512]; /* a value may hold escape sequences, which must not reach the terminal */

    (void)input_printable(shown, sizeof(shown), what, strlen(what));
    if (!parsing->complained)
        error_set(parsing->error, "%s:%d: %s", parsing->path,
                  parsing->current < places->count ? places->lines[parsing->current] : 1, shown);
    parsing->complained = true;
    return -1;
}

static void on_error(cfg_t *cfg, const char *format, va_list arguments)
{
    char what[512];

    (void)cfg;
    (void)vsnprintf(what, sizeof(what), format, arguments);
    complain(what);
}

static int check_value(const struct parse *parse, size_t key, const char *value,
                       struct error *error)
{
    const char *name = parse->names[key];
    char shown[VALUE_BYTES_MAX + 1];

    if (parse->lines[key] > 0)
        return error_set(error, "%s: already set in line %d", name, parse->lines[key]);
    if (strlen(value) > VALUE_BYTES_MAX)
        return error_set(error, "%s: expected at most %zu bytes, found more", name,
                         VALUE_BYTES_MAX);
    (void)input_printable(shown, sizeof(shown), value, strlen(value));
    if (strcmp(shown, value) != 0)
        return error_set(error, "%s: expected UTF-8 without control characters", name);
    return 0;
}

static int on_value(cfg_t *cfg, cfg_opt_t *opt)
{
    const char *value = cfg_opt_getstr(opt);
    struct error why;
    size_t key = 0;
    int line;

    (void)cfg;
    for (; strcmp(parsing->names[key], cfg_opt_name(opt)) != 0; key++)
        assert(key + 1 < parsing->count);
    assert(parsing->current < parsing->places.count);
    line = parsing->places.lines[parsing->current];
    if (check_value(parsing, key, value, &why) < 0 ||
        parsing->set(parsing->context, key, value, line, &why) < 0)
        return complain(why.text);
    parsing->lines[key] = line;
    parsing->current++;
    return 0;
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
        complain("syntax error");
    cfg_free(cfg);
    return result == CFG_SUCCESS && !parsing->complained ? 0 : -1;
}

int config_parse(const char *path, const char *text, const char *const names[], size_t count,
                 config_set_fn *set, void *context, struct error *error)
{
    struct parse parse = {.path = path,
                          .names = names,
                          .count = count,
                          .set = set,
                          .context = context,
                          .error = error};
    cfg_opt_t *opts;
    int result;

    if (scan_text(path, text, &parse.places, error) < 0) {
        free(parse.places.lines);
        return -1;
    }
    parse.lines = xcalloc(count, sizeof(*parse.lines));
    opts = xcalloc(count + 1, sizeof(*opts));
    for (size_t i = 0; i < count; i++)
        opts[i] = (cfg_opt_t)CFG_STR(names[i], NULL, CFGF_NODEFAULT);
    opts[count] = (cfg_opt_t)CFG_END();
    parsing = &parse;
    result = parse_text(text, opts);
    parsing = NULL;
    free(opts);
    free(parse.lines);
    free(parse.places.lines);
    return result;
}

/* The number of lines in `text`, its last one included. */
static int count_lines(const char *text)
{
    int line = 1;

    for (; *text; text++)
        line += *text == '\n';
    return line;
}

static char *read_whole(const char *path, struct error *error)
{
    size_t length;
    char *text = input_read_whole(path, CONFIG_BYTES_MAX, &length, error);

    if (!text || strlen(text) == length)
        return text;
    error_set(error, "%s:%d: expected text, found a NUL byte", path, count_lines(text));
    free(text);
    return NULL;
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
        return error_set(error, "%s: any user may write to it, so it cannot be trusted: chmod o-w",
                         path);
    text = read_whole(path, error);
    if (!text)
        return -1;
    result = config_parse(path, text, names, count, set, context, error);
    free(text);
    return result;
}
