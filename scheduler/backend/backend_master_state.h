/* backend_master_state.h - the insides of the backend of a real cluster, shared by its files only. */
#ifndef BACKEND_BACKEND_MASTER_STATE_H
#define BACKEND_BACKEND_MASTER_STATE_H

#include "protocol/link.h"
#include "scheduler/backend/backend_master.h"
#include "scheduler/backend/trained_jobs.h"

/* A node as the master has it. */
struct node {
    bool up;
    int gpus;
    int first_rank;
    char cause[256];
    bool went; /* since the scheduler last asked, be it back or not */
    char why_went[256];
};

struct backend_master {
    struct backend calls;
    struct backend_master_setting setting;
    char endpoint[300];
    keys_t *keys;
    zloop_t *loop;
    int beat; /* timer of the heartbeat, -1 for none */
    link_client_t *link;
    trained_jobs_t *jobs;
    bool welcome;
    int64_t expected;
    struct node nodes[NODES_MAX];
    int node_count;
    int per_node;      /* GPUs of a node that the run's cluster has */
    int cluster_nodes; /* so many nodes it has */
    uint64_t round;
    uint64_t settled;
    int64_t lease_ms;
    bool changed;   /* nodes or held jobs, since the scheduler last looked */
    bool broken;    /* the master went away */
    bool sent_anew; /* the plan in force has to be sent to a master that came back */
    char why_broken[300];
    struct writer plan; /* in force */
    bool has_plan;
    double started_s; /* real time at which the run's clock stood at `from_s` */
    int64_t from_s;
    bool clock_runs;
    char cause[300]; /* lent with an observation */
    uint64_t distrusted;
};

/* ---- master_session.c: what comes from the master ---- */

int session_open(backend_master_t *self, struct error *error);

/* Handles what has come, until something came that may be waited for, or for `ms`. */
void session_turn(backend_master_t *self, size_t ms);

/* Handles messages until `ready`. -1, with `error`, if somebody asks to stop or the master refuses first. */
int session_wait(backend_master_t *self, bool (*ready)(const backend_master_t *self),
                 struct error *error);

/* How many nodes are there, as far as the master has said. */
int session_nodes_up(const backend_master_t *self);

/* Whether somebody asked to stop. */
bool session_stop_asked(const backend_master_t *self);

/* ---- master_orders.c: what goes to it ---- */

/* Makes the plan of `orders`, which stays until the next, and sends it. */
void orders_send(backend_master_t *self, const struct orders *orders);

/* Sends it to a master that began a new session since. */
void orders_resend(backend_master_t *self);

/* ---- master_observation.c: what became of a job ---- */

struct observed observation_of(backend_master_t *self, uint64_t job, double iterations, bool done,
                               int64_t step);

/* What is left of a job that is due. In real time its trainers are given a moment to end. */
int64_t observation_left(backend_master_t *self, const struct job *job);

#endif
