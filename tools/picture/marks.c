/* marks.c - see marks.h. */
#include "tools/picture/marks.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS 8

/* Marks from an empty to a full cell: `parts` grow to the right, `levels` upwards. */
static const char *const parts[STEPS + 1] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const levels[STEPS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const plain[STEPS + 1] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

static char *append(char *at, const char *mark)
{
    return stpcpy(at, mark);
}

void marks_bar(double share, int cells, bool unicode, char text[MARKS_BYTES])
{
    const double within = share < 0 ? 0 : (share > 1 ? 1 : share);
    const int full = (int)floor(within * cells);
    const int eighths = (int)floor((within * cells - full) * STEPS);
    char *at = text;

    assert(cells > 0 && cells <= MARKS_CELLS_MAX);
    for (int i = 0; i < cells; i++) {
        const bool first_seen = i == 0 && full == 0 && within > 0;

        if (i < full)
            at = append(at, unicode ? parts[STEPS] : "#");
        else if (i == full && unicode)
            at = append(at, parts[first_seen && eighths == 0 ? 1 : eighths]);
        else
            at = append(at, first_seen ? "#" : " ");
    }
}

/* The step of a share. A share that differs from a step by rounding alone gets that step; any share
 * above 0 gets at least step 1. */
static int step_of(double share)
{
    const double step = ceil(share * STEPS - 1e-9);

    if (share <= 0)
        return 0;
    return step < 1 ? 1 : (step > STEPS ? STEPS : (int)step);
}

void marks_curve(const double values[], size_t count, double most, bool unicode,
                 char text[MARKS_BYTES])
{
    char *at = text;

    assert(count <= MARKS_CELLS_MAX);
    *at = '\0';
    for (size_t i = 0; i < count; i++) {
        const int step = step_of(most > 0 ? values[i] / most : 0);

        at = append(at, (unicode ? levels : plain)[step]);
    }
}

const char *marks_gpus(double gpus, bool unicode)
{
    const int step = gpus <= 0 ? 0 : (gpus < 1 ? 1 : 1 + (int)floor(log2(gpus)));

    return (unicode ? levels : plain)[step > STEPS ? STEPS : step];
}
