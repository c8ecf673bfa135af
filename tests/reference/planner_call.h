/* planner_call.h - asks our planner and the oracle's the same question, and makes texts of their
 * answers that a test can compare. */
#ifndef TESTS_PLANNER_CALL_H
#define TESTS_PLANNER_CALL_H

#include "scheduler/reference/planning_rules.h"
#include "tests/support/tables.h"

#include <stddef.h>
#include <stdint.h>

#define CALL_STEPS_MAX 16
#define ANSWER_CHARS   4096

/* The time that stands for the deadline of a best-effort job. */
#define CALL_FOREVER_S ORACLE_FOREVER_S

struct planner_call {
    const tables_t *tables;
    const struct throughput_row *row;
    int gpus_max; /* GPUs that the job may use */
    int gpu_count;
    int slot_s;
    int64_t now_s;
    double iterations;
    double deadline_s;
    struct oracle_step free[CALL_STEPS_MAX]; /* free GPUs from now on, in steps that differ */
    size_t free_count;
    int forced_gpus; /* 0 for none; the next four fields matter only if it is not 0 */
    int held_gpus;
    struct oracle_step held[CALL_STEPS_MAX];
    size_t held_count;
    double held_end_s;
    const struct planning_rules *rules; /* rules of our planner; NULL for those of the oracle */
};

/* Reads "TIME:GPUS, TIME:GPUS". Returns the number of steps. */
size_t planner_steps(const char *text, struct oracle_step steps[CALL_STEPS_MAX]);

/* The answer of the deadline planner, "MET | PLAN | END | FINISH | FREE AFTERWARDS",
 * followed by "| GAIN" if `forced_gpus` is not 0, or "abort". Times are exact. */
void planner_answer(const struct planner_call *call, char answer[ANSWER_CHARS]);
void planner_answer_of_oracle(const struct planner_call *call, char answer[ANSWER_CHARS]);

/* Checks that planner and oracle give the `expected` answer. */
void planner_check(const struct planner_call *call, const char *expected);

/* The answer of the EDF planner, "MET | GPUS NOW | END | FREE AFTERWARDS", or "abort". */
void edf_answer(const struct planner_call *call, char answer[ANSWER_CHARS]);
void edf_answer_of_oracle(const struct planner_call *call, char answer[ANSWER_CHARS]);

/* Checks that EDF planner and oracle give the `expected` answer. */
void edf_check(const struct planner_call *call, const char *expected);

/* The whole question, for a message about a difference. */
void planner_describe(const struct planner_call *call, char text[ANSWER_CHARS]);

#endif
