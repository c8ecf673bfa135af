/* lease_admission_test.c - which jobs are promised their deadline, and which deadline.
 *
 * A job of 300 s on one GPU is estimated at trunc(300 * (1 + 0.5 / 240) * 1.1) = 330 s, on four at
 * 332 s: two leases. At 0 the round of slot 0 is over, so that by 730 there are two slots left, 1
 * and 2. */
#include "common/rng.h"
#include "tests/reference/lease_stage.h"
#include "tests/reference/plain_packing.h"
#include "tests/support/capacity.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

static struct lease_stage *stage;

FIXTURE(tear_down)
{
    lease_stage_destroy(&stage);
    return 0;
}

static const struct lease_job wide_by_500 = {"a", 0, 300, 4, {{500, 10}}, false};
static const struct lease_job wide_by_730 = {"b", 0, 300, 4, {{730, 10}}, false};

static enum lease_class class_of(size_t index)
{
    return lease_stage_lease(stage, index)->class;
}

/* A job on its own. */
static const struct lease *admit(const struct lease_job *job)
{
    lease_stage_admit(stage, job, 1);
    return lease_stage_lease(stage, stage->job_count - 1);
}

static void check_estimate(int64_t duration_s, int gpus, int64_t estimate_s, int64_t need)
{
    const struct lease *lease =
        admit(&(struct lease_job){"a", 0, duration_s, gpus, {{9000, 10}}, false});

    assert_int_equal(lease->estimate_s, estimate_s);
    assert_int_equal(lease->need, need);
}

#define ON_STAGE(name) TEST_WITH(name, NULL, tear_down)

ON_STAGE(an_estimate_has_a_start_in_each_lease_and_a_tenth_more)
{
    stage = lease_stage_new(16, NULL);
    check_estimate(300, 1, 330, 2);
    check_estimate(300, 4, 332, 2);
    check_estimate(218, 1, 240, 1);
    check_estimate(219, 1, 241, 2);
    check_estimate(1000, 3, 1105, 5); /* 1 + log2 3 halves of a second in 240 */
}

ON_STAGE(a_promise_is_the_lease_boundary_before_the_deadline)
{
    const struct lease *lease;

    stage = lease_stage_new(4, NULL);
    lease = admit(&wide_by_730);
    assert_int_equal(lease->class, LEASE_ACCEPTED);
    assert_int_equal(lease->deadline_s, 720);
    assert_int_equal(lease->judged_s, 720); /* CH-Q7 */
    assert_false(lease->planned);
    assert_int_equal(stage->book->unaccepted, 0);
}

ON_STAGE(without_ch_q7_the_deadline_that_was_asked_for_counts)
{
    const struct lease *lease;

    stage = lease_stage_new(4, "CH-Q7");
    lease = admit(&wide_by_730);
    assert_int_equal(lease->deadline_s, 720);
    assert_int_equal(lease->judged_s, 730);
}

ON_STAGE(a_deadline_with_too_few_slots_is_not_promised)
{
    const struct lease *lease;

    stage = lease_stage_new(4, NULL);
    assert_int_equal(admit(&(struct lease_job){"a", 0, 300, 1, {{720, 10}}, false})->class,
                     LEASE_ACCEPTED);
    lease = admit(&(struct lease_job){"b", 0, 300, 1, {{719, 10}}, false});
    assert_int_equal(lease->class, LEASE_UNACCEPTED);
    assert_int_equal(lease->deadline_s, 719);
    assert_int_equal(lease->judged_s, 719);
    assert_int_equal(stage->book->unaccepted, 1);
}

ON_STAGE(not_even_a_job_of_no_time_is_promised_a_deadline_that_is_over)
{
    stage = lease_stage_new(4, NULL);
    assert_int_equal(admit(&(struct lease_job){"a", 0, 0, 1, {{240, 10}}, false})->class,
                     LEASE_ACCEPTED);
    assert_int_equal(admit(&(struct lease_job){"b", 0, 0, 1, {{239, 10}}, false})->class,
                     LEASE_UNACCEPTED);
}

/* Between rounds slots are counted from the next boundary. */
ON_STAGE(the_slot_that_has_begun_is_lost)
{
    stage = lease_stage_new(4, NULL);
    lease_stage_behind_round(stage, 60);
    assert_int_equal(admit(&(struct lease_job){"a", 50, 300, 1, {{720, 10}}, false})->class,
                     LEASE_ACCEPTED);
    lease_stage_destroy(&stage);
    stage = lease_stage_new(4, NULL);
    lease_stage_behind_round(stage, 240);
    assert_int_equal(admit(&(struct lease_job){"b", 230, 300, 1, {{959, 10}}, false})->class,
                     LEASE_UNACCEPTED);
    assert_int_equal(admit(&(struct lease_job){"c", 230, 300, 1, {{960, 10}}, false})->class,
                     LEASE_ACCEPTED);
}

ON_STAGE(whoever_arrives_waits_in_the_order_of_arrival)
{
    const struct lease_job jobs[] = {wide_by_500, {"c", 0, 10, 1, {{0}}, false}, wide_by_730};

    stage = lease_stage_new(4, NULL);
    lease_stage_admit(stage, jobs, COUNT(jobs));
    assert_string_equal(lease_stage_names(&stage->book->pending), "a c b");
}

/* The first is packed into slots 1 and 2 although it has one only. */
ON_STAGE(a_rejected_job_blocks_those_behind_it)
{
    /* CH-Q2 */
    stage = lease_stage_new(4, NULL);
    lease_stage_admit(stage, (struct lease_job[]){wide_by_500, wide_by_730}, 2);
    assert_int_equal(class_of(0), LEASE_UNACCEPTED);
    assert_int_equal(class_of(1), LEASE_UNACCEPTED);
    assert_int_equal(stage->book->unaccepted, 2);
}

ON_STAGE(without_ch_q2_it_does_not)
{
    stage = lease_stage_new(4, "CH-Q2");
    lease_stage_admit(stage, (struct lease_job[]){wide_by_500, wide_by_730}, 2);
    assert_int_equal(class_of(0), LEASE_UNACCEPTED);
    assert_int_equal(class_of(1), LEASE_ACCEPTED);
    assert_int_equal(stage->book->unaccepted, 1);
}

ON_STAGE(only_its_own_batch_is_blocked)
{
    stage = lease_stage_new(4, NULL);
    assert_int_equal(admit(&wide_by_500)->class, LEASE_UNACCEPTED);
    assert_int_equal(admit(&wide_by_730)->class, LEASE_ACCEPTED);
}

/* Each rejected job takes two slots at the earliest deadline at which it fits: that of `a` is
 * relaxed to slot 3, that of `b` to 5 and that of `c` to 7. `d` has the slots 7 and 8 if its own
 * leaves it both. */
ON_STAGE(rejected_jobs_take_the_next_slots_each)
{
    struct lease_job jobs[] = {wide_by_500,
                               wide_by_730,
                               {"c", 0, 300, 4, {{1210, 10}}, false},
                               {"d", 0, 300, 4, {{2160, 10}}, false}};

    stage = lease_stage_new(4, NULL);
    lease_stage_admit(stage, jobs, COUNT(jobs));
    assert_int_equal(class_of(2), LEASE_UNACCEPTED);
    assert_int_equal(class_of(3), LEASE_ACCEPTED);
    lease_stage_destroy(&stage);
    stage = lease_stage_new(4, NULL);
    jobs[3].levels[0].deadline_s = 2159;
    lease_stage_admit(stage, jobs, COUNT(jobs));
    assert_int_equal(class_of(3), LEASE_UNACCEPTED);
}

/* `a` could just as well run in slots 3 and 4. */
ON_STAGE(plans_are_not_moved_for_a_newcomer)
{
    const struct lease_job patient = {"a", 0, 300, 4, {{1210, 10}}, false};
    struct lease *lease;

    stage = lease_stage_new(4, NULL);
    lease = lease_stage_add(stage, &patient, LEASE_ACCEPTED);
    lease_stage_plan(stage, lease, 2, 4);
    assert_int_equal(admit(&wide_by_730)->class, LEASE_UNACCEPTED);
    lease_stage_plan(stage, lease, 3, 5);
    assert_int_equal(admit(&wide_by_730)->class, LEASE_ACCEPTED);
}

ON_STAGE(whoever_was_accepted_and_has_no_plan_yet_comes_first)
{
    stage = lease_stage_new(4, NULL);
    assert_int_equal(admit(&wide_by_730)->class, LEASE_ACCEPTED);
    assert_int_equal(admit(&wide_by_730)->class, LEASE_UNACCEPTED);
    lease_stage_lease(stage, 0)->out_of_plan = true;
    assert_int_equal(admit(&wide_by_730)->class, LEASE_ACCEPTED);
}

ON_STAGE(best_effort_is_promised_nothing_and_takes_no_room)
{
    const struct lease_job jobs[] = {{"a", 0, 9000, 4, {{0}}, false}, wide_by_730};

    stage = lease_stage_new(4, NULL);
    lease_stage_admit(stage, jobs, COUNT(jobs));
    assert_int_equal(class_of(0), LEASE_BEST_EFFORT);
    assert_true(lease_stage_lease(stage, 0)->deadline_s == DEADLINE_NONE_S);
    assert_int_equal(class_of(1), LEASE_ACCEPTED);
    assert_int_equal(stage->book->unaccepted, 0);
}

/* Where it keeps its mark. */
ON_STAGE(the_deadline_of_a_best_effort_job_is_none)
{
    const struct lease *lease;

    /* CH-Q9 */
    stage = lease_stage_new(4, "CH-Q9");
    lease = admit(&(struct lease_job){"a", 0, 300, 1, {{730, 10}}, true});
    assert_int_equal(lease->class, LEASE_BEST_EFFORT);
    assert_true(lease->deadline_s == DEADLINE_NONE_S);
    assert_true(lease->judged_s == DEADLINE_NONE_S);
}

ON_STAGE(a_soft_job_is_promised_its_last_deadline)
{
    const struct lease_job soft = {"a", 0, 300, 4, {{730, 10}, {1210, 5}, {1690, 1}}, false};
    const struct lease *lease;

    stage = lease_stage_new(4, NULL);
    lease = admit(&soft);
    assert_int_equal(lease->class, LEASE_ACCEPTED);
    assert_int_equal(lease->deadline_s, 1680);
    assert_int_equal(lease->judged_s, 1680);
    assert_int_equal(lease->first_level, 0);
    assert_int_equal(lease->last_level, 2);
}

/* By 500 there is one slot; no other level is tried. */
ON_STAGE(a_soft_job_is_tested_at_its_tightest_level)
{
    const struct lease_job soft = {"a", 0, 300, 1, {{500, 10}, {1000, 5}}, false};
    const struct lease *lease;

    /* CH-Q18 */
    stage = lease_stage_new(4, NULL);
    lease = admit(&soft);
    assert_int_equal(lease->class, LEASE_UNACCEPTED);
    assert_int_equal(lease->deadline_s, 500);
    lease_stage_destroy(&stage);
    stage = lease_stage_new(4, "CH-Q18");
    lease = admit(&soft);
    assert_int_equal(lease->class, LEASE_ACCEPTED);
    assert_int_equal(lease->deadline_s, 960);
    assert_int_equal(lease->first_level, 1);
    assert_int_equal(lease->last_level, 1);
}

ON_STAGE(without_ch_q18_each_gets_the_best_level_that_is_left)
{
    const struct lease_job soft = {"a", 0, 300, 4, {{730, 10}, {1210, 5}, {1690, 1}}, false};

    stage = lease_stage_new(4, "CH-Q18,CH-Q7");
    lease_stage_admit(stage, (struct lease_job[]){soft, soft, soft, soft}, 4);
    assert_int_equal(lease_stage_lease(stage, 0)->deadline_s, 720);
    assert_int_equal(lease_stage_lease(stage, 1)->deadline_s, 1200);
    assert_int_equal(lease_stage_lease(stage, 2)->deadline_s, 1680);
    assert_int_equal(lease_stage_lease(stage, 2)->judged_s, 1690);
    assert_int_equal(class_of(3), LEASE_UNACCEPTED);
    assert_int_equal(lease_stage_lease(stage, 3)->deadline_s, 730);
}

/* What a rejected soft job leaves in the list is its last level. */
ON_STAGE(without_ch_q18_a_rejected_soft_job_blocks_by_its_last_level)
{
    const struct lease_job soft = {"a", 0, 540, 4, {{500, 10}, {730, 5}}, false}; /* 3 leases */
    struct lease_job jobs[] = {soft, {"b", 0, 300, 4, {{1440, 10}}, false}};

    stage = lease_stage_new(4, "CH-Q18");
    lease_stage_admit(stage, jobs, 2);
    assert_int_equal(class_of(0), LEASE_UNACCEPTED);
    assert_int_equal(class_of(1), LEASE_ACCEPTED); /* slots 4 and 5, after 1 to 3 */
    lease_stage_destroy(&stage);
    stage = lease_stage_new(4, "CH-Q18");
    jobs[1].levels[0].deadline_s = 1439;
    lease_stage_admit(stage, jobs, 2);
    assert_int_equal(class_of(1), LEASE_UNACCEPTED);
}

ON_STAGE(three_gpus_are_packed_as_four)
{
    const struct lease_job three = {"a", 0, 300, 3, {{730, 10}}, false};
    const struct lease_job two = {"c", 0, 300, 2, {{730, 10}}, false};

    /* CH-Q10 */
    stage = lease_stage_new(8, NULL);
    lease_stage_admit(stage, (struct lease_job[]){three, three, two}, 3);
    assert_int_equal(class_of(1), LEASE_ACCEPTED);
    assert_int_equal(class_of(2), LEASE_UNACCEPTED);
    lease_stage_destroy(&stage);
    stage = lease_stage_new(8, "CH-Q10");
    lease_stage_admit(stage, (struct lease_job[]){three, three, two}, 3);
    assert_int_equal(class_of(2), LEASE_ACCEPTED);
}

ON_STAGE(a_cluster_of_three_gpus_takes_no_three_for_four)
{
    const struct lease_job three = {"a", 0, 300, 3, {{730, 10}}, false};

    /* CH-Q10 */
    stage = lease_stage_new(3, NULL);
    assert_int_equal(admit(&three)->class, LEASE_UNACCEPTED);
    lease_stage_destroy(&stage);
    stage = lease_stage_new(3, "CH-Q10");
    assert_int_equal(admit(&three)->class, LEASE_ACCEPTED);
}

/* Admission by its definition. */
struct plain_admission {
    struct plain_list list;
    int64_t free_gpus[PLAIN_SLOTS];
    int64_t reach; /* slots up to the last deadline of those that are planned for already */
    bool keeps_rejected;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void relax_plainly(struct plain_admission *self)
{
    struct plain_entry *last = &self->list.items[self->list.count - 1];
    int64_t low = larger(last->slots, last->need);
    int64_t high = self->reach;

    last->slots = low;
    for (size_t i = 0; i < self->list.count; i++)
        high = larger(high, self->list.items[i].slots);
    high += last->need + 1;
    while (low < high) {
        last->slots = low + (high - low) / 2;
        if (plain_packing_fits(&self->list, self->free_gpus))
            high = last->slots;
        else
            low = last->slots + 1;
    }
    last->slots = high;
}

static bool admit_plainly(struct plain_admission *self, const struct lease *lease)
{
    const struct job *job = lease->job;
    const size_t before = self->list.count;
    int64_t slots = 0;

    for (size_t i = 0; i < job->submission->level_count; i++) {
        slots = job->submission->levels[i].deadline_s / 240 - stage->look.slot;
        self->list.items[self->list.count++] =
            (struct plain_entry){job->arrival, slots, lease->need,
                                 lease_packed_gpus_rounded(job->submission->gpus_requested)};
    }
    if (lease->need <= slots && plain_packing_fits(&self->list, self->free_gpus))
        return true;
    if (self->keeps_rejected)
        relax_plainly(self);
    else
        self->list.count = before;
    return false;
}

static struct lease_job pick_job(rng_t *rng)
{
    struct lease_job job = {.id = "j",
                            .duration_s = 1 + (int64_t)rng_below(rng, 1200),
                            .gpus = 1 + (int)rng_below(rng, 8)};
    int64_t deadline_s = 100 + job.duration_s + (int64_t)rng_below(rng, 2400);

    if (rng_below(rng, 2) > 0)
        job.gpus = 1 << rng_below(rng, 4);
    for (size_t i = 0; i <= rng_below(rng, 3) && i < LEASE_JOB_LEVELS; i++) {
        job.levels[i] = (struct job_level){deadline_s, 10 - (int64_t)i};
        deadline_s += 1 + (int64_t)rng_below(rng, 800);
    }
    return job;
}

/* Some have a plan, others wait for one. */
static struct plain_admission pick_accepted(rng_t *rng)
{
    struct plain_admission plain = {.keeps_rejected = rng_below(rng, 2) > 0};
    const size_t count = rng_below(rng, 4);

    stage = lease_stage_new(8, plain.keeps_rejected ? NULL : "CH-Q2");
    for (size_t i = 0; i < count; i++) {
        const struct lease_job job = pick_job(rng);
        struct lease *lease = lease_stage_add(stage, &job, LEASE_ACCEPTED);

        lease_stage_plan(stage, lease, 1 + (int64_t)rng_below(rng, 3),
                         4 + (int64_t)rng_below(rng, 4));
        plain.reach = larger(plain.reach, job.levels[lease->last_level].deadline_s / 240 - 1);
    }
    for (int64_t slot = 0; slot < PLAIN_SLOTS; slot++)
        plain.free_gpus[slot] = capacity_at(&stage->book->capacity, 1 + slot);
    return plain;
}

ON_STAGE(random_batches_are_decided_as_the_definition_says)
{
    rng_t rng = rng_new(test_seed(), "lease admission");
    long accepted = 0;
    long rejected = 0;

    for (long i = 0; i < test_times(1500); i++) {
        struct plain_admission plain = pick_accepted(&rng);
        const size_t first = stage->job_count;
        struct lease_job jobs[10];
        const size_t count = 1 + rng_below(&rng, COUNT(jobs));

        for (size_t k = 0; k < count; k++)
            jobs[k] = pick_job(&rng);
        lease_stage_admit(stage, jobs, count);
        for (size_t k = 0; k < count; k++) {
            const bool expected = admit_plainly(&plain, lease_stage_lease(stage, first + k));

            assert_int_equal(class_of(first + k), expected ? LEASE_ACCEPTED : LEASE_UNACCEPTED);
            *(expected ? &accepted : &rejected) += 1;
        }
        lease_stage_destroy(&stage);
    }
    assert_true(accepted > rejected / 10 && rejected > accepted / 10);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
