/* nvml.c - GPUs as the driver's own library shows them. The library is loaded if present. Only
 * the parts of its interface in use (NVML API reference, nvidia.com) are declared. */
#include "common/memory.h"
#include "worker/gpus.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#define NVML_SUCCESS   0
#define NVML_NO_DRIVER 9  /* no module of the kernel: no GPU */
#define NVML_LOST      15 /* the GPU has fallen off the bus */
#define NVML_LIBRARY   "libnvidia-ml.so.1"
#define NVML_COUNT_MAX 4096

typedef struct nvmlDevice_st *nvml_device;

struct nvml_memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct nvml {
    void *driver;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, nvml_device *device);
    int (*uuid)(nvml_device device, char *uuid, unsigned length);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
};

/* POSIX returns a function as a pointer to an object. */
static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    *(void **)function = symbol;
    return symbol ? 0 : -1;
}

static int open_library(struct nvml *nvml)
{
    nvml->driver = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->driver)
        return -1;
    if (find(nvml->driver, "nvmlInit_v2", &nvml->init) == 0 &&
        find(nvml->driver, "nvmlShutdown", &nvml->shutdown) == 0 &&
        find(nvml->driver, "nvmlDeviceGetCount_v2", &nvml->count) == 0 &&
        find(nvml->driver, "nvmlDeviceGetHandleByIndex_v2", &nvml->handle) == 0 &&
        find(nvml->driver, "nvmlDeviceGetUUID", &nvml->uuid) == 0 &&
        find(nvml->driver, "nvmlDeviceGetMemoryInfo", &nvml->memory) == 0)
        return 0;
    (void)dlclose(nvml->driver);
    return -1;
}

/* Looks at one GPU. A GPU that cannot be asked is still there. False if the GPU is lost. */
static bool look(const struct nvml *nvml, unsigned index, struct gpu *gpu)
{
    struct nvml_memory memory;
    nvml_device device;
    int status = nvml->handle(index, &device);

    *gpu = (struct gpu){.memory_mib = 0};
    if (status != NVML_SUCCESS)
        return status != NVML_LOST;
    status = nvml->uuid(device, gpu->uuid, sizeof(gpu->uuid));
    if (status != NVML_SUCCESS)
        gpu->uuid[0] = '\0';
    if (status == NVML_LOST)
        return false;
    status = nvml->memory(device, &memory);
    if (status == NVML_SUCCESS)
        gpu->memory_mib = (int64_t)(memory.total >> 20);
    return status != NVML_LOST;
}

/* Looks at the GPUs of an open library. */
static int32_t look_at_all(const struct nvml *nvml, struct gpu **found)
{
    unsigned count = 0;
    int32_t there = 0;

    if (nvml->count(&count) != NVML_SUCCESS || count > NVML_COUNT_MAX)
        return -1;
    if (count > 0)
        *found = xcalloc(count, sizeof(**found));
    for (unsigned i = 0; i < count; i++)
        there += look(nvml, i, &(*found)[there]);
    return there;
}

int32_t nvml_find(struct gpu **found)
{
    struct nvml nvml;
    int32_t count;
    int status;

    *found = NULL;
    if (open_library(&nvml) < 0)
        return 0;
    status = nvml.init();
    if (status == NVML_SUCCESS) {
        count = look_at_all(&nvml, found);
        (void)nvml.shutdown();
    } else {
        count = status == NVML_NO_DRIVER ? 0 : -1;
    }
    (void)dlclose(nvml.driver);
    return count;
}
