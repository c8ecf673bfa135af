/* awaited.h - jobs that other jobs wait for, each with the numbers of the waiting jobs. */
#ifndef ENGINE_AWAITED_H
#define ENGINE_AWAITED_H

#include "common/list.h"

#include <stddef.h>
#include <stdint.h>

typedef LIST(uint64_t) numbers_t;

struct awaited_job;

/* All zeros: empty. */
struct awaited {
    struct awaited_job *by_number;
};

void awaited_close(struct awaited *self);

/* The job `child` waits for the end of `parent`. */
void awaited_add(struct awaited *self, uint64_t parent, uint64_t child);

/* The jobs that were added for `parent`, lent, in the order of adding; NULL for none. A job stays
 * listed until its parent is dropped, even after its own end. */
const numbers_t *awaited_children(const struct awaited *self, uint64_t parent);

/* `parent` has ended. */
void awaited_drop(struct awaited *self, uint64_t parent);

#endif
