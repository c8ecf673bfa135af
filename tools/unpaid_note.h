/* unpaid_note.h - what is said of a policy whose starts, resizes and moves cost nothing. */
#ifndef TOOLS_UNPAID_NOTE_H
#define TOOLS_UNPAID_NOTE_H

#include "scheduler/run/simulation.h"

#include <stdbool.h>

#define UNPAID_NOTE_BYTES 128

/* Writes a note if by a quirk in force the policy pays nothing. Whether it does. */
bool unpaid_note(const struct simulation *simulation, char note[UNPAID_NOTE_BYTES]);

#endif
