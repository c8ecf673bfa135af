/* cluster_file.c - the auditor's reader of cluster files. */
#include "tools/audit/case.h"

#include "common/csv.h"

#define COUNT_MAX 1000000

static const struct csv_column columns[] = {
    {{"num_switch"}, false}, {{"num_node_p_switch"}, false}, {{"num_gpu_p_node"}, false}};

static int read_row(csv_t *csv, struct audit_cluster *cluster, struct error *error)
{
    int64_t values[3];
    int got;

    if (csv_expect(csv, columns, 3, error) < 0)
        return -1;
    got = csv_next(csv, error);
    if (got == 0)
        return error_set(error, "%s: no row behind the header", csv_path(csv));
    for (size_t i = 0; i < 3 && got > 0; i++)
        got = csv_whole(csv, i, 1, COUNT_MAX, &values[i], error) < 0 ? -1 : 1;
    if (got < 0)
        return -1;
    *cluster = (struct audit_cluster){.switches = values[0],
                                      .nodes = values[0] * values[1],
                                      .gpus_per_node = values[2],
                                      .gpus = values[0] * values[1] * values[2]};
    if (cluster->gpus > COUNT_MAX)
        return error_set(error, "%s: more than %d GPUs", csv_path(csv), COUNT_MAX);
    return 0;
}

int audit_read_cluster(struct audit_case *self, const char *path, struct error *error)
{
    csv_t *csv;
    int result;

    if (!path) { /* the cluster of the published artifact */
        self->cluster =
            (struct audit_cluster){.switches = 1, .nodes = 32, .gpus_per_node = 8, .gpus = 256};
        return 0;
    }
    csv = csv_open(path, ',', error);
    if (!csv)
        return -1;
    result = read_row(csv, &self->cluster, error);
    csv_destroy(&csv);
    return result;
}
