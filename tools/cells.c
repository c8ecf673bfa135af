/* cells.c - see cells.h. */
#include "tools/cells.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/processes.h"
#include "scheduler/report/progress.h"
#include "scheduler/run/bounds.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The result of a cell's process, which writes it at once. */
struct message {
    int status;
    struct figures figures;
    char gpu_type[sizeof(((struct cell *)NULL)->gpu_type)];
    struct error error;
};

static int find_figures(struct cell *cell, struct message *message)
{
    struct simulation_result result;
    const struct pool_spec *first = &result.cluster.pools[0];
    int status;

    if (cell->prepare && cell->prepare(cell, &message->error) < 0)
        return -1;
    if (cell->is_bound) {
        message->figures.has_bounds = true;
        return bounds_find_usual(&cell->simulation, &message->figures.bounds, &message->error);
    }
    status = simulation_run(&cell->simulation, &result, &message->error);
    if (status != 0)
        return status;
    message->figures = result.figures;
    if (result.cluster.pool_count > 1)
        (void)cluster_spec_describe(&result.cluster, message->gpu_type, sizeof(message->gpu_type));
    else
        (void)snprintf(message->gpu_type, sizeof(message->gpu_type), "%s",
                       first->gpu_type[0] ? first->gpu_type : cell->simulation.gpu_type);
    return 0;
}

static _Noreturn void run_cell(struct cell *cell, int out, pid_t parent)
{
    struct message message;
    bool sent;

    memset(&message, 0, sizeof(message));
    processes_begin(parent);
    message.status = find_figures(cell, &message);
    sent = write(out, &message, sizeof(message)) == (ssize_t)sizeof(message);
    _exit(sent ? 0 : 1);
}

static void start_cell(struct cell *cell)
{
    const pid_t parent = getpid();
    int ends[2];

    cell->started_s = clock_s();
    cell->state = CELL_RUNNING;
    if (pipe(ends) < 0) {
        cell->state = CELL_FAILED;
        error_set(&cell->error, "no pipe for another process: %s", strerror(errno));
        return;
    }
    (void)fflush(NULL); /* keeps the child from printing buffered output again */
    cell->pid = fork();
    if (cell->pid == 0) {
        (void)close(ends[0]);
        run_cell(cell, ends[1], parent);
    }
    (void)close(ends[1]);
    cell->pipe = ends[0];
    if (cell->pid < 0) {
        (void)close(ends[0]);
        cell->state = CELL_FAILED;
        error_set(&cell->error, "no process for another simulation: %s", strerror(errno));
    }
}

static void finish_cell(struct cell *cell)
{
    struct message message;
    struct rusage usage;
    const ssize_t got = read(cell->pipe, &message, sizeof(message));
    int status = 0;

    (void)close(cell->pipe);
    (void)wait4(cell->pid, &status, 0, &usage);
    cell->process_s = clock_s() - cell->started_s;
    cell->memory_kib = usage.ru_maxrss;
    cell->state = CELL_FAILED;
    if (got != (ssize_t)sizeof(message)) {
        processes_share_end(status);
        error_set(&cell->error, "%s: the %s %s ended without an answer, %s %d",
                  cell->simulation.trace, cell->is_bound ? "search for a" : "simulation of",
                  cell->is_bound ? "bound" : cell->simulation.policy,
                  WIFSIGNALED(status) ? "by signal" : "with status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else if (message.status != 0) {
        cell->error = message.error;
    } else {
        cell->state = CELL_DONE;
        cell->figures = message.figures;
        memcpy(cell->gpu_type, message.gpu_type, sizeof(cell->gpu_type));
    }
}

static void stop_cell(struct cell *cell)
{
    (void)kill(cell->pid, SIGKILL); /* a child that has just started may not act on SIGTERM yet */
    finish_cell(cell);
    cell->state = CELL_WAITING;
}

/* Waits until the process of a running cell ends, a signal comes or 200 ms pass. */
static void wait_for_cells(struct cell *cells, size_t count, struct pollfd *polls)
{
    size_t running = 0;

    for (size_t i = 0; i < count; i++)
        if (cells[i].state == CELL_RUNNING)
            polls[running++] = (struct pollfd){.fd = cells[i].pipe, .events = POLLIN};
    if (running == 0 || poll(polls, running, 200) <= 0)
        return;
    for (size_t i = 0, k = 0; i < count; i++)
        if (cells[i].state == CELL_RUNNING && polls[k++].revents != 0) {
            finish_cell(&cells[i]);
            if (cells[i].tell)
                cells[i].tell(cells[i].listener, &cells[i]);
        }
}

static size_t count_state(const struct cell *cells, size_t count, enum cell_state state)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += cells[i].state == state;
    return found;
}

size_t cells_run(struct cell *cells, size_t count, size_t parallel, const char *label)
{
    struct pollfd *polls = xcalloc(count, sizeof(*polls));
    progress_line_t *line = progress_new(label);
    size_t next = 0;

    assert(parallel > 0);
    while (!progress_stop_asked() &&
           (next < count || count_state(cells, count, CELL_RUNNING) > 0)) {
        while (next < count && count_state(cells, count, CELL_RUNNING) < parallel)
            start_cell(&cells[next++]);
        wait_for_cells(cells, count, polls);
        progress_count(line, (int64_t)(next - count_state(cells, count, CELL_RUNNING)),
                       (int64_t)count, "simulations are done");
    }
    progress_destroy(&line);
    for (size_t i = 0; i < count; i++)
        if (cells[i].state == CELL_RUNNING)
            stop_cell(&cells[i]);
    free(polls);
    return count_state(cells, count, CELL_DONE);
}
