/* check_times.c - when the scheduler looked. Whatever is due within one slot of a round is seen one slot
 * after it, unless it is all that is left (EF-Q16, CO-Q2). What else there is to see, and when, is the
 * policy's own rhythm. */
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
            self->histories[job].retired_s > round[1].at_s)
            return true;
    }
    return false;
}

/* Arrivals behind a round: the first one, INT64_MAX for none, and whether more come after it. */
struct coming {
    int64_t first_s;
    bool several;
};

/* A round less than a slot after the last. */
static void report_short(const struct audit *self, size_t i, const char *tag)
{
    const struct audit_round *round = &self->given->rounds[i];

    findings_add(self->findings,
                 &(struct finding_place){"slot-cut-short", tag, round[1].at_s, NULL},
                 "a round only %" PRId64 " s after the last, with more to come",
                 round[1].at_s - round->at_s);
}

static bool is_short(const struct audit *self, size_t i)
{
    return self->given->rounds[i + 1].at_s - self->given->rounds[i].at_s <
           self->given->summary.slot_s;
}

/* The only event there is keeps its time. */
static void check_events(const struct audit *self, size_t i, const struct coming *coming)
{
    const bool arrives =
        coming->first_s != INT64_MAX && coming->first_s > self->given->rounds[i + 1].at_s;

    if (is_short(self, i) && (arrives || somebody_stays(self, i)))
        report_short(self, i, NULL);
}

static bool somebody_retires(const struct audit *self, int64_t at_s)
{
    for (size_t i = 0; i < self->given->job_count; i++)
        if (self->histories[i].record && self->histories[i].retired_s == at_s)
            return true;
    return false;
}

/* CO-Q2: the last arrivals keep their time, be it their own or the end of a slot to which they were
 * moved before. An end is no reason to look within a slot, unless TI-Q4 is put right. */
static void check_spaced(const struct audit *self, size_t i, const struct coming *coming)
{
    const int64_t next_s = self->given->rounds[i + 1].at_s;
    const bool ends_count = !self->policy->holds_for_slot;
    const bool alone = coming->first_s == next_s && !coming->several;
    const bool moved =
        ends_count && audit_is_round(self->given, next_s - self->given->summary.slot_s);

    if (is_short(self, i) && !(ends_count && somebody_retires(self, next_s)))
        report_short(self, i, alone || moved ? audit_tag(self->policy, "CO-Q2") : NULL);
}

/* When a policy looks that waits for nothing but arrivals, as long as there are some (GA-Q9). */
static int64_t next_look(const struct audit *self, size_t i, const struct coming *coming)
{
    const int64_t slot_end_s = self->given->rounds[i].at_s + self->given->summary.slot_s;
    const bool alone = !coming->several && self->policy->keeps_last_arrival;
    const bool ticks = !self->policy->looks_at_arrivals;

    if (coming->first_s < slot_end_s)
        return alone ? coming->first_s : slot_end_s;
    return ticks || coming->first_s == INT64_MAX ? slot_end_s : coming->first_s;
}

static void check_looks(const struct audit *self, size_t i, int64_t expected_s)
{
    const int64_t next_s = self->given->rounds[i + 1].at_s;

    if (next_s != expected_s)
        findings_add(
            self->findings,
            &(struct finding_place){next_s < expected_s ? "slot-cut-short" : "slot-skipped", NULL,
                                    next_s, NULL},
            "a round, expected at %" PRId64 " s", expected_s);
}

static void check_arrivals(const struct audit *self, size_t i, const struct coming *coming)
{
    const int64_t expected_s = next_look(self, i, coming);

    check_looks(self, i, expected_s);
    if (is_short(self, i) && self->given->rounds[i + 1].at_s == expected_s)
        report_short(self, i, audit_tag(self->policy, "CO-Q2"));
}

static void check_rhythm(const struct audit *self, size_t i, const struct coming *coming)
{
    const int64_t at_s = self->given->rounds[i].at_s;

    switch (self->policy->rhythm) {
    case RHYTHM_EVENTS:
        check_events(self, i, coming);
        break;
    case RHYTHM_SPACED:
        check_spaced(self, i, coming);
        break;
    case RHYTHM_ARRIVALS:
        check_arrivals(self, i, coming);
        break;
    case RHYTHM_SLOTS:
        check_looks(self, i, at_s + self->given->summary.slot_s);
        break;
    case RHYTHM_CHECKS:
        break; /* see check_checks */
    }
}

/* From round `i` to the next. */
static void check_step(const struct audit *self, size_t i, const struct coming *coming)
{
    const int64_t at_s = self->given->rounds[i].at_s;
    const int64_t next_s = self->given->rounds[i + 1].at_s;
    const int64_t slot_end_s = at_s + self->given->summary.slot_s;
    const int64_t due_s = coming->first_s > slot_end_s ? coming->first_s : slot_end_s;
    char text[160];

    if (next_s <= at_s) {
        (void)snprintf(text, sizeof(text), "the next round is at %" PRId64 " s", next_s);
        report(self, "not-in-time-order", at_s, text);
        return;
    }
    if (coming->first_s != INT64_MAX && next_s > due_s) {
        (void)snprintf(text, sizeof(text),
                       "the arrival at %" PRId64 " s is seen at %" PRId64 " s only",
                       coming->first_s, next_s);
        report(self, "arrival-missed", due_s, text);
    }
    check_rhythm(self, i, coming);
}

static struct coming look_ahead(const struct audit_case *given, const int64_t arrivals[],
                                size_t seen)
{
    if (seen == given->job_count)
        return (struct coming){INT64_MAX, false};
    return (struct coming){arrivals[seen], arrivals[given->job_count - 1] > arrivals[seen]};
}

/* Jobs are checked at whole multiples of an interval, be there a round at each or not, and seen in the
 * first admission round that does not come before them (CH-Q12). */
static void check_checks(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const struct audit_leasing *leasing = &given->summary.leasing;

    for (size_t i = 0; i < given->round_count; i++) {
        const int64_t at_s = given->rounds[i].at_s;

        if (at_s % leasing->check_s != 0)
            report(self, "off-check", at_s, "a round between two checks");
        if (i > 0 && at_s <= given->rounds[i - 1].at_s)
            report(self, "not-in-time-order", at_s, "a round, recorded behind a later one");
    }
    for (size_t i = 0; i < given->job_count; i++) {
        const int64_t at_s = audit_round_up(given->jobs[i].submit_s, leasing->admission_s);

        if (!audit_is_round(given, at_s))
            findings_add(self->findings,
                         &(struct finding_place){"arrival-missed", NULL, at_s, given->jobs[i].id},
                         "no round sees this arrival of %" PRId64 " s", given->jobs[i].submit_s);
    }
}

static void check_events_and_slots(const struct audit *self)
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
        if (i + 1 < given->round_count) {
            const struct coming coming = look_ahead(given, arrivals, seen);

            check_step(self, i, &coming);
        }
    }
    if (seen < given->job_count)
        report(self, "arrival-missed", arrivals[seen], "no round comes after this arrival");
    free(arrivals);
}

void audit_check_times(const struct audit *self)
{
    if (self->policy->rhythm == RHYTHM_CHECKS)
        check_checks(self);
    else
        check_events_and_slots(self);
}
