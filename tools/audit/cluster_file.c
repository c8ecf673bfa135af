/* cluster_file.c - the auditor's reader of cluster files. */
#include "tools/audit/case.h"

#include "common/csv.h"
#include "common/data_file.h"

#define COUNT_MAX 1000000

#define COLUMN_UNTIL 3

static const struct csv_column columns[] = {{{"num_switch"}, false},
                                            {{"num_node_p_switch"}, false},
                                            {{"num_gpu_p_node"}, false},
                                            {{"available_until"}, true}};

/* Adds the further rows of a file whose nodes leave at different times. All rows make one pool of
 * equal nodes. */
static int add_rows(csv_t *csv, struct audit_cluster *cluster, struct error *error)
{
    int64_t values[3];
    int got;

    while (csv_has(csv, COLUMN_UNTIL) && (got = csv_next(csv, error)) != 0) {
        for (size_t i = 0; i < 3 && got > 0; i++)
            got = csv_whole(csv, i, 1, COUNT_MAX, &values[i], error) < 0 ? -1 : 1;
        if (got < 0)
            return -1;
        if (values[2] != cluster->gpus_per_node)
            return error_set(error, "%s: rows with other numbers of GPUs", csv_path(csv));
        cluster->switches += cluster->switches > 1 || values[0] > 1 ? values[0] : 0;
        cluster->nodes += values[0] * values[1];
        cluster->gpus += values[0] * values[1] * values[2];
    }
    return 0;
}

static int read_row(csv_t *csv, struct audit_cluster *cluster, struct error *error)
{
    int64_t values[3];
    int got;

    if (csv_expect(csv, columns, sizeof(columns) / sizeof(columns[0]), error) < 0)
        return -1;
    got = csv_next(csv, error);
    if (got == 0)
        return error_set(error, "%s: no row after the header", csv_path(csv));
    for (size_t i = 0; i < 3 && got > 0; i++)
        got = csv_whole(csv, i, 1, COUNT_MAX, &values[i], error) < 0 ? -1 : 1;
    if (got < 0)
        return -1;
    *cluster = (struct audit_cluster){.switches = values[0],
                                      .nodes = values[0] * values[1],
                                      .gpus_per_node = values[2],
                                      .gpus = values[0] * values[1] * values[2]};
    if (add_rows(csv, cluster, error) < 0)
        return -1;
    if (cluster->gpus > COUNT_MAX)
        return error_set(error, "%s: more than %d GPUs", csv_path(csv), COUNT_MAX);
    return 0;
}

/* A run without a cluster file got its cluster as numbers, which only the summary has. */
static int take_numbers(struct audit_case *self, struct error *error)
{
    const struct audit_summary *summary = &self->summary;

    if (summary->switches < 1 || summary->nodes < 1 || summary->gpus < 1 ||
        summary->gpus > COUNT_MAX || summary->nodes % summary->switches != 0 ||
        summary->gpus % summary->nodes != 0)
        return error_set(error, "summary.json: switches, nodes and gpus make no cluster of equal "
                                "nodes, and no file is named that does");
    self->cluster = (struct audit_cluster){.switches = summary->switches,
                                           .nodes = summary->nodes,
                                           .gpus_per_node = summary->gpus / summary->nodes,
                                           .gpus = summary->gpus};
    return 0;
}

int audit_read_cluster(struct audit_case *self, const char *path, struct error *error)
{
    csv_t *csv;
    int result;

    if (!path)
        return take_numbers(self, error);
    csv = csv_open(path, ',', error);
    if (!csv) {
        data_file_suggest(DATA_CLUSTERS, path, error);
        return -1;
    }
    result = read_row(csv, &self->cluster, error);
    csv_destroy(&csv);
    return result;
}
