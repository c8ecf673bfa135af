/* fake_nvml.c - stands for libnvidia-ml.so.1: as many GPUs as FAKE_GPUS says, none without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    unsigned long long total, free, used;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);

static char devices[4096];

static unsigned gpus(void)
{
    const char *text = getenv("FAKE_GPUS");

    return text ? (unsigned)atoi(text) : 0;
}

int nvmlInit_v2(void)
{
    return gpus() > 0 ? 0 : 9;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = gpus();
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &devices[index];
    return index < gpus() ? 0 : 2;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length)
{
    (void)snprintf(uuid, length, "GPU-%08d-nvml", (int)((char *)device - devices));
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    memory->total = (40960ULL + (unsigned long long)((char *)device - devices)) << 20;
    return 0;
}
