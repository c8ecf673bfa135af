/* telling_shares.c - how far a job without a promise is beyond its share now. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/shares.h"

#include <stdlib.h>

/* The GPUs that promises may count on. */
static int planned_gpus(const struct serving *self)
{
    const cluster_t *cluster = self->decision.cluster;
    struct node_order order;
    int gpus;

    node_order_open(&order, cluster_node_count(cluster), cluster_gpus_per_node(cluster),
                    inputs_terms(&self->inputs).losses);
    node_order_renew(&order, cluster);
    gpus = node_order_gpus(&order);
    node_order_close(&order);
    return gpus;
}

/* The promised jobs that count for a share, as tasks of which only the job is filled in. */
struct promised {
    struct task *tasks;
    struct task **items;
    size_t count;
};

static struct promised list_promised(const struct decision *decision)
{
    struct promised self = {.tasks = xcalloc(decision->live_count, sizeof(*self.tasks)),
                            .items = xcalloc(decision->live_count, sizeof(struct task *))};

    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];

        if (job->promise.state != PROMISE_STANDS || job->submission->share_count == 0)
            continue;
        self.tasks[self.count].job = job;
        self.items[self.count] = &self.tasks[self.count];
        self.count++;
    }
    return self;
}

struct share_seen telling_share_now(const struct serving *self, const struct job *job)
{
    struct promised promised = list_promised(&self->decision);
    const struct task_list list = {.items = promised.items, .count = promised.count};
    struct task *own = xcalloc(1, sizeof(*own));
    struct share_seen seen;

    own->job = job;
    (void)shares_allow(&list, own, planned_gpus(self), serving_now_s(self), &seen);
    free(own);
    free(promised.items);
    free(promised.tasks);
    return seen;
}
