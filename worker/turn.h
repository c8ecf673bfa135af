/* turn.h - the first and the last actions in each turn of the worker's loop. */
#ifndef WORKER_TURN_H
#define WORKER_TURN_H

struct loop_turn {
    /* Called first: checks the lease, as this process may have been stopped for any time. */
    void (*wake)(void *owner);
    /* Called after each event: starts, kills and ends what is due. */
    void (*settle)(void *owner);
    void *owner;
};

static inline void turn_wake(const struct loop_turn *self)
{
    self->wake(self->owner);
}

static inline void turn_settle(const struct loop_turn *self)
{
    self->settle(self->owner);
}

#endif
