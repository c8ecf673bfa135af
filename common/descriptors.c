/* descriptors.c - see descriptors.h. */
#include "common/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

/* The lowest that is closed is opened, which is the one that was looked at. */
void descriptors_open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}
