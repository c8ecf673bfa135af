/* nodes.c - verbs that say which nodes take jobs. */
#include "scheduler/service/ordering.h"

#include "common/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct node_order {
    const char *node;
    int64_t at; /* seconds since 1970; 0 for at once */
    int64_t in; /* seconds from now on; 0 for at once */
    bool force;
};

static const struct form_field resume_fields[] = {
    {"node", FORM_TEXT, offsetof(struct node_order, node), 0, 255, true}, {0}};

static const struct form_field drain_fields[] = {
    {"node", FORM_TEXT, offsetof(struct node_order, node), 0, 255, true},
    {"at", FORM_WHOLE, offsetof(struct node_order, at), 1, TIME_MAX_S, false},
    {"in", FORM_WHOLE, offsetof(struct node_order, in), 1, TIME_MAX_S, false},
    {"force", FORM_SWITCH, offsetof(struct node_order, force), 0, 0, false},
    {0}};

/* The node of that name or number; -1 if there is none. */
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

/* The node that a request is about; -1 if the request was answered. */
static int read_node(struct serving *self, struct request **request,
                     const struct form_field fields[], struct node_order *order)
{
    arena_t *texts = arena_new();
    struct error error;
    int node = -1;

    *order = (struct node_order){0};
    if (form_read((*request)->document, fields, order, texts, &error) < 0)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    else
        node = nodes_find(self, request, order->node);
    order->node = NULL;
    arena_destroy(&texts);
    return node;
}

static void answer_nodes(struct serving *self, struct change *change)
{
    clients_answer(self->clients, &change->request, ANSWER_DONE, telling_nodes(self));
    free(change);
}

/* ---- what the engine is told of a node ---- */

/* How the engine is to have a present node, by all orders and reservations. */
struct intent {
    bool drains;
    int64_t until_s;   /* end of its capacity if the node does not drain; NEVER_S if that is open */
    const char *cause; /* of an order to drain, NULL for none */
    const struct node_reservation *reservation; /* that ends the capacity, NULL for none */
    struct stays again;                         /* later times at which the node is there */
};

static struct intent intent_at(const struct serving *self, int node, int64_t at_s)
{
    const struct drain *drain = &self->drains[node];
    struct intent intent = {.until_s = capacity_node(self->capacity, node)->until_s};
    const struct node_reservation *reservation;
    struct stays stays;
    int64_t from_s;

    if (drain->cause && drain->at_s <= at_s)
        return (struct intent){.drains = true, .until_s = NEVER_S, .cause = drain->cause};
    if (drain->cause && drain->at_s < intent.until_s) {
        intent.until_s = drain->at_s;
        intent.cause = drain->cause;
    }
    stays = stays_whole(at_s, intent.until_s);
    reservation = reserving_leave(self, node, at_s, &from_s, &stays);
    intent.drains = from_s <= at_s;
    intent.again = intent.drains ? stays : stays_after_first(&stays);
    if (intent.drains || from_s < intent.until_s) {
        intent.until_s = intent.drains ? NEVER_S : from_s;
        intent.cause = NULL;
        intent.reservation = reservation;
    }
    return intent;
}

/* The later times of the node by `intent`, for the step at hand. */
static const struct stays *keep_again(struct serving *self, int node, const struct intent *intent)
{
    self->again[node] = intent->again;
    return &self->again[node];
}

static void tell_intent(struct serving *self, int node, const struct intent *intent)
{
    char text[ORDER_BYTES] = "";

    if (intent->reservation)
        reserving_say(intent->reservation, text, sizeof(text));
    steps_tell(self, &(struct occurrence){
                         .kind = intent->drains ? OCCURRENCE_NODE_DRAINING : OCCURRENCE_NODE_UP,
                         .node = node,
                         .until_s = intent->until_s,
                         .again = keep_again(self, node, intent),
                         .cause = intent->cause ? intent->cause : ledger_text(self->ledger, text)});
}

void nodes_tell(struct serving *self, const struct occurrence *item)
{
    const struct intent intent = intent_at(self, item->node, self->at_s);
    struct occurrence told = *item;

    if (!intent.drains) {
        told.until_s = intent.until_s;
        told.again = keep_again(self, item->node, &intent);
    }
    steps_tell(self, &told);
    if (intent.drains)
        tell_intent(self, item->node, &intent);
}

static bool is_there(const struct serving *self, int node)
{
    return !capacity_node(self->capacity, node)->told_gone;
}

/* Whether this step tells the engine of the node. */
static bool is_told(const struct serving *self, int node)
{
    for (size_t i = 0; i < self->told.count; i++) {
        const struct occurrence *told = &self->told.items[i];

        if (told->kind >= OCCURRENCE_NODE_UP && told->kind <= OCCURRENCE_NODE_GONE &&
            told->node == node)
            return true;
    }
    return false;
}

/* Whether the engine has the node as intended. A node whose capacity is over needs no order to
 * drain: the engine drains it. */
static bool stands_as(const struct serving *self, int node, const struct intent *intent,
                      int64_t at_s)
{
    const cluster_t *cluster = self->decision.cluster;
    const bool is_up = cluster_is_up(cluster, node);

    if (!intent->drains && intent->until_s <= at_s)
        return true;
    return is_up == !intent->drains &&
           (intent->drains || cluster_node_until_s(cluster, node) == intent->until_s) &&
           stays_equal(cluster_node_again(cluster, node), &intent->again);
}

static bool differs(const struct serving *self, int node, int64_t at_s)
{
    struct intent intent;

    if (cluster_node_state(self->decision.cluster, node) == NODE_GONE || !is_there(self, node))
        return false;
    intent = intent_at(self, node, at_s);
    return !stands_as(self, node, &intent, at_s) && !is_told(self, node);
}

bool nodes_differ(const struct serving *self, int64_t at_s)
{
    const int count =
        capacity_knows_nodes(self->capacity) ? capacity_node_count(self->capacity) : 0;

    for (int i = 0; i < count; i++)
        if (differs(self, i, at_s))
            return true;
    return false;
}

void nodes_settle(struct serving *self)
{
    const int count =
        capacity_knows_nodes(self->capacity) ? capacity_node_count(self->capacity) : 0;

    for (int i = 0; i < count; i++)
        if (differs(self, i, self->at_s)) {
            const struct intent intent = intent_at(self, i, self->at_s);

            tell_intent(self, i, &intent);
        }
}

/* ---- orders ---- */

#define DRAINED        "drained"
#define DRAINED_BEFORE CAUSE_OF_DRAIN "an operator" /* if the state does not name the giver */

static int note_node(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    const long node = strtol(key, NULL, 10);
    struct drain *drain;
    char *rest = NULL;

    if (node < 0 || node >= capacity_node_count(self->capacity))
        return 0;
    drain = &self->drains[node];
    drain->at_s = strtoll(body, &rest, 10);
    rest += rest > body;
    if (!strcmp(rest, DRAINED))
        drain->cause = DRAINED_BEFORE;
    else if (!strncmp(rest, DRAINED, strlen(DRAINED)))
        drain->cause = ledger_text(self->ledger, rest);
    return 0;
}

int nodes_recall(struct serving *self, struct error *error)
{
    for (int i = 0; i < capacity_node_count(self->capacity); i++)
        self->drains[i] = (struct drain){NULL, 0};
    if (journal_each(self->journal, "node", note_node, self, error) < 0)
        return -1;
    return reserving_recall(self, error);
}

/* Puts the order into the transaction at hand. If the node is to drain later, the time stands
 * before the cause. */
static int keep(struct serving *self, int node, const struct drain *drain, struct error *error)
{
    char body[ORDER_BYTES + 24];

    if (drain->cause && drain->at_s > 0)
        (void)snprintf(body, sizeof(body), "%" PRId64 " %s", drain->at_s, drain->cause);
    else
        (void)snprintf(body, sizeof(body), "%s", drain->cause ? drain->cause : "resumed");
    return journal_put_number(self->journal, "node", (uint64_t)node, body, error);
}

/* The order about the node is `drain` from now on. The engine is told `occurrence` unless that is
 * NULL. */
static void steer_node(struct serving *self, struct request *request, int node,
                       const struct drain *drain, const struct occurrence *occurrence)
{
    struct error error;

    if (steps_open(self, &error) < 0 || keep(self, node, drain, &error) < 0) {
        ordering_fail(self, &request, &error);
        return;
    }
    self->drains[node] = *drain;
    if (occurrence)
        steps_tell(self, occurrence);
    steps_await(self, &request, 0, false, answer_nodes);
}

static const char *say(struct serving *self, const struct request *request, const char *before)
{
    char cause[ORDER_BYTES];

    ordering_say(cause, before, request->client, NULL);
    return ledger_text(self->ledger, cause);
}

static void drain_now(struct serving *self, struct request *request, int node)
{
    const struct drain drain = {say(self, request, CAUSE_OF_DRAIN), 0};
    const struct occurrence told = {
        .kind = OCCURRENCE_NODE_DRAINING, .node = node, .until_s = NEVER_S, .cause = drain.cause};

    steer_node(self, request, node, &drain, &told);
}

/* Orders that `node` drains at `at_s`. A timer alone stands for the order in this step: when the
 * node drains the engine is told by a later one. */
static void drain_later(struct serving *self, struct request *request, int node, int64_t at_s)
{
    const struct drain drain = {say(self, request, CAUSE_OF_DRAIN), at_s};
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};

    steer_node(self, request, node, &drain, &timer);
}

/* ---- a node that drains later ---- */

/* A node, and the time, by the clock of the engine, at which it is to drain. */
struct drain_question {
    int node;
    int64_t at_s;
};

static json_t *ask_broken(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    const struct drain_question *asked = question;
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};
    json_t *broken;

    if (steps_try_news(self, error) < 0)
        return NULL;
    self->drains[asked->node] = (struct drain){CAUSE_OF_DRAIN, asked->at_s};
    broken = breaking_find(self, &timer, error);
    return broken ? json_pack("{s:o, s:i, s:I}", "broken", broken, "node", asked->node, "at",
                              (json_int_t)asked->at_s)
                  : NULL;
}

/* Whether the order is possible; if it is not, the request was answered. */
static bool may_drain_later(struct serving *self, struct request **request, int node, int64_t at_s)
{
    const struct drain *drain = &self->drains[node];
    char name[256];

    (void)telling_node_name(self, node, name, sizeof(name));
    if (at_s <= serving_step_s(self))
        clients_fail(self->clients, request, ANSWER_BAD,
                     "node %s cannot drain at a time that is over", name);
    else if (drain->cause && drain->at_s <= self->decision.now_s)
        clients_fail(self->clients, request, ANSWER_FAILED,
                     "node %s drains already: resume it first", name);
    return *request;
}

static void answer_broken(void *owner, void *subject, const json_t *answer,
                          const struct error *error)
{
    struct serving *self = owner;
    struct request *request = subject;
    const json_t *broken = json_object_get(answer, "broken");
    const int node = (int)json_integer_value(json_object_get(answer, "node"));
    const int64_t at_s = json_integer_value(json_object_get(answer, "at"));
    char names[200];

    if (!answer) {
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s", error->text);
    } else if (json_array_size(broken) > 0) {
        breaking_say(broken, names, sizeof(names));
        clients_fail(self->clients, &request, ANSWER_FAILED,
                     "%s; nothing was done: --force drains the node all the same", names);
    } else if (may_drain_later(self, &request, node, at_s)) {
        drain_later(self, request, node, at_s);
    }
}

/* Asks a copy of the process which promises the end of the node would break. */
static void ask_to_drain(struct serving *self, struct request *request, int node, int64_t at_s)
{
    static const struct question_kind kind = {ask_broken, answer_broken, asking_is_wanted, true};
    const struct drain_question question = {node, at_s};

    if (asking_has_room(self, &request))
        questions_put(self->questions, client_user(request->client), &kind, &question,
                      sizeof(question), request);
}

void nodes_drain(struct serving *self, struct request *request)
{
    struct node_order order;
    const int node = read_node(self, &request, drain_fields, &order);
    const int64_t at_s = order.at > 0 ? order.at - self->epoch : serving_now_s(self) + order.in;

    if (node < 0)
        return;
    if (order.at > 0 && order.in > 0)
        clients_fail(self->clients, &request, ANSWER_BAD,
                     "fields \"at\" and \"in\": expected one of them");
    else if (order.at == 0 && order.in == 0)
        drain_now(self, request, node);
    else if (!may_drain_later(self, &request, node, at_s))
        return;
    else if (order.force || !is_there(self, node))
        drain_later(self, request, node, at_s);
    else
        ask_to_drain(self, request, node, at_s);
}

void nodes_resume(struct serving *self, struct request *request)
{
    struct node_order order;
    const int node = read_node(self, &request, resume_fields, &order);
    const struct drain none = {NULL, 0};
    const struct node_reservation *active;
    char text[ORDER_BYTES];
    struct drain before;
    struct intent intent;
    struct occurrence told;

    if (node < 0)
        return;
    active = reserving_active(self, node, serving_step_s(self));
    if (active) {
        reserving_say(active, text, sizeof(text));
        clients_fail(self->clients, &request, ANSWER_FAILED,
                     "%s has the node: cancel the reservation first", text);
        return;
    }
    before = self->drains[node];
    self->drains[node] = none;
    intent = intent_at(self, node, serving_step_s(self));
    self->drains[node] = before;
    told = (struct occurrence){.kind = OCCURRENCE_NODE_UP,
                               .node = node,
                               .until_s = intent.until_s,
                               .again = keep_again(self, node, &intent),
                               .cause = say(self, request, "resumed by ")};
    steer_node(self, request, node, &none, is_there(self, node) ? &told : NULL);
}

void nodes_replaced(void *owner, int position)
{
    struct serving *self = owner;
    const struct drain none = {NULL, 0};
    struct error ignored;

    if (!self->drains[position].cause)
        return;
    self->drains[position] = none;
    if (steps_open(self, &ignored) == 0)
        (void)keep(self, position, &none, &ignored);
}
