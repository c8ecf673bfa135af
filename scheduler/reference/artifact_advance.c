/* artifact_advance.c - the time of the next round: events that are folded into the end of the slot,
 * ends forecast for a single round, and rounds that come without an event. */
#include "scheduler/reference/artifact.h"
#include "scheduler/reference/way_out.h"

void merge_unless_sole(engine_t *self)
{
    event_queue_merge(artifact_of(self)->events, self->now_s, self->setting.slot_s, true);
}

void merge_always(engine_t *self)
{
    event_queue_merge(artifact_of(self)->events, self->now_s, self->setting.slot_s, false);
}

void merge_never(engine_t *self)
{
    (void)self;
}

int64_t tick_never(const engine_t *self)
{
    (void)self;
    return NEVER_S;
}

/* GA-Q9: a round comes a slot later once no job is still to arrive. */
int64_t tick_after_arrivals(const engine_t *self)
{
    const bool is_over = round_live_count(self) == 0;

    return is_over || !event_queue_is_empty(artifact_of(self)->events)
               ? NEVER_S
               : self->now_s + self->setting.slot_s;
}

int64_t tick_every_slot(const engine_t *self)
{
    const bool is_over =
        round_live_count(self) == 0 && event_queue_is_empty(artifact_of(self)->events);

    return is_over ? NEVER_S : self->now_s + self->setting.slot_s;
}

/* Has jobs that wait for lost nodes looked at again after a slot. */
void artifact_wait_for_nodes(engine_t *self)
{
    if (self->next_s == NEVER_S && self->status.disturbed && round_live_count(self) > 0) {
        self->next_s = self->now_s + self->setting.slot_s;
        event_queue_add_wake(artifact_of(self)->events, self->next_s);
    }
}

static int check_ends(const engine_t *self, struct error *error)
{
    if (self->next_s != NEVER_S || round_live_count(self) == 0)
        return 0;
    return error_set(
        error, "job %s and %zu more never end: the event of their end was lost (EF-Q13); " WAY_OUT,
        round_any_live(self)->submission->id, round_live_count(self) - 1);
}

int artifact_advance(engine_t *self, struct error *error)
{
    const struct event *first;
    int64_t tick_s;

    if (self->status.rounds > 0)
        loop_rules_of(self)->merge(self);
    tick_s = loop_rules_of(self)->tick_s(self);
    first = event_queue_first(artifact_of(self)->events);
    self->next_s = first && first->at_s < tick_s ? first->at_s : tick_s;
    artifact_wait_for_nodes(self);
    if (check_ends(self, error) < 0)
        return -1;
    return round_check_endless(self, error);
}
