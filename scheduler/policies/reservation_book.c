/* reservation_book.c - see reservation_book.h. */
#include "scheduler/policies/reservation_book.h"

#include <string.h>

/* Each reservation adds at most one entry, and a copy may hold one reservation more or less. */
#define ENTRIES_MAX(jobs) (2 * (jobs) + 8)

struct reservation_book reservation_book_new(const struct view *view, arena_t *memory)
{
    const size_t count = view->job_count;
    const size_t bytes = ENTRIES_MAX(count) * sizeof(struct timeline_entry);
    struct reservation_book self = {
        .grid = planning_grid(view->now_s, view->slot_s, view->gpu_count),
        .memory = memory,
        .bookings = arena_alloc(memory, count * sizeof(*self.bookings)),
        .count = count,
        .steps = arena_alloc(memory, (ENTRIES_MAX(count) + 3) * sizeof(*self.steps)),
        .free = {.entries = arena_alloc(memory, bytes)},
        .spare = {.entries = arena_alloc(memory, bytes)},
    };

    for (size_t i = 0; i < count; i++)
        self.bookings[i] = (struct booking){.job = view->jobs[i]};
    timeline_clear(&self.free, self.grid.now_s, self.grid.gpu_count);
    return self;
}

static int plan_booking(struct reservation_book *self, struct booking *booking, struct error *error)
{
    struct prospect prospect;
    const struct timeline before = self->free;
    size_t step_bytes;

    booking->demand = demand_of(&self->grid, booking->job);
    booking->reservation.steps = self->steps;
    if (plan_deadline(&self->grid, &booking->demand, &self->free, 0, &booking->reservation,
                      &prospect, error) < 0)
        return -1;
    planning_reserve(&self->free, &booking->reservation, &prospect, booking->job->scaling,
                     &self->spare);
    self->free = self->spare;
    self->spare = before;
    step_bytes = (size_t)booking->reservation.count * sizeof(*self->steps);
    booking->reservation.steps = arena_alloc(self->memory, step_bytes);
    memcpy(booking->reservation.steps, self->steps, step_bytes);
    booking->level = booking->reservation.steps[0].level;
    booking->finish_s = prospect.finish_s;
    booking->gpu_seconds = reservation_gpu_seconds(&booking->reservation, booking->job->scaling);
    return prospect.met ? 1 : 0;
}

int reservation_book_fill(struct reservation_book *self, const struct view *view,
                          const size_t *order, bool stop_if_late, struct error *error)
{
    int result = 1;

    timeline_clear(&self->free, self->grid.now_s, self->grid.gpu_count);
    for (size_t i = 0; i < view->job_count; i++) {
        const int met = plan_booking(self, &self->bookings[order[i]], error);

        if (met < 0)
            return -1;
        if (met == 0)
            result = 0;
        if (met == 0 && stop_if_late)
            break;
    }
    return result;
}

int64_t booking_change_s(const struct booking *booking)
{
    return booking->reservation.count > 1 ? (int64_t)booking->reservation.steps[1].at_s : NEVER_S;
}

static int64_t first_held_s(const struct reservation *reservation)
{
    for (int i = 0; i < reservation->count; i++)
        if (reservation->steps[i].level > 0)
            return (int64_t)reservation->steps[i].at_s;
    return NEVER_S;
}

void reservation_book_share(const struct reservation_book *self, plan_t *plan)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct booking *booking = &self->bookings[i];

        plan->shares[i] = (struct share){.level = booking->level,
                                         .end_s = (int64_t)booking->reservation.end_s,
                                         .finish_s = (int64_t)booking->finish_s,
                                         .start_s = first_held_s(&booking->reservation),
                                         .change_s = booking_change_s(booking)};
    }
}
