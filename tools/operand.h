/* operand.h - a trace with cluster, slot and GPU type of its run, as one word:
 * TRACE[@CLUSTER][@SLOT][@GPU]. */
#ifndef TOOLS_OPERAND_H
#define TOOLS_OPERAND_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

/* Cuts `operand` in place and sets the parts in `simulation`. File names may contain an @: an
 * operand that is the path of a file is not cut. A number is a slot, the name of a throughput table
 * a GPU type, and anything else a cluster. Traces and clusters that came with Rubato need no path.
 * -1, with `error`, for an @ that has nothing before or after it, and for a word after the @ that
 * is none of the three and looks like no path. */
int operand_read(char *operand, struct simulation *simulation, struct error *error);

#endif
