/* worker_node.c - a node comes up: its worker is present, and of the parts that the node held
 * before only those are left that may go on. */
#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"

#include <inttypes.h>

struct log_subject node_subject(const struct worker_node *node)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, node->number, LOG_NONE};
}

void node_welcome(dispatch_t *self, struct worker_node *node)
{
    const struct msg_worker_welcome welcome = {node->number, node->first_rank,
                                               self->setting.heartbeat_us / 1000,
                                               self->setting.lease_us / 1000, node->stamp_us};

    node->moved = false;
    self->calls->welcome(self->calls_owner, node, &welcome);
}

void holders_fit_ranks(dispatch_t *self)
{
    const size_t before = self->holder_capacity;
    const size_t gpus = (size_t)registry_gpus(self->registry);

    if (gpus <= before)
        return;
    self->holder_capacity = 2 * gpus;
    self->holders =
        xrealloc(self->holders, self->holder_capacity * sizeof(const struct remote_part *));
    for (size_t i = before; i < self->holder_capacity; i++)
        self->holders[i] = NULL;
}

bool node_make_room(dispatch_t *self, struct worker_node *node)
{
    if (!registry_make_room(self->registry, node))
        return false;
    holders_fit_ranks(self);
    node_welcome(self, node);
    return true;
}

static void node_up(dispatch_t *self, struct worker_node *node)
{
    const struct log_subject subject = node_subject(node);

    node->state = WORKER_UP;
    if (!node->excluded)
        node->cause[0] = '\0';
    (void)node_make_room(self, node);
    log_event(&subject, "worker-up", "name=%s gpus=%" PRId32 "%s%s", log_text(node->name),
              node->gpus, node->differs[0] ? " differs=" : "",
              node->differs[0] ? log_text(node->differs) : "");
    dispatch_news_add_node(&self->news, node);
}

bool stray_is_kept(const dispatch_t *self, const struct stray *stray)
{
    return stray->over || (self->keeps && stray->remains);
}

/* Whether the node holds stray parts that have to stop before the node counts as up. */
static bool holds_strays(const dispatch_t *self, const struct worker_node *node)
{
    for (size_t i = 0; i < node->stray_count; i++)
        if (!stray_is_kept(self, &node->strays[i]))
            return true;
    return false;
}

void node_check(dispatch_t *self, struct worker_node *node)
{
    if (node->state == WORKER_RETURNING && !node->parts && !holds_strays(self, node))
        node_up(self, node);
}
