/* peer_clock.h - converts times of a peer's clock to this machine's clock.
 *
 * Neither clock is ever set, and both tick at nearly the same rate; how far one is ahead of the
 * other is not known. Each message with a stamp, the peer's time when the message was sent, gives
 * an upper bound, as it came after it was sent. The least bound is kept, and grows by a drift above
 * that of any working clock, so that delayed messages date no event too late. Zeroed: no stamp seen
 * yet. */
#ifndef PROTOCOL_PEER_CLOCK_H
#define PROTOCOL_PEER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct peer_clock {
    bool known;
    int64_t ahead_us;  /* upper bound of this machine's clock less the peer's */
    int64_t looked_us; /* when the bound was last updated */
};

/* A message with the stamp `there_us` came at `here_us`. */
void peer_clock_hear(struct peer_clock *self, int64_t there_us, int64_t here_us);

/* This machine's time, at most `now_us`, when the peer's clock showed `there_us`; `now_us` before
 * the first stamp. */
int64_t peer_clock_here(const struct peer_clock *self, int64_t there_us, int64_t now_us);

#endif
