/* reports.c - see reports.h. */
#include "worker/reports.h"

#include "common/log.h"

#include <inttypes.h>

static void tell(const struct reports *self, const struct msg_part *part)
{
    const struct msg_report report = {.part = *part};

    self->send(self->owner, &report);
}

void reports_state(const struct reports *self, const struct part *part)
{
    struct msg_part now;

    part_describe(part, &now);
    tell(self, &now);
}

static void log_state(const struct reports *self, const struct msg_part *part)
{
    const struct log_subject subject = {
        .job = (int64_t)part->job,
        .incarnation = part->incarnation,
        .node = self->node,
        .gpu = LOG_NONE,
    };

    log_event(&subject, "part", "state=%s step=%" PRId64 " checkpoint=%" PRId64 " cause=%s",
              part_state_name(part->state), part->step, part->checkpoint, log_text(part->cause));
}

void reports_news(const struct reports *self, struct part *part)
{
    struct msg_part now;

    part_describe(part, &now);
    if (now.state == part->told && now.checkpoint == part->checkpoint_told)
        return;
    if (now.state != part->told)
        log_state(self, &now);
    part->told = now.state;
    part->checkpoint_told = now.checkpoint;
    tell(self, &now);
}

void reports_recalled(const struct reports *self, struct part *part)
{
    struct msg_part now;

    part_describe(part, &now);
    log_state(self, &now);
    part->told = now.state;
    part->checkpoint_told = now.checkpoint;
}

void reports_absent(const struct reports *self, uint64_t job, uint32_t incarnation,
                    enum part_state state, bool retry, const char *cause)
{
    const struct msg_part part = {
        .job = job,
        .incarnation = incarnation,
        .state = state,
        .step = -1,
        .checkpoint = -1,
        .retry = retry,
        .gpu = -1,
        .cause = cause,
    };

    tell(self, &part);
}

void reports_grouped(const struct reports *self, const struct msg_rank_report *report)
{
    const struct msg_report grouped = {report->part, true, report->took_ms};

    self->send(self->owner, &grouped);
}
