/* link_knocks.h - connections that a server took and that said nothing yet. For the files of the
 * link only. */
#ifndef PROTOCOL_LINK_KNOCKS_H
#define PROTOCOL_LINK_KNOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_knock {
    int descriptor;
    int64_t peer; /* its user or address */
    int64_t since_ms;
    bool is_late; /* it was so at the last look, too */
};

struct link_knocks {
    struct link_knock *items; /* in the order in which they came */
    size_t count;
    size_t capacity;
    size_t count_max;
};

/* At most a third of the connections that this process has room for. */
void link_knocks_open(struct link_knocks *self);
void link_knocks_close(struct link_knocks *self);

/* A connection came. If they are too many, hangs up on the oldest of the same peer, or of all
 * where that peer has no other: true then. */
bool link_knocks_add(struct link_knocks *self, int descriptor);

/* The connection of `descriptor` said something, or is gone. Nothing happens if none is known. */
void link_knocks_remove(struct link_knocks *self, int descriptor);

/* Hangs up on those that said nothing for so long; returns how many. To be called after all
 * messages that came before the last call had their turn: one that waits to be read is no
 * silence. */
size_t link_knocks_sweep(struct link_knocks *self, int64_t silence_max_ms);

/* Ends the connection; its owner, libzmq, sees it and closes the descriptor. */
void link_hang_up(int descriptor);

#endif
