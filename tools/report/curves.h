/* curves.h - what a run adds up to: what became of each job, and how times are spread. */
#ifndef REPORT_PAGE_CURVES_H
#define REPORT_PAGE_CURVES_H

#include "tools/report/results.h"

enum fate {
    FATE_KEPT,     /* its deadline was promised, and it ended by it */
    FATE_BROKEN,   /* promised, and late or failed */
    FATE_ON_TIME,  /* by its deadline, without a promise */
    FATE_LATE,     /* after its deadline, or failed, without a promise */
    FATE_DONE,     /* it has no deadline */
    FATE_OPEN,     /* neither ended nor declined */
    FATE_DECLINED, /* it never ran */
};

/* Numbers that rise. */
struct curve {
    double *items;
    size_t count;
};

/* Shares of slack are counted in so many parts of the time from submission to deadline. */
#define SLACK_PARTS 10000

enum curve_kind {
    CURVE_JCT,      /* seconds, of jobs that ended */
    CURVE_QUEUEING, /* seconds until the first GPUs, of jobs that held any */
    CURVE_SLACK,    /* parts, of jobs that ended and have a deadline; -SLACK_PARTS at least */
    CURVE_ADMITTED, /* when jobs were decided on that were not declined */
    CURVE_DECLINED, /* and those that were */
    CURVE_MISSED,   /* the deadline of each job that is late or failed */
    CURVES
};

struct curves {
    struct curve of[CURVES];
};

enum fate fate_of(const struct results *results, size_t job);

/* The deadline that the job was promised, or else its own; AUDIT_DEADLINE_NONE_S for none. */
int64_t deadline_of(const struct results *results, size_t job);

/* When the job first held GPUs; -1 if it never did. `next` is where its changes begin in the list,
 * 0 for the first job, and is set to where those of the next job begin. */
int64_t first_held(const struct results *results, size_t job, size_t *next);

void curves_find(const struct results *results, struct curves *curves);
void curves_clear(struct curves *curves);

/* How many jobs waited at each moment, for folders that do not say: those that were let in, are not
 * retired and held nothing. */
void curves_wait(struct results *results);

#endif
