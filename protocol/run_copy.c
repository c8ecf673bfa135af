/* run_copy.c - see run_copy.h. */
#include "protocol/run_copy.h"

static struct msg_run pack(const struct msg_run *run, struct packing *packing)
{
    const size_t size = run->gpu_count * sizeof(*run->gpus);
    struct msg_run copy = *run;

    copy.name = packing_text(packing, run->name);
    copy.model = packing_text(packing, run->model);
    copy.rendezvous_address = packing_text(packing, run->rendezvous_address);
    copy.gpus = packing_bytes(packing, run->gpus, size);
    copy.ranks = packing_bytes(packing, run->ranks, size);
    copy.program = run->program ? program_pack(run->program, packing) : NULL;
    return copy;
}

void *run_copy(const struct msg_run *run, struct msg_run *copy)
{
    struct packing packing = {NULL, 0};

    (void)pack(run, &packing);
    packing_begin(&packing);
    *copy = pack(run, &packing);
    return packing.memory;
}
