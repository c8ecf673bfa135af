/* slot_note.h - a note that the default slot may not fit the trace. */
#ifndef TOOLS_SLOT_NOTE_H
#define TOOLS_SLOT_NOTE_H

#include "scheduler/run/simulation.h"

#include <stdbool.h>

#define SLOT_NOTE_BYTES 128

/* The last part of the help of --slot. */
#define SLOT_NOTE_HELP                                                                             \
    "; 60 fits the public traces, and the README shows the traces that came with Rubato with 240"

/* Writes a note if the slot is the default and the trace came with Rubato. Returns whether there is
 * a note. */
bool slot_note(const struct simulation *simulation, char note[SLOT_NOTE_BYTES]);

#endif
