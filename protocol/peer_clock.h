/* peer_clock.h - when something happened here that a peer dates by a clock of its own.
 *
 * Neither clock is ever set, and both tick at nearly the same rate; how far one is ahead of the
 * other is not known. Each message with a stamp, the peer's time when the message was sent, shows
 * an upper bound: the message came after that. The least bound is kept, and grows by a drift that
 * no working clock has, so that messages that waited on their way, or for a process that was
 * stopped, date nothing too late. Zeroed it knows nothing. */
#ifndef PROTOCOL_PEER_CLOCK_H
#define PROTOCOL_PEER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct peer_clock {
    bool known;
    int64_t ahead_us;  /* this machine's clock to the peer's, at most */
    int64_t looked_us; /* when that was so */
};

/* A message with the stamp `there_us` came at `here_us`. */
void peer_clock_hear(struct peer_clock *self, int64_t there_us, int64_t here_us);

/* The time here, at most `now_us`, when the peer's clock stood at `there_us`; `now_us` as long as
 * nothing is known. */
int64_t peer_clock_here(const struct peer_clock *self, int64_t there_us, int64_t now_us);

#endif
