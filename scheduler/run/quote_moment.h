/* quote_moment.h - questions to a run at a moment at which a job comes. Each is put to a copy of
 * the process, in which the job comes: the same occurrences give the same decisions, so that a
 * submission would be told the same. Where the policy says what it would decide, the copy is asked
 * all that is to be known at its moment; else a copy is asked about one deadline. */
#ifndef RUN_QUOTE_MOMENT_H
#define RUN_QUOTE_MOMENT_H

#include "scheduler/run/quote.h"

struct quotes {
    struct inputs inputs;
    int64_t first_s; /* the moments at which the job may come */
    int64_t last_s;
    uint64_t number; /* number of the hypothetical job */
    engine_t *engine;
    bool is_live;  /* the engine is lent, with its inputs, and hears of a job when the job comes */
    bool suspends; /* the job is live, and is suspended before it comes */
    struct decision decision; /* the last decision before `first_s` */
    bool has_found;           /* a deadline, */
    int64_t beyond_s;         /* so long after the least time of its job; 0 before */
};

/* About a job that comes at job.submit_s. Stays where it is, as it refers to itself. */
struct question {
    quotes_t *quotes;
    struct job_level level;
    struct submission job;
    struct parent parents[PARENTS_MAX]; /* states of the job's parents when it comes */
    struct question *coming;  /* the job is here, in this copy, as this one has it; NULL for none */
    struct denial denied_for; /* the deadline that was refused last, */
    int64_t refused_s;        /* which is this one */
    int64_t decided_s;        /* when the last promise is made known */
    int64_t known_s;          /* a deadline promised at this moment; 0 for none */
};

void question_set_deadline(struct question *self, int64_t deadline_s);
void question_set_iterations(struct question *self, int64_t iterations);

/* Whether the job is promised its deadline: 1 or 0, -1 with `error`. */
int question_put(struct question *self, struct error *error);

/* The risk of the job from losses of nodes if it comes at `at_s` and is promised its deadline; all
 * zeros if it is refused. -1 with `error`. */
int quotes_expose(quotes_t *self, const struct submission *job, int64_t at_s, int64_t deadline_s,
                  struct exposure *exposure, struct error *error);

/* A question about a job at a moment, and its answer. */
struct inquiry {
    const struct submission *job; /* lent */
    bool is_over;                 /* left out of the search */
    int64_t asked_s;              /* as in struct quoted */
    int64_t refused_s;
    int64_t deadline_s; /* earliest deadline promised so far as known; 0 for none */
    bool is_new;        /* `deadline_s` was found at this moment */
    int64_t refused_at_s;
    int64_t decided_s;
    int64_t iterations;
    struct denial seen;
    bool asked_promised;
    int tries;     /* how often another deadline was found */
    int confirmed; /* number of moments in a row that promise it */
    int answer;    /* 1, 0, or -1 with the error */
    struct error error;
};

/* Sets inquiry->answer. */
typedef int inquire_fn(struct question *question, struct inquiry *inquiry, struct error *error);

/* Has `inquire` called for each that is not over, whose job comes at `at_s`. -1, with `error`, if
 * there can be no copy of the process. */
int quotes_inquire(quotes_t *self, int64_t at_s, inquire_fn *inquire, struct inquiry inquiries[],
                   size_t count, struct error *error);

#endif
