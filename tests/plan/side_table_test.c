/* side_table_test.c - what is remembered of a job is there until the job is over, and never for
 * another. */
#include "common/rng.h"
#include "scheduler/plan/side_table.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

struct note {
    uint64_t number;
    char mark; /* so that the size is no multiple of a word */
};

static struct job job;

static struct note *note_of(side_table_t *table, uint32_t row, uint64_t number)
{
    job.arrival = number;
    job.row = row;
    return side_table_at(table, &job);
}

TEST(an_entry_starts_as_zeros_and_stays_where_it_is)
{
    side_table_t *table = side_table_new(sizeof(struct note));
    struct note *first = note_of(table, 0, 0);

    assert_int_equal(first->number, 0);
    assert_int_equal(first->mark, 0);
    *first = (struct note){7, 'a'};
    for (uint32_t row = 1; row < 5 * SIDE_TABLE_CHUNK; row++)
        note_of(table, row, row)->mark = 'b';
    assert_ptr_equal(note_of(table, 0, 0), first);
    assert_int_equal(first->number, 7);
    assert_int_equal(first->mark, 'a');
    side_table_destroy(&table);
    assert_null(table);
    side_table_destroy(&table);
}

TEST(the_next_job_of_a_row_finds_nothing_of_the_last)
{
    side_table_t *table = side_table_new(sizeof(struct note));

    *note_of(table, 3, 5) = (struct note){5, 'a'};
    assert_int_equal(note_of(table, 3, 6)->number, 0);
    assert_int_equal(note_of(table, 3, 6)->mark, 0);
    side_table_destroy(&table);
}

TEST(a_row_far_away_may_come_first)
{
    side_table_t *table = side_table_new(1);
    char *entry;

    job.arrival = (uint64_t)1 << 63;
    job.row = 100 * SIDE_TABLE_CHUNK - 1;
    entry = side_table_at(table, &job);
    assert_int_equal(*entry, 0);
    *entry = 'x';
    assert_ptr_equal(side_table_at(table, &job), entry);
    side_table_destroy(&table);
}

#define ROWS 700

/* Rows are used again in a random order; each job finds what it wrote. */
TEST(every_job_has_its_own)
{
    rng_t rng = rng_new(test_seed(), "side table");
    side_table_t *table = side_table_new(sizeof(struct note));
    uint64_t numbers[ROWS];
    bool written[ROWS];
    uint64_t next = 0;

    for (uint32_t row = 0; row < ROWS; row++) {
        numbers[row] = next++;
        written[row] = false;
    }
    for (long i = 0; i < test_times(100000); i++) {
        const uint32_t row = (uint32_t)rng_below(&rng, ROWS);
        struct note *note;

        if (rng_below(&rng, 4) == 0) {
            numbers[row] = next++;
            written[row] = false;
        }
        note = note_of(table, row, numbers[row]);
        assert_int_equal(note->number, written[row] ? numbers[row] : 0);
        assert_int_equal(note->mark, written[row] ? 'w' : 0);
        *note = (struct note){numbers[row], 'w'};
        written[row] = true;
    }
    side_table_destroy(&table);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
