/* stop.h - asks whether a long computation has to give up. */
#ifndef COMMON_STOP_H
#define COMMON_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Lent to long computations, above all to waits for another program, which call is_asked five times
 * a second. The owner may do urgent work in is_asked, so a copy of the process must not call it. */
struct stop {
    bool (*is_asked)(void *owner); /* NULL: never stops */
    void *owner;
};

/* `self` may be NULL. */
static inline bool stop_is_asked(const struct stop *self)
{
    return self && self->is_asked && self->is_asked(self->owner);
}

#endif
