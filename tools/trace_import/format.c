/* format.c - see format.h. */
#include "tools/trace_import/format.h"

#include <stdlib.h>
#include <string.h>

static const struct format formats[] = {
    {"philly", 1, "the job log, cluster_job_log", philly_read},
    {"helios", 1, "the job log, cluster_log.csv", helios_read},
    {"pai2020", 2, "pai_job_table.csv, then pai_task_table.csv", pai2020_read},
    {"gpu2023", 1, "a table of pods, openb_pod_list_*.csv", gpu2023_read},
    {"gavel", 2, "the trace, then its rates, simulation_throughputs.json", gavel_read},
    {"swf", 1, "a log in the Standard Workload Format", swf_read},
    {"sacct", 1, "what sacct --parsable2 printed", sacct_read},
    {"batsim", 1, "a workload in JSON", batsim_read},
};

const char *const format_names[] = {"philly", "helios", "pai2020", "gpu2023", "gavel",
                                    "swf",    "sacct",  "batsim",  NULL};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    abort();
}
