/* command_run_state.h - the state that the files of the run share, in the order in which they
 * depend on each other: job_round.c has a round of a job, group.c the groups that a round asks for,
 * command_run.c carries out one command after the other. */
#ifndef MASTER_COMMAND_RUN_STATE_H
#define MASTER_COMMAND_RUN_STATE_H

#include "master/commands/command_run.h"
#include "master/commands/overhead_table.h"

#include <uthash.h>

/* A round of a job: its parts as commands give them, then its incarnation. */
struct job_round {
    struct run_job *job;
    struct incarnation *incarnation;    /* NULL before all parts are given, and after the end of the
                                           incarnation */
    const struct debug_command **parts; /* by node rank */
    size_t given;
    size_t gpus;
    const struct debug_command *group; /* the group to be made, NULL for none; `move`: the state to
                                          be moved */
    const struct debug_command *move;
    const struct debug_command *asked; /* the group or move that trainers were asked for, NULL for
                                          none */
    int64_t asked_us;
    size_t unanswered; /* workers */
    double longest_s;
    bool from_scratch;
    bool begins; /* T came */
    bool failed;
    size_t start; /* operation START in the table; SIZE_MAX for none */
    size_t timed; /* operation of the group or move that was asked for */
    size_t train;
    size_t stop;
};

struct run_job {
    uint64_t number;
    int64_t checkpoint; /* step of the last confirmed checkpoint, -1 for none */
    uint32_t since; /* number of the first incarnation that counts: the job began from scratch with
                       it */
    struct job_round *current; /* round of the current plan, or the last one that the job had; NULL
                                  for none */
    UT_hash_handle hh;
};

struct command_run {
    const command_file_t *commands; /* lent */
    struct command_run_setting setting;
    double scale;         /* emulated seconds in a real second, for timed operations */
    dispatch_t *dispatch; /* lent */
    overhead_table_t *table;
    struct run_job *jobs;
    struct job_round **rounds;
    size_t round_count;
    size_t round_capacity;
    size_t at;
    bool checked; /* the workers are in session and fit the file */
    int64_t wait_until_us;
    size_t restart; /* operation RESTART in the table, SIZE_MAX for none */
    bool failed;
    bool done;
};

/* ---- job_round.c ---- */

/* run_job_of: the job with that number. job_round_of: the job's round in the current round. Both
 * are created if missing. */
struct run_job *run_job_of(command_run_t *self, uint64_t number);
struct job_round *job_round_of(command_run_t *self, uint64_t number);

/* Adds a part to the round of its job. The first part stops what an earlier round left of the job;
 * the last part launches the job. */
void job_round_give(command_run_t *self, const struct debug_command *command, int64_t now_us);

/* The step that the round begins from. */
int64_t job_round_step(const struct job_round *round);

/* Fails the round, and the run with it: prints the first cause. */
void job_round_fail(command_run_t *self, struct job_round *round, const char *cause);

/* Ends the incarnation of the round; does nothing if there is none, or if it is ending. */
void job_round_stop(command_run_t *self, struct job_round *round, const char *cause,
                    int64_t now_us);

/* The incarnation of the round is over, and lent no longer. */
void job_round_over(command_run_t *self, struct job_round *round,
                    const struct incarnation *incarnation, int64_t now_us);

/* Begins, and ends, an operation of the round: an entry in the table of timings. */
size_t timing_begin(command_run_t *self, enum operation_kind kind, const struct job_round *round,
                    int64_t now_us);
void timing_end(command_run_t *self, size_t place, int64_t now_us);

/* Frees all rounds and jobs. */
void job_rounds_destroy(command_run_t *self);

/* ---- group.c ---- */

/* Asks the trainers of the round, once they are in session, for the group or move to be made; one
 * request at a time, as an answer does not name its request. */
void group_ask(command_run_t *self, struct job_round *round, int64_t now_us);

/* A worker reports that the requested group or move is done. */
void group_made(command_run_t *self, const struct msg_report *report, int64_t now_us);

/* Whether a group or move of the round is not done yet. One that takes too long fails the round. */
bool group_is_to_come(command_run_t *self, struct job_round *round, int64_t now_us);

#endif
