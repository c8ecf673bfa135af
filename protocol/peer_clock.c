/* peer_clock.c - see peer_clock.h. */
#include "protocol/peer_clock.h"

/* Clocks of machines drift apart by less than a tenth of that. */
#define DRIFT_PER_US 1000

/* A peer may send any number: no clock stands beyond this, some 36,000 years. */
#define TIME_MAX_US (INT64_C(1) << 60)

static bool is_time(int64_t us)
{
    return us > -TIME_MAX_US && us < TIME_MAX_US;
}

void peer_clock_hear(struct peer_clock *self, int64_t there_us, int64_t here_us)
{
    int64_t least_us;

    if (!is_time(there_us))
        return;
    least_us = here_us - there_us;
    if (self->known) {
        const int64_t kept_us = self->ahead_us + (here_us - self->looked_us) / DRIFT_PER_US;

        least_us = kept_us < least_us ? kept_us : least_us;
    }
    *self = (struct peer_clock){true, least_us, here_us};
}

int64_t peer_clock_here(const struct peer_clock *self, int64_t there_us, int64_t now_us)
{
    int64_t here_us;

    if (!self->known || !is_time(there_us))
        return now_us;
    here_us = there_us + self->ahead_us;
    return here_us < now_us ? here_us : now_us;
}
