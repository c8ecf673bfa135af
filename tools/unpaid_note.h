/* unpaid_note.h - a note about a policy whose starts, resizes and moves cost nothing. */
#ifndef TOOLS_UNPAID_NOTE_H
#define TOOLS_UNPAID_NOTE_H

#include "scheduler/run/simulation.h"

#include <stdbool.h>

#define UNPAID_NOTE_BYTES 128

/* Writes a note if a quirk in force makes starts, resizes and moves free for the policy. Returns
 * whether there is a note. */
bool unpaid_note(const struct simulation *simulation, char note[UNPAID_NOTE_BYTES]);

#endif
