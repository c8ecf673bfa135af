/* backend_master.h - the backend of a real cluster: a master carries the plans out.
 *
 * Fast-forwarded, the clock jumps: every job trains until it is stable, then its measured rate says how far
 * it gets until the next event. Otherwise the clock is real, `time_scale` seconds of the run to a second of
 * the wall clock, and trainers say how far jobs are.
 *
 * A trainer of an emulated job reports what the overhead model says of its start; a real one's overhead is
 * measured, in whole seconds from the beginning of the round, at most 20. A rate that no trainer can have is not
 * believed: it is counted, and the table's is used. */
#ifndef BACKEND_BACKEND_MASTER_H
#define BACKEND_BACKEND_MASTER_H

#include "scheduler/backend/backend.h"

struct backend_master_setting {
    const char *master; /* ADDRESS:PORT */
    const char *keys;   /* folder, NULL for a master on this machine */
    const char *name;   /* of the scheduler */
    bool fast_forward;
    double
        time_scale; /* seconds of the run to a second of real time; fast-forwarded of the emulated starts, 0: no
                          waiting */
    int64_t heartbeat_ms;
    bool (*stop_asked)(void); /* looked at while waiting */
};

typedef struct backend_master backend_master_t;

/* NULL, with `error`, if the address or the name is none or the keys are missing. Nothing is sent before `open`. */
backend_master_t *backend_master_new(const struct backend_master_setting *setting,
                                     struct error *error);
void backend_master_destroy(backend_master_t **self);

/* What the engine calls; lives as long as `self`. */
const struct backend *backend_master_calls(backend_master_t *self);

#endif
