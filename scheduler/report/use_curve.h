/* use_curve.h - how many GPUs a run uses over time, as means over at most 64 parts of equal length:
 * plain data of a size that does not grow with the run. */
#ifndef REPORT_USE_CURVE_H
#define REPORT_USE_CURVE_H

#include <stddef.h>
#include <stdint.h>

#define USE_CURVE_PARTS 64

/* All zeros before the first step. */
struct use_curve {
    int64_t begin_s;
    int64_t until_s; /* time of the last step */
    int64_t part_s;  /* a power of two */
    int gpus_used;   /* GPUs used since `until_s` */
    int gpus_most;   /* most GPUs that were up at a time */
    double gpu_s[USE_CURVE_PARTS];
};

/* From `now_s` on, `gpus_used` of `gpus_up` GPUs are used. Times do not go back. */
void use_curve_step(struct use_curve *self, int64_t now_s, int gpus_used, int gpus_up);

/* The mean number of GPUs used in each of `count` equal parts of the time between the first step
 * and the last; zeros if there is none between them. */
void use_curve_means(const struct use_curve *self, size_t count, double means[]);

#endif
