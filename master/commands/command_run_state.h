/* command_run_state.h - what the files of the run share, in the order in which they know each
 * other: job_round.c has a round of a job, group.c the groups that it asks for, command_run.c
 * carries out one command after the other. */
#ifndef MASTER_COMMAND_RUN_STATE_H
#define MASTER_COMMAND_RUN_STATE_H

#include "master/commands/command_run.h"
#include "master/commands/overhead_table.h"

#include <uthash.h>

/* A round of a job: its parts as they are given, then its incarnation. */
struct job_round {
    struct run_job *job;
    struct incarnation *incarnation;    /* NULL before all parts are given, and when it is over */
    const struct debug_command **parts; /* by node rank */
    size_t given;
    size_t gpus;
    const struct debug_command *group; /* to be made yet, NULL for none; likewise the move */
    const struct debug_command *move;
    const struct debug_command *asked; /* the one that trainers were told of, NULL for none */
    int64_t asked_us;
    size_t unanswered; /* workers */
    double longest_s;
    bool from_scratch;
    bool begins; /* T came */
    bool failed;
    size_t start; /* operations; SIZE_MAX for none */
    size_t timed; /* the group or move that was asked for */
    size_t train;
    size_t stop;
};

struct run_job {
    uint64_t number;
    int64_t checkpoint; /* step of the last confirmed one, -1 for none */
    uint32_t since;     /* incarnations before this one do not count: it began from scratch */
    struct job_round *current; /* of this round, or of the last that had one; NULL for none */
    UT_hash_handle hh;
};

struct command_run {
    const command_file_t *commands; /* lent */
    struct command_run_setting setting;
    double scale;         /* of what is timed */
    dispatch_t *dispatch; /* lent */
    overhead_table_t *table;
    struct run_job *jobs;
    struct job_round **rounds;
    size_t round_count;
    size_t round_capacity;
    size_t at;
    bool checked; /* the workers are there and fit */
    int64_t wait_until_us;
    size_t restart; /* operation, SIZE_MAX for none */
    bool failed;
    bool done;
};

/* ---- job_round.c ---- */

/* The job of that number, and the round that this round makes at it; each made if there is none. */
struct run_job *run_job_of(command_run_t *self, uint64_t number);
struct job_round *job_round_of(command_run_t *self, uint64_t number);

/* Gives it one of its parts. With the first what an earlier round left of the job is stopped, with
 * the last it is launched. */
void job_round_give(command_run_t *self, const struct debug_command *command, int64_t now_us);

/* The step that it begins from. */
int64_t job_round_step(const struct job_round *round);

/* The round, and the run with it, has failed: prints the first cause. */
void job_round_fail(command_run_t *self, struct job_round *round, const char *cause);

/* Ends its incarnation; nothing happens if there is none, or if it is ending. */
void job_round_stop(command_run_t *self, struct job_round *round, const char *cause,
                    int64_t now_us);

/* The incarnation of the round is over, and lent no longer. */
void job_round_over(command_run_t *self, struct job_round *round,
                    const struct incarnation *incarnation, int64_t now_us);

/* An operation of it begins, and ends: a place in the table of what is timed. */
size_t timing_begin(command_run_t *self, enum operation_kind kind, const struct job_round *round,
                    int64_t now_us);
void timing_end(command_run_t *self, size_t place, int64_t now_us);

/* Frees all rounds and jobs. */
void job_rounds_destroy(command_run_t *self);

/* ---- group.c ---- */

/* Asks for what is to be made yet, when its trainers are there; one after the other, as an answer
 * does not say which it is about. */
void group_ask(command_run_t *self, struct job_round *round, int64_t now_us);

/* A worker says that the one asked for is made. */
void group_made(command_run_t *self, const struct msg_report *report, int64_t now_us);

/* Whether a group of it is not made yet. One that takes too long fails the round. */
bool group_is_to_come(command_run_t *self, struct job_round *round, int64_t now_us);

#endif
