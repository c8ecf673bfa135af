/* link_knocks.h - accepted connections that have not sent anything yet. For the files of the link
 * only. */
#ifndef PROTOCOL_LINK_KNOCKS_H
#define PROTOCOL_LINK_KNOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_knock {
    int descriptor;
    int64_t peer; /* user or address of the peer */
    int64_t since_ms;
    bool is_late; /* was silent at the last sweep, too */
};

struct link_knocks {
    struct link_knock *items; /* in the order of their connecting */
    size_t count;
    size_t capacity;
    size_t count_max;
};

/* Room for a third of the connections that this process may have. */
void link_knocks_open(struct link_knocks *self);
void link_knocks_close(struct link_knocks *self);

/* Adds a new connection. If there are too many, hangs up on the oldest of the same peer, or on the
 * oldest of all if the peer has no other, and returns true. */
bool link_knocks_add(struct link_knocks *self, int descriptor);

/* The connection of `descriptor` sent something, or is gone. Does nothing if the descriptor is
 * unknown. */
void link_knocks_remove(struct link_knocks *self, int descriptor);

/* Hangs up on connections silent for `silence_max_ms`; returns how many. To be called after all
 * messages that came before the last call were read: a peer with an unread message is not
 * silent. */
size_t link_knocks_sweep(struct link_knocks *self, int64_t silence_max_ms);

/* Shuts the connection down; libzmq, which owns the descriptor, closes it. */
void link_hang_up(int descriptor);

#endif
