/* operand.h - a trace with the cluster, slot and GPU type of its run, in one word:
 * TRACE[@CLUSTER][@SLOT][@GPU]. */
#ifndef TOOLS_OPERAND_H
#define TOOLS_OPERAND_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

/* Cuts `operand` in place and sets its parts in `simulation`. File names may contain an @: an
 * operand that is the path of a file is not cut. After an @, a number is a slot, the name of a
 * throughput table a GPU type, and any other word a cluster. Traces and clusters that came with
 * Rubato need no path. -1, with `error`, if there is nothing before or after an @, or if a word is
 * no slot, GPU type or cluster and looks like no path. */
int operand_read(char *operand, struct simulation *simulation, struct error *error);

#endif
