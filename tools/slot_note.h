/* slot_note.h - what is said of a slot that was not chosen. */
#ifndef TOOLS_SLOT_NOTE_H
#define TOOLS_SLOT_NOTE_H

#include "scheduler/run/simulation.h"

#include <stdbool.h>

#define SLOT_NOTE_BYTES 128

/* After the help of --slot. */
#define SLOT_NOTE_HELP                                                                             \
    "; 60 fits the public traces, and the README shows the traces that came with Rubato with 240"

/* Writes a note if the slot is the default one and the trace came with Rubato. Whether it did. */
bool slot_note(const struct simulation *simulation, char note[SLOT_NOTE_BYTES]);

#endif
