/* worker_node.c - a node comes up: its worker is there, and nothing is left of what it held
 * before, but for what may go on. */
#include "common/log.h"
#include "master/dispatch_state.h"

#include <inttypes.h>

struct log_subject node_subject(const struct worker_node *node)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, node->number, LOG_NONE};
}

static void node_up(dispatch_t *self, struct worker_node *node)
{
    const struct log_subject subject = node_subject(node);

    node->state = NODE_UP;
    if (!node->excluded)
        node->cause[0] = '\0';
    log_event(&subject, "worker-up", "name=%s gpus=%" PRId32, log_text(node->name), node->gpus);
    news_add_node(&self->news, node);
}

/* Whether it holds what has to stop before it counts as up. */
static bool holds_strays(const dispatch_t *self, const struct worker_node *node)
{
    for (size_t i = 0; i < node->stray_count; i++)
        if (!stray_is_kept(self, &node->strays[i]))
            return true;
    return false;
}

void node_check(dispatch_t *self, struct worker_node *node)
{
    if (node->state == NODE_RETURNING && !node->parts && !holds_strays(self, node))
        node_up(self, node);
}
