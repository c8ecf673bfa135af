/* places.c - see places.h. */
#include "scheduler/state/places.h"

#include <stdlib.h>

void places_close(struct places *self)
{
    free(self->numbers);
}

void places_tell(struct places *self, const struct jobs *jobs)
{
    if (self->known == jobs->count)
        return;
    self->numbers = reserve_array(self->numbers, jobs->count, &self->room, sizeof(*self->numbers));
    for (size_t i = self->known; i < jobs->count; i++) {
        jobs->items[i]->place = i;
        self->numbers[i] = jobs->items[i]->number;
    }
    self->known = jobs->count;
}

bool places_hold(const struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i]->place != i)
            return false;
    return true;
}

void places_keep_live(struct places *self, struct jobs *jobs)
{
    size_t first = 0;

    while (first < jobs->count && job_is_live(jobs->items[first]))
        first++;
    places_forget(self, first);
    jobs_keep_live(jobs);
}
