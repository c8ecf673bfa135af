/* run_copy.c - see run_copy.h. */
#include "protocol/run_copy.h"

#include "common/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    return xstrdup(text ? text : "");
}

static int32_t *copy_numbers(const int32_t *numbers, size_t count)
{
    int32_t *copy = xcalloc(count ? count : 1, sizeof(*copy));

    if (count > 0)
        memcpy(copy, numbers, count * sizeof(*copy));
    return copy;
}

void run_copy(const struct msg_run *run, struct msg_run *copy)
{
    *copy = *run;
    copy->name = copy_text(run->name);
    copy->model = copy_text(run->model);
    copy->rendezvous_address = copy_text(run->rendezvous_address);
    copy->gpus = copy_numbers(run->gpus, run->gpu_count);
    copy->ranks = copy_numbers(run->ranks, run->gpu_count);
    copy->program = program_copy(run->program);
}

void run_copy_clear(struct msg_run *copy)
{
    free((void *)(uintptr_t)copy->name);
    free((void *)(uintptr_t)copy->model);
    free((void *)(uintptr_t)copy->rendezvous_address);
    free(copy->gpus);
    free(copy->ranks);
    program_free((struct msg_program *)(uintptr_t)copy->program);
    *copy = (struct msg_run){0};
}
