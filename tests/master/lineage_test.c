/* lineage_test.c - incarnations of a job are numbered from 1, and no number comes twice. */
#include "master/lineage.h"
#include "tests/support/test.h"

static char address[] = "a0";
static struct worker_node node = {.address = address, .port = 9000};
static const int32_t zero[] = {0};
static const struct launch_part part = {&node, 0, 1, zero, zero};

static struct incarnation *start(struct lineage **all, uint64_t job)
{
    const struct job_launch launch = {
        .run = {.job = job, .name = "j", .model = "m", .step = 5}, .part_count = 1, .parts = &part};

    return lineage_add(lineage_of(all, job), &launch);
}

TEST(each_job_has_numbers_of_its_own)
{
    struct lineage *all = NULL;

    assert_int_equal(start(&all, 7)->number, 1);
    assert_int_equal(start(&all, 8)->number, 1);
    assert_int_equal(start(&all, 7)->number, 2);
    assert_int_equal(lineage_of(&all, 7)->oldest->number, 1);
    assert_int_equal(lineage_of(&all, 7)->oldest->newer->number, 2);
    lineages_destroy(&all);
    assert_null(all);
}

TEST(a_number_outlives_its_incarnation)
{
    struct lineage *all = NULL;
    struct incarnation *first = start(&all, 7);

    lineage_remove(first->lineage, first);
    incarnation_destroy(&first);
    assert_null(lineage_of(&all, 7)->oldest);
    assert_int_equal(start(&all, 7)->number, 2);
    lineages_destroy(&all);
}

TEST(a_new_one_begins_from_what_it_was_given)
{
    struct lineage *all = NULL;
    const struct incarnation *made = start(&all, 7);

    assert_int_equal(made->phase, INCARNATION_PREPARING);
    assert_int_equal(made->step, 5);
    assert_int_equal(made->checkpoint, -1);
    assert_string_equal(made->run.rendezvous_address, "a0");
    assert_ptr_equal(incarnation_first(made)->node, &node);
    assert_ptr_not_equal(incarnation_first(made)->gpus, zero);
    lineages_destroy(&all);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
