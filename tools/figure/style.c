/* style.c - see style.h.
 *
 * The colours are steps of equal lightness (CIE 1976). Colours that the figures of a paper show
 * together are 11 apart; all other colours lie between them. Source of the lightness: CIE 15:2004,
 * 8.2.1, of sRGB as IEC 61966-2-1 has it. */
#include "tools/figure/style.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct row {
    const char *policy; /* the policy with this style; NULL: a style for policies without a row */
    struct style style;
};

/* clang-format off */
static const struct row rows[STYLES_MAX] = {
    {"rubato",         {0.04, 0.12, 0.25, {0},            HATCH_NONE,    0, MARKER_DISC,     0}},
    {"edf",            {0.76, 0.76, 0.76, {6, 3, 6, 3},   HATCH_RISING,  4, MARKER_SQUARE,   0}},
    {"gandiva",        {0.44, 0.28, 0.00, {2, 2, 2, 2},   HATCH_FALLING, 6, MARKER_TRIANGLE, 0}},
    {"dlas-gpu",       {0.02, 0.69, 0.91, {7, 2, 2, 2},   HATCH_LEVEL,   4, MARKER_DIAMOND,  0}},
    {"themis",         {0.00, 0.25, 0.11, {4, 4, 4, 4},   HATCH_CROSSED, 8, MARKER_WEDGE,    0}},
    {"chronus",        {0.77, 0.40, 0.61, {10, 3, 10, 3}, HATCH_UPRIGHT, 4, MARKER_PLUS,     0}},
    {"Pollux",         {0.96, 0.89, 0.27, {1, 3, 1, 3},   HATCH_RISING,  9, MARKER_STAR,     0}},
    {"ef-accessctrl",  {0.79, 0.18, 0.05, {12, 2, 3, 2},  HATCH_SQUARES, 6, MARKER_CROSS,    0}},
    {"edf-accessctrl", {0.27, 0.65, 0.40, {5, 2, 1, 2},   HATCH_FALLING, 4, MARKER_SQUARE,   1}},
    {"ef",             {0.00, 0.26, 0.54, {8, 4, 2, 4},   HATCH_LEVEL,   7, MARKER_DIAMOND,  1}},
    {"fifo",           {0.86, 0.79, 0.93, {3, 1, 3, 1},   HATCH_CROSSED, 5, MARKER_TRIANGLE, 1}},
    {"fifo-first-fit", {0.51, 0.42, 0.75, {9, 2, 9, 2},   HATCH_UPRIGHT, 7, MARKER_WEDGE,    1}},
    {"srtf",           {0.00, 0.41, 0.42, {3, 3, 1, 3},   HATCH_SQUARES, 9, MARKER_STAR,     1}},
    {"lsf",            {0.94, 0.64, 0.10, {6, 1, 2, 1},   HATCH_RISING,  6, MARKER_DISC,     1}},
    {NULL,             {0.33, 0.04, 0.25, {2, 4, 2, 4},   HATCH_FALLING, 9, MARKER_DISC,     0}},
    {NULL,             {0.51, 0.85, 0.78, {12, 4, 12, 4}, HATCH_LEVEL,   9, MARKER_SQUARE,   1}},
    {NULL,             {0.51, 0.52, 0.14, {5, 1, 5, 1},   HATCH_CROSSED, 6, MARKER_DIAMOND,  0}},
    {NULL,             {0.91, 0.48, 0.51, {1, 1, 1, 1},   HATCH_UPRIGHT, 9, MARKER_TRIANGLE, 1}},
    {NULL,             {0.00, 0.31, 0.43, {9, 3, 3, 3},   HATCH_SQUARES, 4, MARKER_WEDGE,    0}},
    {NULL,             {0.70, 0.20, 0.40, {4, 2, 4, 2},   HATCH_RISING,  7, MARKER_PLUS,     0}},
    {NULL,             {0.60, 0.78, 0.47, {7, 3, 1, 3},   HATCH_FALLING, 7, MARKER_CROSS,    0}},
    {NULL,             {0.44, 0.13, 0.07, {3, 2, 3, 2},   HATCH_LEVEL,   5, MARKER_STAR,     0}},
};
/* clang-format on */

#define NAMED 14
#define OTHER (STYLES_MAX - NAMED)

/* The hash FNV-1a of the name. */
static uint32_t hash(const char *name)
{
    uint32_t value = 2166136261u;

    for (; *name; name++)
        value = (value ^ (uint8_t)*name) * 16777619u;
    return value;
}

/* The row of the policy; STYLES_MAX if the policy has none. */
static size_t find_row(const char *policy)
{
    for (size_t i = 0; i < NAMED; i++)
        if (!strcmp(rows[i].policy, policy))
            return i;
    return STYLES_MAX;
}

/* The first style not taken, from `wanted` on. Styles of named policies come last. */
static size_t find_free(const bool taken[STYLES_MAX], size_t wanted)
{
    for (size_t i = 0; i < OTHER; i++)
        if (!taken[NAMED + (wanted + i) % OTHER])
            return NAMED + (wanted + i) % OTHER;
    for (size_t i = 0; i < NAMED; i++)
        if (!taken[NAMED - 1 - i])
            return NAMED - 1 - i;
    return 0;
}

void styles_of(const char *const names[], size_t count, const struct style *styles[])
{
    bool taken[STYLES_MAX] = {false};

    assert(count <= STYLES_MAX);
    for (size_t i = 0; i < count; i++) {
        const size_t row = find_row(names[i]);

        styles[i] = row < STYLES_MAX && !taken[row] ? &rows[row].style : NULL;
        if (styles[i])
            taken[row] = true;
    }
    for (size_t i = 0; i < count; i++)
        if (!styles[i]) {
            const size_t row = find_free(taken, hash(names[i]) % OTHER);

            taken[row] = true;
            styles[i] = &rows[row].style;
        }
}

const struct style *style_of_no_policy(size_t index)
{
    return &rows[NAMED + index % OTHER].style;
}

const struct style *style_at(size_t index, const char **policy)
{
    assert(index < STYLES_MAX);
    *policy = rows[index].policy;
    return &rows[index].style;
}

static double linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double style_lightness(const struct style *self)
{
    const double light =
        0.2126 * linear(self->red) + 0.7152 * linear(self->green) + 0.0722 * linear(self->blue);

    return light > 216.0 / 24389 ? 116 * cbrt(light) - 16 : light * 24389 / 27;
}
