/* footnotes.c - see footnotes.h. */
#include "tools/footnotes.h"

#include "tools/slot_note.h"

#include <inttypes.h>
#include <string.h>

/* The fewest jobs with a deadline that any policy sees in the trace of `cell`. */
static int64_t fewest(const struct comparison *comparison, const struct cell *cell)
{
    int64_t jobs = cell->figures.deadline_jobs;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *other = &comparison->cells[i];

        if (other->state == CELL_DONE && other->figures.deadline_jobs < jobs &&
            !strcmp(other->simulation.trace, cell->simulation.trace))
            jobs = other->figures.deadline_jobs;
    }
    return jobs;
}

bool footnotes_counts_others(const struct comparison *comparison, const struct cell *cell)
{
    return cell->state == CELL_DONE && cell->figures.deadline_jobs > fewest(comparison, cell);
}

void footnotes_print(const struct comparison *comparison, FILE *out)
{
    const char *before = "\n";

    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *cell = &comparison->cells[i];
        const char *slash = strrchr(cell->simulation.trace, '/');

        if (!footnotes_counts_others(comparison, cell))
            continue;
        (void)fprintf(out,
                      "%s* %s takes %" PRId64
                      " jobs of %s for jobs with a deadline, the others take "
                      "%" PRId64 ": best-effort jobs have one for it, too (CH-Q9)\n",
                      before, cell->simulation.policy, cell->figures.deadline_jobs,
                      slash ? slash + 1 : cell->simulation.trace, fewest(comparison, cell));
        before = "";
    }
    for (size_t i = 0; i < comparison->count; i++) {
        char note[SLOT_NOTE_BYTES];

        if (!slot_note(&comparison->cells[i].simulation, note))
            continue;
        (void)fprintf(out, "%s%s\n", before, note);
        return;
    }
}
