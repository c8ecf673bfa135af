/* ledger.h - all jobs that the service ever took, by number, and how each stands: what is told of
 * them is read here and in the engine. */
#ifndef SERVICE_LEDGER_H
#define SERVICE_LEDGER_H

#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"
#include "scheduler/snapshot/job_archive.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum standing {
    STANDING_HELD,    /* the engine does not know it */
    STANDING_WAITING, /* the engine does; it holds no GPU */
    STANDING_RUNNING,
    STANDING_DONE,
    STANDING_FAILED,
    STANDING_CANCELLED,
    STANDING_DECLINED,
    STANDING_QUOTED, /* a quote that is held: the engine knows it; it holds no GPU */
    STANDING_LAPSED, /* a quote that was held and not taken */
};

#define STANDINGS (STANDING_LAPSED + 1)

/* The user of a job whose document cannot be read. */
#define USER_UNKNOWN "?"

/* How many of a user's jobs are not over, quotes included; and how many quotes are held. */
struct user_counts {
    size_t jobs;
    size_t quotes;
};

extern const char *const standing_names[]; /* by standing; ended with NULL */

struct entry {
    uint64_t number; /* of the job, as in its submission */
    const char *user;
    struct user_counts *of_user;         /* the ledger's */
    const struct submission *submission; /* NULL only in the middle of a start */
    enum standing standing;
    bool left_out; /* nothing is known of it but that its number may have been given out */
    bool untold;   /* the engine is to be told of it, and was not yet */
    bool changes;  /* the engine gave it up to be told of it anew, with another deadline */
    bool decided;  /* a verdict was given */
    struct verdict verdict;
    int64_t submitted_s; /* times of the engine */
    int64_t started_s;   /* NEVER_S before */
    int64_t ended_s;
    int gpus;                /* that it held when it was last looked at */
    int64_t iterations_done; /* when it was last looked at, or ended */
    const char *cause;  /* of its failure or its end, or of what went wrong last; NULL for none */
    const char *holder; /* "operator NAME", if an operator holds it; else NULL */

    /* How it ended: its program by itself, having reached so many iterations, if that is not
     * WORK_END_WHOLE; whether its promise was kept, PROMISE_NONE without one; and whether a promise
     * of it was withdrawn before, or at risk. */
    enum work_end end;
    int64_t reached;
    enum promise_state outcome;
    bool withdrawn;
    bool was_at_risk;
    int withdrawals[WITHDRAWAL_CAUSES]; /* so often for each cause */

    size_t before; /* the ledger's: where it has how the job stood before the last step */
};

/* How promises and programs ended, all jobs that ever came. */
struct ledger_outcomes {
    size_t kept;        /* promised jobs that were done in time */
    size_t broken;      /* those that were not, or failed */
    size_t withdrawn;   /* jobs whose promise was given up; broken, too, if it was missed */
    size_t withdrawals; /* how often that was */
    size_t early;       /* jobs that ended by themselves before their last iteration */
};

/* The beginnings of causes of orders; the user who gives the order follows. */
#define CAUSE_OF_CANCEL "it is cancelled by "
#define CAUSE_OF_HOLD   "it is held by "
#define CAUSE_OF_RETURN "it is given back by "

/* The beginning of the cause for which the engine gives up a job that `changes`. */
#define CAUSE_OF_CHANGE "its deadline is changed by "

typedef struct ledger ledger_t;

ledger_t *ledger_new(void) __attribute__((returns_nonnull));
void ledger_destroy(ledger_t **self);

/* A copy of `text` that is kept as long. */
const char *ledger_text(ledger_t *self, const char *text);

/* The place where submissions and their texts are kept as long as the ledger. */
arena_t *ledger_texts(ledger_t *self);

/* A job that was taken; `user` is copied. Its row, the lower half of its number, must be the one
 * after the last: see ledger_next. Lent until the next is added. */
struct entry *ledger_add(ledger_t *self, const struct submission *submission, const char *user);

/* A job that was taken before a start. It has no submission until the engine is told of it again
 * or a snapshot has it. */
struct entry *ledger_recall(ledger_t *self, uint64_t number, const char *user);

/* Rows from the next one to `last` are of jobs of which nothing is known any more: they are over,
 * and none of their entries has a submission. */
void ledger_leave_out(ledger_t *self, uint32_t last);

/* The row that the next job has, from 1. */
uint32_t ledger_next(const ledger_t *self);

/* By row or by number, NULL if there is none. */
struct entry *ledger_find(const ledger_t *self, uint64_t row);
struct entry *ledger_of(const ledger_t *self, const struct job *job);

/* Takes in what the engine was told of jobs, and what it decided: of jobs that hold GPUs, give them
 * up or are decided on. Others, thousands that wait, are as they were. The engine has to list
 * holdings. */
void ledger_told(ledger_t *self, int64_t now_s, const struct occurrence occurrences[],
                 size_t count);
void ledger_decided(ledger_t *self, const engine_t *engine, const struct decision *decision);

/* Another step begins: how jobs stand now is how they stood before it. */
void ledger_settle(ledger_t *self);

/* A job as it stood before the last step: `entry` itself if it stands so still. A copy is lent
 * until the next step. */
const struct entry *ledger_before(const ledger_t *self, const struct entry *entry);

/* The entry has `standing` from now on. */
void ledger_move(ledger_t *self, struct entry *entry, enum standing standing);

/* Whether `entry` is a quote that is held, or was and was not taken. */
bool entry_is_quote(const struct entry *self);

/* A held job, of which the engine knows nothing any more, is cancelled; `cause`, which is copied,
 * says by whom. */
void ledger_cancel(ledger_t *self, struct entry *entry, int64_t now_s, const char *cause);

/* An operator holds it from now on, or no operator in particular if `holder`, which is copied, is
 * NULL.
 */
void ledger_hold(ledger_t *self, struct entry *entry, const char *holder);

/* Forgets the jobs from `row` on. */
void ledger_cut(ledger_t *self, uint32_t row);

/* Counts the outcomes of all entries anew. */
void ledger_count_again(ledger_t *self);

/* How the jobs stand, written, or read for the first of those that are there; see common/archive.h.
 * `find` gives their submissions, for reading. */
void ledger_archive(ledger_t *self, struct archive *archive, submission_find *find,
                    const void *owner);

/* How many jobs stand so; and how many `user` has. */
size_t ledger_count(const ledger_t *self, enum standing standing);
struct user_counts ledger_count_of(const ledger_t *self, const char *user);
struct ledger_outcomes ledger_outcomes(const ledger_t *self);

bool entry_is_over(const struct entry *self);

/* Whether its program ended by itself before its last iteration. */
bool entry_ended_early(const struct entry *self);

#endif
