/* gpus_look.c - see gpus.h: the GPUs of a machine while it runs. Some fall off, come back, or are
 * exchanged. Each keeps its number, so that programs on the other GPUs go on. */
#include "common/memory.h"
#include "common/number.h"
#include "worker/gpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 160

/* ---- a look ---- */

int gpus_look(struct gpus *gpus, struct error *error)
{
    int32_t answer;

    *gpus = (struct gpus){.kind = "nvml"};
    answer = nvml_find(&gpus->items);
    if (answer <= 0) {
        struct gpu *items;
        const int32_t listed = nvidia_smi_find(&items);

        if (listed > 0 || answer == 0) {
            free(gpus->items);
            *gpus = (struct gpus){.kind = "nvidia-smi", .items = items};
            answer = listed;
        }
    }
    if (answer < 0) {
        gpus_clear(gpus);
        return error_set(error, "--list-gpus: the driver cannot say which GPUs there are");
    }
    gpus->count = gpus->room = answer;
    return 0;
}

char *gpus_write_list(const struct gpus *gpus)
{
    char *text = xcalloc((size_t)gpus->count + 1, LINE_MAX_BYTES);
    size_t used = 0;

    for (int32_t i = 0; i < gpus->count; i++)
        used += (size_t)snprintf(text + used, LINE_MAX_BYTES, "%.95s, %" PRId64 "\n",
                                 gpus->items[i].uuid, gpus->items[i].memory_mib);
    return text;
}

static int read_line(const char *line, size_t length, struct gpu *gpu, struct error *error)
{
    const char *comma = memchr(line, ',', length);
    const size_t uuid = comma ? (size_t)(comma - line) : length;

    *gpu = (struct gpu){.memory_mib = 0};
    if (!comma || uuid >= sizeof(gpu->uuid) || length < uuid + 2 ||
        number_parse_whole(comma + 2, length - uuid - 2, 0, INT64_MAX, &gpu->memory_mib) !=
            NUMBER_OK)
        return error_set(error, "the list of GPUs has the line \"%.*s\"", (int)length, line);
    memcpy(gpu->uuid, line, uuid);
    return 0;
}

int gpus_read_list(const char *text, struct gpus *gpus, struct error *error)
{
    size_t capacity = 0;

    *gpus = (struct gpus){.kind = "seen"};
    while (*text) {
        const size_t length = strcspn(text, "\n");

        gpus->items = grow_array(gpus->items, (size_t)gpus->count, &capacity, sizeof(struct gpu));
        if (read_line(text, length, &gpus->items[gpus->count], error) < 0) {
            gpus_clear(gpus);
            return -1;
        }
        gpus->count++;
        text += length + (text[length] == '\n');
    }
    gpus->room = gpus->count;
    return 0;
}

/* ---- GPUs that were there before ---- */

static bool all_have_uuids(const struct gpus *gpus)
{
    for (int32_t i = 0; i < gpus->count; i++)
        if (!gpus->items[i].uuid[0])
            return false;
    return true;
}

/* Whether the GPUs are made up or declared, so that no driver showed them. */
static bool stand_for_others(const struct gpus *self)
{
    return !strcmp(self->kind, KIND_MADE_UP) || !strcmp(self->kind, KIND_DECLARED);
}

bool gpus_can_be_watched(const struct gpus *self)
{
    return self->room > self->count && (stand_for_others(self) || all_have_uuids(self));
}

int32_t gpus_there(const struct gpus *self)
{
    int32_t there = 0;

    for (int32_t i = 0; i < self->count; i++)
        there += !self->items[i].gone;
    return there;
}

static struct gpu *find(const struct gpus *gpus, const char *uuid)
{
    for (int32_t i = 0; i < gpus->count; i++)
        if (!strcmp(gpus->items[i].uuid, uuid))
            return &gpus->items[i];
    return NULL;
}

static bool take_gone(struct gpus *self, const struct gpus *seen)
{
    bool changed = false;

    for (int32_t i = 0; i < self->count; i++) {
        struct gpu *gpu = &self->items[i];

        if (gpu->gone || find(seen, gpu->uuid))
            continue;
        gpu->gone = changed = true;
        (void)snprintf(self->differs, sizeof(self->differs), "GPU %" PRId32 ", %.95s, is gone", i,
                       gpu->uuid);
    }
    return changed;
}

/* Takes in a GPU. A GPU that is back has its number again; a new GPU gets the next number. */
static bool take_one(struct gpus *self, const struct gpu *seen)
{
    struct gpu *gpu = find(self, seen->uuid);
    const char *what = gpu ? "is back" : "is new";

    if (gpu && !gpu->gone)
        return false;
    if (self->wanted > 0 && gpus_there(self) >= self->wanted)
        return false;
    if (!gpu && (self->chosen || self->count == self->room))
        return false;
    if (!gpu)
        gpu = &self->items[self->count++];
    *gpu = *seen;
    (void)snprintf(self->differs, sizeof(self->differs), "GPU %" PRId32 ", %.95s, %s",
                   (int32_t)(gpu - self->items), gpu->uuid, what);
    return true;
}

/* Takes in the GPUs that the driver shows for the first time. GPUs that were made up or declared
 * in their place are gone. */
static bool take_driver(struct gpus *self, const struct gpus *seen)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    struct gpus shown = {.count = seen->count};

    shown.items = xcalloc((size_t)seen->count + 1, sizeof(*shown.items));
    for (int32_t i = 0; i < seen->count; i++)
        shown.items[i] = seen->items[i];
    if (visible)
        gpus_keep_visible(&shown, visible);
    for (int32_t i = 0; i < self->count && shown.count > 0; i++)
        self->items[i].gone = true;
    if (shown.count > 0)
        self->kind = KIND_DRIVER;
    for (int32_t i = 0; i < shown.count; i++)
        (void)take_one(self, &shown.items[i]);
    self->chosen = visible;
    free(shown.items);
    return shown.count > 0;
}

bool gpus_take_look(struct gpus *self, const struct gpus *seen)
{
    bool changed;

    if (!all_have_uuids(seen))
        return false;
    if (stand_for_others(self))
        return take_driver(self, seen);
    changed = take_gone(self, seen);
    for (int32_t i = 0; i < seen->count; i++)
        changed = take_one(self, &seen->items[i]) || changed;
    return changed;
}
