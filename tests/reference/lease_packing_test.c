/* lease_packing_test.c - jobs are packed in the order of the definition, each as late as
 * possible. */
#include "common/rng.h"
#include "scheduler/reference/lease_packing.h"
#include "tests/reference/plain_packing.h"
#include "tests/support/capacity.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define GPUS 8
#define JOBS 8

/* The slot that comes next. */
#define FROM 3

static struct lease_packing packing;
static struct lease_entries entries;
static struct slot_capacity capacity;
static const struct job_level levels[3];
static const struct job hard = {.submission =
                                    &(const struct submission){.levels = levels, .level_count = 1}};
static const struct job soft = {.submission =
                                    &(const struct submission){.levels = levels, .level_count = 3}};
static struct lease leases[JOBS];

FIXTURE(set_up)
{
    slot_capacity_init(&capacity, GPUS);
    for (size_t i = 0; i < JOBS; i++)
        leases[i] = (struct lease){.job = &hard};
    return 0;
}

FIXTURE(tear_down)
{
    lease_entries_free(&entries);
    lease_packing_free(&packing);
    slot_capacity_free(&capacity);
    return 0;
}

static void add(size_t job, int64_t slots, int64_t need, int64_t gpus, int64_t value)
{
    lease_entries_append(&entries, &(struct lease_entry){.lease = &leases[job],
                                                         .before = FROM + slots,
                                                         .need = need,
                                                         .gpus = gpus,
                                                         .value = value});
}

static void take(int64_t from, int64_t to, int64_t gpus)
{
    struct slot_runs runs = {.items = NULL};

    slot_runs_append(&runs, FROM + from, FROM + to);
    slot_capacity_add(&capacity, &runs, -gpus);
    slot_runs_free(&runs);
}

static bool fits(void)
{
    return lease_packing_fits(&packing, &entries, &capacity, FROM);
}

static void check_order(const size_t order[], size_t count)
{
    assert_int_equal(entries.count, count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(entries.items[i].lease, &leases[order[i]]);
}

#define ON_PACKING(name) TEST_WITH(name, set_up, tear_down)

ON_PACKING(the_largest_come_first_then_those_that_cannot_wait)
{
    add(0, 9, 2, 2, 0);
    add(1, 5, 4, 2, 0); /* can wait 1 */
    add(2, 9, 1, 4, 0);
    add(3, 8, 7, 2, 0); /* can wait 1 too, and has the later deadline */
    add(4, 5, 4, 2, 0); /* like 1 */
    lease_entries_sort(&entries, false);
    check_order((const size_t[]){2, 3, 1, 4, 0}, 5);
}

ON_PACKING(the_most_valuable_come_before_all_where_value_counts)
{
    add(0, 9, 2, 8, 4);
    add(1, 9, 2, 1, 10);
    add(2, 9, 2, 4, 4);
    add(3, 9, 4, 1, 10);
    lease_entries_sort(&entries, true);
    check_order((const size_t[]){3, 1, 0, 2}, 4);
    lease_entries_sort(&entries, false);
    check_order((const size_t[]){0, 2, 3, 1}, 4);
}

ON_PACKING(sizes_are_rounded_up_to_four_and_eight)
{
    static const int64_t rounded[] = {0, 1, 2, 4, 4, 8, 8, 8, 8, 9, 10, 11, 12, 13};

    /* CH-Q10 */
    for (int64_t gpus = 1; gpus < (int64_t)COUNT(rounded); gpus++) {
        assert_int_equal(lease_packed_gpus_rounded(gpus), rounded[gpus]);
        assert_int_equal(lease_packed_gpus(gpus), gpus);
    }
}

ON_PACKING(nobody_always_fits)
{
    take(0, 9, 8);
    assert_true(fits());
}

ON_PACKING(plans_are_in_the_way)
{
    take(1, 3, 5);
    add(0, 4, 2, 4, 0);
    assert_true(fits());
    add(1, 4, 1, 8, 0);
    assert_false(fits());
}

ON_PACKING(slots_before_the_next_do_not_count)
{
    add(0, 2, 3, 1, 0);
    assert_false(fits());
    entries.count = 0;
    add(0, -2, 1, 1, 0);
    assert_false(fits());
}

/* Both can wait for one slot. The one with the later deadline comes first and leaves the first slot
 * to the other; were it packed early, there would be no room. */
ON_PACKING(late_jobs_leave_room_for_early_ones)
{
    add(1, 2, 1, 8, 0);
    add(0, 3, 2, 8, 0);
    assert_true(fits());
    take(0, 1, 1);
    assert_false(fits());
}

/* At the second level there would be room for both. */
ON_PACKING(a_soft_job_is_packed_at_the_level_that_can_wait_least)
{
    /* CH-Q18 */
    leases[0].job = &soft;
    add(0, 1, 1, 8, 10);
    add(0, 5, 1, 8, 5);
    assert_true(fits());
    add(1, 1, 1, 8, 10);
    assert_false(fits());
    entries.count = 0;
    add(0, 5, 1, 8, 5);
    add(1, 1, 1, 8, 10);
    assert_true(fits());
}

ON_PACKING(what_is_free_stays_free)
{
    add(0, 3, 2, 8, 0);
    assert_true(fits());
    assert_int_equal(capacity.count, 1);
    assert_int_equal(entries.count, 1);
}

static void pick_capacity(rng_t *rng)
{
    slot_capacity_free(&capacity);
    slot_capacity_init(&capacity, GPUS);
    for (int runs = 0; runs < 4; runs++) {
        const int64_t from = (int64_t)rng_below(rng, 10);

        take(from, from + (int64_t)rng_below(rng, 6), (int64_t)rng_below(rng, 3));
    }
}

/* Entries of a job stand next to each other, with rising deadlines. */
static struct plain_list pick_entries(rng_t *rng)
{
    struct plain_list list = {.count = 0};
    const size_t jobs = 1 + rng_below(rng, JOBS);

    entries.count = 0;
    for (size_t job = 0; job < jobs; job++) {
        const size_t count = rng_below(rng, 4) == 0 ? 1 + rng_below(rng, 3) : 1;
        struct plain_entry entry = {.job = job,
                                    .slots = (int64_t)rng_below(rng, 14) - 1,
                                    .need = 1 + (int64_t)rng_below(rng, 5),
                                    .gpus = (int64_t)1 << rng_below(rng, 4)};

        leases[job].job = count > 1 ? &soft : &hard;
        for (size_t i = 0; i < count; i++, entry.slots += 1 + (int64_t)rng_below(rng, 3)) {
            list.items[list.count++] = entry;
            add(job, entry.slots, entry.need, entry.gpus, 0);
        }
    }
    return list;
}

ON_PACKING(random_jobs_fit_where_the_definition_finds_room)
{
    rng_t rng = rng_new(test_seed(), "lease packing");
    long fitting = 0;
    const long times = test_times(5000);

    for (long i = 0; i < times; i++) {
        const struct plain_list list = pick_entries(&rng);
        int64_t free_gpus[PLAIN_SLOTS];

        pick_capacity(&rng);
        for (int64_t slot = 0; slot < PLAIN_SLOTS; slot++)
            free_gpus[slot] = capacity_at(&capacity, FROM + slot);
        fitting += fits();
        assert_int_equal(fits(), plain_packing_fits(&list, free_gpus));
    }
    assert_true(fitting > times / 10 && fitting < times - times / 10);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
