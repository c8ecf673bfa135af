/* turn.h - what frames each turn of the worker's loop, whoever is called in it. */
#ifndef WORKER_TURN_H
#define WORKER_TURN_H

struct turn {
    /* Before anything else: looks at the lease, as nobody knows how long this process was stopped. */
    void (*wake)(void *owner);
    /* After anything happened: starts, kills and ends what is due. */
    void (*settle)(void *owner);
    void *owner;
};

static inline void turn_wake(const struct turn *self)
{
    self->wake(self->owner);
}

static inline void turn_settle(const struct turn *self)
{
    self->settle(self->owner);
}

#endif
