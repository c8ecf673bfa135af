/* cluster_archive.h - a cluster and its layout, written and read back; see common/archive.h. */
#ifndef SNAPSHOT_CLUSTER_ARCHIVE_H
#define SNAPSHOT_CLUSTER_ARCHIVE_H

#include "common/archive.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/job_table.h"

/* The states of the nodes and the layout in force, of jobs in `jobs`. The order of the free nodes
 * is left out, as no placement that revises a layout depends on it. */
void cluster_archive(cluster_t *self, struct archive *archive, const job_table_t *jobs);

#endif
