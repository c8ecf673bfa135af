/* milp_child.c - see milp_child.h. */
#include "scheduler/solver/milp_child.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/processes.h"
#include "scheduler/solver/milp_process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The memory that the child writes and the parent reads. */
struct shared {
    int complete; /* set last */
    struct milp_reply reply;
    double arrays[]; /* values and reduced costs, each for all columns; duals for all rows */
};

struct milp_child {
    struct shared *shared;
    size_t bytes;
};

milp_child_t *milp_child_new(void)
{
    return xcalloc(1, sizeof(milp_child_t));
}

void milp_child_destroy(milp_child_t **self)
{
    if (!*self)
        return;
    if ((*self)->shared)
        (void)munmap((*self)->shared, (*self)->bytes);
    free(*self);
    *self = NULL;
}

/* Makes room for an answer. The room is kept for later answers. */
static int make_room(milp_child_t *self, size_t numbers, struct error *error)
{
    const size_t bytes = sizeof(*self->shared) + numbers * sizeof(double);
    void *memory;

    if (bytes > self->bytes) {
        if (self->shared)
            (void)munmap(self->shared, self->bytes);
        self->shared = NULL;
        self->bytes = 0;
        memory = mmap(NULL, bytes * 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return error_set(error, "no memory for an answer: %s", strerror(errno));
        self->shared = memory;
        self->bytes = bytes * 2;
    }
    self->shared->complete = 0;
    for (size_t i = 0; i < numbers; i++)
        self->shared->arrays[i] = NAN;
    return 0;
}

/* Sets the pointers of a reply, whatever a child wrote there. */
static void point_at(struct milp_reply *reply, const struct milp_problem *problem, double *arrays)
{
    reply->values = arrays;
    reply->reduced_costs = arrays + problem->columns;
    reply->row_duals = arrays + 2 * (size_t)problem->columns;
    reply->error.text[sizeof(reply->error.text) - 1] = '\0';
}

/* Does the child's work. Its prints are no part of the program's output, and its crash writes no
 * file. */
static _Noreturn void work(struct shared *shared, const struct milp_solver *solver,
                           const struct milp_problem *problem, const struct milp_limits *limits,
                           struct milp_reply *reply, pid_t parent)
{
    const struct rlimit none = {0, 0};
    struct milp_limits own = *limits;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    processes_begin(parent);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDOUT_FILENO);
    own.stop = NULL; /* only the parent asks for a stop */
    milp_limit_memory(limits->memory_mib);
    solver->solve(problem, &own, reply);
    shared->reply = *reply;
    shared->complete = 1;
    _exit(0);
}

/* Starts the child. `*end` is the end of a pipe that hangs up when the child is gone. */
static pid_t start(milp_child_t *self, const struct milp_solver *solver,
                   const struct milp_problem *problem, const struct milp_limits *limits,
                   struct milp_reply *reply, int *end)
{
    const pid_t parent = getpid();
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(&reply->error, "no pipe to its process: %s", strerror(errno));
    pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        work(self->shared, solver, problem, limits, reply, parent);
    }
    if (pid < 0) {
        error_set(&reply->error, "no process for it: %s", strerror(errno));
        (void)close(ends[0]);
    }
    (void)close(ends[1]);
    *end = ends[0];
    return pid;
}

static void reap(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR) {
            *status = 0; /* SIGCHLD is ignored: the status is not known */
            return;
        }
}

/* Waits for a child that hung up without an answer. Such a child is about to end, unless it closed
 * a descriptor that is not its own. */
static enum milp_child_end reap_broken(pid_t pid, double deadline_s, int *status)
{
    const struct timespec nap = {.tv_nsec = 200000};

    *status = 0;
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (clock_s() >= deadline_s) {
            (void)kill(pid, SIGKILL);
            reap(pid, status);
            return MILP_CHILD_LATE;
        }
        (void)ppoll(NULL, 0, &nap, NULL);
    }
    return milp_end_of(*status);
}

enum milp_child_end milp_child_run(milp_child_t *self, const struct milp_solver *solver,
                                   const struct milp_problem *problem,
                                   const struct milp_limits *limits, double deadline_s,
                                   struct milp_reply *reply)
{
    const size_t numbers = 2 * (size_t)problem->columns + (size_t)problem->rows;
    enum milp_child_end how;
    int status = 0;
    int end = -1;
    pid_t pid;

    memset(reply, 0, sizeof(*reply));
    if (make_room(self, numbers, &reply->error) < 0)
        return MILP_CHILD_BROKEN;
    assert(self->shared);
    reply->answer = MILP_FAILED;
    reply->bound = problem->maximise ? MILP_INFINITY : -MILP_INFINITY;
    point_at(reply, problem, self->shared->arrays);
    pid = start(self, solver, problem, limits, reply, &end);
    if (pid < 0)
        return MILP_CHILD_BROKEN;
    how = milp_await(end, deadline_s, limits->stop);
    if (how == MILP_CHILD_ANSWERED && !self->shared->complete) {
        how = reap_broken(pid, deadline_s, &status);
    } else {
        (void)kill(pid, SIGKILL);
        reap(pid, &status);
    }
    (void)close(end);
    if (how != MILP_CHILD_STOPPED &&
        self->shared->complete) { /* the answer may have come at the last moment */
        how = MILP_CHILD_ANSWERED;
        *reply = self->shared->reply;
        point_at(reply, problem, self->shared->arrays);
    } else if (how == MILP_CHILD_BROKEN) {
        milp_say_how(status, &reply->error);
    }
    return how;
}
