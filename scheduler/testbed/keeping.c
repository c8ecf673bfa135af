/* keeping.c - the journal of a run on a real cluster. Each step is committed before its orders
 * leave, together with the state of trainers and nodes and the plan in force. */
#include "scheduler/testbed/driver.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"

#include <inttypes.h>

#define KIND         "driver"
#define RETRY_MS     1000
#define TELL_AGAIN_S 60.0

static void tell_waiting(double *told_s, const struct error *error)
{
    if (*told_s <= 0 || clock_s() >= *told_s + TELL_AGAIN_S) {
        log_event(&LOG_ABOUT_NOTHING, "not-kept", "cause=%s", log_text(error->text));
        *told_s = clock_s();
    }
}

/* Commits the step. If the disk is full, the commit is tried again while jobs train on. */
static int commit(testbed_driver_t *self, struct error *error)
{
    double told_s = 0;

    while (capacity_commit(self->capacity, self->setting.journal, error) < 0) {
        if (journal_is_broken(self->setting.journal) || driver_stop_asked(self))
            return -1;
        tell_waiting(&told_s, error);
        driver_turn(self, RETRY_MS);
    }
    if (told_s > 0)
        log_event(&LOG_ABOUT_NOTHING, "kept", NULL);
    return 0;
}

int keeping_commit(testbed_driver_t *self, struct error *error)
{
    if (!self->setting.journal)
        return 0;
    capacity_hold_orders(self->capacity);
    return commit(self, error);
}

int keeping_end(testbed_driver_t *self, struct error *error)
{
    journal_t *journal = self->setting.journal;

    self->over = true;
    if (!journal)
        return 0;
    if (journal_begin(journal, error) == 0 && journal_put(journal, KIND, "over", "", error) == 0)
        return journal_commit(journal, error);
    journal_rollback(journal);
    return -1;
}

int keeping_open(testbed_driver_t *self, struct error *error)
{
    journal_t *journal = self->setting.journal;
    const char *over;
    int got;

    if (!journal || journal_steps(journal) == 0)
        return 0;
    got = journal_get(journal, KIND, "over", &over, error);
    self->over = got > 0;
    return got < 0 ? -1 : capacity_recall(self->capacity, journal, error);
}

int keeping_replay(testbed_driver_t *self, run_t *run, struct decision *decision,
                   struct error *error)
{
    int got;

    while ((got = run_again(run, decision, error)) > 0) {
        (void)FAILPOINT("step-replayed");
        if (driver_stop_asked(self))
            return 1;
    }
    if (got < 0)
        return -1;
    run_clock_not_before(&self->clock, decision->now_s);
    log_event(&LOG_ABOUT_NOTHING, "resumed", "steps=%" PRId64 " at=%" PRId64 " round=%" PRIu64,
              journal_steps(self->setting.journal), decision->now_s,
              capacity_round(self->capacity));
    return 0;
}
