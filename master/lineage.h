/* lineage.h - the incarnations of one job: those that are not over, and the last number given,
 * which outlives them. */
#ifndef MASTER_LINEAGE_H
#define MASTER_LINEAGE_H

#include "master/incarnation.h"

struct lineage {
    uint64_t job;
    uint32_t last_number;       /* last number given, 0 for none */
    struct incarnation *oldest; /* incarnations that are not over, owned; `newer` links them */
    size_t strays;              /* number of strays of the job */
    int64_t checkpoint; /* step of the last checkpoint that workers confirmed for incarnations of
                           earlier masters, -1 for none */

    /* The last incarnation that ended by expired leases with all its other parts done: its number,
     * 0 for none, and the nodes that have not yet reported their part as done, too. */
    uint32_t late_number;
    int32_t *late_nodes;
    size_t late_count;
    int64_t late_done_us; /* when the last part of that incarnation that is known to be done was
                             done */
    UT_hash_handle hh;
};

/* The lineage of `job` in `all`, which is NULL while empty; created if missing. */
struct lineage *lineage_of(struct lineage **all, uint64_t job);

/* A new incarnation with the next number, the newest of `self`. */
struct incarnation *lineage_add(struct lineage *self, const struct job_launch *launch);

/* Adds the incarnation `number` that an earlier master started; the number is new here. */
struct incarnation *lineage_adopt(struct lineage *self, const struct job_launch *launch,
                                  uint32_t number);

/* `incarnation` is over and removed; the caller frees it. */
void lineage_remove(struct lineage *self, struct incarnation *incarnation);

/* Remembers an ended incarnation whose DONE may still arrive. */
void lineage_note_late(struct lineage *self, const struct incarnation *incarnation);

/* The worker of `node` reports that its part of incarnation `number` was done, at `done_us`. True
 * if all parts are now known to be done, at late_done_us. */
bool lineage_done_late(struct lineage *self, uint32_t number, int32_t node, int64_t done_us);

void lineage_forget_late(struct lineage *self);

/* The node whose lease has to run out before `incarnation` may begin, if nothing but leases of
 * earlier incarnations is in its way; NULL otherwise. */
const struct worker_node *lineage_awaited_node(const struct incarnation *incarnation);

/* Frees all lineages with their incarnations, and sets `all` to NULL. */
void lineages_destroy(struct lineage **all);

#endif
