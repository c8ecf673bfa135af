/* seed_search.c - see seed_search.h.
 *
 * Each process takes the lowest seed not yet taken, until that seed is above the lowest seed found.
 * Every seed below a seed found is therefore tried too, and the lowest seed that fits is the
 * result. */
#include "tools/trace_search/seed_search.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/processes.h"
#include "scheduler/report/progress.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_BETWEEN_LINES 0.5

/* The progress that one process reports. */
struct desk {
    _Atomic int64_t seed; /* seed in hand: all seeds that the process took before are done */

    /* The main process reads these fields once the process has ended. */
    int64_t undecided;
    int64_t undecided_first;
    struct error undecided_why;
};

/* Memory that all processes share. */
struct board {
    _Atomic int64_t next;  /* the lowest seed not yet taken */
    _Atomic int64_t found; /* the lowest seed that fits, INT64_MAX while there is none */
    struct desk desks[];
};

/* A process that tries seeds. */
struct worker {
    pid_t pid; /* 0 once the process has ended */
    int pipe;  /* a pipe that closes when the process ends */
};

struct crew {
    const struct seed_search *search;
    struct board *board;
    size_t board_bytes;
    struct worker *workers; /* one worker for each desk of the board */
    struct pollfd *polls;
    bool terminal; /* stderr is a terminal */
    bool shown;    /* a progress line is on the terminal */
    double started_s;
    double shown_s;
};

static void note_found(struct board *board, int64_t seed)
{
    int64_t lowest = atomic_load(&board->found);

    while (seed < lowest && !atomic_compare_exchange_weak(&board->found, &lowest, seed))
        continue;
}

static void note_undecided(struct desk *desk, int64_t seed, const struct error *why)
{
    if (desk->undecided++ > 0)
        return;
    desk->undecided_first = seed;
    desk->undecided_why = *why;
}

static void try_seeds(const struct seed_search *search, trial_t *trial, struct board *board,
                      struct desk *desk)
{
    int64_t seed;

    while ((seed = atomic_fetch_add(&board->next, 1)) <= search->last &&
           seed < atomic_load(&board->found)) {
        struct error error;
        int verdict;

        atomic_store(&desk->seed, seed);
        verdict = trial_of(trial, seed, &error);
        if (verdict > 0)
            note_found(board, seed);
        else if (verdict < 0)
            note_undecided(desk, seed, &error);
    }
    atomic_store(&desk->seed, INT64_MAX);
}

static _Noreturn void run_worker(const struct crew *crew, size_t i, pid_t parent)
{
    struct error error;
    trial_t *trial;

    processes_begin(parent);
    trial = trial_new(&crew->search->trial, &error);
    if (!trial)
        _exit(1);
    try_seeds(crew->search, trial, crew->board, &crew->board->desks[i]);
    _exit(0);
}

static int start_worker(struct crew *crew, size_t i, struct error *error)
{
    const pid_t parent = getpid();
    int ends[2];
    pid_t pid;

    if (pipe(ends) < 0)
        return error_set(error, "no pipe for another process: %s", strerror(errno));
    (void)fflush(NULL); /* the child would print buffered text again */
    pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        run_worker(crew, i, parent);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_set(error, "no other process: %s", strerror(errno));
    }
    crew->workers[i] = (struct worker){pid, ends[0]};
    return 0;
}

/* Waits for the end of the process; returns its status. */
static int end_worker(struct worker *worker)
{
    int status = 0;

    (void)close(worker->pipe);
    (void)waitpid(worker->pid, &status, 0);
    worker->pid = 0;
    return status;
}

static int crew_start(struct crew *crew, const struct seed_search *search, struct error *error)
{
    const size_t count = search->parallel;
    const size_t bytes = sizeof(*crew->board) + count * sizeof(crew->board->desks[0]);

    *crew = (struct crew){.search = search, .board_bytes = bytes};
    crew->board = memory_share(bytes);
    crew->workers = xcalloc(count, sizeof(*crew->workers));
    crew->polls = xcalloc(count, sizeof(*crew->polls));
    atomic_init(&crew->board->next, search->first);
    atomic_init(&crew->board->found, INT64_MAX);
    for (size_t i = 0; i < count; i++)
        atomic_init(&crew->board->desks[i].seed, search->first);
    for (size_t i = 0; i < count; i++)
        if (start_worker(crew, i, error) < 0)
            return -1;
    return 0;
}

/* Kills the processes that still work, which hold nothing that outlives them. */
static void crew_end(struct crew *crew)
{
    for (size_t i = 0; crew->workers && i < crew->search->parallel; i++)
        if (crew->workers[i].pid != 0) {
            (void)kill(crew->workers[i].pid, SIGKILL);
            (void)end_worker(&crew->workers[i]);
        }
    if (crew->board)
        (void)munmap(crew->board, crew->board_bytes);
    free(crew->workers);
    free(crew->polls);
    if (crew->terminal && crew->shown)
        (void)fputs("\r\033[K", stderr);
}

/* Ends the search if a process failed, because its seed may have been the seed that fits. */
static int check_status(const struct crew *crew, size_t i, int status, struct error *error)
{
    const int64_t seed = atomic_load(&crew->board->desks[i].seed);

    processes_share_end(status);
    if (WIFSIGNALED(status))
        return error_set(error, "seed %" PRId64 ": its process was ended by signal %d", seed,
                         WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return error_set(error, "seed %" PRId64 ": its process ended with status %d", seed,
                         WEXITSTATUS(status));
    return 0;
}

/* Waits until a process ends, a signal comes or a moment is over. Returns 1 if a process still
 * works, 0 if none does, -1 with `error`. */
static int crew_wait(struct crew *crew, struct error *error)
{
    const size_t count = crew->search->parallel;
    int more = 0;

    for (size_t i = 0; i < count; i++)
        crew->polls[i] =
            (struct pollfd){.fd = crew->workers[i].pid != 0 ? crew->workers[i].pipe : -1};
    if (poll(crew->polls, count, 200) < 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        if (crew->workers[i].pid == 0)
            continue;
        if (crew->polls[i].revents == 0)
            more = 1;
        else if (check_status(crew, i, end_worker(&crew->workers[i]), error) < 0)
            return -1;
    }
    return more;
}

/* The first seed that is not done: all lower seeds are. */
static int64_t first_not_done(const struct crew *crew)
{
    int64_t first = crew->search->last + 1;
    const int64_t next = atomic_load(&crew->board->next);

    first = next < first ? next : first;
    for (size_t i = 0; i < crew->search->parallel; i++) {
        const int64_t seed = atomic_load(&crew->board->desks[i].seed);

        first = seed < first ? seed : first;
    }
    return first;
}

/* Prints the progress: now and then on a terminal, elsewhere when SIGUSR1 asks for a line. */
static void show_progress(struct crew *crew)
{
    const struct seed_search *search = crew->search;
    const double now_s = clock_s();
    int64_t seed;

    if (!progress_line_asked() &&
        !(crew->terminal && now_s - crew->shown_s >= SECONDS_BETWEEN_LINES))
        return;
    seed = first_not_done(crew);
    (void)fprintf(
        stderr, "%strace search: at seed %" PRId64 " of %" PRId64 ":%" PRId64 ", %.0f seeds/s%s",
        crew->terminal ? "\r\033[K" : "", seed, search->first, search->last,
        (double)(seed - search->first) / (now_s - crew->started_s), crew->terminal ? "" : "\n");
    (void)fflush(stderr);
    crew->shown = true;
    crew->shown_s = now_s;
}

/* Sums up the undecided seeds, once all processes have ended. */
static void sum_up(const struct crew *crew, struct seed_finding *finding)
{
    for (size_t i = 0; i < crew->search->parallel; i++) {
        const struct desk *desk = &crew->board->desks[i];

        if (desk->undecided > 0 &&
            (finding->undecided == 0 || desk->undecided_first < finding->undecided_first)) {
            finding->undecided_first = desk->undecided_first;
            finding->undecided_why = desk->undecided_why;
        }
        finding->undecided += desk->undecided;
    }
}

static void conclude(const struct crew *crew, bool complete, struct seed_finding *finding)
{
    const int64_t found = atomic_load(&crew->board->found);

    finding->undecided = 0;
    if (!complete) {
        finding->verdict = SEED_STOPPED;
        finding->seed = first_not_done(crew);
    } else if (found < INT64_MAX) {
        finding->verdict = SEED_FOUND;
        finding->seed = found;
    } else {
        finding->verdict = SEED_NONE;
        sum_up(crew, finding);
    }
}

int seed_search_run(const struct seed_search *search, struct seed_finding *finding,
                    struct error *error)
{
    struct crew crew;
    int more;

    assert(search->parallel > 0);
    assert(search->first <= search->last);
    progress_catch_signals();
    more = crew_start(&crew, search, error) < 0 ? -1 : 1;
    crew.terminal = isatty(STDERR_FILENO) == 1;
    crew.started_s = clock_s();
    crew.shown_s = crew.started_s;
    while (more == 1 && !progress_stop_asked()) {
        more = crew_wait(&crew, error);
        show_progress(&crew);
    }
    if (more >= 0)
        conclude(&crew, more == 0, finding);
    crew_end(&crew);
    return more < 0 ? -1 : 0;
}
