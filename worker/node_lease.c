/* node_lease.c - see node_lease.h. */
#include "worker/node_lease.h"

#include "protocol/timing.h"

struct node_lease node_lease_none(void)
{
    return (struct node_lease){.overdue_us = INT64_MAX};
}

void node_lease_renew(struct node_lease *self, int64_t stamp_us)
{
    const int64_t until_us = stamp_us + self->length_us;

    if (until_us > self->until_us)
        self->until_us = until_us;
}

enum node_lease_call node_lease_look(struct node_lease *self, bool has_parts, int64_t now_us)
{
    const bool over = now_us >= self->until_us;

    if (self->overdue_us == INT64_MAX) {
        if (!over || !has_parts)
            return LEASE_CALLS_NOTHING;
        self->overdue_us = now_us + LEASE_CONFIRM_MS * INT64_C(1000);
        return LEASE_CALLS_IN;
    }
    if (now_us < self->overdue_us)
        return LEASE_CALLS_NOTHING;
    self->overdue_us = INT64_MAX;
    return over ? LEASE_KILLS : LEASE_CALLS_NOTHING; /* renewed meanwhile unless `over` */
}

int64_t node_lease_due_us(const struct node_lease *self, bool has_parts)
{
    if (self->overdue_us < INT64_MAX)
        return self->overdue_us;
    return has_parts ? self->until_us : INT64_MAX;
}
