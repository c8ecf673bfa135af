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
    struct entry **entries; /* by number */
    size_t count;
    size_t capacity;
    struct entry *by_name;
    int32_t gpus;
};

registry_t *registry_new(void)
{
    return xcalloc(1, sizeof(registry_t));
}

static void free_node(struct worker_node *node)
{
    for (int32_t i = 0; i < node->gpus; i++)
        free((char *)(uintptr_t)node->gpu[i].uuid);
    free(node->gpu);
    free(node->name);
    free(node->address);
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
    free(*self);
    *self = NULL;
}

static int check_hello(const char *name, const struct msg_worker_hello *hello, struct error *error)
{
    if (hello->gpu_count < 1 || hello->gpu_count > NODE_GPUS_MAX)
        return error_set(error, "worker \"%s\" has %zu GPUs, expected 1 to %d", name,
                         hello->gpu_count, NODE_GPUS_MAX);
    if (hello->port < 1 || hello->port > PORT_MAX)
        return error_set(error, "worker \"%s\" has the port %" PRId32 ", expected 1 to %d", name,
                         hello->port, PORT_MAX);
    if (!hello->address[0])
        return error_set(error, "worker \"%s\" has no address", name);
    return 0;
}

static int check_room(const registry_t *self, const char *name,
                      const struct msg_worker_hello *hello, struct error *error)
{
    if (self->count >= NODES_MAX || self->gpus + (int32_t)hello->gpu_count > RANKS_MAX)
        return error_set(error,
                         "no room for worker \"%s\": there are %zu nodes and %" PRId32 " GPUs",
                         name, self->count, self->gpus);
    return 0;
}

static struct worker_node *add(registry_t *self, const char *name,
                               const struct msg_worker_hello *hello)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));
    struct worker_node *node = &entry->node;

    node->number = (int32_t)self->count;
    node->first_rank = self->gpus;
    node->gpus = (int32_t)hello->gpu_count;
    node->gpu = xcalloc(hello->gpu_count, sizeof(*node->gpu));
    for (size_t i = 0; i < hello->gpu_count; i++) {
        node->gpu[i].uuid = xstrdup(hello->gpus[i].uuid);
        node->gpu[i].memory_mib = hello->gpus[i].memory_mib;
    }
    node->name = xstrdup(name);
    node->state = NODE_DOWN;
    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(struct entry *));
    self->entries[self->count++] = entry;
    self->gpus += node->gpus;
    HASH_ADD_KEYPTR(hh, self->by_name, node->name, strlen(node->name), entry);
    return node;
}

static int check_same_gpus(const struct worker_node *node, const struct msg_worker_hello *hello,
                           struct error *error)
{
    if ((size_t)node->gpus != hello->gpu_count)
        return error_set(error, "worker \"%s\" had %" PRId32 " GPUs before, now it has %zu",
                         node->name, node->gpus, hello->gpu_count);
    for (size_t i = 0; i < hello->gpu_count; i++)
        if (strcmp(node->gpu[i].uuid, hello->gpus[i].uuid) != 0 ||
            node->gpu[i].memory_mib != hello->gpus[i].memory_mib)
            return error_set(error, "GPU %zu of worker \"%s\" is not the one it was before", i,
                             node->name);
    return 0;
}

struct worker_node *registry_admit(registry_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error)
{
    struct entry *entry;
    struct worker_node *node;

    HASH_FIND(hh, self->by_name, name, strlen(name), entry);
    node = entry ? &entry->node : NULL;
    if (node && node_in_session(node)) {
        error_set(error, "there is a worker \"%s\" already", name);
        return NULL;
    }
    if (check_hello(name, hello, error) < 0)
        return NULL;
    if (node ? check_same_gpus(node, hello, error) < 0 : check_room(self, name, hello, error) < 0)
        return NULL;
    if (!node)
        node = add(self, name, hello);
    free(node->address);
    node->address = xstrdup(hello->address);
    node->port = hello->port;
    return node;
}

size_t registry_count(const registry_t *self)
{
    return self->count;
}

struct worker_node *registry_at(const registry_t *self, size_t number)
{
    assert(number < self->count);
    return &self->entries[number]->node;
}

int32_t registry_gpus(const registry_t *self)
{
    return self->gpus;
}

struct worker_node *registry_find(const registry_t *self, int32_t rank)
{
    size_t low = 0;
    size_t high = self->count;

    if (rank < 0 || rank >= self->gpus)
        return NULL;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (self->entries[middle]->node.first_rank <= rank)
            low = middle;
        else
            high = middle;
    }
    return &self->entries[low]->node;
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
