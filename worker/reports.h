/* reports.h - what the master is told of parts between two heartbeats. */
#ifndef WORKER_REPORTS_H
#define WORKER_REPORTS_H

#include "protocol/worker_trainer.h"
#include "worker/part.h"

/* Texts are lent for the call. */
typedef void report_fn(void *owner, const struct msg_report *report);

struct reports {
    report_fn *send;
    void *owner;
    int32_t node; /* as the master has it, for logs */
};

/* How `part` is, whether that is news or not. */
void reports_state(const struct reports *self, const struct part *part);

/* Only what the master was not told of `part` yet; that is logged too. */
void reports_news(const struct reports *self, struct part *part);

/* `part` ended under a worker before this one: the hello will tell. */
void reports_recalled(const struct reports *self, struct part *part);

/* A part that is not here ended as `state`. */
void reports_absent(const struct reports *self, uint64_t job, uint32_t incarnation,
                    enum part_state state, bool retry, const char *cause);

/* A rank made the group that it was told to. */
void reports_grouped(const struct reports *self, const struct msg_rank_report *report);

#endif
