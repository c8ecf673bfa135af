/* part_list.h - the parts of a node, in the order in which they came: those that live, and those
 * that ended until the master is known to have heard of it. */
#ifndef WORKER_PART_LIST_H
#define WORKER_PART_LIST_H

#include "worker/part.h"

typedef struct part_list part_list_t;

part_list_t *part_list_new(void);
void part_list_destroy(part_list_t **self); /* with all parts */

/* Takes `part`. If too many ended parts are not yet acknowledged by the master, the oldest of these
 * is destroyed. */
void part_list_append(part_list_t *self, struct part *part);

/* The part of `job` and `incarnation`, NULL if there is none. Lent until the next call that removes
 * parts. */
struct part *part_list_find(const part_list_t *self, uint64_t job, uint32_t incarnation);

size_t part_list_count(const part_list_t *self);
struct part *part_list_at(const part_list_t *self, size_t place);

/* Describes all parts for a heartbeat or hello sent at `stamp_us`. The array is the caller's
 * to free; its texts are lent by the parts. Returns their number. */
size_t part_list_describe(part_list_t *self, int64_t stamp_us, struct msg_part **found);

/* The RUNs of all parts, in an array that the caller frees; `step` is that of BEGIN once that
 * came. */
size_t part_list_runs(const part_list_t *self, struct msg_run **found);

/* The master answered the heartbeat or hello sent at `stamp_us`: ended parts that it listed are
 * removed. */
void part_list_acknowledged(part_list_t *self, int64_t stamp_us);

size_t part_list_live(const part_list_t *self);          /* number of parts that have not ended */
bool part_list_on(const part_list_t *self, int32_t gpu); /* whether a part has a live rank there */
bool part_list_sent(
    const part_list_t *self,
    int32_t gpu); /* whether a part has a live rank there that its trainer was told of */

#endif
