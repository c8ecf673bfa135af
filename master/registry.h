/* registry.h - the nodes of the testbed: one for each worker that said hello, numbered in the order
 * they came. A worker that comes back under its name is the same node, even with other GPUs; a node
 * that an earlier master numbered keeps number and ranks.
 *
 * A node that is gone stays known, as its worker may come back. Beyond REGISTRY_GONE_MAX such nodes
 * the longest gone are forgotten, and new nodes get their numbers and ranks: nodes with ever new
 * names may come and go without end. */
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
    WORKER_RETURNING, /* the worker is back, but a part that it held before is not yet confirmed
                         gone */
    WORKER_BROKEN,    /* the connection closed a moment ago; the worker may reconnect at once */
    WORKER_DOWN,
};

struct remote_part;
struct stray;

#define GPU_CAUSE_MAX 96

/* Failures of parts that used a GPU. */
struct gpu_health {
    int failures;              /* failed parts in a row */
    int named;                 /* number of these in which this GPU failed first */
    uint64_t job;              /* job of the last failed part */
    bool confirmed;            /* other jobs failed here, too, or the job trained elsewhere since */
    bool left_out;             /* excluded: too many failures */
    char cause[GPU_CAUSE_MAX]; /* cause of the last failure */
};

struct worker_node {
    int32_t number; /* number of the node, from 0 */
    int32_t first_rank;
    int32_t gpus;        /* number of GPUs that may be planned, with ranks from first_rank on */
    int32_t found;       /* number of GPUs that its worker found, including those gone since */
    int32_t room;        /* number of ranks reserved for the node, at least `gpus` */
    struct msg_gpu *gpu; /* array of `found` GPUs: */
    void *uuids;         /* memory of their texts */
    int32_t *by_place;   /* the GPU of each rank from first_rank on; `gpus` entries */
    int32_t *place;      /* the inverse: the place of each GPU, -1 where it may not be planned */
    bool made_up;        /* the worker found no GPUs and made them up */
    bool claimed;        /* number and ranks were given by an earlier master */
    bool moved; /* another node with a claim took its place: the caller reports this and clears the
                   flag */
    struct gpu_health *health; /* one for each GPU */
    bool excluded;             /* nothing is started on this node: too many failures */
    int32_t excluded_for;      /* the GPU whose failure excluded the node */
    char *name;
    char *user;    /* user of the worker, whose programs it runs, as of the last hello */
    char *only;    /* why the worker runs programs of no other user, "" if it does */
    char *type;    /* type of the GPUs, "" if unknown */
    char *address; /* where ranks on other nodes reach this node */
    int32_t port;  /* first of the ports for rendezvous */
    enum worker_state state;
    char cause[NODE_CAUSE_MAX];   /* why the node is down, or "" */
    char differs[NODE_CAUSE_MAX]; /* how its GPUs differ from its earlier ones, or "" */

    /* Until then its worker may keep parts running, whether or not they were stopped. */
    int64_t lease_end_us;
    int64_t broken_us;       /* when the connection closed */
    int64_t stamp_us;        /* stamp of the last hello or heartbeat, on the worker's own clock */
    struct peer_clock clock; /* relation of the worker's clock to this master's */
    uint32_t lock;           /* number of the lock in the last hello */
    uint64_t beats;          /* number of hellos and heartbeats from the worker */
    uint32_t launches;       /* number of incarnations whose rank 0 was here */

    /* Fields of the dispatch. */
    struct remote_part *parts; /* parts on this node that are not over */
    bool has_held;             /* any part was ever here, wanted or not */
    int32_t named; /* number of incarnations not yet freed, and of jobs whose last failure was here:
                      the node is not forgotten before that is 0 */
    uint64_t went; /* rank of its last departure among all departures */
    struct stray *strays;
    size_t stray_count;
    size_t strays_left; /* number of strays that are not over */
    size_t stray_capacity;
    bool restarts; /* its trainers must restart as soon as nothing runs there */
};

typedef struct registry registry_t;

registry_t *registry_new(void);
void registry_destroy(registry_t **self);

/* The node of the worker `name` that says `hello`, created if the name is new; the caller sets its
 * state. Until the registry is closed, a new node gives up its number and ranks to a returning node
 * that an earlier master gave them. NULL, with `error`, if a worker of that name is in session, or
 * the hello is invalid. */
struct worker_node *registry_admit(registry_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error);

/* Gives a node that holds nothing ranks for all its GPUs. Returns whether its ranks changed. */
bool registry_make_room(registry_t *self, struct worker_node *node);

/* The node is gone from now on. */
void registry_note_gone(registry_t *self, struct worker_node *node);

/* Frees the longest gone nodes beyond REGISTRY_GONE_MAX that nothing refers to. To be called when
 * no news of nodes is pending. */
void registry_forget_gone(registry_t *self);

/* From here on no node gives up its number to another. */
void registry_close(registry_t *self);

/* registry_count: the number of known nodes. registry_at: the node at `place` by rising number.
 * Numbers of nodes that have not come back yet are left out. */
size_t registry_count(const registry_t *self);
struct worker_node *registry_at(const registry_t *self, size_t place);
bool registry_has_gaps(const registry_t *self);

/* A number above the ranks of all nodes, up or not. */
int32_t registry_gpus(const registry_t *self);

/* The node that has the rank; NULL if there is none. */
struct worker_node *registry_find(const registry_t *self, int32_t rank);

/* Whether the worker of the node is in session. */
bool node_in_session(const struct worker_node *self);

/* The port for the next rendezvous on this node. Ports are used in turn, so that a port that is
 * still closing is not reused. */
int32_t node_next_port(struct worker_node *self);

/* Notes that a rendezvous uses `port`: the next ports come after it. */
void node_keep_port(struct worker_node *self, int32_t port);

#endif
