/* slot_note.c - see slot_note.h. */
#include "tools/slot_note.h"

#include "common/data_file.h"
#include "common/option_places.h"

#include <inttypes.h>
#include <stdio.h>

bool slot_note(const struct simulation *simulation, char note[SLOT_NOTE_BYTES])
{
    const struct simulation usual = SIMULATION_DEFAULT;

    if (option_places_has("slot") || simulation->slot_s != usual.slot_s ||
        !data_file_is_from(DATA_TRACES, simulation->trace))
        return false;
    (void)snprintf(note, SLOT_NOTE_BYTES,
                   "slot %" PRId64 " s, the default; the README shows the traces that came with "
                   "Rubato with --slot 240",
                   simulation->slot_s);
    return true;
}
