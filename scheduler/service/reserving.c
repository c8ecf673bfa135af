/* reserving.c - nodes that are reserved: no job uses them from one time to another, once or every
 * day or week, and no promise counts on them from the next such time on.
 *
 * A reservation is a document of the kind "reservation" under its number. It has times since 1970,
 * and the names of its nodes. The document of a reservation that was cancelled is "cancelled", so
 * that no other one gets the number. */
#include "scheduler/service/ordering.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KIND             "reservation"
#define CANCELLED        "cancelled"
#define RESERVATIONS_MAX 64 /* that are not over */

static const struct {
    const char *word;
    int64_t s;
} periods[] = {{"day", INT64_C(24) * 3600}, {"week", INT64_C(7) * 24 * 3600}};

#define PERIODS (sizeof(periods) / sizeof(periods[0]))

/* ---- when ---- */

/* The first time of a reservation that is not over at `at_s`; false if all are. */
static bool find_time(const struct node_reservation *self, int64_t at_s, int64_t *from_s,
                      int64_t *to_s)
{
    const int64_t over_s = at_s - self->to_s;
    const int64_t times = over_s < 0 || self->every_s == 0 ? 0 : over_s / self->every_s + 1;

    *from_s = self->from_s + times * self->every_s;
    *to_s = self->to_s + times * self->every_s;
    return *to_s > at_s;
}

static bool is_over(const struct node_reservation *self, int64_t at_s)
{
    int64_t from_s;
    int64_t to_s;

    return !find_time(self, at_s, &from_s, &to_s);
}

static bool names(const struct node_reservation *self, const char *node)
{
    for (size_t i = 0; i < self->nodes.count; i++)
        if (!strcmp(self->nodes.items[i], node))
            return true;
    return false;
}

/* The reservation of the node that begins first, at `*from_s`, of those that are not over at
 * `at_s`. NULL, and NEVER_S, if there is none. */
static const struct node_reservation *find_first(const struct serving *self, int node, int64_t at_s,
                                                 int64_t *from_s, int64_t *to_s)
{
    const struct node_reservation *first = NULL;
    char name[256];
    int64_t begin_s;
    int64_t end_s;

    *from_s = *to_s = NEVER_S;
    if (self->reservations.count == 0)
        return NULL;
    (void)telling_node_name(self, node, name, sizeof(name));
    for (size_t i = 0; i < self->reservations.count; i++) {
        const struct node_reservation *one = &self->reservations.items[i];

        if (find_time(one, at_s, &begin_s, &end_s) && begin_s < *from_s && names(one, name)) {
            *from_s = begin_s;
            *to_s = end_s;
            first = one;
        }
    }
    return first;
}

const struct node_reservation *reserving_active(const struct serving *self, int node, int64_t at_s)
{
    int64_t from_s;
    int64_t to_s;
    const struct node_reservation *first = find_first(self, node, at_s, &from_s, &to_s);

    return from_s <= at_s ? first : NULL;
}

/* Of reservations that come again and again, the next STAYS_MAX times are known. */
const struct node_reservation *reserving_leave(const struct serving *self, int node, int64_t at_s,
                                               int64_t *from_s, struct stays *stays)
{
    int64_t next_s;
    int64_t to_s;
    const struct node_reservation *first = find_first(self, node, at_s, from_s, &to_s);

    next_s = *from_s;
    for (int i = 1; next_s < NEVER_S && i <= STAYS_MAX; i++) {
        stays_leave_out(stays, next_s, i < STAYS_MAX ? to_s : NEVER_S);
        (void)find_first(self, node, to_s, &next_s, &to_s);
    }
    return first;
}

void reserving_say(const struct node_reservation *reservation, char *text, size_t size)
{
    (void)snprintf(text, size, "reservation %" PRIu64 " of %s", reservation->number,
                   reservation->by);
}

int64_t reserving_change_s(const struct serving *self, int64_t at_s)
{
    int64_t next_s = NEVER_S;
    int64_t from_s;
    int64_t to_s;

    for (size_t i = 0; i < self->reservations.count; i++)
        if (find_time(&self->reservations.items[i], at_s, &from_s, &to_s)) {
            const int64_t change_s = from_s > at_s ? from_s : to_s;

            next_s = change_s < next_s ? change_s : next_s;
        }
    return next_s;
}

/* ---- documents ---- */

struct reservation_document {
    int64_t from;
    int64_t to;
    int64_t every;
    const char *by;
    struct words nodes;
};

static const struct form_field document_fields[] = {
    {"from", FORM_WHOLE, offsetof(struct reservation_document, from), 0, TIME_MAX_S, true},
    {"to", FORM_WHOLE, offsetof(struct reservation_document, to), 0, TIME_MAX_S, true},
    {"every", FORM_WHOLE, offsetof(struct reservation_document, every), 0, TIME_MAX_S, true},
    {"by", FORM_TEXT, offsetof(struct reservation_document, by), 0, WHO_BYTES, true},
    {"nodes", FORM_WORDS, offsetof(struct reservation_document, nodes), 0, 255, true},
    {0}};

/* Adds the reservation that `body` describes. -1 with `error`. */
static int add(struct serving *self, uint64_t number, const char *body, struct error *error)
{
    struct reservation_document read = {0};

    if (form_read(body, document_fields, &read, ledger_texts(self->ledger), error) < 0)
        return -1;
    list_append(&self->reservations, (struct node_reservation){.number = number,
                                                               .from_s = read.from - self->epoch,
                                                               .to_s = read.to - self->epoch,
                                                               .every_s = read.every,
                                                               .by = read.by,
                                                               .nodes = read.nodes});
    return 0;
}

static int recall(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    const uint64_t number = strtoull(key, NULL, 10);

    if (number > self->last_reservation)
        self->last_reservation = number;
    return strcmp(body, CANCELLED) != 0 && add(self, number, body, &self->recalled) < 0;
}

int reserving_recall(struct serving *self, struct error *error)
{
    int status;

    self->reservations.count = 0;
    status = journal_each(self->journal, KIND, recall, self, error);
    if (status > 0)
        *error = self->recalled;
    return status == 0 ? 0 : -1;
}

/* ---- orders ---- */

struct reserve_order {
    struct words nodes;
    int64_t gpus;
    int64_t from; /* since 1970; `from_in` and `to_in` are seconds from now on */
    int64_t from_in;
    int64_t to;
    int64_t to_in;
    const char *every;
    bool force;
};

static const struct form_field reserve_fields[] = {
    {"nodes", FORM_WORDS, offsetof(struct reserve_order, nodes), 0, 255, false},
    {"gpus", FORM_WHOLE, offsetof(struct reserve_order, gpus), 1, RANKS_MAX, false},
    {"from", FORM_WHOLE, offsetof(struct reserve_order, from), 1, TIME_MAX_S, false},
    {"from_in", FORM_WHOLE, offsetof(struct reserve_order, from_in), 1, TIME_MAX_S, false},
    {"to", FORM_WHOLE, offsetof(struct reserve_order, to), 1, TIME_MAX_S, false},
    {"to_in", FORM_WHOLE, offsetof(struct reserve_order, to_in), 1, TIME_MAX_S, false},
    {"every", FORM_TEXT, offsetof(struct reserve_order, every), 0, 16, false},
    {"force", FORM_SWITCH, offsetof(struct reserve_order, force), 0, 0, false},
    {0}};

/* Seconds of a period; 0 for none, -1 with `error`. */
static int64_t read_period(const char *word, struct error *error)
{
    for (size_t i = 0; word && i < PERIODS; i++)
        if (!strcmp(word, periods[i].word))
            return periods[i].s;
    return word ? error_set(error, "field \"every\": expected \"day\" or \"week\"") : 0;
}

static const char *period_word(int64_t every_s)
{
    for (size_t i = 0; i < PERIODS; i++)
        if (periods[i].s == every_s)
            return periods[i].word;
    return NULL;
}

/* Fills in the times of the document. -1 with `error`. */
static int read_times(const struct serving *self, const struct reserve_order *order,
                      struct reservation_document *document, struct error *error)
{
    const int64_t now = self->epoch + serving_now_s(self);

    if ((order->from > 0) + (order->from_in > 0) != 1 || (order->to > 0) + (order->to_in > 0) != 1)
        return error_set(error, "expected a time from which and one up to which it is");
    document->from = order->from > 0 ? order->from : now + order->from_in;
    document->to = order->to > 0 ? order->to : now + order->to_in;
    document->every = read_period(order->every, error);
    if (document->every < 0)
        return -1;
    if (document->from <= now)
        return error_set(error, "a reservation begins later than now");
    if (document->to <= document->from)
        return error_set(error, "a reservation ends after it begins");
    if (document->every > 0 && document->to - document->from >= document->every)
        return error_set(error, "a reservation that comes again is over by then");
    return 0;
}

/* A node that may be chosen. */
struct candidate {
    int node;
    int used; /* GPUs, by jobs */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;

    return x->used != y->used ? x->used - y->used : y->node - x->node;
}

/* Nodes that are up, and that no order is about. */
static size_t list_candidates(const struct serving *self, struct candidate *list)
{
    size_t count = 0;
    int64_t from_s;
    int64_t to_s;

    for (int i = 0; i < capacity_node_count(self->capacity); i++)
        if (cluster_is_up(self->decision.cluster, i) && !self->drains[i].cause &&
            !find_first(self, i, self->decision.now_s, &from_s, &to_s))
            list[count++] = (struct candidate){i, telling_used(self, i)};
    return count;
}

/* Whole nodes that have `gpus` GPUs, those with the fewest GPUs in use first. NULL with `error`. */
static json_t *choose_nodes(const struct serving *self, int64_t gpus, struct error *error)
{
    struct candidate *list =
        xcalloc((size_t)capacity_node_count(self->capacity) + 1, sizeof(*list));
    const size_t count = list_candidates(self, list);
    json_t *nodes = json_array();
    int64_t left = gpus;
    char name[256];

    qsort(list, count, sizeof(*list), compare_candidates);
    for (size_t i = 0; i < count && left > 0; i++) {
        left -= cluster_node_gpus_up(self->decision.cluster, list[i].node);
        json_array_append_new(
            nodes, json_string(telling_node_name(self, list[i].node, name, sizeof(name))));
    }
    free(list);
    if (left <= 0)
        return nodes;
    json_decref(nodes);
    (void)error_set(error, "nodes that are up and not reserved have %" PRId64 " GPUs, not %" PRId64,
                    gpus - left, gpus);
    return NULL;
}

/* The names of the nodes that are named or numbered; NULL if the request was answered. */
static json_t *name_nodes(struct serving *self, struct request **request, const struct words *words)
{
    json_t *nodes = json_array();
    char name[256];

    for (size_t i = 0; i < words->count; i++) {
        const int node = nodes_find(self, request, words->items[i]);

        if (node < 0) {
            json_decref(nodes);
            return NULL;
        }
        json_array_append_new(nodes,
                              json_string(telling_node_name(self, node, name, sizeof(name))));
    }
    return nodes;
}

static json_t *pick_nodes(struct serving *self, struct request **request,
                          const struct reserve_order *order)
{
    struct error error;
    json_t *nodes;

    if ((order->nodes.count > 0) == (order->gpus > 0)) {
        clients_fail(self->clients, request, ANSWER_BAD, "expected \"nodes\" or \"gpus\"");
        return NULL;
    }
    if (order->nodes.count > 0)
        return name_nodes(self, request, &order->nodes);
    nodes = choose_nodes(self, order->gpus, &error);
    if (!nodes)
        clients_fail(self->clients, request, ANSWER_FAILED, "%s", error.text);
    return nodes;
}

static size_t count_live(const struct serving *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->reservations.count; i++)
        count += !is_over(&self->reservations.items[i], self->decision.now_s);
    return count;
}

/* The document that the request asks for, owned by the caller; NULL if the request was answered. */
static char *make_document(struct serving *self, struct request **request, bool *force)
{
    struct reserve_order order = {.gpus = 0};
    struct reservation_document document = {0};
    arena_t *texts = arena_new();
    json_t *nodes = NULL;
    char who[WHO_BYTES];
    char *body = NULL;
    struct error error;

    if (form_read((*request)->document, reserve_fields, &order, texts, &error) < 0 ||
        read_times(self, &order, &document, &error) < 0)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    else if (count_live(self) >= RESERVATIONS_MAX)
        clients_fail(self->clients, request, ANSWER_FAILED,
                     "there are %d reservations, and no more can be", RESERVATIONS_MAX);
    else
        nodes = pick_nodes(self, request, &order);
    if (nodes) {
        json_t *object;

        verbs_say_who((*request)->client, NULL, who);
        object = json_pack("{s:I, s:I, s:I, s:s, s:o}", "from", (json_int_t)document.from, "to",
                           (json_int_t)document.to, "every", (json_int_t)document.every, "by", who,
                           "nodes", nodes);
        body = json_dumps(object, JSON_COMPACT);
        json_decref(object);
    }
    *force = order.force;
    arena_destroy(&texts);
    return body;
}

/* ---- what is told ---- */

static json_t *tell(const struct serving *self, const struct node_reservation *reservation)
{
    json_t *nodes = json_array();
    int64_t from_s;
    int64_t to_s;

    (void)find_time(reservation, self->decision.now_s, &from_s, &to_s);
    for (size_t i = 0; i < reservation->nodes.count; i++)
        json_array_append_new(nodes, json_string(reservation->nodes.items[i]));
    return json_pack("{s:I, s:s, s:o, s:o, s:s?, s:o, s:s}", "reservation",
                     (json_int_t)reservation->number, "state",
                     from_s <= self->decision.now_s ? "active" : "to-come", "from",
                     telling_time(self, from_s), "to", telling_time(self, to_s), "every",
                     period_word(reservation->every_s), "nodes", nodes, "by", reservation->by);
}

static json_t *tell_all(const struct serving *self)
{
    json_t *list = json_array();

    for (size_t i = 0; i < self->reservations.count; i++)
        if (!is_over(&self->reservations.items[i], self->decision.now_s))
            json_array_append_new(list, tell(self, &self->reservations.items[i]));
    return json_pack("{s:o}", "reservations", list);
}

static void answer_all(struct serving *self, struct change *change)
{
    clients_answer(self->clients, &change->request, ANSWER_DONE, tell_all(self));
    free(change);
}

/* The one that is new is the last. */
static void answer_new(struct serving *self, struct change *change)
{
    for (size_t i = 0; i < self->reservations.count; i++)
        if (self->reservations.items[i].number == change->row)
            clients_answer(self->clients, &change->request, ANSWER_DONE,
                           tell(self, &self->reservations.items[i]));
    free(change);
}

/* ---- reserving ---- */

/* A round sees to it that the engine knows. */
static void await(struct serving *self, struct request *request, uint64_t number,
                  change_answer *answer)
{
    steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_TIMER});
    steps_await(self, &request, (uint32_t)number, false, answer);
}

static void reserve(struct serving *self, struct request *request, const char *body)
{
    const uint64_t number = self->last_reservation + 1;
    struct error error;

    if (steps_open(self, &error) < 0 || add(self, number, body, &error) < 0) {
        ordering_fail(self, &request, &error);
        return;
    }
    if (journal_put_number(self->journal, KIND, number, body, &error) < 0) {
        self->reservations.count--;
        ordering_fail(self, &request, &error);
        return;
    }
    self->last_reservation = number;
    await(self, request, number, answer_new);
}

static json_t *ask_broken(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    const char *body = question;
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};
    json_t *broken;

    if (steps_try_news(self, error) < 0 || add(self, UINT64_MAX, body, error) < 0)
        return NULL;
    broken = breaking_find(self, &timer, error);
    return broken ? json_pack("{s:o, s:s}", "broken", broken, "body", body) : NULL;
}

static void answer_broken(void *owner, void *subject, const json_t *answer,
                          const struct error *error)
{
    struct serving *self = owner;
    struct request *request = subject;
    const json_t *broken = json_object_get(answer, "broken");
    char text[200];

    if (!answer) {
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s", error->text);
    } else if (json_array_size(broken) > 0) {
        breaking_say(broken, text, sizeof(text));
        clients_fail(self->clients, &request, ANSWER_FAILED,
                     "%s; nothing was done: --force reserves all the same", text);
    } else {
        reserve(self, request, json_string_value(json_object_get(answer, "body")));
    }
}

void reserving_reserve(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_broken, answer_broken, asking_is_wanted, true};
    bool force;
    char *body = make_document(self, &request, &force);

    if (body && force)
        reserve(self, request, body);
    else if (body && asking_has_room(self, &request))
        questions_put(self->questions, client_user(request->client), &kind, body, strlen(body) + 1,
                      request);
    free(body);
}

struct cancel_order {
    int64_t reservation;
};

static const struct form_field cancel_fields[] = {
    {"reservation", FORM_WHOLE, offsetof(struct cancel_order, reservation), 1, INT64_MAX, true},
    {0}};

/* Where the reservation is in the list, if it is not over; else the end of the list. */
static size_t find(const struct serving *self, uint64_t number)
{
    size_t i = 0;

    while (i < self->reservations.count &&
           (self->reservations.items[i].number != number ||
            is_over(&self->reservations.items[i], self->decision.now_s)))
        i++;
    return i;
}

static void cancel(struct serving *self, struct request *request, size_t place)
{
    const uint64_t number = self->reservations.items[place].number;
    struct error error;

    if (steps_open(self, &error) < 0 ||
        journal_put_number(self->journal, KIND, number, CANCELLED, &error) < 0) {
        ordering_fail(self, &request, &error);
        return;
    }
    self->reservations.count--;
    memmove(&self->reservations.items[place], &self->reservations.items[place + 1],
            (self->reservations.count - place) * sizeof(*self->reservations.items));
    await(self, request, 0, answer_all);
}

void reserving_cancel(struct serving *self, struct request *request)
{
    struct cancel_order order;
    arena_t *texts = arena_new();
    struct error error;
    size_t place;

    if (form_read(request->document, cancel_fields, &order, texts, &error) < 0) {
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    } else {
        place = find(self, (uint64_t)order.reservation);
        if (place < self->reservations.count)
            cancel(self, request, place);
        else
            clients_fail(self->clients, &request, ANSWER_UNKNOWN,
                         "there is no reservation %" PRId64, order.reservation);
    }
    arena_destroy(&texts);
}

void reserving_list(struct serving *self, struct request *request)
{
    static const struct form_field no_fields[] = {{0}};
    arena_t *texts = arena_new();
    struct error error;

    if (form_read(request->document, no_fields, NULL, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else
        clients_answer(self->clients, &request, ANSWER_DONE, tell_all(self));
    arena_destroy(&texts);
}
