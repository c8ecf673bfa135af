/* faults.c - see faults.h. */
#include "executor/faults.h"

#include "common/number.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define SLOW_MIN 1e-6
#define SLOW_MAX 1e6

/* A piece of the text between its ends. */
struct piece {
    const char *text;
    size_t length;
};

static bool piece_is(struct piece piece, const char *word)
{
    return piece.length == strlen(word) && !memcmp(piece.text, word, piece.length);
}

/* Cuts `word` off the front of `piece`; false if `piece` does not begin with `word`. */
static bool piece_cut(struct piece *piece, const char *word)
{
    const size_t length = strlen(word);

    if (piece->length < length || memcmp(piece->text, word, length) != 0)
        return false;
    piece->text += length;
    piece->length -= length;
    return true;
}

static int complain(struct piece fault, struct error *error)
{
    return error_set(
        error,
        "--faults: \"%.*s\" is none of slow=FACTOR, silent, "
        "lie=nan|negative|zero|huge|backwards, die-at=STEP, fail-at=STEP, ignore-term, "
        "fork-children after any of job=N: and gpu=N:",
        (int)fault.length, fault.text);
}

static bool read_whole(struct piece piece, int64_t *value)
{
    return number_parse_whole(piece.text, piece.length, 0, INT64_MAX, value) == NUMBER_OK;
}

static bool read_lie(struct piece piece, enum lie *lie)
{
    static const char *const names[] = {
        [LIE_NAN] = "nan",   [LIE_NEGATIVE] = "negative",   [LIE_ZERO] = "zero",
        [LIE_HUGE] = "huge", [LIE_BACKWARDS] = "backwards",
    };

    for (size_t i = LIE_NAN; i <= LIE_BACKWARDS; i++) {
        if (!piece_is(piece, names[i]))
            continue;
        *lie = (enum lie)i;
        return true;
    }
    return false;
}

/* Reads a WHAT into `faults`. False if `what` is no WHAT. */
static bool read_what(struct piece what, struct faults *faults)
{
    if (piece_cut(&what, "slow="))
        return number_parse_real(what.text, what.length, SLOW_MIN, SLOW_MAX, &faults->slow) ==
               NUMBER_OK;
    if (piece_cut(&what, "lie="))
        return read_lie(what, &faults->lie);
    if (piece_cut(&what, "die-at="))
        return read_whole(what, &faults->die_at);
    if (piece_cut(&what, "fail-at="))
        return read_whole(what, &faults->fail_at);
    if (piece_is(what, "silent"))
        return faults->silent = true;
    if (piece_is(what, "ignore-term"))
        return faults->ignore_term = true;
    return piece_is(what, "fork-children") && (faults->fork_children = true);
}

/* Takes the prefix `word`N: off `fault`, if there is one. `matches` becomes false if the prefix
 * has another number than `about`. */
static bool read_prefix(struct piece *fault, const char *word, uint64_t about, bool *matches)
{
    struct piece rest = *fault;
    const char *colon;
    int64_t number;

    if (!piece_cut(&rest, word))
        return false;
    colon = memchr(rest.text, ':', rest.length);
    if (!colon || !read_whole((struct piece){rest.text, (size_t)(colon - rest.text)}, &number))
        return false;
    *matches &= (uint64_t)number == about;
    fault->length = (size_t)(rest.text + rest.length - (colon + 1));
    fault->text = colon + 1;
    return true;
}

int faults_read(const char *spec, uint64_t job, int32_t gpu, struct faults *faults,
                struct error *error)
{
    *faults = (struct faults){.slow = 1, .die_at = -1, .fail_at = -1};
    while (spec && *spec) {
        const struct piece whole = {spec, strcspn(spec, ";")};
        struct piece fault = whole;
        struct faults scratch = *faults;
        bool matches = true;

        while (read_prefix(&fault, "job=", job, &matches) ||
               read_prefix(&fault, "gpu=", (uint64_t)gpu, &matches))
            ;
        if (!read_what(fault, &scratch))
            return complain(whole, error);
        if (matches)
            *faults = scratch;
        spec += whole.length;
        spec += *spec == ';';
    }
    return 0;
}

double faults_rate(const struct faults *self, double rate)
{
    switch (self->lie) {
    case LIE_NAN:
        return (double)NAN;
    case LIE_NEGATIVE:
        return -rate;
    case LIE_ZERO:
        return 0;
    case LIE_HUGE:
        return 1e308;
    case LIE_NONE:
    case LIE_BACKWARDS:
        break;
    }
    return rate;
}
