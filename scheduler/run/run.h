/* run.h - a run from its inputs to its results, driven by the simulator or a real cluster. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "scheduler/engine/engine.h"
#include "scheduler/journal/journal.h"
#include "scheduler/run/simulation.h"

typedef struct run run_t;

/* The driver of a run: it feeds the engine occurrences and carries out decisions, until nothing is
 * left. */
struct driver {
    void *self;
    bool is_real; /* the run cannot be repeated: results are kept even if it is stopped */

    bool knows_ends; /* tells when nodes leave, as the cluster spec says */

    journal_t *journal; /* each step goes into its transaction at hand, which the driver commits
                           before it acts on it; NULL for none */

    /* Reads inputs of its own, before any output is begun, so that none replaces them; NULL for
     * none. -1 with `error`. */
    int (*read)(void *self, const struct cluster_spec *spec, struct error *error);

    /* Before the first step; NULL for nothing. -1 with `error`. */
    int (*open)(void *self, const struct cluster_spec *spec, struct error *error);

    /* Returns 0 at the end of the run, 1 if a signal asked to stop, -1 with `error`. */
    int (*drive)(void *self, run_t *run, struct error *error);

    /* Called five times a second while a step waits for another program, for urgent work; may be
     * NULL. */
    void (*attend)(void *self);

    /* The run is over; may be NULL. */
    void (*close)(void *self, const char *why);
};

/* Runs `simulation` with `driver`; returns as simulation_run does. */
int run_execute(const struct simulation *simulation, const struct driver *driver,
                struct simulation_result *result, struct error *error);

engine_t *run_engine(run_t *self);
const struct simulation *run_simulation(const run_t *self);

/* The time of the first step. */
int64_t run_begins_s(const run_t *self);

/* The first step: all jobs of the trace are announced, and `more` happened. */
int run_begin(run_t *self, const struct occurrence more[], size_t more_count,
              struct decision *decision, struct error *error);

/* Makes a step and adds it to the report, and to the record if there is one. -1 with `error`. */
int run_step(run_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count,
             struct decision *decision, struct error *error);

/* Repeats the next step of the journal, instead of run_begin and run_step. 1; 0, with the last
 * decision unchanged, after the last step; -1 with `error`. */
int run_again(run_t *self, struct decision *decision, struct error *error);

/* Whether a signal asked to stop; a run without a label takes no signals. */
bool run_stop_asked(const run_t *self);

#endif
