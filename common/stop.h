/* stop.h - whether what takes long is to give up. */
#ifndef COMMON_STOP_H
#define COMMON_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Lent to those that wait for another program: they ask five times a second at least, and the owner
 * does meanwhile what cannot wait. */
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
