/* footnotes.c - see footnotes.h. */
#include "tools/footnotes.h"

#include "tools/slot_note.h"
#include "tools/unpaid_note.h"

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

/* Whether a cell before this one has the same policy. */
static bool is_repeated(const struct comparison *comparison, size_t cell)
{
    const struct simulation *own = &comparison->cells[cell].simulation;

    for (size_t i = 0; i < cell; i++)
        if (!strcmp(comparison->cells[i].simulation.policy, own->policy))
            return true;
    return false;
}

/* Prints a line for each policy that charges no overheads. Returns the text to print before the
 * next note. */
static const char *print_unpaid(const struct comparison *comparison, const char *before, FILE *out)
{
    char note[UNPAID_NOTE_BYTES];

    for (size_t i = 0; i < comparison->count; i++)
        if (!is_repeated(comparison, i) && unpaid_note(&comparison->cells[i].simulation, note)) {
            (void)fprintf(out, "%s%s\n", before, note);
            before = "";
        }
    return before;
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
    before = print_unpaid(comparison, before, out);
    for (size_t i = 0; i < comparison->count; i++) {
        char note[SLOT_NOTE_BYTES];

        if (!slot_note(&comparison->cells[i].simulation, note))
            continue;
        (void)fprintf(out, "%s%s\n", before, note);
        return;
    }
}
