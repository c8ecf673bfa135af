/* reports.h - reports on parts to the master between two heartbeats. */
#ifndef WORKER_REPORTS_H
#define WORKER_REPORTS_H

#include "protocol/worker_trainer.h"
#include "worker/part.h"

/* Texts are lent for the call. */
typedef void report_fn(void *owner, const struct msg_report *report);

struct reports {
    report_fn *send;
    void *owner;
    int32_t node; /* number of the node at the master, for logs */
};

/* Reports the state of `part`, even if the master knows it. */
void reports_state(const struct reports *self, const struct part *part);

/* Reports and logs the state of `part` if the master was not told yet. */
void reports_news(const struct reports *self, struct part *part);

/* Logs that `part` ended under an earlier worker: the hello will report it. */
void reports_recalled(const struct reports *self, struct part *part);

/* Reports that a part unknown here ended as `state`. */
void reports_absent(const struct reports *self, uint64_t job, uint32_t incarnation,
                    enum part_state state, bool retry, const char *cause);

/* Reports that a rank made the group that it was told to make. */
void reports_grouped(const struct reports *self, const struct msg_rank_report *report);

#endif
