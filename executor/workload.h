/* workload.h - what a trainer runs on its GPU: one rank of an incarnation of a job. One file per
 * kind.
 *
 * A workload gets orders and the time as arguments and keeps its progress in `status`; its trainer
 * looks at `status` after every call and reports changes. */
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
    const char *python;         /* runs programs whose names end in .py */
    const char *visible;        /* CUDA_VISIBLE_DEVICES of the workload's programs */
    const char *faults;         /* as in faults.h, or NULL */
    int64_t grace_ms;           /* grace time of a STOP that names none */
    int64_t stable_after_ms;    /* a program without progress messages counts as stable after this
                                   time */
    int64_t checkpoint_every_s; /* in emulated time where training is emulated; 0: never */
    int64_t log_bytes_max;      /* limit for the output of one rank */
    int node_lock;              /* descriptor that all trainers of the worker hold, 0: none */
    void (*die)(void);          /* ends the trainer when a fault says so; NULL: raises SIGKILL */
};

struct workload_status {
    /* PREPARING, READY (prepared), RUNNING, STABLE or STOPPING; STOPPED, DONE or FAILED when
     * nothing is left of it */
    enum part_state state;
    int64_t step;       /* -1 while unknown */
    int64_t checkpoint; /* step of the last confirmed checkpoint, -1 while unknown */
    int64_t overhead_ms;
    double rate;
    bool emulated;
    bool retry;       /* for a failed workload: another try may help */
    bool silent;      /* reports nothing, for tests */
    char cause[1024]; /* as large as the sentence of an error */
};

struct workload_kind;

/* Descriptors that stay open as long as any process of a workload lives: those of its locks, -1 for
 * none. */
#define WORKLOAD_KEPT 3

struct workload {
    const struct workload_kind *kind;
    const struct executor_setting *setting;
    struct msg_prepare prepare; /* `prepare.run` is a copy that the workload owns */
    void *run_memory;           /* memory of the texts and arrays of `prepare.run` */
    int32_t gpu;
    int32_t rank; /* rank in the job */
    struct workload_status status;
    int64_t due_us; /* when the next tick is wanted, INT64_MAX for never */
    int kept[WORKLOAD_KEPT];
};

struct workload_kind {
    const char *name;
    size_t size; /* size of the struct of this kind, which begins with a struct workload */

    /* Makes ready, without touching the GPU: another workload may still be there. */
    void (*prepare)(struct workload *self, int64_t now_us);
    /* The GPU is free for this workload, which trains on from `step`. */
    void (*begin)(struct workload *self, int64_t step, int64_t now_us);
    void (*update)(struct workload *self, const struct msg_update *update, int64_t now_us);
    void (*stop)(struct workload *self, const struct msg_stop *stop, int64_t now_us);
    /* Ends the workload at once, as failed because of `cause`. */
    void (*kill)(struct workload *self, const char *cause, int64_t now_us);
    /* Brings `status` up to date. */
    void (*tick)(struct workload *self, int64_t now_us);
    /* A child of the trainer ended with `status`; NULL if the kind has none. */
    void (*child_ended)(struct workload *self, pid_t pid, int status, int64_t now_us);
    /* The descriptor to read the workload's messages from, -1 if there is none now; NULL if the
     * kind has no messages. */
    int (*descriptor)(const struct workload *self);
    void (*readable)(struct workload *self, int64_t now_us);
    void (*clear)(
        struct workload *self); /* frees the memory that the kind allocated; may be NULL */
};

extern const struct workload_kind workload_emulated;
extern const struct workload_kind workload_command;

/* A workload of `kind` for `prepare`, which is copied, on `gpu`: already told to prepare. */
struct workload *workload_new(const struct workload_kind *kind,
                              const struct executor_setting *setting,
                              const struct msg_prepare *prepare, int32_t gpu, int64_t now_us);
void workload_destroy(struct workload **self);

/* Whether no process of the workload is left. */
bool workload_is_gone(const struct workload *self);

/* Called by kinds: the workload has failed. */
void workload_fail(struct workload *self, bool retry, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The time that the workload has to end where a STOP names no other. */
int64_t workload_grace_ms(const struct workload *self);

/* Seconds between its periodic checkpoints, 0 for none. */
int64_t workload_checkpoint_every_s(const struct workload *self);

/* For kinds: whether this rank is rank 0, which keeps the books of its job. */
bool workload_leads(const struct workload *self);

/* Fills in `part`, a report of the workload at `now_us`. */
void workload_describe(const struct workload *self, struct msg_part *part);

/* The subject of log lines about the workload. */
struct log_subject workload_subject(const struct workload *self);

#endif
