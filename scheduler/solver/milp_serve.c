/* milp_serve.c - the program of a server: milp_serve OBJECT MEMORY. See milp_server.h.
 *
 * OBJECT is a back end. MEMORY is the descriptor of a memory with a packet at its beginning.
 * Standard input is a link: each question sends the size of the memory in bytes, and a byte goes
 * back once the answer stands in the packet. The program ends with the link. */
#include "common/memory.h"
#include "common/number.h"
#include "common/object.h"
#include "scheduler/solver/milp_packet.h"
#include "scheduler/solver/milp_process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct service {
    const struct milp_solver *solver;
    int memory;
    struct milp_packet *packet;
    size_t bytes;
};

static void work(const struct service *self)
{
    struct milp_packet *packet = self->packet;
    const struct milp_problem problem = milp_packet_problem(packet);
    struct milp_reply reply = packet->reply;

    milp_packet_point(packet, &problem, &reply);
    self->solver->solve(&problem, &packet->limits, &reply);
    packet->reply = reply;
    packet->complete = true;
}

/* Has a copy of this process do the work. The copy may crash, and its memory may be limited. */
static int work_in_a_copy(const struct service *self)
{
    const pid_t parent = getpid();
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        milp_limit_memory(self->packet->limits.memory_mib);
        work(self);
        _exit(0);
    }
    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    self->packet->end_status = status;
    return 0;
}

/* Whether this process solves the problem itself. */
static bool is_for_us(const struct service *self)
{
    const struct milp_packet *packet = self->packet;
    const struct milp_problem problem = milp_packet_problem(self->packet);

    if (!self->solver->stays || packet->in_a_copy || packet->limits.memory_mib > 0)
        return false;
    for (int i = 0; i < problem.columns; i++)
        if (problem.integer[i])
            return false;
    return true;
}

static int see(struct service *self, size_t bytes)
{
    if (self->packet && bytes == self->bytes)
        return 0;
    if (self->packet)
        (void)munmap(self->packet, self->bytes);
    self->packet = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->memory, 0);
    self->bytes = bytes;
    return self->packet == MAP_FAILED ? -1 : 0;
}

/* Returns the exit status, once the link has ended. */
static int serve(struct service *self)
{
    size_t bytes;

    while (read(STDIN_FILENO, &bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes)) {
        if (see(self, bytes) < 0)
            return 1;
        if (is_for_us(self))
            work(self);
        else if (work_in_a_copy(self) < 0)
            return 1;
        if (write(STDIN_FILENO, "", 1) != 1)
            return 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct error error;
    struct service service = {.solver = NULL};
    int64_t memory = 0;

    memory_leave_telling();
    if (argc != 3 ||
        number_parse_whole(argv[2], strlen(argv[2]), 0, INT_MAX, &memory) != NUMBER_OK) {
        (void)fprintf(stderr, "milp_serve: it is started by programs that solve models\n");
        return 2;
    }
    service.memory = (int)memory;
    service.solver = object_load(argv[1], "milp_solver", &error);
    if (!service.solver) {
        (void)fprintf(stderr, "milp_serve: %s %s\n", argv[1], error.text);
        return 1;
    }
    return serve(&service);
}
