/* workload.h - what a trainer runs on its GPU: one rank of an incarnation of a job. One file per
 * kind.
 *
 * A workload is told what to do and when it is, and keeps in `status` how far it is; its trainer
 * looks there after every call and reports what is new. */
#ifndef EXECUTOR_WORKLOAD_H
#define EXECUTOR_WORKLOAD_H

#include "common/log.h"
#include "protocol/worker_trainer.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The settings that all workloads of a trainer share; lent for as long as any of them lives. */
struct executor_setting {
    const char *kind; /* "auto", "emulated" or "command" */
    const char *run_dir;
    const char *program;        /* file with the arguments of the users' program, or NULL */
    const char *python;         /* that runs a program whose name ends in .py */
    const char *visible;        /* CUDA_VISIBLE_DEVICES of its programs */
    const char *faults;         /* as in faults.h, or NULL */
    int64_t grace_ms;           /* where a STOP says nothing else */
    int64_t stable_after_ms;    /* after this a program that says nothing counts as stable */
    int64_t checkpoint_every_s; /* of emulated time where training is emulated; 0: never */
    int64_t log_bytes_max;      /* of one rank's output */
    int node_lock;              /* descriptor that all of the worker's trainers hold, 0: none */
    void (*die)(void); /* ends the trainer where a fault wants it; raises SIGKILL if it is NULL */
};

struct workload_status {
    /* PREPARING, READY (prepared), RUNNING, STABLE or STOPPING; STOPPED, DONE or FAILED when
     * nothing is left of it */
    enum part_state state;
    int64_t step;       /* -1 if it does not know; likewise */
    int64_t checkpoint; /* of the last confirmed one */
    int64_t overhead_ms;
    double rate;
    bool emulated;
    bool retry;       /* of a failed one: another try may help */
    bool silent;      /* reports nothing, for tests */
    char cause[1024]; /* fits what an error has */
};

struct workload_kind;

/* Descriptors that stay open as long as any process of a workload lives: those of its locks, -1 for
 * none. */
#define WORKLOAD_KEPT 3

struct workload {
    const struct workload_kind *kind;
    const struct executor_setting *setting;
    struct msg_prepare prepare; /* its run is a copy of its own */
    void *run_memory;           /* of the texts and arrays of its run */
    int32_t gpu;
    int32_t rank; /* of the job */
    struct workload_status status;
    int64_t due_us; /* when tick is wanted, INT64_MAX for never */
    int kept[WORKLOAD_KEPT];
};

struct workload_kind {
    const char *name;
    size_t size; /* of a struct that begins with a struct workload */

    /* Makes ready, without touching the GPU: another workload may still be there. */
    void (*prepare)(struct workload *self, int64_t now_us);
    /* The GPU is its own: trains on from `step`. */
    void (*begin)(struct workload *self, int64_t step, int64_t now_us);
    void (*update)(struct workload *self, const struct msg_update *update, int64_t now_us);
    void (*stop)(struct workload *self, const struct msg_stop *stop, int64_t now_us);
    /* Ends the workload at once, as failed because of `cause`. */
    void (*kill)(struct workload *self, const char *cause, int64_t now_us);
    /* Brings `status` up to date. */
    void (*tick)(struct workload *self, int64_t now_us);
    /* A child of the trainer ended with `status`; NULL if the kind has none. */
    void (*child_ended)(struct workload *self, pid_t pid, int status, int64_t now_us);
    /* The descriptor that its words are read from, -1 if there is none now; NULL if it never says
     * anything. */
    int (*descriptor)(const struct workload *self);
    void (*readable)(struct workload *self, int64_t now_us);
    void (*clear)(struct workload *self); /* gives up what the kind has added; may be NULL */
};

extern const struct workload_kind workload_emulated;
extern const struct workload_kind workload_command;

/* A workload of `kind` for `prepare`, which is copied, on `gpu`: already told to prepare. */
struct workload *workload_new(const struct workload_kind *kind,
                              const struct executor_setting *setting,
                              const struct msg_prepare *prepare, int32_t gpu, int64_t now_us);
void workload_destroy(struct workload **self);

/* Whether nothing is left of it. */
bool workload_is_gone(const struct workload *self);

/* For kinds: it has failed. */
void workload_fail(struct workload *self, bool retry, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The time that the workload has to end where a STOP names no other. */
int64_t workload_grace_ms(const struct workload *self);

/* Seconds between its periodic checkpoints, 0 for none. */
int64_t workload_checkpoint_every_s(const struct workload *self);

/* For kinds: rank 0 keeps the books of its job. */
bool workload_leads(const struct workload *self);

/* `what` at `now_us` is part of what a report says of it. */
void workload_describe(const struct workload *self, struct msg_part *part);

/* The subject of log lines about the workload. */
struct log_subject workload_subject(const struct workload *self);

#endif
