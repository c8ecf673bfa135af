/* capacity.h - a look at the free GPUs of lease slots. */
#ifndef SUPPORT_CAPACITY_H
#define SUPPORT_CAPACITY_H

#include "scheduler/reference/slot_capacity.h"

#include <stdint.h>

/* Free GPUs in `slot`. */
int64_t capacity_at(const struct slot_capacity *capacity, int64_t slot);

#endif
