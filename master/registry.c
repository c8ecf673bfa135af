/* registry.c - see registry.h. */
#include "master/registry.h"

#include "common/memory.h"
#include "master/node_gpus.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define PORTS_IN_TURN 1000
#define PORT_MAX      65535

struct entry {
    struct worker_node node;
    UT_hash_handle hh; /* handle of the table of names */
};

struct registry {
    struct entry **entries; /* sorted by number */
    size_t count;
    size_t capacity;
    struct entry *by_name;
    struct worker_node **owners; /* indexed by rank, NULL for none */
    int32_t gpus;                /* only ranks below this number may have an owner */
    bool closed;
    uint64_t goes; /* number of times that nodes went, so far */
};

registry_t *registry_new(void)
{
    return xcalloc(1, sizeof(registry_t));
}

static void free_node(struct worker_node *node)
{
    node_forget_gpus(node);
    free(node->name);
    free(node->address);
    free(node->user);
    free(node->only);
    free(node->type);
    free(node->strays);
}

void registry_destroy(registry_t **self)
{
    if (!*self)
        return;
    HASH_CLEAR(hh, (*self)->by_name);
    for (size_t i = 0; i < (*self)->count; i++) {
        free_node(&(*self)->entries[i]->node);
        free((*self)->entries[i]);
    }
    free((*self)->entries);
    free((*self)->owners);
    free(*self);
    *self = NULL;
}

static int check_hello(const char *name, const struct msg_worker_hello *hello, struct error *error)
{
    if (hello->gpu_count > NODE_GPUS_MAX)
        return error_set(error, "worker \"%s\" has %zu GPUs, expected 0 to %d", name,
                         hello->gpu_count, NODE_GPUS_MAX);
    if (hello->port < 1 || hello->port > PORT_MAX)
        return error_set(error, "worker \"%s\" has the port %" PRId32 ", expected 1 to %d", name,
                         hello->port, PORT_MAX);
    if (!hello->address[0])
        return error_set(error, "worker \"%s\" has no address", name);
    return 0;
}

/* ---- ranks ---- */

static bool ranks_are_free(const registry_t *self, int32_t first, int32_t count)
{
    if (first < 0 || count > RANKS_MAX - first)
        return false;
    for (int32_t rank = first; rank < first + count && rank < self->gpus; rank++)
        if (self->owners[rank])
            return false;
    return true;
}

/* The first of the lowest `count` free ranks in a row: ranks of nodes that have not come back,
 * or new ranks. -1 if there are none. */
static int32_t find_ranks(const registry_t *self, int32_t count)
{
    int32_t first = 0;

    while (first < self->gpus && !ranks_are_free(self, first, count))
        first++;
    return ranks_are_free(self, first, count) ? first : -1;
}

static void set_owner(registry_t *self, const struct worker_node *node, struct worker_node *owner)
{
    const int32_t end = node->first_rank + node->room;

    if (end > self->gpus) {
        self->owners = xrealloc(self->owners, (size_t)end * sizeof(struct worker_node *));
        while (self->gpus < end)
            self->owners[self->gpus++] = NULL;
    }
    for (int32_t rank = node->first_rank; rank < end; rank++)
        self->owners[rank] = owner;
}

static void give_ranks(registry_t *self, struct worker_node *node, int32_t first, int32_t count)
{
    node->first_rank = first;
    node->room = count;
    set_owner(self, node, node);
}

/* ---- numbers ---- */

/* The index in `entries` at which the node of `number` is, or would be. */
static size_t place_of(const registry_t *self, int32_t number)
{
    size_t place = self->count;

    while (place > 0 && self->entries[place - 1]->node.number >= number)
        place--;
    return place;
}

static struct worker_node *numbered(const registry_t *self, int32_t number)
{
    const size_t place = place_of(self, number);

    return place < self->count && self->entries[place]->node.number == number
               ? &self->entries[place]->node
               : NULL;
}

static int32_t lowest_number(const registry_t *self)
{
    int32_t number = 0;

    while ((size_t)number < self->count && self->entries[number]->node.number == number)
        number++;
    return number;
}

static void insert(registry_t *self, struct entry *entry)
{
    const size_t place = place_of(self, entry->node.number);

    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(struct entry *));
    memmove(&self->entries[place + 1], &self->entries[place],
            (self->count - place) * sizeof(struct entry *));
    self->entries[place] = entry;
    self->count++;
}

static void take_out(registry_t *self, const struct worker_node *node)
{
    const size_t place = place_of(self, node->number);

    self->count--;
    memmove(&self->entries[place], &self->entries[place + 1],
            (self->count - place) * sizeof(struct entry *));
}

/* ---- places ---- */

/* Gives a node the first free number and the first free ranks. */
static int take_place(registry_t *self, struct entry *entry, struct error *error)
{
    struct worker_node *node = &entry->node;
    const int32_t first = find_ranks(self, node->room);

    if (self->count >= NODES_MAX || first < 0)
        return error_set(error,
                         "no room for worker \"%s\": there are %zu nodes and %" PRId32 " GPUs",
                         node->name, self->count, self->gpus);
    node->number = lowest_number(self);
    give_ranks(self, node, first, node->room);
    insert(self, entry);
    return 0;
}

/* Whether a node has its place by chance, and holds nothing there. */
static bool makes_way(const registry_t *self, const struct worker_node *node)
{
    return !node || (!self->closed && !node->claimed && !node->parts && node->stray_count == 0);
}

static bool place_is_free(const registry_t *self, const struct msg_worker_hello *hello)
{
    const int32_t end = hello->first_rank + (int32_t)hello->gpu_count;

    if (!hello->numbered || end > RANKS_MAX || self->gpus > RANKS_MAX / 2 ||
        self->count >= NODES_MAX || !makes_way(self, numbered(self, hello->node)))
        return false;
    for (int32_t rank = hello->first_rank; rank < end && rank < self->gpus; rank++)
        if (!makes_way(self, self->owners[rank]))
            return false;
    return true;
}

static void move_away(registry_t *self, struct worker_node *node)
{
    if (!node)
        return;
    take_out(self, node);
    set_owner(self, node, NULL);
    node->number = -1;
    node->moved = true;
}

/* Gives the node back the number and the ranks that it had. Nodes found there get other places;
 * there are enough of these as long as half of all ranks are enough. */
static void take_place_back(registry_t *self, struct entry *entry,
                            const struct msg_worker_hello *hello)
{
    struct entry *other;
    struct entry *next;
    struct error none;

    move_away(self, numbered(self, hello->node));
    for (int32_t rank = hello->first_rank;
         rank < hello->first_rank + entry->node.room && rank < self->gpus; rank++)
        move_away(self, self->owners[rank]);
    entry->node.claimed = true;
    entry->node.number = hello->node;
    give_ranks(self, &entry->node, hello->first_rank, entry->node.room);
    insert(self, entry);
    HASH_ITER(hh, self->by_name, other, next)
    {
        if (other->node.number < 0)
            (void)take_place(self, other, &none);
    }
}

/* ---- nodes ---- */

static struct entry *add(registry_t *self, const char *name, const struct msg_worker_hello *hello,
                         struct error *error)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));
    struct worker_node *node = &entry->node;

    node->name = xstrdup(name);
    node->state = WORKER_DOWN;
    node->room = (int32_t)hello->gpu_count;
    if (place_is_free(self, hello)) {
        take_place_back(self, entry, hello);
    } else if (take_place(self, entry, error) < 0) {
        free_node(node);
        free(entry);
        return NULL;
    }
    HASH_ADD_KEYPTR(hh, self->by_name, node->name, strlen(node->name), entry);
    return entry;
}

/* Whether the node can be forgotten: the node is gone with all that was on it, and nothing names
 * the node. */
static bool is_idle(const struct worker_node *node)
{
    return node->state == WORKER_DOWN && !node->parts && node->stray_count == 0 && node->named == 0;
}

/* The node to forget first, NULL if none can be forgotten. Nodes that never held a part of a job
 * come before others, then nodes that went earlier. */
static struct entry *most_idle(const registry_t *self)
{
    struct entry *found = NULL;

    for (size_t i = 0; i < self->count; i++) {
        struct entry *const entry = self->entries[i];
        const struct worker_node *const node = &entry->node;

        if (is_idle(node) &&
            (!found || node->has_held < found->node.has_held ||
             (node->has_held == found->node.has_held && node->went < found->node.went)))
            found = entry;
    }
    return found;
}

static void forget(registry_t *self, struct entry *entry)
{
    take_out(self, &entry->node);
    set_owner(self, &entry->node, NULL);
    HASH_DEL(self->by_name, entry);
    free_node(&entry->node);
    free(entry);
}

void registry_note_gone(registry_t *self, struct worker_node *node)
{
    node->state = WORKER_DOWN;
    node->went = ++self->goes;
}

static size_t count_gone(const registry_t *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        count += self->entries[i]->node.state == WORKER_DOWN;
    return count;
}

void registry_forget_gone(registry_t *self)
{
    size_t gone = self->closed ? count_gone(self) : 0;

    for (; gone > REGISTRY_GONE_MAX; gone--) {
        struct entry *const entry = most_idle(self);

        if (!entry)
            return;
        forget(self, entry);
    }
}

/* Turns a node that can be forgotten into the node `name`, NULL if no node can be. Where there
 * is no room left, a node's place counts for more than its name: workers that came once and hold
 * nothing keep no other worker out. */
static struct entry *reuse(registry_t *self, const char *name, const struct msg_worker_hello *hello)
{
    const int32_t count = (int32_t)hello->gpu_count;

    for (size_t i = 0; i < self->count; i++) {
        struct entry *const entry = self->entries[i];
        struct worker_node *const node = &entry->node;
        int32_t first;

        if (!is_idle(node))
            continue;
        set_owner(self, node, NULL);
        first = node->room >= count ? node->first_rank : find_ranks(self, count);
        if (first < 0) {
            set_owner(self, node, node);
            continue;
        }
        HASH_DEL(self->by_name, entry);
        free(node->name);
        node->name = xstrdup(name);
        node->claimed = false;
        node_forget_gpus(node);
        node->found = 0;
        give_ranks(self, node, first, count);
        HASH_ADD_KEYPTR(hh, self->by_name, node->name, strlen(node->name), entry);
        return entry;
    }
    return NULL;
}

/* A node with more GPUs than ranks uses only as many GPUs as it has ranks while parts or strays
 * are left on the node. */
bool registry_make_room(registry_t *self, struct worker_node *node)
{
    int32_t first;

    if (node->found <= node->room || node->parts || node->stray_count > 0)
        return false;
    set_owner(self, node, NULL);
    first = find_ranks(self, node->found);
    if (first < 0) {
        set_owner(self, node, node);
        return false;
    }
    give_ranks(self, node, first, node->found);
    node_gpus_order(node);
    return true;
}

static void keep_text(char **kept, const char *text)
{
    free(*kept);
    *kept = xstrdup(text ? text : "");
}

struct worker_node *registry_admit(registry_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error)
{
    struct entry *entry;
    struct worker_node *node;

    HASH_FIND(hh, self->by_name, name, strlen(name), entry);
    if (entry && node_in_session(&entry->node)) {
        error_set(error, "there is a worker \"%s\" already", name);
        return NULL;
    }
    if (check_hello(name, hello, error) < 0)
        return NULL;
    if (!entry)
        entry = add(self, name, hello, error);
    if (!entry)
        entry = reuse(self, name, hello);
    if (!entry)
        return NULL;
    node = &entry->node;
    if (!hello->numbered || !node->gpu) { /* a new process: nothing has happened to its GPUs yet */
        node_take_gpus(node, hello->gpus, hello->gpu_count);
        node->excluded = false;
    } else {
        (void)node_change_gpus(node, hello->gpus, hello->gpu_count);
    }
    (void)registry_make_room(self, node);
    keep_text(&node->address, hello->address);
    keep_text(&node->user, hello->user);
    keep_text(&node->only, hello->only);
    keep_text(&node->type, hello->type);
    node->made_up = hello->kind && !strcmp(hello->kind, "made-up");
    node->port = hello->port;
    return node;
}

void registry_close(registry_t *self)
{
    self->closed = true;
}

bool registry_has_gaps(const registry_t *self)
{
    return (size_t)lowest_number(self) < self->count;
}

size_t registry_count(const registry_t *self)
{
    return self->count;
}

struct worker_node *registry_at(const registry_t *self, size_t place)
{
    assert(place < self->count);
    return &self->entries[place]->node;
}

int32_t registry_gpus(const registry_t *self)
{
    return self->gpus;
}

struct worker_node *registry_find(const registry_t *self, int32_t rank)
{
    return rank >= 0 && rank < self->gpus ? self->owners[rank] : NULL;
}

bool node_in_session(const struct worker_node *self)
{
    return self->state == WORKER_UP || self->state == WORKER_RETURNING;
}

int32_t node_next_port(struct worker_node *self)
{
    const int32_t room = PORT_MAX - self->port + 1;
    const int32_t turns = room < PORTS_IN_TURN ? room : PORTS_IN_TURN;

    return self->port + (int32_t)(self->launches++ % (uint32_t)turns);
}

void node_keep_port(struct worker_node *self, int32_t port)
{
    const int32_t turn = port - self->port;

    if (turn >= 0 && turn < PORTS_IN_TURN && (uint32_t)turn >= self->launches)
        self->launches = (uint32_t)turn + 1;
}
