/* curves.h - the outcomes of the jobs of a run, and distributions of its times. */
#ifndef REPORT_PAGE_CURVES_H
#define REPORT_PAGE_CURVES_H

#include "tools/report/results.h"

enum fate {
    FATE_KEPT,     /* a promised deadline was met */
    FATE_BROKEN,   /* a promised job that was late or failed */
    FATE_ON_TIME,  /* the deadline was met, without a promise */
    FATE_LATE,     /* ended after the deadline, or failed, without a promise */
    FATE_DONE,     /* done, for a job without a deadline */
    FATE_OPEN,     /* neither ended nor declined */
    FATE_DECLINED, /* never ran */
};

/* Sorted numbers. */
struct curve {
    double *items;
    size_t count;
};

/* The number of parts into which slack divides the time from submission to deadline. */
#define SLACK_PARTS 10000

enum curve_kind {
    CURVE_JCT,      /* seconds; jobs that ended */
    CURVE_QUEUEING, /* seconds until the first GPUs; jobs that held any */
    CURVE_SLACK,    /* parts; jobs with a deadline that ended; at least -SLACK_PARTS */
    CURVE_ADMITTED, /* times of decisions on jobs that were not declined */
    CURVE_DECLINED, /* times of decisions on jobs that were declined */
    CURVE_MISSED,   /* deadlines of jobs that are late or failed */
    CURVES
};

struct curves {
    struct curve of[CURVES];
};

enum fate fate_of(const struct results *results, size_t job);

/* The deadline that the job was promised, or else the job's own; AUDIT_DEADLINE_NONE_S for none. */
int64_t deadline_of(const struct results *results, size_t job);

/* The time when the job first held GPUs; -1 if never. `next` is the index of the job's first change
 * (0 for the first job), and moves on to the first change of the next job. */
int64_t first_held(const struct results *results, size_t job, size_t *next);

void curves_find(const struct results *results, struct curves *curves);
void curves_clear(struct curves *curves);

/* Counts the waiting jobs at each moment, for folders without that count: jobs that were let in,
 * are not retired and held no GPU. */
void curves_wait(struct results *results);

#endif
