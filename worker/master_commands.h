/* master_commands.h - carries out commands of the master: RUN, BEGIN, UPDATE, STOP and GROUP of a
 * part, RESTART and SHUTDOWN of the node. Logs each with its effect. */
#ifndef WORKER_MASTER_COMMANDS_H
#define WORKER_MASTER_COMMANDS_H

#include "common/error.h"
#include "protocol/wire.h"
#include "worker/holdings.h"
#include "worker/rates.h"

/* All pointers are lent. */
struct master_commands {
    holdings_t *holdings;
    rates_t *rates; /* for a RUN without a rate */
    bool emulates;  /* trainers are emulated and need a rate */
};

/* Carries out the message `in` of `type`. -1, with `error`, if the message is no command, or
 * malformed. */
int master_commands_carry_out(const struct master_commands *self, int type, reader_t *in,
                              struct error *error);

#endif
