/* stop.h - whether what takes long is to give up. */
#ifndef COMMON_STOP_H
#define COMMON_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Lent to what takes long, above all to waits for another program, which ask five times a second.
 * The owner may do meanwhile what cannot wait, so a copy of the process must not ask. */
struct stop {
    bool (*is_asked)(void *owner); /* NULL: it never is */
    void *owner;
};

/* `self` may be NULL. */
static inline bool stop_is_asked(const struct stop *self)
{
    return self && self->is_asked && self->is_asked(self->owner);
}

#endif
