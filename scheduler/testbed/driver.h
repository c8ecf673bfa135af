/* driver.h - the insides of the driver of a real cluster, shared by its files only, in the order in
 * which they know each other: session.c hears the master, orders.c sends it plans, keeping.c keeps
 * what is known in a journal, observation.c says what trainers did, news.c makes that occurrences,
 * decision_log.c logs decisions, driver.c goes from step to step. */
#ifndef TESTBED_DRIVER_H
#define TESTBED_DRIVER_H

#include "protocol/link.h"
#include "protocol/peer_clock.h"
#include "protocol/scheduler_master.h"
#include "scheduler/journal/journal.h"
#include "scheduler/run/correction.h"
#include "scheduler/run/run.h"
#include "scheduler/testbed/run_clock.h"
#include "scheduler/testbed/trained_jobs.h"

#define NODE_NAME_MAX 256

struct testbed_node;

struct testbed_setting {
    const char *master; /* ADDRESS:PORT */
    const char *keys;   /* folder, NULL for a master on this machine */
    const char *name;   /* of the scheduler */
    bool fast_forward;
    double time_scale; /* seconds of the run to a second of real time; fast-forwarded of the
                          emulated starts, 0: no waiting */
    int64_t heartbeat_ms;
    bool (*stop_asked)(void); /* looked at while waiting */
    journal_t *journal;       /* lent; NULL for a run that does not outlive its process */

    /* Whether a job of which the master holds parts is one of this driver's. Where this is asked,
     * no order leaves before the master said what it holds, nor after it held a job that is not
     * known. NULL: the parts of others are stopped. */
    bool (*knows)(void *owner, uint64_t job);

    /* Sets `program` to the program that `job` executes, good by program_check and lent until the
     * next call; to NULL where the job executes the worker's own program or is emulated. -1, with
     * `error`, if that is not to be known: the driver is of no use then. NULL if no job has one. */
    int (*program_of)(void *owner, uint64_t job, const struct msg_program **program,
                      struct error *error);
    void *program_owner;

    /* Whether a node that is there may be used; otherwise `why` has a sentence's end. NULL: each
     * may. */
    bool (*may_use)(void *owner, const struct testbed_node *node, char *why, size_t size);
    void *use_owner;

    /* Told what becomes of jobs before it is taken in; that trainers failed and are started again
     * once only. NULL if that is of no interest. */
    void (*heard)(void *owner, const struct msg_job_report *report);
    void *heard_owner;
};

/* A node as the master has it, and as the engine was told. */
struct testbed_node {
    char name[NODE_NAME_MAX];
    bool up;
    int gpus;
    int first_rank;
    char cause[256];
    char user[NODE_NAME_MAX]; /* whose programs its worker runs, "" if that is not known */
    char only[NODE_NAME_MAX]; /* why those of no other user, "" if it does */
    bool went;                /* since the engine was told, be it back or not */
    char why_went[256];
    bool told_gone;
    int told_gpus; /* of those that the run's cluster has */
};

struct occurrences {
    struct occurrence *items;
    size_t count;
    size_t room;
    arena_t *texts;
};

typedef struct testbed_driver {
    struct testbed_setting setting;
    char endpoint[300];
    keys_t *keys;
    zloop_t *loop;
    int beat;      /* timer of the heartbeat, -1 for none */
    double beat_s; /* when the last was sent, by clock_s */
    int wakes_in;  /* passes of the loop after which the turn ends, 0 if nothing woke it */
    link_client_t *link;
    trained_jobs_t *jobs;

    /* ---- the master ---- */
    bool welcome;
    double welcome_s;              /* when it was, by clock_s */
    bool heard_held;               /* it said what it holds, with its first heartbeat */
    bool heard_beat;               /* it said where trainers are, with a later one */
    struct peer_clock clock_there; /* of its stamps, in this session */
    uint64_t unknown;              /* a job that it holds and that is none of ours, 0 for none */
    int64_t expected;              /* nodes, before anything is planned */
    struct testbed_node nodes[NODES_MAX];
    int node_count;
    int per_node;      /* GPUs of a node that the run's cluster has at most */
    int cluster_nodes; /* so many nodes it has */
    double lease_s;
    bool was_of_use; /* then its end is waited for: the process may sleep, or be started anew */
    bool refuses;    /* since it was last there */
    bool broken;     /* it is of no use, and never will be */
    double told_s;   /* when that it is away was last logged, by clock_s */
    char why_broken[300];
    struct error unread; /* why the program of a job is not to be known, or "" */

    /* ---- the plan in force ---- */
    struct writer plan;
    bool has_plan;
    bool sent_anew; /* it has to be sent to a master that came back */
    bool held_back; /* until the journal has it */
    uint64_t round;
    uint64_t settled;

    /* ---- the journal ---- */
    bool resumed;   /* the journal had steps */
    bool over;      /* nothing is left to do */
    bool kept_plan; /* the journal has the plan in force */
    struct text text;

    /* ---- what the engine is to be told ---- */
    bool changed; /* nodes, or jobs that failed or ended */
    bool paid;    /* perhaps what a start cost */
    struct occurrences news;

    /* ---- time ---- */
    struct run_clock clock;
    int64_t looked_at_s; /* of the run's clock: when slow trainers were last looked for */
    double due_since_s;  /* real time since which a round is due that waits for ends, 0 for none */
    bool told_idle;
    uint64_t distrusted;
    char cause[300]; /* lent with an observation */
} testbed_driver_t;

/* NULL, with `error`, if the address or the name is none or the keys are missing. Nothing is sent
 * before testbed_open. */
testbed_driver_t *testbed_driver_new(const struct testbed_setting *setting, struct error *error);
void testbed_driver_destroy(testbed_driver_t **self);

/* The calls of struct driver. Before testbed_open: the cluster, and what was kept of a driver
 * before. */
int testbed_prepare(testbed_driver_t *self, const struct cluster_spec *spec, struct error *error);
int testbed_open(void *owner, const struct cluster_spec *spec, struct error *error);
int testbed_drive(void *owner, run_t *run, struct error *error);
void testbed_attend(void *owner);
void testbed_close(void *owner, const char *why);

/* ---- session.c: what comes from the master ---- */

int session_open(testbed_driver_t *self, struct error *error);

/* Handles what has come, until something came that may be waited for, or for `ms`; and sends the
 * plan in force to a master that does not know it. */
void session_turn(testbed_driver_t *self, size_t ms);

/* Something came: the turn ends once what else came is heard. */
void session_wake(testbed_driver_t *self);

/* Sends the heartbeat if it is due: for steps that wait for another program. */
void session_beat(testbed_driver_t *self);

/* Handles messages until `ready`. -1, with `error`, if a signal asks to stop or the master refuses
 * first. */
int session_wait(testbed_driver_t *self, bool (*ready)(const testbed_driver_t *self),
                 struct error *error);

/* -1, with `error`, if the master is of no use. */
int session_check(const testbed_driver_t *self, struct error *error);

/* How many nodes are there, as far as the master has said. */
int session_nodes_up(const testbed_driver_t *self);

bool session_stop_asked(const testbed_driver_t *self);

/* ---- orders.c: what goes to it ---- */

/* Makes the plan that `decision` is, which stays until the next. -1, with `error`, if no real
 * cluster can do it. */
int orders_make(testbed_driver_t *self, const engine_t *engine, const struct decision *decision,
                struct error *error);

/* Sends it, also to a master that began a new session since, after the programs of its jobs that
 * were not named to it yet; but none that is held back. */
void orders_send(testbed_driver_t *self);

/* ---- decision_log.c ---- */

/* Jobs that were decided or are over, what disturbed, and the plan. */
void decision_log(const engine_t *engine, const struct decision *decision);

/* ---- keeping.c: the journal ---- */

/* Commits the step that was decided, with all that is known beside the engine. -1, with `error`, if
 * it is not kept: it is part of the next try. */
int keeping_try(testbed_driver_t *self, struct error *error);

/* Puts back what a scheduler before kept, if there was one. -1 with `error`. */
int keeping_open(testbed_driver_t *self, struct error *error);

/* Commits the step that was decided, with all that is known beside the engine; waits for as long as
 * the disk is full. -1, with `error`, if it fails or a signal asks to stop. */
int keeping_commit(testbed_driver_t *self, struct error *error);

/* Tells the engine all steps that the journal has; `decision` is the last one. -1 with `error`. */
int keeping_replay(testbed_driver_t *self, run_t *run, struct decision *decision,
                   struct error *error);

/* Notes that nothing is left to do. -1 with `error`. */
int keeping_end(testbed_driver_t *self, struct error *error);

/* ---- observation.c: what became of a job ---- */

/* Of `job`, which is expected to have done `iterations` since it stood at `step`. `due`: it is
 * expected to be done by now. The cause is lent until the next call. */
struct observed observe(testbed_driver_t *self, struct trained_job *job, const struct books *books,
                        double iterations, int64_t step, bool due);

/* Whether the engine is to hear of `job`, of which the same is expected: the job is far enough
 * behind for that to be told from late messages, and trains at another pace than the engine was
 * last told, by more than a tenth, or at any while its speed is not `known`. */
bool observe_slows(const testbed_driver_t *self, const struct trained_job *job,
                   const struct books *books, double iterations, int64_t step, bool known);

/* How late what is heard of trainers may be, in seconds of the run. */
double observe_tolerance_s(const testbed_driver_t *self);

/* Whether the end of `job`, which is due, is about to come. */
bool observe_end_comes(const testbed_driver_t *self, const struct trained_job *job,
                       const struct submission *submission);

/* ---- news.c: what the engine is told ---- */

void news_clear(testbed_driver_t *self);

/* Nodes that went or came since the engine was told; at first also those that were never there. */
void news_of_nodes(testbed_driver_t *self);

/* Starts that cost other than expected. */
void news_of_starts(testbed_driver_t *self, const engine_t *engine, int64_t now_s);

/* The progress of jobs up to `now_s`, and the jobs that failed. -1 with `error`. */
int news_of_jobs(testbed_driver_t *self, engine_t *engine, int64_t now_s, struct error *error);

/* Whether a job has become so slow since the decision at `decided_s` that it is to be planned anew,
 * though nothing else happens. It is looked for once a slot. Never if time is fast-forwarded. */
bool news_of_slowness(testbed_driver_t *self, engine_t *engine, int64_t decided_s, int64_t slot_s);

/* Whether a job that holds GPUs has ended, and the engine was not told of the end yet.
 * Never if time is fast-forwarded. */
bool news_has_end(const testbed_driver_t *self, const engine_t *engine);

/* Whether a job due to end at `now_s` is about to end. */
bool news_is_near(const testbed_driver_t *self, const engine_t *engine, int64_t now_s);

/* GPUs of the node at `position` that are there, of those that the run's cluster has. */
int node_gpus(const testbed_driver_t *self, int position);

#endif
