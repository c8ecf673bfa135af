/* overhead_trace.h - files of commands for the master's debug mode that time the operations of
 * figures 12(a) and 12(b) of the ElasticFlow paper: starts, scaling within a node and across nodes,
 * and moves of a job. master/commands/command_file.h has the format. */
#ifndef TRACE_TOOLS_OVERHEAD_TRACE_H
#define TRACE_TOOLS_OVERHEAD_TRACE_H

#include "common/error.h"
#include "common/output.h"
#include "scheduler/state/throughput.h"

#include <stdint.h>

struct overhead_case {
    const char *name; /* name of the case, from overhead_case_names */
    const char *model;
    int64_t batch_size; /* global batch size */
    int64_t nodes;
    int64_t gpus_per_node;
    int64_t iterations;
    int64_t steps;         /* limit on the number of starts; 0 for all starts of the case */
    int64_t min_gpus;      /* starts on fewer GPUs are left out */
    const char *addresses; /* addresses of the workers, separated by commas; the last address is
                              also that of all further workers */
    int64_t port;          /* port of the first rendezvous; later rendezvous have the next ports */
    double warm_up_s;
    double train_s;
    double pause_s;
};

/* The cases "profile", "intranode", "internode" and "migration"; the list ends with NULL. */
extern const char *const overhead_case_names[];

/* Writes the commands of the cases, one case after the other. The first case gives the number of
 * workers; no case may have more. `table` says on how many GPUs the models can run. Returns the
 * number of all starts; -1 with `error` if a case has no start on its cluster. */
int overhead_trace_write(const struct overhead_case cases[], size_t count,
                         const throughput_table_t *table, int starts[], output_t *output,
                         struct error *error);

#endif
