/* reservation_book.c - see reservation_book.h. */
#include "scheduler/reference/reservation_book.h"

#include "scheduler/plan/level.h"

#include <string.h>

/* Each reservation adds at most one entry, and a copy may hold one reservation more or less. */
#define ENTRIES_MAX(jobs) (2 * (jobs) + 8)

struct reservation_book reservation_book_new(const struct view *view, arena_t *memory)
{
    const size_t count = view->job_count;
    const size_t bytes = ENTRIES_MAX(count) * sizeof(struct timeline_entry);
    struct reservation_book self = {
        .grid = planning_grid_of(view),
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

/* Plans the booking into the GPUs that are free now. Its steps lie in self->steps. */
static int plan_booking(struct reservation_book *self, struct booking *booking,
                        struct prospect *prospect, struct error *error)
{
    booking->demand = demand_of(&self->grid, booking->job);
    booking->reservation.steps = self->steps;
    return plan_deadline(&self->grid, &booking->demand, &self->free, 0, &booking->reservation,
                         prospect, error);
}

/* Takes the reservation just planned out of the free GPUs. */
static void make_booking(struct reservation_book *self, struct booking *booking,
                         const struct prospect *prospect)
{
    const struct timeline before = self->free;
    const size_t step_bytes = (size_t)booking->reservation.count * sizeof(*self->steps);

    planning_reserve(&self->free, &booking->reservation, prospect, booking->job->scaling,
                     &self->spare);
    self->free = self->spare;
    self->spare = before;
    booking->reservation.steps = arena_alloc(self->memory, step_bytes);
    memcpy(booking->reservation.steps, self->steps, step_bytes);
    booking->level = booking->reservation.steps[0].level;
    booking->finish_s = prospect->finish_s;
    booking->gpu_seconds = reservation_gpu_seconds(&booking->reservation, booking->job->scaling);
}

int reservation_book_fill(struct reservation_book *self, const struct view *view,
                          const size_t *order, bool stop_if_late, struct error *error)
{
    timeline_clear(&self->free, self->grid.now_s, self->grid.gpu_count);
    return self->grid.rules->fill(self, view, order, stop_if_late, error);
}

/* EF-Q28: a job that is late already takes its GPUs before jobs that could still be in time. */
int planning_by_deadline(struct reservation_book *self, const struct view *view,
                         const size_t *order, bool stop_if_late, struct error *error)
{
    int result = 1;

    for (size_t i = 0; i < view->job_count; i++) {
        struct booking *booking = &self->bookings[order[i]];
        struct prospect prospect;

        if (plan_booking(self, booking, &prospect, error) < 0)
            return -1;
        make_booking(self, booking, &prospect);
        if (!prospect.met)
            result = 0;
        if (!prospect.met && stop_if_late)
            break;
    }
    return result;
}

/* EF-Q28 put right: a job that cannot be in time is planned after all jobs that can, in the same
 * order. Such a job could not be in time even with the GPUs free before those jobs. */
int planning_late_last(struct reservation_book *self, const struct view *view, const size_t *order,
                       bool stop_if_late, struct error *error)
{
    size_t *late = arena_alloc(self->memory, view->job_count * sizeof(*late));
    size_t count = 0;
    struct prospect prospect;

    for (size_t i = 0; i < view->job_count; i++) {
        struct booking *booking = &self->bookings[order[i]];

        if (plan_booking(self, booking, &prospect, error) < 0)
            return -1;
        if (prospect.met)
            make_booking(self, booking, &prospect);
        else if (stop_if_late)
            return 0;
        else
            late[count++] = order[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (plan_booking(self, &self->bookings[late[i]], &prospect, error) < 0)
            return -1;
        make_booking(self, &self->bookings[late[i]], &prospect);
    }
    return count == 0;
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
        struct share *share = &plan->shares[i];

        share->grant = level_grant_here(booking->job, booking->level);
        share->end_s = (int64_t)booking->reservation.end_s;
        share->finish_s = (int64_t)booking->finish_s;
        share->start_s = first_held_s(&booking->reservation);
        share->change_s = booking_change_s(booking);
    }
}
