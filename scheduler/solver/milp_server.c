/* milp_server.c - see milp_server.h. */
#include "scheduler/solver/milp_server.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/object.h"
#include "scheduler/solver/milp_packet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that an idle server may take to end by itself. */
#define END_S 1.0

struct milp_server {
    const struct milp_solver *solver; /* back end of the process */
    pid_t pid;                        /* 0 for no process */
    int link;
    int memory;
    struct milp_packet *packet;
    size_t bytes;
};

milp_server_t *milp_server_new(void)
{
    milp_server_t *self = xcalloc(1, sizeof(*self));

    self->link = -1;
    self->memory = -1;
    return self;
}

pid_t milp_server_pid(const milp_server_t *self)
{
    return self->pid;
}

/* Ends the process and its copy that may be at work. Returns the process's status. */
static int end_process(milp_server_t *self)
{
    int status = 0;

    (void)kill(-self->pid, SIGKILL);
    while (waitpid(self->pid, &status, 0) < 0)
        if (errno != EINTR) {
            status = 0; /* SIGCHLD is ignored: the status is not known */
            break;
        }
    (void)close(self->link);
    self->link = -1;
    self->pid = 0;
    return status;
}

void milp_server_destroy(milp_server_t **self)
{
    if (!*self)
        return;
    if ((*self)->pid > 0) {
        (void)shutdown((*self)->link, SHUT_WR);
        (void)milp_await((*self)->link, clock_s() + END_S, NULL);
        (void)end_process(*self);
    }
    if ((*self)->packet)
        (void)munmap((*self)->packet, (*self)->bytes);
    if ((*self)->memory >= 0)
        (void)close((*self)->memory);
    free(*self);
    *self = NULL;
}

/* Makes room for a packet. The room is kept for later packets. */
static int make_room(milp_server_t *self, size_t bytes, struct error *error)
{
    void *packet;

    if (bytes <= self->bytes)
        return 0;
    bytes *= 2;
    if (self->memory < 0)
        self->memory = memfd_create("milp", MFD_CLOEXEC);
    if (self->memory < 0 || ftruncate(self->memory, (off_t)bytes) < 0)
        return error_set(error, "no memory for a problem: %s", strerror(errno));
    packet = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->memory, 0);
    if (packet == MAP_FAILED)
        return error_set(error, "no memory for a problem: %s", strerror(errno));
    if (self->packet)
        (void)munmap(self->packet, self->bytes);
    self->packet = packet;
    self->bytes = bytes;
    return 0;
}

/* Runs the program; -1, with `error`, if that fails. The caller keeps both ends of the link. */
static pid_t run_program(const char *program, const char *object, int theirs, int memory,
                         struct error *error)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char number[16];
    char *const argv[] = {(char *)program, (char *)object, number, NULL};
    const struct child_setting setting = {
        .argv = argv,
        .environment = environ,
        .in = theirs,
        .out = nowhere,
        .err = -1,
        .inherited = memory,
        .death_signal = SIGKILL,
    };
    pid_t pid;

    (void)snprintf(number, sizeof(number), "%d", memory);
    pid = child_start(&setting, error);
    if (nowhere >= 0)
        (void)close(nowhere);
    return pid;
}

static int start(milp_server_t *self, const struct milp_solver *solver, struct error *error)
{
    char *program = object_file("milp_serve");
    char *object = milp_solver_path(solver->name);
    int ends[2] = {-1, -1};
    int result = -1;

    if (!program || !object)
        error_set(error, "there is no " OBJECT_FOLDER "/%s above the program",
                  program ? solver->name : "milp_serve");
    else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        error_set(error, "no link to its process: %s", strerror(errno));
    else
        result = run_program(program, object, ends[1], self->memory, error);
    if (ends[1] >= 0)
        (void)close(ends[1]);
    if (result < 0 && ends[0] >= 0)
        (void)close(ends[0]);
    free(program);
    free(object);
    if (result < 0)
        return -1;
    self->link = ends[0];
    self->pid = result;
    self->solver = solver;
    return 0;
}

/* Whether there is a process for that back end which has not ended meanwhile. */
static bool is_there(milp_server_t *self, const struct milp_solver *solver)
{
    struct pollfd poll_link = {.fd = self->link, .events = POLLIN};

    if (self->pid == 0)
        return false;
    if (self->solver == solver && poll(&poll_link, 1, 0) == 0)
        return true;
    (void)end_process(self);
    return false;
}

/* Hands the packet over and waits for the answer. `*gone` is set, with the status of the process,
 * if the process ended instead. */
static enum milp_child_end ask(milp_server_t *self, double deadline_s, const struct stop *stop,
                               bool *gone, int *status)
{
    const size_t bytes = self->bytes;
    enum milp_child_end how = MILP_CHILD_ANSWERED;
    char done;

    *gone = send(self->link, &bytes, sizeof(bytes), MSG_NOSIGNAL) != sizeof(bytes);
    if (!*gone) {
        how = milp_await(self->link, deadline_s, stop);
        *gone = how == MILP_CHILD_ANSWERED && read(self->link, &done, 1) != 1;
    }
    if (*gone || how != MILP_CHILD_ANSWERED)
        *status = end_process(self);
    else
        *status = self->packet->end_status;
    if (how != MILP_CHILD_STOPPED &&
        self->packet->complete) { /* the answer may have come at the last moment */
        *gone = false;
        return MILP_CHILD_ANSWERED;
    }
    return how == MILP_CHILD_ANSWERED ? milp_end_of(*status) : how;
}

/* The limits with only the time left. */
static struct milp_limits limits_left(const struct milp_limits *limits, double began_s)
{
    struct milp_limits left = *limits;

    if (left.seconds > 0)
        left.seconds = fmax(left.seconds - (clock_s() - began_s), 1e-3);
    return left;
}

enum milp_child_end milp_server_run(milp_server_t *self, const struct milp_solver *solver,
                                    const struct milp_problem *problem,
                                    const struct milp_limits *limits, double deadline_s,
                                    struct milp_reply *reply)
{
    const double began_s = clock_s();
    enum milp_child_end how = MILP_CHILD_BROKEN;
    bool gone = true;
    int status = 0;

    memset(reply, 0, sizeof(*reply));
    if (make_room(self, milp_packet_bytes(problem), &reply->error) < 0)
        return MILP_CHILD_BROKEN;
    for (int turn = 0; turn < 2 && gone; turn++) {
        const struct milp_limits left = limits_left(limits, began_s);

        if (!is_there(self, solver) && start(self, solver, &reply->error) < 0)
            return MILP_CHILD_BROKEN;
        milp_packet_write(self->packet, problem, &left);
        self->packet->in_a_copy = turn > 0;
        how = ask(self, deadline_s, limits->stop, &gone, &status);
    }
    if (how == MILP_CHILD_ANSWERED) {
        *reply = self->packet->reply;
        milp_packet_point(self->packet, problem, reply);
    } else if (how == MILP_CHILD_BROKEN) {
        milp_say_how(status, &reply->error);
    }
    return how;
}
