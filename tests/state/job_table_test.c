/* job_table_test.c - records are found by number and stay where they are; rows are used again,
 * numbers are not. */
#include "common/rng.h"
#include "scheduler/state/job_table.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

static struct submission stated(uint64_t number)
{
    return (struct submission){.id = "job", .number = number};
}

TEST(a_record_is_empty_and_is_found)
{
    const struct submission submission = stated(42);
    job_table_t *table = job_table_new();
    struct job *job;

    assert_null(job_table_find(table, 0, 42));
    job = job_table_add(table, &submission);
    assert_ptr_equal(job->submission, &submission);
    assert_int_equal(job->row, 0);
    assert_int_equal(job->held, -1);
    assert_int_equal(job->state, JOB_SUBMITTED);
    assert_ptr_equal(job_table_find(table, 0, 42), job);
    assert_ptr_equal(job_table_find(table, UINT32_MAX, 42), job); /* nothing is known of its row */
    assert_ptr_equal(job_table_at(table, 0), job);
    assert_null(job_table_find(table, 0, 43));
    job_table_destroy(&table);
    assert_null(table);
    job_table_destroy(&table);
}

TEST(a_number_is_there_once)
{
    const struct submission one = stated(7);
    const struct submission same = stated(7);
    job_table_t *table = job_table_new();

    assert_non_null(job_table_add(table, &one));
    assert_null(job_table_add(table, &same));
    job_table_destroy(&table);
}

/* News of the job that was in the row before finds nothing. */
TEST(a_row_is_used_again)
{
    const struct submission one = stated(1);
    const struct submission two = stated(2);
    job_table_t *table = job_table_new();
    struct job *job = job_table_add(table, &one);

    job->state = JOB_DONE;
    job->grant.gpus = 3;
    job_table_remove(table, job);
    assert_null(job_table_find(table, 0, 1));
    job = job_table_add(table, &two);
    assert_int_equal(job->row, 0);
    assert_int_equal(job->grant.gpus, 0);
    assert_int_equal(job->state, JOB_SUBMITTED);
    assert_null(job_table_find(table, 0, 1));
    assert_ptr_equal(job_table_find(table, 0, 2), job);
    job_table_destroy(&table);
}

/* A row that is wrong, or not there, is a place to look first and no more. */
TEST(a_wrong_row_misleads_nothing)
{
    const struct submission submissions[] = {stated(10), stated(11)};
    job_table_t *table = job_table_new();
    struct job *first = job_table_add(table, &submissions[0]);
    struct job *second = job_table_add(table, &submissions[1]);

    first->state = second->state = JOB_RUNNING;
    assert_ptr_equal(job_table_find(table, 0, 11), second);
    assert_ptr_equal(job_table_find(table, 1, 10), first);
    assert_ptr_equal(job_table_find(table, 99999, 10), first);
    job_table_destroy(&table);
}

/* The memory of a chunk is given back with its last job, and is there again for the next one. */
TEST(records_without_a_job_are_given_back)
{
    struct submission submissions[JOB_TABLE_CHUNK + 1];
    struct job *jobs[JOB_TABLE_CHUNK + 1];
    job_table_t *table = job_table_new();

    for (size_t i = 0; i <= JOB_TABLE_CHUNK; i++) {
        submissions[i] = stated(i);
        jobs[i] = job_table_add(table, &submissions[i]);
    }
    for (size_t i = 1; i < JOB_TABLE_CHUNK; i++)
        job_table_remove(table, jobs[i]);
    assert_non_null(table->chunks[0].records);
    job_table_remove(table, jobs[0]);
    assert_null(table->chunks[0].records);
    assert_null(job_table_look(table, 0));
    assert_null(job_table_find(table, 0, 0));
    assert_ptr_equal(job_table_look(table, JOB_TABLE_CHUNK), jobs[JOB_TABLE_CHUNK]);
    jobs[0] = job_table_add(table, &submissions[0]);
    assert_int_equal(jobs[0]->row, 0);
    assert_ptr_equal(job_table_find(table, 0, 0), jobs[0]);
    for (uint32_t row = 1; row < JOB_TABLE_CHUNK; row++)
        assert_null(job_table_look(table, row));
    job_table_destroy(&table);
}

#define JOBS 1500

/* Jobs come and go at random, up to more than a chunk of them; numbers may lie anywhere in 64
 * bits. */
struct game {
    job_table_t *table;
    struct submission submissions[JOBS];
    struct job *jobs[JOBS]; /* NULL for those that are not there */
    size_t there;
};

static uint64_t draw_number(rng_t *rng, uint64_t next)
{
    const int shift = rng_below(rng, 2) == 0 ? 0 : 40;

    return next << shift; /* many share their low bits */
}

static void add(rng_t *rng, struct game *game, size_t i, uint64_t next)
{
    game->submissions[i] = stated(draw_number(rng, next));
    game->jobs[i] = job_table_add(game->table, &game->submissions[i]);
    if (!game->jobs[i]) /* the number was drawn before */
        return;
    assert_true(game->jobs[i]->row < JOBS);
    game->jobs[i]->state = JOB_RUNNING;
    game->there++;
}

static void take(struct game *game, size_t i)
{
    const uint64_t number = game->submissions[i].number;
    const uint32_t row = game->jobs[i]->row;

    game->jobs[i]->state = JOB_DONE;
    job_table_remove(game->table, game->jobs[i]);
    game->jobs[i] = NULL;
    game->there--;
    assert_null(job_table_find(game->table, UINT32_MAX, number));
    assert_null(job_table_find(game->table, row, number));
}

static void check(rng_t *rng, const struct game *game)
{
    for (int k = 0; k < 5; k++) {
        const size_t i = rng_below(rng, JOBS);
        const struct job *job = game->jobs[i];

        if (!job)
            continue;
        assert_ptr_equal(job->submission, &game->submissions[i]);
        assert_ptr_equal(job_table_find(game->table, UINT32_MAX, game->submissions[i].number), job);
        assert_ptr_equal(job_table_find(game->table, job->row, game->submissions[i].number), job);
        assert_ptr_equal(job_table_at(game->table, job->row), job);
    }
}

TEST(what_is_there_is_found_whatever_came_and_went)
{
    rng_t rng = rng_new(test_seed(), "job table");
    static struct game game;
    uint64_t next = 0;

    game = (struct game){.table = job_table_new()};
    for (long step = 0; step < test_times(60000); step++) {
        const size_t i = rng_below(&rng, JOBS);
        const bool grows = step / 10000 % 2 == 0;

        if (!game.jobs[i] && (grows || rng_below(&rng, 4) == 0))
            add(&rng, &game, i, next++);
        else if (game.jobs[i] && (!grows || rng_below(&rng, 4) == 0))
            take(&game, i);
        check(&rng, &game);
    }
    assert_true(next > JOBS); /* rows were used again, see `add` */
    job_table_destroy(&game.table);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
