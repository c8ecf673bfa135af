/* sweep.c - see sweep.h. */
#include "tools/sweep/sweep.h"

#include "common/memory.h"
#include "common/output.h"
#include "common/processes.h"
#include "tools/cells.h"
#include "tools/sweep/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sweep whose cells run, and the first error in storing a cell. */
struct batch {
    struct sweep *sweep;
    struct error error;
    bool failed;
};

static void keep(void *listener, const struct cell *cell)
{
    struct batch *self = listener;
    struct field fields[GRID_FIELDS];
    char *texts[AXES];

    if (cell->state != CELL_DONE || self->failed)
        return;
    grid_fields(&self->sweep->grid, cell->number, fields, texts);
    self->failed = store_put(self->sweep->store, fields, cell, &self->error) < 0;
    for (int i = 0; i < AXES; i++)
        free(texts[i]);
}

void sweep_store_path(const struct sweep *self, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/sweep.db", self->grid.folder);
}

void sweep_share_path(const struct sweep *self, int64_t number, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/shares/%" PRId64 ".db", self->grid.folder, number);
}

/* ---- the store ---- */

/* Refuses a folder with result tables but without a store, since no sweep wrote these tables. */
static int check_foreign(const struct sweep *self, struct error *error)
{
    static const char *const names[] = {RESULTS_CELLS, RESULTS_MEANS, RESULTS_DIFFERENCES};
    char path[PATH_MAX];

    sweep_store_path(self, path);
    if (self->forced || access(path, F_OK) == 0)
        return 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", self->grid.folder, names[i]);
        if (access(path, F_OK) == 0)
            return error_set(
                error,
                "%s: holds %s, which is no result of a sweep without a sweep.db beside "
                "it; name a folder of its own for the results, or say --force to "
                "replace it",
                self->grid.folder, names[i]);
    }
    return 0;
}

static int make_folders(const struct sweep *self, struct error *error)
{
    static const char *const names[] = {"traces", "shares"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[PATH_MAX];

        (void)snprintf(path, sizeof(path), "%s/%s", self->grid.folder, names[i]);
        if (output_make_folder(path, error) < 0)
            return -1;
    }
    return 0;
}

static void remove_share(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char file[PATH_MAX + 8];

        (void)snprintf(file, sizeof(file), "%s%s", path, suffixes[i]);
        (void)unlink(file);
    }
}

static int collect_shares(struct sweep *self, struct error *error)
{
    for (int64_t i = 0; i < SHARES_MAX; i++) {
        char path[PATH_MAX];

        sweep_share_path(self, i, path);
        if (access(path, F_OK) < 0)
            continue;
        if (store_merge(self->store, path, error) < 0)
            return -1;
        remove_share(path);
    }
    return 0;
}

int sweep_open(struct sweep *self, struct error *error)
{
    char path[PATH_MAX];

    if (check_foreign(self, error) < 0 || make_folders(self, error) < 0)
        return -1;
    if (self->shares)
        sweep_share_path(self, self->share.number, path);
    else
        sweep_store_path(self, path);
    self->store = store_open(path, STORE_WRITE, error);
    if (!self->store)
        return -1;
    return self->shares ? 0 : collect_shares(self, error);
}

/* ---- the pending cells ---- */

static void tell_done(const struct sweep *self, const struct pending *pending)
{
    const size_t done = self->grid.count - pending->count;

    if (done > 0)
        (void)fprintf(stderr, "%s: %zu of %zu cells are done already\n", self->command->name, done,
                      self->grid.count);
    if (pending->stale > 0)
        (void)fprintf(stderr, "%s: %zu cell%s run anew: %s has changed since\n",
                      self->command->name, pending->stale, pending->stale == 1 ? " is" : "s are",
                      pending->reason);
}

/* Finds the pending cells. A process that runs a share also reads the store of the whole sweep. */
static int find_missing(struct sweep *self, struct pending *pending, struct error *error)
{
    store_t *stores[] = {self->store, NULL, NULL};
    char path[PATH_MAX];
    int result;

    sweep_store_path(self, path);
    if (self->shares && access(path, F_OK) == 0) {
        stores[1] = store_open(path, STORE_FROZEN, error);
        if (!stores[1])
            return -1;
    }
    result = pending_find(pending, &self->grid, stores, &self->share, error);
    store_close(&stores[1]);
    return result;
}

int sweep_find_pending(struct sweep *self, struct pending *pending, struct error *error)
{
    const int result = find_missing(self, pending, error);

    if (result == 0 && !self->shares)
        tell_done(self, pending);
    return result;
}

/* ---- running ---- */

/* Whether an earlier cell has the same error: a bad input is wrong in many cells. */
static bool is_told(const struct cell *cells, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (cells[i].state == CELL_FAILED && !strcmp(cells[i].error.text, cells[index].error.text))
            return true;
    return false;
}

static int complain(const struct sweep *self, const struct cell *cells, size_t count)
{
    size_t waiting = 0;
    int status = 0;

    for (size_t i = 0; i < count; i++) {
        waiting += cells[i].state == CELL_WAITING;
        if (cells[i].state == CELL_DONE)
            report_warn(self->command->name, &cells[i].figures);
        if (cells[i].state == CELL_FAILED)
            status = is_told(cells, i) ? status : options_fail(self->command, &cells[i].error);
    }
    if (waiting > 0) {
        struct error error;

        error_set(&error,
                  "stopped: %zu of %zu cells are still to be run; the same command runs them",
                  waiting, self->grid.count);
        options_fail(self->command, &error);
        status = 130;
    }
    return status;
}

int sweep_run(struct sweep *self, const struct pending *pending)
{
    struct batch batch = {.sweep = self};
    struct cell *cells = xcalloc(pending->count + 1, sizeof(*cells));
    struct world_setting *worlds = xcalloc(pending->count + 1, sizeof(*worlds));
    int status = 0;

    for (size_t i = 0; i < pending->count; i++) {
        grid_cell(&self->grid, pending->cells[i], &cells[i], &worlds[i]);
        cells[i].tell = keep;
        cells[i].listener = &batch;
    }
    if (pending->count > 0) {
        (void)cells_run(cells, pending->count, processes_count(self->parallel), "sweep");
        status = complain(self, cells, pending->count);
    }
    if (batch.failed)
        status = options_fail(self->command, &batch.error);
    free(cells);
    free(worlds);
    return status;
}

/* ---- Slurm ---- */

/* Has Slurm run the cells and waits for it. The store is closed while tasks read the file. */
static int submit_and_wait(struct sweep *self, const struct pending *pending, struct error *error)
{
    struct slurm_array array = self->slurm;
    int result;

    store_close(&self->store);
    array.folder = self->grid.folder;
    array.parallel = self->parallel > 0 ? self->parallel : 1;
    if ((size_t)array.tasks > pending->count)
        array.tasks = (int64_t)pending->count;
    if (slurm_submit(&array, error) < 0)
        return -1;
    result = slurm_wait(self->grid.folder, error);
    if (result == 0 && sweep_open(self, error) < 0)
        return -1;
    return result;
}

int sweep_run_by_slurm(struct sweep *self, struct pending *pending)
{
    struct error error;
    int status;
    int result;

    if (pending->count == 0)
        return 0;
    result = submit_and_wait(self, pending, &error);
    if (result == 0) {
        pending_clear(pending);
        result = find_missing(self, pending, &error);
    }
    if (result == 0 && pending->count > 0)
        result =
            error_set(&error, "%zu of %zu cells are missing; what the tasks said is in %s/slurm",
                      pending->count, self->grid.count, self->grid.folder);
    if (result == 0)
        return 0;
    status = options_fail(self->command, &error);
    return result > 0 ? 130 : status;
}

int sweep_finish(struct sweep *self)
{
    struct error error;

    if (store_checkpoint(self->store, &error) < 0)
        return options_fail(self->command, &error);
    if (self->shares)
        return 0;
    if (results_write(&self->grid, self->store, self->confidence / 100, &error) < 0)
        return options_fail(self->command, &error);
    (void)fprintf(stderr, "%s: results are in %s\n", self->command->name, self->grid.folder);
    return 0;
}
