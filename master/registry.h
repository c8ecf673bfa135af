/* registry.h - the nodes of the testbed: one for each worker that said hello, numbered in the order
 * they came. A worker that comes back under its name is the same node again, whatever GPUs it has
 * by then; one that a master before this one numbered keeps number and ranks.
 *
 * A node that is gone stays known, as its worker may come back. Of more than REGISTRY_GONE_MAX
 * those that went first are forgotten, and others get their numbers and ranks: nodes may come and
 * go without end under names that are never used again. */
#ifndef MASTER_REGISTRY_H
#define MASTER_REGISTRY_H

#include "common/error.h"
#include "protocol/master_worker.h"
#include "protocol/peer_clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_CAUSE_MAX    256
#define REGISTRY_GONE_MAX 64

enum worker_state {
    WORKER_UP,        /* its worker is in session, and its GPUs may be planned */
    WORKER_RETURNING, /* its worker is back; not all that it held before is confirmed gone */
    WORKER_BROKEN,    /* its connection closed a moment ago; it may be back at once */
    WORKER_DOWN,
};

struct remote_part;
struct stray;

#define GPU_CAUSE_MAX 96

/* How parts fared that had a GPU. */
struct gpu_health {
    int failures;   /* in a row */
    int named;      /* ... and of how many of them this GPU is the one that failed first */
    uint64_t job;   /* that failed last */
    bool confirmed; /* others failed, too, or the job trained elsewhere since */
    bool left_out;  /* nothing is started on this GPU: too much failed */
    char cause[GPU_CAUSE_MAX]; /* of the last failure */
};

struct worker_node {
    int32_t number; /* from 0 */
    int32_t first_rank;
    int32_t gpus;        /* that may be planned, and have the ranks from first_rank on */
    int32_t found;       /* that its worker found, gone ones included */
    int32_t room;        /* ranks that it has, at least `gpus` */
    struct msg_gpu *gpu; /* `found` of them; */
    void *uuids;         /* their texts */
    int32_t *by_place;   /* the GPU of each rank, from first_rank on: `gpus` of them */
    int32_t *place;      /* the inverse: of each GPU, -1 where it may not be planned */
    bool made_up;        /* its worker looked for GPUs and found none */
    bool claimed;        /* number and ranks are what a master before this one gave it */
    bool moved; /* a node that claimed its place has it: for the caller to tell and clear */
    struct gpu_health *health; /* of each GPU */
    bool excluded;             /* nothing is started here: too much failed */
    int32_t excluded_for;      /* the GPU whose failures were the last straw */
    char *name;
    char *user;    /* whose programs it runs, as its last hello says */
    char *only;    /* why those of no other user, "" if it does */
    char *type;    /* of its GPUs, "" if that is not known */
    char *address; /* where ranks of other nodes reach it */
    int32_t port;  /* first of those for rendezvous */
    enum worker_state state;
    char cause[NODE_CAUSE_MAX];   /* why it is down, or "" */
    char differs[NODE_CAUSE_MAX]; /* how its GPUs differ from those that it had before, or "" */

    /* Until then its worker may keep what it holds, whatever becomes of it. */
    int64_t lease_end_us;
    int64_t broken_us;       /* when the connection closed */
    int64_t stamp_us;        /* of its last hello or heartbeat, on its own clock */
    struct peer_clock clock; /* which that is */
    uint32_t lock;           /* as in its last hello */
    uint64_t beats;          /* heartbeats that came from it, and hellos */
    uint32_t launches;       /* incarnations whose rank 0 was here */

    /* Of the dispatch. */
    struct remote_part *parts; /* on this node that are not over */
    bool has_held;             /* a part of a job was there, wanted or not */
    int32_t named;             /* incarnations that are not freed and jobs whose last failure was
                                  here: the node is not forgotten before them */
    uint64_t went;             /* when it went last, in the order in which nodes did */
    struct stray *strays;
    size_t stray_count;
    size_t strays_left; /* that are not over */
    size_t stray_capacity;
    bool restarts; /* its trainers are to restart as soon as nothing runs there */
};

typedef struct registry registry_t;

registry_t *registry_new(void);
void registry_destroy(registry_t **self);

/* The node of the worker `name` that says `hello`, made if the name is new; its state is left to
 * the caller. A node that has a place by chance makes way for one that had it before, until the
 * registry is closed. NULL, with `error`, if a worker of that name is there already, or the hello
 * makes no sense. */
struct worker_node *registry_admit(registry_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error);

/* Gives a node that holds nothing the ranks for all GPUs that were found. Whether it has others
 * now. */
bool registry_make_room(registry_t *self, struct worker_node *node);

/* The node is gone from now on. */
void registry_note_gone(registry_t *self, struct worker_node *node);

/* Frees nodes that are gone and that nothing names, where more are gone than are to be known. To be
 * called when no news of nodes is to come. */
void registry_forget_gone(registry_t *self);

/* From here on no node makes way for another. */
void registry_close(registry_t *self);

/* By rising number. Numbers of nodes that have not come back yet are left out. */
size_t registry_count(const registry_t *self);
struct worker_node *registry_at(const registry_t *self, size_t place);
bool registry_has_gaps(const registry_t *self);

/* A number above the ranks of all nodes, up or not. */
int32_t registry_gpus(const registry_t *self);

/* The node that the rank belongs to; NULL if there is none. */
struct worker_node *registry_find(const registry_t *self, int32_t rank);

/* Whether its worker can be spoken to. */
bool node_in_session(const struct worker_node *self);

/* The port for the next rendezvous on this node: they are used in turns, so that one that still
 * closes is not taken. */
int32_t node_next_port(struct worker_node *self);

/* A rendezvous uses `port`: the next ones come after it. */
void node_keep_port(struct worker_node *self, int32_t port);

#endif
