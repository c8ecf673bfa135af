/* log.c - see log.h.
 *
 * Where lines go and the name of the writer are kept here once a process: a log that is handed from
 * function to function would be in every signature, and there is never a second one. */
#include "common/log.h"

#include "common/input.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES   8192
#define WRITER_BYTES 256
#define VALUES_LENT  4
#define VALUE_BYTES  1600

/* Most bytes of held lines, which are written at once: no line of another process then comes
 * between where several processes write to one pipe. */
#define HELD_BYTES PIPE_BUF

/* Most bytes that one character of a text becomes: "\ufffd", or four bytes of UTF-8. */
#define ESCAPE_BYTES 6

static struct {
    int fd;
    char writer[WRITER_BYTES];
    bool holds;
    size_t held_bytes;
    char held[HELD_BYTES];
} log_state = {.fd = STDERR_FILENO, .writer = "-"};

static bool is_plain(unsigned char c)
{
    return isgraph(c) && c < 0x80 && c != '"' && c != '\\' && c != '=';
}

/* Appends `text` to the writer's name; characters that do not fit a plain word become '?'. */
static size_t append_word(size_t used, const char *text)
{
    for (; *text && used + 1 < WRITER_BYTES; text++)
        log_state.writer[used++] = (char)(is_plain((unsigned char)*text) ? *text : '?');
    log_state.writer[used] = '\0';
    return used;
}

void log_open(const char *program, const char *name)
{
    const size_t used = append_word(0, program);

    if (name && used + 2 < WRITER_BYTES) {
        log_state.writer[used] = ':';
        (void)append_word(used + 1, name);
    }
}

int log_to_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);

    if (fd < 0)
        return -1;
    if (log_state.fd != STDERR_FILENO)
        (void)close(log_state.fd);
    log_state.fd = fd;
    return 0;
}

/* Writes a line, all of it if possible: a line with a gap is worse than none. A failure is not
 * reported, as the log itself is the place for reports. */
static void write_whole(const char *line, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(log_state.fd, line, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        line += written;
        length -= (size_t)written;
    }
}

static void write_held(void)
{
    write_whole(log_state.held, log_state.held_bytes);
    log_state.held_bytes = 0;
}

static void hold(const char *line, size_t length)
{
    if (length > HELD_BYTES - log_state.held_bytes)
        write_held();
    if (length > HELD_BYTES) {
        write_whole(line, length);
        return;
    }
    memcpy(log_state.held + log_state.held_bytes, line, length);
    log_state.held_bytes += length;
}

void log_hold(void)
{
    assert(!log_state.holds);
    log_state.holds = true;
}

void log_release(void)
{
    assert(log_state.holds);
    log_state.holds = false;
    write_held();
}

/* Appends formatted text. The result never passes the room of the line, which leaves a byte for
 * the newline. */
static size_t append(char *line, size_t used, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static size_t append(char *line, size_t used, const char *format, va_list arguments)
{
    const size_t room = LINE_BYTES - 1 - used;
    const int length = vsnprintf(line + used, room, format, arguments);

    assert(length >= 0);
    return (size_t)length < room ? used + (size_t)length : LINE_BYTES - 2;
}

static size_t append_format(char *line, size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append_format(char *line, size_t used, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    used = append(line, used, format, arguments);
    va_end(arguments);
    return used;
}

static size_t append_number(char *line, size_t used, const char *key, int64_t value)
{
    return value == LOG_NONE ? append_format(line, used, " %s=-", key)
                             : append_format(line, used, " %s=%" PRId64, key, value);
}

static size_t append_subject(char *line, size_t used, const struct log_subject *about)
{
    const bool has_job = about->job != LOG_NONE;
    const uint32_t run = has_job ? (uint32_t)((uint64_t)about->job >> 32) : 0;

    used = append_number(line, used, "job", has_job ? (int64_t)(uint32_t)about->job : LOG_NONE);
    used = append_number(line, used, "incarnation", about->incarnation);
    used = append_number(line, used, "node", about->node);
    used = append_number(line, used, "gpu", about->gpu);
    return run == 0 ? used : append_format(line, used, " run=%" PRIx32, run);
}

static size_t append_times(char *line, size_t used)
{
    struct timespec wall;
    struct timespec monotonic;
    struct tm utc;
    char date[32];

    (void)clock_gettime(CLOCK_REALTIME, &wall);
    (void)clock_gettime(CLOCK_MONOTONIC, &monotonic);
    (void)gmtime_r(&wall.tv_sec, &utc);
    (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
    return append_format(line, used, "%s.%06ldZ %lld.%06ld ", date, wall.tv_nsec / 1000,
                         (long long)monotonic.tv_sec, monotonic.tv_nsec / 1000);
}

void log_event(const struct log_subject *about, const char *event, const char *format, ...)
{
    char line[LINE_BYTES];
    size_t used = append_times(line, 0);

    used = append_format(line, used, "%s event=%s", log_state.writer, event);
    used = append_subject(line, used, about);
    if (format) {
        va_list arguments;

        line[used++] = ' ';
        va_start(arguments, format);
        used = append(line, used, format, arguments);
        va_end(arguments);
    }
    line[used++] = '\n';
    if (log_state.holds)
        hold(line, used);
    else
        write_whole(line, used);
}

/* The code point of the valid UTF-8 character at `text`, `bytes` long. */
static uint32_t code_point(const unsigned char *text, size_t bytes)
{
    uint32_t code = bytes == 2 ? text[0] & 0x1fU : bytes == 3 ? text[0] & 0x0fU : text[0] & 0x07U;

    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (text[i] & 0x3fU);
    return code;
}

/* Controls, and marks that turn the direction of writing: a terminal would obey them. */
static bool is_obeyed(uint32_t code)
{
    return code < 0xa0 || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x061c;
}

static size_t character_bytes(const char *text)
{
    size_t length = 1;

    while (length < 4 && ((unsigned char)text[length] & 0xc0U) == 0x80)
        length++;
    return input_valid_utf8(text, length) == length ? length : 0;
}

/* Writes the character at `*text` as in JSON and steps over it. Returns how long it became. */
static size_t escape(char *to, const char **text)
{
    const unsigned char c = (unsigned char)**text;
    const char *const named = "\n\t\r\"\\";
    const char *const found = c ? strchr(named, c) : NULL;
    size_t bytes = 1;

    if (found) {
        to[0] = '\\';
        to[1] = "ntr\"\\"[found - named];
        bytes = 2;
        (*text)++;
    } else if (c < 0x80 && !iscntrl(c)) {
        to[0] = (char)c;
        (*text)++;
    } else {
        const size_t length = c < 0x80 ? 1 : character_bytes(*text);
        const uint32_t code = length == 0   ? 0xfffd
                              : length == 1 ? c
                                            : code_point((const unsigned char *)*text, length);

        if (length == 0 || is_obeyed(code)) {
            bytes = (size_t)snprintf(to, ESCAPE_BYTES + 1, "\\u%04x", (unsigned)code & 0xffffU);
        } else {
            memcpy(to, *text, length);
            bytes = length;
        }
        *text += length ? length : 1;
    }
    return bytes;
}

static void quote(char *to, const char *text)
{
    size_t used = 0;

    to[used++] = '"';
    while (*text && used < VALUE_BYTES - ESCAPE_BYTES - sizeof("...\""))
        used += escape(to + used, &text);
    memcpy(to + used, *text ? "...\"" : "\"", *text ? sizeof("...\"") : sizeof("\""));
}

const char *log_text(const char *text)
{
    static char lent[VALUES_LENT][VALUE_BYTES];
    static size_t next;
    size_t length = 0;
    char *value = lent[next];

    while (is_plain((unsigned char)text[length]))
        length++;
    next = (next + 1) % VALUES_LENT;
    if (length > 0 && text[length] == '\0' && length < VALUE_BYTES) {
        memcpy(value, text, length + 1);
        return value;
    }
    quote(value, text);
    return value;
}
