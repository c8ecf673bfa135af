/* check_times.c - when the scheduler looked. EF-Q16: whatever is due within one slot of a round is
 * seen one slot after it, and nothing is seen earlier than that, unless it is all that is left. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_times(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void report(const struct audit *self, const char *check, int64_t at_s, const char *text)
{
    findings_add(self->findings, &(struct finding_place){check, NULL, at_s, NULL}, "%s", text);
}

/* Whether a job that holds GPUs from round `i` on is still there after the next. */
static bool somebody_stays(const struct audit *self, size_t i)
{
    const struct audit_round *round = &self->given->rounds[i];

    for (size_t k = 0; k < round->run_count; k++) {
        const size_t job = self->given->runs[round->first_run + k].job;

        if (job < self->given->job_count && self->histories[job].record &&
            self->histories[job].record->retired_at_s > round[1].at_s)
            return true;
    }
    return false;
}

/* From round `i` to the next; `arrival_s` is the first arrival after round `i`, INT64_MAX for none.
 */
static void check_step(const struct audit *self, size_t i, int64_t arrival_s)
{
    const int64_t at_s = self->given->rounds[i].at_s;
    const int64_t next_s = self->given->rounds[i + 1].at_s;
    const int64_t slot_s = self->given->summary.slot_s;
    const int64_t due_s = arrival_s > at_s + slot_s ? arrival_s : at_s + slot_s;
    char text[160];

    if (next_s <= at_s) {
        (void)snprintf(text, sizeof(text), "the next round is at %" PRId64 " s", next_s);
        report(self, "not-in-time-order", at_s, text);
        return;
    }
    if (arrival_s != INT64_MAX && next_s > due_s) {
        (void)snprintf(text, sizeof(text),
                       "the arrival at %" PRId64 " s is seen at %" PRId64 " s only", arrival_s,
                       next_s);
        report(self, "arrival-missed", due_s, text);
    }
    if (next_s - at_s < slot_s &&
        ((arrival_s != INT64_MAX && arrival_s > next_s) || somebody_stays(self, i))) {
        (void)snprintf(text, sizeof(text),
                       "a round only %" PRId64 " s after the last, with more to come",
                       next_s - at_s);
        report(self, "slot-cut-short", next_s, text);
    }
}

void audit_check_times(const struct audit *self)
{
    const struct audit_case *given = self->given;
    int64_t *arrivals = xcalloc(given->job_count, sizeof(*arrivals));
    size_t seen = 0;

    for (size_t i = 0; i < given->job_count; i++)
        arrivals[i] = given->jobs[i].submit_s;
    qsort(arrivals, given->job_count, sizeof(*arrivals), compare_times);
    if (given->round_count > 0 && given->rounds[0].at_s != arrivals[0])
        report(self, "arrival-missed", arrivals[0], "the first round is not at the first arrival");
    for (size_t i = 0; i < given->round_count; i++) {
        while (seen < given->job_count && arrivals[seen] <= given->rounds[i].at_s)
            seen++;
        if (i + 1 < given->round_count)
            check_step(self, i, seen < given->job_count ? arrivals[seen] : INT64_MAX);
    }
    if (seen < given->job_count)
        report(self, "arrival-missed", arrivals[seen], "no round comes after this arrival");
    free(arrivals);
}
