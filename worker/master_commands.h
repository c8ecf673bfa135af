/* master_commands.h - what the master tells a worker to do: RUN, BEGIN, UPDATE, STOP and GROUP of a
 * part, RESTART and SHUTDOWN of the node. Each is logged with what became of it. */
#ifndef WORKER_MASTER_COMMANDS_H
#define WORKER_MASTER_COMMANDS_H

#include "common/error.h"
#include "protocol/wire.h"
#include "worker/holdings.h"
#include "worker/rates.h"

/* All of it is lent. */
struct master_commands {
    holdings_t *holdings;
    rates_t *rates; /* for a RUN that says none */
    bool emulates;  /* the trainers: they cannot run without a rate */
};

/* Carries out the message `in` of `type`. -1, with `error`, if it is no command, or none that can
 * be read. */
int master_commands_carry_out(const struct master_commands *self, int type, reader_t *in,
                              struct error *error);

#endif
