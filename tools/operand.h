/* operand.h - a trace with the setting that it is run in, as one word:
 * TRACE[@CLUSTER][@SLOT][@GPU].
 */
#ifndef TOOLS_OPERAND_H
#define TOOLS_OPERAND_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

/* Cuts `operand` in place and sets what it names. Names of files may have an @ themselves: what is
 * a file as it stands is not cut. A number is a slot, the name of a throughput table a GPU type,
 * and anything else a cluster. Traces and clusters that came with Rubato need no path. -1, with
 * `error`, for an @ that has nothing before or after it, and for a word after it that is none of
 * the three and looks like no path. */
int operand_read(char *operand, struct simulation *simulation, struct error *error);

#endif
