/* run_clock.c - see run_clock.h. */
#include "scheduler/capacity/run_clock.h"

#include "common/clock.h"
#include "common/log.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KIND   "driver"
#define KEY    "clock"
#define JUMP_S 2.0 /* more than the two clocks of a machine differ by */

/* A moment by two clocks: two moments tell how much time passed between two processes. */
struct moment {
    int64_t day_us;              /* time of day */
    int64_t since_us;            /* since the start of the machine */
    char boot[CLOCK_BOOT_BYTES]; /* id of that start */
};

static struct moment moment_now(void)
{
    struct moment now = {.day_us = clock_day_us(), .since_us = clock_boot_us()};

    clock_boot_name(now.boot);
    return now;
}

void run_clock_start(struct run_clock *self, int64_t now_s)
{
    if (self->runs)
        return;
    self->runs = true;
    self->from_s = now_s;
    self->started_s = clock_s();
}

double run_clock_now(const struct run_clock *self)
{
    return (double)self->from_s + (clock_s() - self->started_s) * self->scale;
}

int run_clock_keep(const struct run_clock *self, journal_t *journal, struct error *error)
{
    const struct moment now = moment_now();
    const int64_t ago_us = (int64_t)llround((clock_s() - self->started_s) * 1e6);
    struct text text = {NULL, 0, 0};
    int status;

    if (self->kept || !self->runs)
        return 0;
    text_word(&text, KEY);
    text_key_whole(&text, "from", self->from_s);
    text_key_whole(&text, "day", now.day_us - ago_us);
    text_key_whole(&text, "since", now.since_us - ago_us);
    text_key_quoted(&text, "boot", now.boot);
    text_bytes(&text, "", 1);
    status = journal_put(journal, KIND, KEY, text.bytes, error);
    text_free(&text);
    return status;
}

static int read_whole(struct cursor *cursor, const char *key, int64_t *value, struct error *error)
{
    if (cursor_key(cursor, key, error) < 0)
        return -1;
    return cursor_whole(cursor, -INT64_MAX, INT64_MAX, value, error);
}

static int read_kept(struct cursor *cursor, int64_t *from_s, struct moment *then,
                     struct error *error)
{
    if (cursor_word(cursor, KEY, error) < 0 || read_whole(cursor, "from", from_s, error) < 0 ||
        read_whole(cursor, "day", &then->day_us, error) < 0 ||
        read_whole(cursor, "since", &then->since_us, error) < 0 ||
        cursor_key(cursor, "boot", error) < 0)
        return -1;
    return cursor_quoted(cursor, then->boot, sizeof(then->boot), error);
}

static void say_set(double by_s)
{
    log_event(&LOG_ABOUT_NOTHING, "clock-was-set", "by=%.0f", by_s);
}

void run_clock_look(struct run_clock *self)
{
    const int64_t since_us = clock_boot_us();
    const int64_t ahead_us = clock_day_us() - since_us;
    const double by_s = (double)(ahead_us - self->ahead_us) / 1e6;

    if (self->ahead_us != 0 && fabs(by_s) > JUMP_S)
        say_set(by_s);
    self->ahead_us = ahead_us;
}

static double passed_s(const struct moment *then)
{
    const struct moment now = moment_now();
    const double day_s = (double)(now.day_us - then->day_us) / 1e6;
    const double since_s = (double)(now.since_us - then->since_us) / 1e6;

    if (strcmp(now.boot, then->boot) != 0 || since_s < 0)
        return fmax(0, day_s);
    if (fabs(day_s - since_s) > JUMP_S)
        say_set(day_s - since_s);
    return since_s;
}

int run_clock_resume(struct run_clock *self, journal_t *journal, struct error *error)
{
    struct cursor cursor = {.path = KEY, .line = 1};
    struct moment then;
    int64_t from_s;
    const int got = journal_get(journal, KIND, KEY, &cursor.text, error);

    if (got <= 0)
        return got;
    cursor.length = strlen(cursor.text);
    if (read_kept(&cursor, &from_s, &then, error) < 0)
        return -1;
    run_clock_start(self, from_s);
    self->started_s -= passed_s(&then);
    self->kept = true;
    return 0;
}

void run_clock_not_before(struct run_clock *self, int64_t now_s)
{
    if (!self->runs || run_clock_now(self) >= (double)now_s)
        return;
    log_event(&LOG_ABOUT_NOTHING, "clock-held", "at=%" PRId64 " by=%.0f", now_s,
              (double)now_s - run_clock_now(self));
    self->from_s = now_s;
    self->started_s = clock_s();
    self->kept = false;
}
