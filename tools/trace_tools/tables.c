/* tables.c - see tables.h. */
#include "tools/trace_tools/tables.h"

#include <stdlib.h>

throughput_table_t *tables_read(const char *folder, const char *gpu_type, struct error *error)
{
    char *found = folder ? NULL : throughput_default_folder();
    throughput_table_t *table = NULL;

    if (!folder && !found)
        error_set(error, "no folder \"throughputs\" near the program: name one with --throughputs");
    else
        table = throughput_read(folder ? folder : found, gpu_type, error);
    free(found);
    return table;
}
