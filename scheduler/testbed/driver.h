/* driver.h - the insides of the driver of a real cluster, shared by its files only, in the order in
 * which they know each other: driver_turn.c hears the cluster, keeping.c keeps what is known in a
 * journal, decision_log.c logs decisions, driver.c goes from step to step. */
#ifndef TESTBED_DRIVER_H
#define TESTBED_DRIVER_H

#include "scheduler/capacity/master_source.h"
#include "scheduler/run/run.h"

struct testbed_setting {
    struct master_setting master;
    bool fast_forward;
    double time_scale;        /* as struct capacity_setting has it */
    bool (*stop_asked)(void); /* looked at while waiting */
    journal_t *journal;       /* lent; NULL for a run that does not outlive its process */
};

typedef struct testbed_driver {
    struct testbed_setting setting;
    zloop_t *loop;
    int wakes_in; /* passes of the loop after which the turn ends, 0 if nothing woke it */
    master_source_t *master;
    capacity_t *capacity; /* NULL before testbed_open */
    struct run_clock clock;
    bool over; /* nothing is left to do */
    bool told_idle;
} testbed_driver_t;

/* NULL, with `error`, if the address or the name is none or the keys are missing. Nothing is sent
 * before testbed_open. */
testbed_driver_t *testbed_driver_new(const struct testbed_setting *setting, struct error *error);
void testbed_driver_destroy(testbed_driver_t **self);

/* The calls of struct driver. */
int testbed_open(void *owner, const struct cluster_spec *spec, struct error *error);
int testbed_drive(void *owner, run_t *run, struct error *error);
void testbed_attend(void *owner);
void testbed_close(void *owner, const char *why);

/* ---- driver_turn.c ---- */

/* Handles what has come, until something came that may be waited for, or for `ms`; and sends the
 * plan in force to a source that does not know it. */
void driver_turn(testbed_driver_t *self, size_t ms);

/* Something came: the turn ends once what else came is heard. */
void driver_wake(void *owner);

/* Hears the cluster until `ready`. -1, with `error`, if a signal asks to stop or the source is of
 * no use first. */
int driver_wait(testbed_driver_t *self, bool (*ready)(const capacity_t *capacity),
                struct error *error);

bool driver_stop_asked(const testbed_driver_t *self);

/* ---- decision_log.c ---- */

/* Jobs that were decided or are over, what disturbed, and the plan. */
void decision_log(const engine_t *engine, const struct decision *decision);

/* ---- keeping.c: the journal ---- */

/* Puts back what a scheduler before kept, if there was one. -1 with `error`. */
int keeping_open(testbed_driver_t *self, struct error *error);

/* Commits the step that was decided, with all that is known beside the engine, and lets no order
 * leave before; waits for as long as the disk is full. -1, with `error`, if it fails or a signal
 * asks to stop. */
int keeping_commit(testbed_driver_t *self, struct error *error);

/* Tells the engine all steps that the journal has; `decision` is the last one. -1 with `error`. */
int keeping_replay(testbed_driver_t *self, run_t *run, struct decision *decision,
                   struct error *error);

/* Notes that nothing is left to do. -1 with `error`. */
int keeping_end(testbed_driver_t *self, struct error *error);

#endif
