/* node_gpus.c - see node_gpus.h. */
#include "master/node_gpus.h"

#include "common/memory.h"
#include "common/packing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void node_forget_gpus(struct worker_node *node)
{
    free(node->uuids);
    free(node->gpu);
    free(node->health);
    free(node->by_place);
    free(node->place);
    node->uuids = NULL;
    node->gpu = NULL;
    node->health = NULL;
    node->by_place = node->place = NULL;
    node->gpus = 0;
}

/* ---- changes of GPUs ---- */

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

/* The first GPU that the node had and has no more; NULL if there is none, or if the GPUs have no
 * UUIDs. */
static const char *missing_gpu(const struct worker_node *node, const struct msg_gpu *gpus,
                               size_t count)
{
    for (int32_t i = 0; i < node->found; i++)
        if (node->gpu[i].uuid[0] && !node->gpu[i].gone && !has_gpu(gpus, count, node->gpu[i].uuid))
            return node->gpu[i].uuid;
    return NULL;
}

/* Logs how the GPUs that the worker found differ from the GPUs that the node had. */
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
    return gpu < node->room && !node->gpu[gpu].gone && !node->health[gpu].left_out;
}

/* Gives the first places to GPUs that may be planned. A GPU that has a first place already keeps
 * it, so that its parts run on. */
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

void node_gpus_order(struct worker_node *node)
{
    node->gpus = node->found < node->room ? node->found : node->room;
    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        node->place[gpu] = gpu < node->gpus ? gpu : -1;
        node->by_place[gpu] = gpu;
    }
    order_gpus(node);
}

void node_leave_out(struct worker_node *node, int32_t gpu, bool left_out)
{
    assert(gpu >= 0 && gpu < node->found);
    node->health[gpu].left_out = left_out;
    order_gpus(node);
}

/* Copies the texts of `node->gpu`, so that the node owns them. */
static void keep_uuids(struct worker_node *node)
{
    struct packing packing = {NULL, 0};

    for (int32_t i = 0; i < node->found; i++)
        (void)packing_text(&packing, node->gpu[i].uuid);
    packing_begin(&packing);
    for (int32_t i = 0; i < node->found; i++)
        node->gpu[i].uuid = packing_text(&packing, node->gpu[i].uuid);
    node->uuids = packing.memory;
}

static void keep_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    node->found = (int32_t)count;
    node->gpu = xcalloc(count, sizeof(*node->gpu));
    node->health = xcalloc(count, sizeof(*node->health));
    node->by_place = xcalloc(count, sizeof(*node->by_place));
    node->place = xcalloc(count, sizeof(*node->place));
    for (size_t i = 0; i < count; i++)
        node->gpu[i] = gpus[i];
    keep_uuids(node);
}

void node_take_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    if (node->gpu)
        compare_gpus(node, gpus, count);
    node_forget_gpus(node);
    keep_gpus(node, gpus, count);
    node_gpus_order(node);
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

/* Places the node's GPUs. A GPU that `before` had and that is still there keeps its place. A GPU
 * that comes, be it back or in the place of another, has no known failures, nor has its node. */
static void keep_places(struct worker_node *node, const struct worker_node *before)
{
    const int32_t both = before->found < node->found ? before->found : node->found;

    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        const bool stays = gpu < both && !node->gpu[gpu].gone && !before->gpu[gpu].gone;

        node->place[gpu] = stays ? before->place[gpu] : -1;
        if (stays && !strcmp(node->gpu[gpu].uuid, before->gpu[gpu].uuid))
            node->health[gpu] = before->health[gpu];
        else if (!node->gpu[gpu].gone)
            node->excluded = false;
    }
    node->gpus = before->gpus < node->found ? before->gpus : node->found;
    for (int32_t place = 0; place < node->gpus; place++)
        node->by_place[place] = before->by_place[place] < both ? before->by_place[place] : 0;
}

/* Whether any GPU is real. Made-up GPUs have no UUIDs, and are gone when the driver of their
 * node shows real GPUs. */
static bool any_is_real(const struct msg_gpu *gpus, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!gpus[i].gone && gpus[i].uuid[0])
            return true;
    return false;
}

bool node_change_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count)
{
    struct worker_node before = *node;

    if (same_gpus(node, gpus, count))
        return false;
    compare_gpus(node, gpus, count);
    node->made_up = node->made_up && !any_is_real(gpus, count);
    keep_gpus(node, gpus, count);
    keep_places(node, &before);
    order_gpus(node);
    node_forget_gpus(&before);
    return true;
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

/* ---- which GPUs are left out ---- */

static void name_gpu(const struct worker_node *node, int32_t gpu, const char *before, FILE *out)
{
    const char *uuid = node->gpu[gpu].uuid;

    (void)fprintf(out, "%sGPU %" PRId32 "%s%.95s%s", before, gpu, *uuid ? " (" : "", uuid,
                  *uuid ? ")" : "");
}

void node_say_left_out(const struct worker_node *node, char *text, size_t size)
{
    const struct gpu_health *last = NULL;
    int count = 0;
    FILE *out;

    memset(text, 0, size);
    out = fmemopen(text, size - 1, "w");
    if (!out)
        memory_out();
    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        if (!node->health[gpu].left_out)
            continue;
        last = &node->health[gpu];
        name_gpu(node, gpu, count++ > 0 ? ", " : "", out);
    }
    if (last)
        (void)fprintf(out, " %s left out: %d failures in a row%s, at last: %s",
                      count > 1 ? "are" : "is", last->failures, count > 1 ? " on each" : "",
                      last->cause);
    (void)fclose(out);
}
