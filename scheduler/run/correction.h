/* correction.h - corrects the progress of a job whose trainers deviated from the expectation: pure
 * arithmetic on its books.
 *
 * Without deviations nothing is corrected, and a run equals that of the simulator to the last
 * bit. */
#ifndef RUN_CORRECTION_H
#define RUN_CORRECTION_H

#include "scheduler/state/job.h"
#include "scheduler/state/progress.h"

/* A job before the interval is credited. */
struct books {
    enum work_measure measure;
    int64_t whole_s; /* run time on its GPUs, for a job measured in seconds */
    int64_t attained_s;
    double iterations; /* number of iterations in all */
    double iterations_left;
    double rate;   /* expected iterations/s */
    int64_t now_s; /* the end of the interval */
};

/* The work of a job's trainers in the interval. */
struct observed {
    double pace;       /* real by expected progress; 1: as expected */
    double lost;       /* iterations done before that a fault took back */
    double left;       /* lower bound on the iterations still to do, whatever is expected */
    bool over;         /* all iterations are done, even against the expectation */
    const char *cause; /* cause of the deviation, NULL for none */
};

/* Whether `progress` completes the job. */
bool books_end_with(const struct books *books, const struct progress *progress);

/* Changes the expected `progress` to the observed one. `*uncredited_s` keeps the fraction of a
 * second of this job that whole seconds cannot express. */
void books_correct(const struct books *books, const struct observed *observed, double *uncredited_s,
                   struct progress *progress);

#endif
