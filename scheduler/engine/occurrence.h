/* occurrence.h - what happens to jobs and nodes: all that the engine is ever told.
 *
 * The same occurrences at the same times give the same decisions, byte for byte. */
#ifndef ENGINE_OCCURRENCE_H
#define ENGINE_OCCURRENCE_H

#include "scheduler/state/progress.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stdint.h>

enum occurrence_kind {
    OCCURRENCE_SUBMITTED, /* a job, now or at a time to come that its submission states */
    OCCURRENCE_CANCELLED, /* by its user */
    OCCURRENCE_SUSPENDED, /* by its user: the job pauses until it is submitted again */
    OCCURRENCE_TAKEN,     /* a quote that is held becomes a job, with the submission of that job */
    OCCURRENCE_EASED,     /* a promised job has a later deadline, with a submission that says so */
    OCCURRENCE_EXPECTED,  /* every job that holds GPUs did what was expected of it */
    OCCURRENCE_PROGRESS,  /* what a job did up to now; it is done if that says so */
    OCCURRENCE_PAID,      /* a start, resize or move took so long, not what was expected */
    OCCURRENCE_FAILED,    /* a job, for good */
    OCCURRENCE_NODE_UP,   /* it is there, or goes on being there, with its first `gpus` GPUs until
                             `until_s`: then it drains by itself */
    OCCURRENCE_NODE_DRAINING, /* it takes no more jobs; those on it move */
    OCCURRENCE_NODE_GONE,     /* with all that ran on it */
    OCCURRENCE_TIMER,         /* a round is wanted, due or not */
};

/* How far a job is known to have come that is done. */
enum work_end {
    WORK_END_WHOLE,   /* all iterations, as far as is known */
    WORK_END_TOLD,    /* its program ended by itself before, and told how far it was */
    WORK_END_GUESSED, /* it ended by itself before and told nothing: by the rate expected of it */
};

struct occurrence {
    enum occurrence_kind kind;
    uint32_t row;      /* of the job, as in its record: where to look first */
    uint64_t job;      /* its number */
    int node;          /* position */
    int64_t until_s;   /* the node is known to be there until then, 0 or NEVER_S if that is open */
    int gpus;          /* that the node has, at most those of its pool; 0 for as many as before */
    int overhead_s;    /* paid */
    bool deviates;     /* the progress is other than expected */
    double pace;       /* real by expected progress, 1 if it is as expected */
    const char *cause; /* of what went otherwise than expected; NULL for none. Lent for the step */
    const struct submission *submission; /* lent until the engine is destroyed */
    struct progress progress;
    enum work_end end; /* of progress that is done; no decision hangs on it */
    int64_t reached;   /* iterations in all, if that is not WORK_END_WHOLE */
};

#endif
