/* lineage.h - the incarnations of one job: those that are not over, and the last number given,
 * which outlives them. */
#ifndef MASTER_LINEAGE_H
#define MASTER_LINEAGE_H

#include "master/incarnation.h"

struct lineage {
    uint64_t job;
    uint32_t last_number;       /* 0 for none */
    struct incarnation *oldest; /* its own, until they are over; `newer` leads on */
    size_t strays;              /* parts of it that this master did not start */
    int64_t checkpoint; /* last one that workers confirmed of what a master before this one started,
                         * -1 for none */

    /* An incarnation that ended with leases, and of which all else was done: its number, 0 for
     * none, and the nodes that have not said that their part was done, too. */
    uint32_t late_number;
    int32_t *late_nodes;
    size_t late_count;
    int64_t late_done_us; /* when the last part of it that is known to be done was */
    UT_hash_handle hh;
};

/* The one of `job` among `all`, which is NULL before there is any; made if there is none. */
struct lineage *lineage_of(struct lineage **all, uint64_t job);

/* A new incarnation with the next number, the newest of `self`. */
struct incarnation *lineage_add(struct lineage *self, const struct job_launch *launch);

/* One that a master before this one started as `number`, which is none of those there are. */
struct incarnation *lineage_adopt(struct lineage *self, const struct job_launch *launch,
                                  uint32_t number);

/* `incarnation` is over: it is the caller's to free from here on. */
void lineage_remove(struct lineage *self, struct incarnation *incarnation);

/* Whether `incarnation`, which is over, may turn out to have been done; then it is remembered. */
void lineage_note_late(struct lineage *self, const struct incarnation *incarnation);

/* The worker of `node` says that its part of incarnation `number` was done, at `done_us`. True if
 * with that all of it was, at late_done_us. */
bool lineage_done_late(struct lineage *self, uint32_t number, int32_t node, int64_t done_us);

void lineage_forget_late(struct lineage *self);

/* The node whose lease has to run out before `incarnation` may begin, if only leases that earlier
 * ones left are in its way; NULL if there is none, or something else. */
const struct worker_node *lineage_awaited_node(const struct incarnation *incarnation);

/* Frees all lineages with their incarnations, and sets `all` to NULL. */
void lineages_destroy(struct lineage **all);

#endif
