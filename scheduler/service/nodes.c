/* nodes.c - verbs that say which nodes take jobs. */
#include "scheduler/service/ordering.h"

#include "common/number.h"

#include <string.h>

struct node_order {
    const char *node;
};

static const struct form_field node_fields[] = {
    {"node", FORM_TEXT, offsetof(struct node_order, node), 0, 255, true}, {0}};

/* By its name, or its number; -1 if there is none. */
static int find_node(const struct serving *self, const char *text)
{
    int64_t number;

    for (int i = 0; i < capacity_node_count(self->capacity); i++) {
        char name[256];

        if (!strcmp(telling_node_name(self, i, name, sizeof(name)), text))
            return i;
    }
    if (number_parse_whole(text, strlen(text), 0, capacity_node_count(self->capacity) - 1,
                           &number) == NUMBER_OK)
        return (int)number;
    return -1;
}

int nodes_find(struct serving *self, struct request **request, const char *text)
{
    const int node = find_node(self, text);

    if (node < 0)
        clients_fail(self->clients, request, ANSWER_UNKNOWN, "there is no node \"%.100s\"", text);
    return node;
}

static int read_node(struct serving *self, struct request **request)
{
    arena_t *texts = arena_new();
    struct node_order order = {NULL};
    struct error error;
    int node = -1;

    if (form_read((*request)->document, node_fields, &order, texts, &error) < 0) {
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    } else {
        node = nodes_find(self, request, order.node);
    }
    arena_destroy(&texts);
    return node;
}

static void answer_nodes(struct serving *self, struct change *change)
{
    clients_answer(self->clients, &change->request, ANSWER_DONE, telling_nodes(self));
    free(change);
}

static void steer_node(struct serving *self, struct request *request, bool drains)
{
    const int node = read_node(self, &request);
    char cause[ORDER_BYTES];
    struct error error;

    if (node < 0)
        return;
    ordering_say(cause, drains ? CAUSE_OF_DRAIN : "resumed by ", request->client, NULL);
    if (steps_open(self, &error) < 0 ||
        journal_put_number(self->journal, "node", (uint64_t)node, drains ? cause : "resumed",
                           &error) < 0) {
        ordering_fail(self, &request, &error);
        return;
    }
    if (drains || !capacity_node(self->capacity, node)->told_gone)
        steps_tell(self, &(struct occurrence){.kind = drains ? OCCURRENCE_NODE_DRAINING
                                                             : OCCURRENCE_NODE_UP,
                                              .node = node,
                                              .until_s = NEVER_S,
                                              .cause = ledger_text(self->ledger, cause)});
    self->drained[node] = drains ? ledger_text(self->ledger, cause) : NULL;
    steps_await(self, &request, 0, false, answer_nodes);
}

void nodes_drain(struct serving *self, struct request *request)
{
    steer_node(self, request, true);
}

void nodes_resume(struct serving *self, struct request *request)
{
    steer_node(self, request, false);
}

void nodes_replaced(void *owner, int position)
{
    struct serving *self = owner;
    struct error ignored;

    if (!self->drained[position])
        return;
    self->drained[position] = NULL;
    if (steps_open(self, &ignored) == 0)
        (void)journal_put_number(self->journal, "node", (uint64_t)position, "resumed", &ignored);
}
