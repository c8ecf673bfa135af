/* kept_aside_test.c - a run on a real cluster that fails keeps what it has written; a simulation,
 * which can be run again, leaves nothing. */
#include "common/log.h"
#include "tests/engine/both_worlds.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct oracle_job jobs[] = {
    {.id = "a",
     .iterations = 10000,
     .model = "vgg16",
     .deadline_s = 9000,
     .batch_size = 128,
     .num_gpu = 8,
     .duration_s = 740},
};

static tables_t *a100;
static folder_t *folder;
static int64_t first_failing; /* of the rounds, from 1; 0: there is no cluster */

FIXTURE(set_up)
{
    a100 = tables_new("A100");
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    tables_destroy(&a100);
    return 0;
}

static int open_cluster(void *self, const struct cluster_spec *spec, struct error *error)
{
    (void)self;
    (void)spec;
    return first_failing > 0 ? 0 : error_set(error, "the master is gone");
}

/* All goes as expected until then. */
static int drive(void *self, run_t *run, struct error *error)
{
    const struct occurrence as_expected = {.kind = OCCURRENCE_EXPECTED};
    struct decision decision;

    (void)self;
    if (run_begin(run, NULL, 0, &decision, error) < 0)
        return -1;
    while (decision.round + 1 < first_failing)
        if (run_step(run, decision.next_s, &as_expected, 1, &decision, error) < 0)
            return -1;
    return error_set(error, "the master is gone");
}

static struct engine_run run_until(int64_t round)
{
    static const struct driver failing = {.is_real = true, .open = open_cluster, .drive = drive};
    const struct world world = {.policy = "edf",
                                .tables = a100,
                                .cluster = {1, 1, 8},
                                .slot_s = 60,
                                .jobs = jobs,
                                .job_count = COUNT(jobs),
                                .driver = &failing};

    first_failing = round;
    return world_run_engine(&world, folder);
}

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(what_was_done_is_kept)
{
    struct engine_run run = run_until(2);
    char name[64];
    char *rounds;

    assert_int_equal(run.status, -1);
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld", (long)getpid());
    assert_non_null(
        strstr(run.error.text, "the master is gone; what the run has written stays in "));
    assert_non_null(strstr(run.error.text, folder_file(folder, name)));
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld/rounds.csv", (long)getpid());
    rounds = folder_read(folder, name);
    assert_non_null(strstr(rounds, "0@0x8\n"));
    free(rounds);
    engine_run_clear(&run);
}

IN_FOLDER(before_the_first_round_there_is_nothing_to_keep)
{
    struct engine_run run = run_until(0);

    assert_int_equal(run.status, -1);
    assert_string_equal(run.error.text, "the master is gone");
    assert_false(folder_has(folder, "results"));
    engine_run_clear(&run);
}

int main(void)
{
    (void)log_to_file("/dev/null");
    return tests_run(NULL, NULL);
}
