/* correction.h - what a job did where its trainers did otherwise than expected: pure arithmetic on
 * its books.
 *
 * Where trainers do as expected nothing is corrected, and a run is that of the simulator to the
 * last bit. */
#ifndef RUN_CORRECTION_H
#define RUN_CORRECTION_H

#include "scheduler/state/job.h"
#include "scheduler/state/progress.h"

/* A job before the interval is credited. */
struct books {
    enum work_measure measure;
    int64_t whole_s; /* on its GPUs after which it is done, if it goes by these */
    int64_t attained_s;
    double iterations; /* in all */
    double iterations_left;
    double rate;   /* iterations/s that are expected */
    int64_t now_s; /* the end of the interval */
};

/* The work of a job's trainers in the interval. */
struct observed {
    double pace;       /* real by expected progress; 1: as expected */
    double lost;       /* iterations done before, that a fault took back */
    double left;       /* at least so many iterations are not done yet, whatever is expected */
    bool over;         /* all iterations are done, whatever is expected */
    const char *cause; /* of what is not as expected, NULL if all is */
};

/* Whether `progress` brings the job to its end. */
bool books_end_with(const struct books *books, const struct progress *progress);

/* Makes `progress`, which was expected, what `observed` says. `*uncredited_s`, of the job alone,
 * keeps the fraction of a second that whole seconds cannot tell. */
void books_correct(const struct books *books, const struct observed *observed, double *uncredited_s,
                   struct progress *progress);

#endif
