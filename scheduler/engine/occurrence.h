/* occurrence.h - events of jobs and nodes: the only input of the engine. The same occurrences at
 * the same times give the same decisions, byte for byte. */
#ifndef ENGINE_OCCURRENCE_H
#define ENGINE_OCCURRENCE_H

#include "scheduler/state/progress.h"
#include "scheduler/state/stays.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stdint.h>

enum occurrence_kind {
    OCCURRENCE_SUBMITTED, /* a job, now or at a later time in its submission */
    OCCURRENCE_CANCELLED, /* by its user */
    OCCURRENCE_SUSPENDED, /* by its user: the job pauses until it is submitted again */
    OCCURRENCE_TAKEN,     /* a held quote becomes a job, with the submission of that job */
    OCCURRENCE_EASED,     /* a promised job gets a later deadline, in a new submission */
    OCCURRENCE_EXPECTED,  /* every job that holds GPUs made the expected progress */
    OCCURRENCE_PROGRESS,  /* progress of a job up to now; the job may be done */
    OCCURRENCE_PAID,      /* a start, resize or move took another time than expected */
    OCCURRENCE_FAILED,    /* a job, for good */
    OCCURRENCE_NODE_UP,   /* a node is present, with its first `gpus` GPUs, until `until_s`: then it
                             drains by itself */
    OCCURRENCE_NODE_DRAINING, /* a node takes no more jobs; its jobs move */
    OCCURRENCE_NODE_GONE,     /* a node is lost with all that ran on it */
    OCCURRENCE_TIMER,         /* a round is wanted, due or not */
};

/* How the work of a done job is known. */
enum work_end {
    WORK_END_WHOLE,   /* all iterations, as far as is known */
    WORK_END_TOLD,    /* the program ended early, and reported its iterations */
    WORK_END_GUESSED, /* the program ended early without a report: iterations by its expected rate
                       */
};

struct occurrence {
    enum occurrence_kind kind;
    uint32_t row;              /* row of the job's record, looked at first */
    uint64_t job;              /* number of the job */
    int node;                  /* position */
    int64_t until_s;           /* the node stays until then, 0 or NEVER_S if open */
    const struct stays *again; /* when a node that is up or drains is there again later; NULL for
                                  never. Lent for the step */
    int gpus;          /* GPUs of the node, at most those of its pool; 0 for as many as before */
    int overhead_s;    /* paid */
    bool deviates;     /* the progress differs from the expectation */
    double pace;       /* real by expected progress, 1 if as expected */
    const char *cause; /* cause of the deviation; NULL for none. Lent for the step */
    const struct submission *submission; /* lent until the engine is destroyed */
    struct progress progress;
    enum work_end end; /* for progress of a done job; affects no decision */
    int64_t reached;   /* iterations in all, unless `end` is WORK_END_WHOLE */
};

#endif
