/* gantt.h - a line for each job: which GPUs it held over time, and how it ended. */
#ifndef SHOW_GANTT_H
#define SHOW_GANTT_H

#include "tools/picture/look.h"
#include "tools/report/results.h"

/* At most `rows` jobs, in the order of the trace. */
void gantt_print(const struct results *run, int64_t rows, const struct look *look);

#endif
