/* household.h - the processes of a service on one machine: a master, a worker and a scheduler, each
 * in the background, with a log and a file of its process in the state folder. */
#ifndef SERVICE_HOUSEHOLD_H
#define SERVICE_HOUSEHOLD_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the order of their start; they end in reverse order. */
enum household_member {
    HOUSEHOLD_MASTER,
    HOUSEHOLD_WORKER,
    HOUSEHOLD_SCHEDULER,
    HOUSEHOLD_MEMBERS
};

extern const char *const household_names[HOUSEHOLD_MEMBERS];

struct household {
    const char *state;    /* existing state folder */
    const char *socket;   /* socket of the service */
    const char *programs; /* folder */
    int64_t gpus;         /* GPUs of the worker */
    bool emulated;
    const char *policy;
    const char *gpu_type;
    const char *throughputs; /* folder, NULL: where the programs look */
    const char *pass_env;    /* NULL for none */
    const char *operators;   /* group of users that operate the service, NULL for none */
    double grace_s;
    int64_t slot_s;
    double time_scale; /* 0: the scheduler's own */
    int port;          /* port of the master; household_start sets it */
};

/* Takes the lock of `rubato up` and `rubato down`, which this process holds until it ends. -1 with
 * `error`. */
int household_lock(const char *state, struct error *error);

bool household_runs(const char *state, enum household_member member);

/* The process that uses the state folder and is no member, 0 for none. */
pid_t household_stranger(const char *state);

/* Starts a member that does not run; the master listens on return. -1 with `error`. */
int household_start(struct household *self, enum household_member member, struct error *error);

/* -1, with `error` and its last log lines, if the member has ended. */
int household_check(const struct household *self, enum household_member member,
                    struct error *error);

/* Ends a member; 1 if it did not run. -1, with `error`, if it does not end in time. */
int household_end(const char *state, enum household_member member, int timeout_ms,
                  struct error *error);

#endif
