/* progress.h - what a job did in an interval, or is expected to have done. */
#ifndef STATE_PROGRESS_H
#define STATE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct interval {
    int64_t now_s; /* its end */
    int64_t elapsed_s;
};

struct progress {
    double iterations;
    int64_t worked_s;     /* on its GPUs, overheads aside */
    bool iterations_done; /* of a job that may be done by its duration as well */
    bool done;            /* it is done, whatever is planned for it */
    int64_t ended_s;      /* when, if so */
    double early_s;       /* this fraction of a second before `ended_s` */
};

#endif
