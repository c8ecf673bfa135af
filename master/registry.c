/* registry.c - see registry.h. */
#include "master/registry.h"

#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define PORTS_IN_TURN 1000
#define PORT_MAX      65535

struct entry {
    struct worker_node node;
    UT_hash_handle hh; /* by name */
};

struct registry {
    struct entry **entries; /* by rising number */
    size_t count;
    size_t capacity;
    struct entry *by_name;
    struct worker_node **owners; /* by rank, NULL for none */
    int32_t gpus;                /* ranks below this may have one */
    bool closed;
};

registry_t *registry_new(void)
{
    return xcalloc(1, sizeof(registry_t));
}

static void forget_gpus(struct worker_node *node)
{
    for (int32_t i = 0; node->gpu && i < node->found; i++)
        free((char *)(uintptr_t)node->gpu[i].uuid);
    free(node->gpu);
    free(node->health);
    free(node->by_place);
    free(node->place);
    node->gpu = NULL;
    node->health = NULL;
    node->by_place = node->place = NULL;
    node->gpus = 0;
}

static void free_node(struct worker_node *node)
{
    forget_gpus(node);
    free(node->name);
    free(node->address);
    free(node->user);
    free(node->only);
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

/* The lowest that are free in a row: those of nodes that have not come back, or new ones. -1 if
 * there are none. */
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

/* Where the node of `number` is, or would be. */
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

/* The number and the ranks that come first among those that are free. */
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

/* The node gets back what it had, and those that it finds there get other places, of which there
 * are enough as long as half of all ranks are. */
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

static bool has_gpu(const struct msg_gpu *gpus, size_t count, const char *uuid)
{
    for (size_t i = 0; i < count; i++)
        if (!gpus[i].gone && !strcmp(gpus[i].uuid, uuid))
            return true;
    return false;
}

static int32_t count_there(const struct msg_gpu *gpus, size_t count)
{
    int32_t there = 0;

    for (size_t i = 0; i < count; i++)
        there += !gpus[i].gone;
    return there;
}

/* The first GPU that the node had and has no more; NULL if there is none, or they have no UUIDs. */
static const char *missing_gpu(const struct worker_node *node, const struct msg_gpu *gpus,
                               size_t count)
{
    for (int32_t i = 0; i < node->found; i++)
        if (node->gpu[i].uuid[0] && !node->gpu[i].gone && !has_gpu(gpus, count, node->gpu[i].uuid))
            return node->gpu[i].uuid;
    return NULL;
}

/* Says how the GPUs that the worker found differ from those that it had. */
static void compare_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    const char *missing = missing_gpu(node, gpus, count);
    const int32_t before = count_there(node->gpu, (size_t)node->found);
    const int32_t found = count_there(gpus, count);
    const char *without = missing ? ", without " : "";

    node->differs[0] = '\0';
    if (found != before)
        (void)snprintf(node->differs, sizeof(node->differs),
                       "it has %" PRId32 " GPU%s instead of %" PRId32 "%s%.96s", found,
                       found == 1 ? "" : "s", before, without, missing ? missing : "");
    else if (missing)
        (void)snprintf(node->differs, sizeof(node->differs),
                       "it has other GPUs than before, without %.96s", missing);
}

/* ---- which GPU has which rank ---- */

static bool may_be_planned(const struct worker_node *node, int32_t gpu)
{
    return gpu < node->room && !node->gpu[gpu].gone;
}

/* Gives the GPUs that may be planned the first places, and those that have one of these keep it:
 * what runs there runs on. */
static void order_gpus(struct worker_node *node)
{
    const int32_t had = node->gpus;
    int32_t next = 0;

    node->gpus = 0;
    for (int32_t gpu = 0; gpu < node->found; gpu++)
        node->gpus += may_be_planned(node, gpu);
    for (int32_t gpu = 0; gpu < node->found; gpu++)
        if (!may_be_planned(node, gpu) || node->place[gpu] >= node->gpus)
            node->place[gpu] = -1;
    for (int32_t place = 0; place < node->gpus; place++) {
        if (place < had && node->place[node->by_place[place]] == place)
            continue;
        while (node->place[next] >= 0 || !may_be_planned(node, next))
            next++;
        node->by_place[place] = next;
        node->place[next] = place;
    }
}

/* Each GPU has the place of its number, where no GPU is gone. */
static void order_anew(struct worker_node *node)
{
    node->gpus = node->found < node->room ? node->found : node->room;
    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        node->place[gpu] = gpu < node->gpus ? gpu : -1;
        node->by_place[gpu] = gpu;
    }
    order_gpus(node);
}

static void keep_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    node->found = (int32_t)count;
    node->gpu = xcalloc(count, sizeof(*node->gpu));
    node->health = xcalloc(count, sizeof(*node->health));
    node->by_place = xcalloc(count, sizeof(*node->by_place));
    node->place = xcalloc(count, sizeof(*node->place));
    for (size_t i = 0; i < count; i++) {
        node->gpu[i] = gpus[i];
        node->gpu[i].uuid = xstrdup(gpus[i].uuid);
    }
}

static void take_gpus(struct worker_node *node, const struct msg_worker_hello *hello)
{
    if (node->gpu)
        compare_gpus(node, hello->gpus, hello->gpu_count);
    forget_gpus(node);
    keep_gpus(node, hello->gpus, hello->gpu_count);
    order_anew(node);
}

static bool same_gpus(const struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    if ((size_t)node->found != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (node->gpu[i].gone != gpus[i].gone || strcmp(node->gpu[i].uuid, gpus[i].uuid) != 0)
            return false;
    return true;
}

/* GPUs that `before` had, and that are there still, keep their places. */
static void keep_places(struct worker_node *node, const struct worker_node *before)
{
    const int32_t both = before->found < node->found ? before->found : node->found;

    for (int32_t gpu = 0; gpu < node->found; gpu++)
        node->place[gpu] = -1;
    for (int32_t gpu = 0; gpu < both; gpu++) {
        if (node->gpu[gpu].gone || before->gpu[gpu].gone)
            continue;
        node->health[gpu] = before->health[gpu];
        node->place[gpu] = before->place[gpu];
    }
    node->gpus = before->gpus < node->found ? before->gpus : node->found;
    for (int32_t place = 0; place < node->gpus; place++)
        node->by_place[place] = before->by_place[place] < both ? before->by_place[place] : 0;
}

bool registry_change_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    struct worker_node before = *node;

    if (same_gpus(node, gpus, count))
        return false;
    compare_gpus(node, gpus, count);
    keep_gpus(node, gpus, count);
    keep_places(node, &before);
    order_gpus(node);
    forget_gpus(&before);
    return true;
}

static struct entry *add(registry_t *self, const char *name, const struct msg_worker_hello *hello,
                         struct error *error)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));
    struct worker_node *node = &entry->node;

    node->name = xstrdup(name);
    node->state = NODE_DOWN;
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

/* Whether it can be forgotten: it is gone, and no part of a job was ever there. */
static bool is_idle(const struct worker_node *node)
{
    return node->state == NODE_DOWN && !node->has_held && !node->parts && node->stray_count == 0;
}

/* Makes a node that can be forgotten the one of `name`: where there is no room left, its place
 * counts for more than its name. Workers that came once and hold nothing keep no other out. NULL if
 * there is none. */
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
        forget_gpus(node);
        node->found = 0;
        give_ranks(self, node, first, count);
        HASH_ADD_KEYPTR(hh, self->by_name, node->name, strlen(node->name), entry);
        return entry;
    }
    return NULL;
}

/* A node with more GPUs than ranks has as many GPUs as ranks as long as anything of it is left. */
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
    order_anew(node);
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
    if (!hello->numbered || !node->gpu) { /* a process that is new, to which nothing happened yet */
        take_gpus(node, hello);
        node->excluded = false;
    } else {
        (void)registry_change_gpus(node, hello->gpus, hello->gpu_count);
    }
    (void)registry_make_room(self, node);
    keep_text(&node->address, hello->address);
    keep_text(&node->user, hello->user);
    keep_text(&node->only, hello->only);
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

int32_t node_gpu(const struct worker_node *self, int32_t rank)
{
    assert(rank >= self->first_rank && rank < self->first_rank + self->gpus);
    return self->by_place[rank - self->first_rank];
}

int32_t node_rank(const struct worker_node *self, int32_t gpu)
{
    if (gpu < 0 || gpu >= self->found || self->place[gpu] < 0)
        return -1;
    return self->first_rank + self->place[gpu];
}

bool node_in_session(const struct worker_node *self)
{
    return self->state == NODE_UP || self->state == NODE_RETURNING;
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
