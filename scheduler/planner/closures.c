/* closures.c - see closures.h. */
#include "scheduler/planner/closures.h"

#include "common/sort.h"
#include "scheduler/plan/plan.h"

static void add(struct closures *self, struct closure closure)
{
    if (closure.gpus > 0)
        self->items[self->count++] = closure;
}

/* Lists the times at which the node at `place` is away. */
static void list_times(struct closures *self, const cluster_t *cluster, int place, int64_t now_s)
{
    const int node = self->order->nodes[place];
    const int gpus = node_order_up(self->order, place);
    const struct stays *again = cluster_node_again(cluster, node);
    int64_t from_s = cluster_is_up(cluster, node) ? cluster_node_until_s(cluster, node) : now_s;

    for (int i = 0; i < again->count; i++) {
        add(self, (struct closure){place, gpus, from_s, again->items[i].from_s});
        from_s = again->items[i].until_s;
    }
    if (from_s < NEVER_S)
        add(self, (struct closure){place, gpus, from_s, NEVER_S});
}

static void list_all(struct closures *self, const cluster_t *cluster, int64_t now_s)
{
    const struct node_order *order = self->order;

    for (int place = 0; place < order->count; place++) {
        self->first[place] = (int)self->count;
        if (place < order->count - order->spares)
            list_times(self, cluster, place, now_s);
    }
    self->first[order->count] = (int)self->count;
}

static size_t count_times(const cluster_t *cluster, const struct node_order *order)
{
    size_t count = (size_t)order->count;

    for (int place = 0; place < order->count; place++)
        count += (size_t)cluster_node_again(cluster, order->nodes[place])->count;
    return count;
}

/* Lists the closures as spans. Nodes that leave together are a single span. */
static void list_spans(struct closures *self, arena_t *arena)
{
    struct keyed *order = arena_alloc(arena, (2 * self->count + 1) * sizeof(*order));

    self->spans = arena_alloc(arena, (self->count + 1) * sizeof(*self->spans));
    for (size_t i = 0; i < self->count; i++)
        order[i] = (struct keyed){(double)self->items[i].from_s, i};
    sort_keyed(order, self->count, order + self->count);
    for (size_t i = 0; i < self->count; i++) {
        const struct closure *closure = &self->items[order[i].item];
        struct span *last = self->span_count > 0 ? &self->spans[self->span_count - 1] : NULL;

        if (last && last->from_s == closure->from_s && last->to_s == closure->to_s)
            last->gpus += closure->gpus;
        else
            self->spans[self->span_count++] =
                (struct span){closure->from_s, closure->to_s, closure->gpus};
    }
}

struct closures closures_open(const cluster_t *cluster, const struct node_order *order,
                              int64_t now_s, arena_t *arena)
{
    struct closures self = {.order = order};

    if (cluster_change_s(cluster) == NEVER_S)
        return self;
    self.items = arena_alloc(arena, (count_times(cluster, order) + 1) * sizeof(*self.items));
    self.first = arena_alloc(arena, ((size_t)order->count + 1) * sizeof(*self.first));
    list_all(&self, cluster, now_s);
    list_spans(&self, arena);
    return self;
}

/* The time from which the GPUs of the closure are closed if they close before `until_s`: now, or
 * after the closure of the same place before it. */
static int64_t brought_forward_s(const struct closures *self, size_t i, int64_t now_s)
{
    const struct closure *before = i > 0 ? &self->items[i - 1] : NULL;

    return before && before->place == self->items[i].place && before->to_s > now_s ? before->to_s
                                                                                   : now_s;
}

struct closures closures_bring_forward(const struct closures *self, int64_t now_s, int64_t until_s,
                                       arena_t *arena)
{
    struct closures forward = *self;

    if (self->count == 0)
        return forward;
    forward.items = arena_alloc(arena, self->count * sizeof(*forward.items));
    for (size_t i = 0; i < self->count; i++) {
        forward.items[i] = self->items[i];
        if (forward.items[i].from_s < until_s)
            forward.items[i].from_s = brought_forward_s(self, i, now_s);
    }
    forward.span_count = 0;
    list_spans(&forward, arena);
    return forward;
}

int64_t closures_next_s(const struct closures *self, int rank, int gpus, int64_t from_s)
{
    int64_t next_s = NEVER_S;

    if (self->count == 0)
        return NEVER_S;
    for (int place = rank / self->order->per_node;
         place <= (rank + gpus - 1) / self->order->per_node; place++)
        for (int i = self->first[place]; i < self->first[place + 1]; i++) {
            const struct closure *closure = &self->items[i];
            const int64_t at_s = closure->from_s > from_s ? closure->from_s : from_s;

            if (closure->to_s > from_s && at_s < next_s)
                next_s = at_s;
        }
    return next_s;
}

double closures_gpu_s(const struct closures *self, int64_t from_s, int64_t to_s)
{
    double gpu_s = 0;

    for (size_t i = 0; i < self->span_count; i++) {
        const struct span *span = &self->spans[i];
        const int64_t begin_s = span->from_s > from_s ? span->from_s : from_s;
        const int64_t end_s = span->to_s < to_s ? span->to_s : to_s;

        if (begin_s < end_s)
            gpu_s += (double)span->gpus * (double)(end_s - begin_s);
    }
    return gpu_s;
}

int closures_gpus(const struct closures *self, int64_t from_s, int64_t to_s)
{
    int gpus = 0;

    for (size_t i = 0; i < self->span_count; i++)
        if (self->spans[i].from_s < to_s && self->spans[i].to_s > from_s)
            gpus += self->spans[i].gpus;
    return gpus;
}
