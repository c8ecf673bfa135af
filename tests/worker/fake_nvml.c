/* fake_nvml.c - stands for libnvidia-ml.so.1: as many GPUs as FAKE_GPUS says, none without.
 *
 * With FAKE_GPUS_FILE the words of that file say which GPUs there are: "7" is the one of which the
 * UUID ends so, "!7" has fallen off the bus and is counted still, "none" is no driver, "broken" a
 * driver that cannot say, and "hang" one that does not answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUCCESS   0
#define NOT_FOUND 6
#define NO_DRIVER 9
#define LOST      15
#define UNKNOWN   999
#define GPUS_MAX  4096

struct memory {
    unsigned long long total, free, used;
};

struct device {
    int number;
    int status;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device);
int nvmlDeviceGetUUID(const struct device *device, char *uuid, unsigned length);
int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory);

static struct device devices[GPUS_MAX];
static unsigned device_count;

static int add(const char *word)
{
    if (!strcmp(word, "none"))
        return NO_DRIVER;
    if (!strcmp(word, "broken"))
        return UNKNOWN;
    while (!strcmp(word, "hang"))
        (void)pause();
    if (device_count < GPUS_MAX)
        devices[device_count++] =
            (struct device){atoi(word + (*word == '!')), *word == '!' ? LOST : SUCCESS};
    return SUCCESS;
}

static int read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char word[16];
    int status = in ? SUCCESS : UNKNOWN;

    while (in && status == SUCCESS && fscanf(in, "%15s", word) == 1)
        status = add(word);
    if (in)
        (void)fclose(in);
    return status;
}

int nvmlInit_v2(void)
{
    const char *file = getenv("FAKE_GPUS_FILE");
    const char *text = getenv("FAKE_GPUS");
    const int gpus = text ? atoi(text) : 0;

    device_count = 0;
    if (file)
        return read_file(file);
    for (int i = 0; i < gpus; i++)
        devices[device_count++] = (struct device){i, SUCCESS};
    return gpus > 0 ? SUCCESS : NO_DRIVER;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = device_count;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device)
{
    if (index >= device_count)
        return NOT_FOUND;
    *device = &devices[index];
    return devices[index].status;
}

int nvmlDeviceGetUUID(const struct device *device, char *uuid, unsigned length)
{
    (void)snprintf(uuid, length, "GPU-%08d-nvml", device->number);
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory)
{
    memory->total = (40960ULL + (unsigned long long)device->number) << 20;
    return SUCCESS;
}
