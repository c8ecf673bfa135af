/* ledger.h - all jobs that the service ever took, by number, and their standings. Answers about a
 * job come from the ledger and from the engine. */
#ifndef SERVICE_LEDGER_H
#define SERVICE_LEDGER_H

#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"
#include "scheduler/snapshot/job_archive.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum standing {
    STANDING_HELD,    /* unknown to the engine */
    STANDING_WAITING, /* known to the engine, and without GPUs */
    STANDING_RUNNING,
    STANDING_DONE,
    STANDING_FAILED,
    STANDING_CANCELLED,
    STANDING_DECLINED,
    STANDING_QUOTED, /* a held quote: known to the engine, and without GPUs */
    STANDING_LAPSED, /* a quote that ended without being taken */
};

#define STANDINGS (STANDING_LAPSED + 1)

/* Stands for the user of a job whose document cannot be read. */
#define USER_UNKNOWN "?"

/* Counts of a user's jobs and quotes that are not over; jobs include quotes. */
struct user_counts {
    size_t jobs;
    size_t quotes;
};

extern const char *const standing_names[]; /* names by standing, ended with NULL */

struct entry {
    uint64_t number; /* number of the job, as in its submission */
    const char *user;
    struct user_counts *of_user;         /* for the ledger alone */
    const struct submission *submission; /* NULL only during a start */
    enum standing standing;
    bool left_out; /* only the number is known: it may have been given out */
    bool untold;   /* the engine has still to be told of the job */
    bool changes;  /* the engine gave up the job to get it again with another deadline */
    bool decided;  /* the job has a verdict */
    struct verdict verdict;
    int64_t submitted_s; /* of the engine's clock */
    int64_t started_s;   /* NEVER_S before its start */
    int64_t ended_s;
    int gpus;                /* that the job held at the last look */
    int64_t iterations_done; /* at the last look, or at the end of the job */
    const char *cause;       /* of its end, failure or last trouble; NULL for none */
    const char *holder;      /* "operator NAME" if an operator holds the job; else NULL */

    /* The end of the job. `end` says whether its program ended early, and `reached` after how many
     * iterations. `outcome` is that of its promise, PROMISE_NONE without one. `withdrawn` and
     * `was_at_risk` say whether a promise ever was. */
    enum work_end end;
    int64_t reached;
    enum promise_state outcome;
    bool withdrawn;
    bool was_at_risk;
    int withdrawals[WITHDRAWAL_CAUSES]; /* how often, by cause */

    size_t before; /* for the ledger alone: index of the copy from before the last step */
};

/* Outcomes of promises and programs, over all jobs that ever came. */
struct ledger_outcomes {
    size_t kept;        /* promised jobs that ended in time */
    size_t broken;      /* promised jobs that ended late, or failed */
    size_t withdrawn;   /* jobs whose promise was withdrawn; if missed, counted as broken, too */
    size_t withdrawals; /* how often promises were withdrawn */
    size_t early;       /* jobs whose programs ended before their last iteration */
};

/* How the causes of orders begin. The user who gives the order follows. */
#define CAUSE_OF_CANCEL "it is cancelled by "
#define CAUSE_OF_HOLD   "it is held by "
#define CAUSE_OF_RETURN "it is given back by "

/* How the cause begins for which the engine gives up a job that `changes`. */
#define CAUSE_OF_CHANGE "its deadline is changed by "

typedef struct ledger ledger_t;

ledger_t *ledger_new(void) __attribute__((returns_nonnull));
void ledger_destroy(ledger_t **self);

/* A copy of `text` that lives as long as the ledger. */
const char *ledger_text(ledger_t *self, const char *text);

/* Memory that lives as long as the ledger, for submissions and their texts. */
arena_t *ledger_texts(ledger_t *self);

/* Adds a new job. `user` is copied. The row, which is the lower half of the job's number, must be
 * ledger_next. The entry is lent until the next is added. */
struct entry *ledger_add(ledger_t *self, const struct submission *submission, const char *user);

/* Adds a job from before a start. Its submission comes later, from a snapshot or with a step. */
struct entry *ledger_recall(ledger_t *self, uint64_t number, const char *user);

/* Adds entries up to row `last` for jobs of which only the number is known. They are over, and have
 * no submission. */
void ledger_leave_out(ledger_t *self, uint32_t last);

/* The row of the next job, from 1. */
uint32_t ledger_next(const ledger_t *self);

/* The entry of a row, or of a job of the engine; NULL if there is none. */
struct entry *ledger_find(const ledger_t *self, uint64_t row);
struct entry *ledger_of(const ledger_t *self, const struct job *job);

/* ledger_told takes in what the engine is told of jobs. ledger_decided takes in its decision about
 * jobs that hold GPUs, give up GPUs or get a verdict. Other jobs, which can be thousands, stay as
 * they are. The engine has to list holdings. */
void ledger_told(ledger_t *self, int64_t now_s, const struct occurrence occurrences[],
                 size_t count);
void ledger_decided(ledger_t *self, const engine_t *engine, const struct decision *decision);

/* Begins another step: the present standings are those before it. */
void ledger_settle(ledger_t *self);

/* The job as it stood before the last step; `entry` itself if nothing changed. A copy is lent until
 * the next step. */
const struct entry *ledger_before(const ledger_t *self, const struct entry *entry);

/* Changes the standing of `entry`. */
void ledger_move(ledger_t *self, struct entry *entry, enum standing standing);

/* Whether `entry` is a quote, held or lapsed. */
bool entry_is_quote(const struct entry *self);

/* Cancels a held job, which the engine does not know. `cause` is copied. */
void ledger_cancel(ledger_t *self, struct entry *entry, int64_t now_s, const char *cause);

/* Sets the operator who holds a job. `holder`, which is copied, is NULL for no operator. */
void ledger_hold(ledger_t *self, struct entry *entry, const char *holder);

/* Forgets all jobs from `row` on. */
void ledger_cut(ledger_t *self, uint32_t row);

/* Counts the outcomes of all entries anew. */
void ledger_count_again(ledger_t *self);

/* Writes the entries, or reads those of the first jobs; see common/archive.h. `find` gives their
 * submissions to the reader. */
void ledger_archive(ledger_t *self, struct archive *archive, submission_find *find,
                    const void *owner);

/* ledger_count: how many jobs have that standing. ledger_count_of: the counts of `user`. */
size_t ledger_count(const ledger_t *self, enum standing standing);
struct user_counts ledger_count_of(const ledger_t *self, const char *user);
struct ledger_outcomes ledger_outcomes(const ledger_t *self);

bool entry_is_over(const struct entry *self);

/* Whether the program ended by itself before its last iteration. */
bool entry_ended_early(const struct entry *self);

#endif
