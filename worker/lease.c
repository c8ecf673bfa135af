/* lease.c - see lease.h. */
#include "worker/lease.h"

#include "protocol/timing.h"

struct lease lease_none(void)
{
    return (struct lease){.overdue_us = INT64_MAX};
}

void lease_renew(struct lease *self, int64_t stamp_us)
{
    const int64_t until_us = stamp_us + self->length_us;

    if (until_us > self->until_us)
        self->until_us = until_us;
}

enum lease_call lease_look(struct lease *self, bool held, int64_t now_us)
{
    const bool over = now_us >= self->until_us;

    if (self->overdue_us == INT64_MAX) {
        if (!over || !held)
            return LEASE_CALLS_NOTHING;
        self->overdue_us = now_us + LEASE_CONFIRM_MS * INT64_C(1000);
        return LEASE_CALLS_IN;
    }
    if (now_us < self->overdue_us)
        return LEASE_CALLS_NOTHING;
    self->overdue_us = INT64_MAX;
    return over ? LEASE_KILLS : LEASE_CALLS_NOTHING; /* it may have been renewed meanwhile */
}

int64_t lease_due_us(const struct lease *self, bool held)
{
    if (self->overdue_us < INT64_MAX)
        return self->overdue_us;
    return held ? self->until_us : INT64_MAX;
}
