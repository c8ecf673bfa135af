/* link_knocks.c - see link_knocks.h.
 *
 * libzmq bounds the time of a handshake, but not the silence after it. A ROUTER cannot end a
 * connection, but its socket can be shut down. If that connection closed at the same moment, a new
 * one with its descriptor may be cut instead: its client connects again. */
#include "protocol/link_knocks.h"

#include "common/memory.h"
#include "protocol/accept.h"
#include "protocol/peer_user.h"

#include <czmq.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define COUNT_MAX_LEAST 16

void link_knocks_open(struct link_knocks *self)
{
    const size_t third = accept_room() / 3;

    *self = (struct link_knocks){.count_max = third > COUNT_MAX_LEAST ? third : COUNT_MAX_LEAST};
}

void link_knocks_close(struct link_knocks *self)
{
    free(self->items);
    self->items = NULL;
}

static void remove_at(struct link_knocks *self, size_t index)
{
    self->count--;
    memmove(self->items + index, self->items + index + 1,
            (self->count - index) * sizeof(*self->items));
}

/* The user at the other end, or a negative number that stands for the address of another machine.
 */
static int64_t peer_of(int descriptor)
{
    const int64_t user = peer_user_of(descriptor);
    struct sockaddr_in address = {0};
    socklen_t size = sizeof(address);

    if (user >= 0 || getpeername(descriptor, (struct sockaddr *)&address, &size) < 0)
        return user;
    return -2 - (int64_t)address.sin_addr.s_addr;
}

/* Makes room for a connection. A peer that has some gives up its oldest one. For a peer without
 * any, the connection that was silent for longest is closed. */
static void make_room(struct link_knocks *self, int64_t peer)
{
    size_t oldest = 0;

    while (oldest < self->count && self->items[oldest].peer != peer)
        oldest++;
    if (oldest == self->count)
        oldest = 0;
    link_hang_up(self->items[oldest].descriptor);
    remove_at(self, oldest);
}

bool link_knocks_add(struct link_knocks *self, int descriptor)
{
    const bool is_full = self->count >= self->count_max;
    const int64_t peer = peer_of(descriptor);

    if (is_full)
        make_room(self, peer);
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] =
        (struct link_knock){.descriptor = descriptor, .peer = peer, .since_ms = zclock_mono()};
    return is_full;
}

void link_knocks_remove(struct link_knocks *self, int descriptor)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->items[i].descriptor == descriptor) {
            remove_at(self, i);
            return;
        }
    }
}

size_t link_knocks_sweep(struct link_knocks *self, int64_t silence_max_ms)
{
    const int64_t now_ms = zclock_mono();
    size_t kept = 0;
    size_t ended;

    for (size_t i = 0; i < self->count; i++) {
        struct link_knock knock = self->items[i];
        const bool is_late = now_ms - knock.since_ms > silence_max_ms;

        if (is_late && knock.is_late) {
            link_hang_up(knock.descriptor);
            continue;
        }
        knock.is_late = is_late;
        self->items[kept++] = knock;
    }
    ended = self->count - kept;
    self->count = kept;
    return ended;
}

void link_hang_up(int descriptor)
{
    if (descriptor >= 0)
        (void)shutdown(descriptor, SHUT_RDWR);
}
