/* fake_nvidia_smi.c - stands for nvidia-smi: lists as many GPUs as FAKE_SMI_GPUS says, fails
 * without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *gpus = getenv("FAKE_SMI_GPUS");

    if (!gpus || argc != 3 || strcmp(argv[1], "--query-gpu=uuid,memory.total") != 0 ||
        strcmp(argv[2], "--format=csv,noheader,nounits") != 0)
        return 9;
    for (int i = 0; i < atoi(gpus); i++)
        printf("GPU-%08d-smi, %d\n", i, 16000 + i);
    return 0;
}
