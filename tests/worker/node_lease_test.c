/* node_lease_test.c - a lease runs from when something was sent that the master answered; what is
 * there when it is over is called in, and killed a second later. */
#include "worker/node_lease.h"

#include "tests/support/test.h"

#define SECOND_US 1000000

/* Ten seconds long, answered at second 100. */
static struct node_lease given(void)
{
    struct node_lease lease = node_lease_none();

    lease.length_us = 10 * (int64_t)SECOND_US;
    node_lease_renew(&lease, 100 * (int64_t)SECOND_US);
    return lease;
}

static enum node_lease_call look(struct node_lease *lease, int64_t now_ms)
{
    return node_lease_look(lease, true, now_ms * 1000);
}

TEST(it_runs_from_when_it_was_asked_for)
{
    struct node_lease lease = given();

    assert_int_equal(node_lease_due_us(&lease, true), 110 * (int64_t)SECOND_US);
    assert_int_equal(look(&lease, 109999), LEASE_CALLS_NOTHING);
    node_lease_renew(&lease,
                     99 * (int64_t)SECOND_US); /* the answer to an earlier heartbeat came late */
    assert_int_equal(lease.until_us, 110 * (int64_t)SECOND_US);
    node_lease_renew(&lease, 105 * (int64_t)SECOND_US);
    assert_int_equal(look(&lease, 110000), LEASE_CALLS_NOTHING);
    assert_int_equal(look(&lease, 115000), LEASE_CALLS_IN);
}

TEST(what_is_held_is_called_in_once_and_killed_half_a_second_later)
{
    struct node_lease lease = given();

    assert_int_equal(look(&lease, 110000), LEASE_CALLS_IN);
    assert_int_equal(node_lease_due_us(&lease, true), INT64_C(110500000));
    assert_int_equal(look(&lease, 110499), LEASE_CALLS_NOTHING);
    assert_int_equal(look(&lease, 110500), LEASE_KILLS);
    assert_int_equal(node_lease_look(&lease, false, 111 * (int64_t)SECOND_US), LEASE_CALLS_NOTHING);
    assert_int_equal(node_lease_due_us(&lease, false), INT64_MAX);
}

/* The process may have been stopped for any time: after a late look its trainers are asked before
 * they are killed. */
TEST(a_late_look_calls_in_before_it_kills)
{
    struct node_lease lease = given();

    assert_int_equal(look(&lease, 500000), LEASE_CALLS_IN);
    assert_int_equal(look(&lease, 500500), LEASE_KILLS);
}

TEST(while_nothing_is_held_it_ends_in_silence)
{
    struct node_lease lease = given();

    assert_int_equal(node_lease_due_us(&lease, false), INT64_MAX);
    assert_int_equal(node_lease_look(&lease, false, 200 * (int64_t)SECOND_US), LEASE_CALLS_NOTHING);
    assert_int_equal(look(&lease, 200000), LEASE_CALLS_IN); /* it does not cover what comes then */
}

TEST(no_trainer_is_killed_under_a_lease_that_was_renewed_meanwhile)
{
    struct node_lease lease = given();

    assert_int_equal(look(&lease, 110000), LEASE_CALLS_IN);
    node_lease_renew(&lease, INT64_C(110400000));
    assert_int_equal(look(&lease, 110500), LEASE_CALLS_NOTHING);
    assert_int_equal(node_lease_due_us(&lease, true), INT64_C(120400000));
}

TEST(one_that_was_never_given_holds_nothing)
{
    struct node_lease lease = node_lease_none();

    assert_int_equal(node_lease_look(&lease, false, 1), LEASE_CALLS_NOTHING);
    assert_int_equal(node_lease_look(&lease, true, 1), LEASE_CALLS_IN);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
