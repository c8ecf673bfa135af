/* decision_log.c - log lines about a decision. */
#include "scheduler/testbed/driver.h"

#include "common/log.h"

#include <inttypes.h>
#include <stdio.h>

static struct log_subject about_job(const struct job *job)
{
    return (struct log_subject){(int64_t)job->submission->number, LOG_NONE, LOG_NONE, LOG_NONE};
}

static void log_of_job(const struct decision *decision, const struct job *job, const char *event)
{
    const struct log_subject about = about_job(job);

    log_event(&about, event, "name=%s at=%" PRId64, log_text(job->submission->id), decision->now_s);
}

static void log_node(const struct decision *decision, const struct disturbance *disturbance,
                     const char *event)
{
    const struct log_subject about = {LOG_NONE, LOG_NONE, disturbance->node, LOG_NONE};

    log_event(&about, event, "at=%" PRId64 " cause=%s", decision->now_s,
              log_text(disturbance->cause));
}

static void log_lost(const struct decision *decision, const struct disturbance *disturbance,
                     const char *event)
{
    const struct log_subject about = about_job(disturbance->job);

    log_event(&about, event, "name=%s at=%" PRId64 " cause=%s",
              log_text(disturbance->job->submission->id), decision->now_s,
              log_text(disturbance->cause));
}

static void log_slip(const struct decision *decision, const struct disturbance *disturbance)
{
    const struct job *job = disturbance->job;
    const struct log_subject about = about_job(disturbance->job);
    char when[24] = "-";

    if (disturbance->foreseen_s != NEVER_S)
        (void)snprintf(when, sizeof(when), "%" PRId64, disturbance->foreseen_s);
    log_event(&about, disturbance_word(disturbance),
              "name=%s at=%" PRId64 " foreseen=%s deadline=%" PRId64 " cause=%s",
              log_text(job->submission->id), decision->now_s, when, job_due_s(job),
              log_text(disturbance->cause));
}

static void log_fall(const struct decision *decision, const struct disturbance *disturbance)
{
    const struct job *job = disturbance->job;
    const struct log_subject about = about_job(job);

    log_event(&about, "falls", "name=%s at=%" PRId64 " deadline=%" PRId64 " cause=%s",
              log_text(job->submission->id), decision->now_s, job->promise.deadline_s,
              log_text(disturbance->cause));
}

static void log_risk(const struct decision *decision, const struct disturbance *disturbance)
{
    const struct log_subject about = about_job(disturbance->job);

    log_event(&about, "at-risk", "name=%s at=%" PRId64 " deadline=%" PRId64 " cause=%s",
              log_text(disturbance->job->submission->id), decision->now_s,
              disturbance->job->promise.deadline_s, log_text(disturbance->cause));
}

static void log_disturbance(const struct decision *decision, const struct disturbance *disturbance)
{
    switch (disturbance->kind) {
    case DISTURBANCE_NODE_UP:
        log_node(decision, disturbance, "node-up");
        break;
    case DISTURBANCE_NODE_DRAINING:
        log_node(decision, disturbance, "node-draining");
        break;
    case DISTURBANCE_NODE_DOWN:
        log_node(decision, disturbance, "node-down");
        break;
    case DISTURBANCE_HELD:
        log_lost(decision, disturbance, "held");
        break;
    case DISTURBANCE_ORPHANED:
        log_lost(decision, disturbance, "orphaned");
        break;
    case DISTURBANCE_LAPSED:
        log_lost(decision, disturbance, "lapsed");
        break;
    case DISTURBANCE_SLIPS:
        log_slip(decision, disturbance);
        break;
    case DISTURBANCE_AT_RISK:
        log_risk(decision, disturbance);
        break;
    case DISTURBANCE_FALLS:
        log_fall(decision, disturbance);
        break;
    case DISTURBANCE_BEHIND:
        break; /* logged when it was observed */
    }
}

static const char *const verdict_events[] = {[VERDICT_PROMISED] = "admitted",
                                             [VERDICT_BEST_EFFORT] = "admitted",
                                             [VERDICT_DECLINED] = "declined",
                                             [VERDICT_PROMISED_LATER] = "promised"};

static int64_t count_gpus(const struct decision *decision)
{
    int64_t gpus = 0;

    for (size_t i = 0; i < decision->holding_count; i++)
        gpus += decision->holdings[i].grant.gpus;
    return gpus;
}

static void log_plan(const engine_t *engine, const struct decision *decision)
{
    const struct engine_status status = engine_status(engine);

    log_event(&LOG_ABOUT_NOTHING, "plan",
              "round=%" PRId64 " at=%" PRId64 " jobs=%zu gpus=%" PRId64
              " live=%zu accepted=%" PRId64 " declined=%" PRId64 " settled=%" PRId64 " of=%" PRId64,
              decision->round, decision->now_s, decision->holding_count, count_gpus(decision),
              decision->live_count, status.accepted, status.declined, status.settled, status.jobs);
}

void decision_log(const engine_t *engine, const struct decision *decision)
{
    for (size_t i = 0; i < decision->retired_count; i++)
        log_of_job(decision, decision->retired[i].job, "retired");
    for (size_t i = 0; i < decision->disturbance_count; i++)
        log_disturbance(decision, &decision->disturbances[i]);
    for (size_t i = 0; i < decision->decided_count; i++)
        log_of_job(decision, decision->decided[i].job,
                   verdict_events[decision->decided[i].verdict.kind]);
    if (decision->round > 0)
        log_plan(engine, decision);
}
