/* household.h - the processes of a service on one machine: a master, a worker and a scheduler. Each
 * runs in the background. The state folder has its log and the file of its process. */
#ifndef SERVICE_HOUSEHOLD_H
#define SERVICE_HOUSEHOLD_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the order of their start. The members end in reverse order. */
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
    const char *programs; /* folder of the programs */
    int64_t gpus;         /* GPUs of the worker */
    bool emulated;
    const char *policy;
    const char *gpu_type;
    const char *throughputs; /* folder of throughput tables; NULL if the programs are to find it */
    const char *pass_env;    /* variables passed on to jobs; NULL for none */
    const char *operators;   /* group of users that operate the service, NULL for none */
    double grace_s;
    int64_t slot_s;
    double time_scale; /* 0 for the scheduler's default */
    int port;          /* port of the master; household_start sets it */
};

/* Takes the lock of `rubato up` and `rubato down`, and holds it until this process ends. -1 with
 * `error`. */
int household_lock(const char *state, struct error *error);

bool household_runs(const char *state, enum household_member member);

/* The process that uses the state folder but is no member of the household; 0 if there is none. */
pid_t household_stranger(const char *state);

/* Starts the member unless it runs. If the member is the master, it listens when the function
 * returns. -1 with `error`. */
int household_start(struct household *self, enum household_member member, struct error *error);

/* Returns -1, with `error` and the last line of the member's log, if the member has ended. */
int household_check(const struct household *self, enum household_member member,
                    struct error *error);

/* Ends a member. Returns 1 if the member did not run. -1, with `error`, if it does not end in
 * time. */
int household_end(const char *state, enum household_member member, int timeout_ms,
                  struct error *error);

#endif
