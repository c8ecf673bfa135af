/* outline.h - a lower bound on the free GPUs, by steps of time that grow with their distance: far
 * cheaper to keep than the step function itself, and exact enough for most plans. */
#ifndef PLANNER_OUTLINE_H
#define PLANNER_OUTLINE_H

#include <stdbool.h>

/* Number of steps for each power of two of seconds; the last step holds for ever. */
#define OUTLINE_PARTS 8
#define OUTLINE_STEPS (32 * OUTLINE_PARTS)

struct outline {
    double from_s;
    int always;      /* GPUs free at any time, even if all takings came at once */
    double change_s; /* the first time after `from_s` at which GPUs are taken or free again */
    int gpus[OUTLINE_STEPS];
};

/* Empties the outline: `gpus` GPUs are free from `from_s` on. Times are whole seconds and not
 * before `from_s`. */
void outline_clear(struct outline *self, double from_s, int gpus);

/* Takes `gpus` GPUs from `from_s` to `to_s`, which is later. */
void outline_take(struct outline *self, double from_s, double to_s, int gpus);

/* Whether `gpus` GPUs are certainly free from `from_s` to `to_s`, which is later. */
bool outline_has(const struct outline *self, double from_s, double to_s, int gpus);

#endif
