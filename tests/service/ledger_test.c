/* ledger_test.c - how jobs stand, by what the engine was told and decided. */
#include "scheduler/service/ledger.h"
#include "tests/support/test.h"

#define RUN (UINT64_C(5) << 32)

static ledger_t *ledger;
static struct submission submissions[3];

static void add_jobs(void)
{
    for (uint64_t row = 1; row <= COUNT(submissions); row++) {
        submissions[row - 1] =
            (struct submission){.number = RUN | row, .submit_s = 10, .iterations = 100};
        ledger_add(ledger, &submissions[row - 1], row == 2 ? "bob" : "alice");
    }
}

FIXTURE(set_up)
{
    ledger = ledger_new();
    add_jobs();
    return 0;
}

FIXTURE(tear_down)
{
    ledger_destroy(&ledger);
    return 0;
}

static void tell(enum occurrence_kind kind, uint64_t row, const char *cause)
{
    const struct occurrence told = {.kind = kind,
                                    .job = RUN | row,
                                    .submission =
                                        kind == OCCURRENCE_SUBMITTED ? &submissions[row - 1] : NULL,
                                    .cause = cause};

    ledger_told(ledger, 20, &told, 1);
}

static enum standing standing(uint64_t row)
{
    return ledger_find(ledger, row)->standing;
}

TEST_WITH(jobs_are_found_by_row, set_up, tear_down)
{
    assert_int_equal(ledger_next(ledger), 4);
    assert_null(ledger_find(ledger, 0));
    assert_null(ledger_find(ledger, 4));
    assert_null(ledger_find(ledger, UINT64_MAX));
    assert_true(ledger_find(ledger, 2)->number == (RUN | 2));
    assert_string_equal(ledger_find(ledger, 2)->user, "bob");
    assert_ptr_equal(ledger_find(ledger, 1)->user, ledger_find(ledger, 3)->user);
    assert_int_equal(ledger_count(ledger, STANDING_HELD), 3);
}

TEST_WITH(a_job_stands_as_the_engine_was_told, set_up, tear_down)
{
    ledger_find(ledger, 1)->untold = true;
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    assert_int_equal(standing(1), STANDING_WAITING);
    assert_false(ledger_find(ledger, 1)->untold);
    tell(OCCURRENCE_SUSPENDED, 1, "its user holds it");
    assert_int_equal(standing(1), STANDING_HELD);
    assert_false(ledger_find(ledger, 1)->changes);
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    tell(OCCURRENCE_SUSPENDED, 1, CAUSE_OF_CHANGE);
    assert_int_equal(standing(1), STANDING_HELD);
    assert_true(ledger_find(ledger, 1)->changes);
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    assert_false(ledger_find(ledger, 1)->changes);
    tell(OCCURRENCE_CANCELLED, 1, "its user cancelled it");
    assert_int_equal(standing(1), STANDING_CANCELLED);
    assert_int_equal(ledger_find(ledger, 1)->ended_s, 20);
    assert_int_equal(ledger_count(ledger, STANDING_HELD), 2);
    assert_int_equal(ledger_count(ledger, STANDING_CANCELLED), 1);
}

TEST_WITH(what_is_over_stays_over, set_up, tear_down)
{
    ledger_cancel(ledger, ledger_find(ledger, 3), 15, "by its user");
    tell(OCCURRENCE_SUBMITTED, 3, NULL);
    tell(OCCURRENCE_SUSPENDED, 3, "its user holds it");
    assert_int_equal(standing(3), STANDING_CANCELLED);
    assert_int_equal(ledger_find(ledger, 3)->ended_s, 15);
}

TEST_WITH(news_of_nodes_and_of_others_changes_nothing, set_up, tear_down)
{
    tell(OCCURRENCE_NODE_UP, 0, NULL);
    tell(OCCURRENCE_CANCELLED, 9, "no job of ours");
    assert_int_equal(ledger_count(ledger, STANDING_HELD), 3);
}

TEST_WITH(what_was_not_kept_is_cut, set_up, tear_down)
{
    tell(OCCURRENCE_SUBMITTED, 3, NULL);
    ledger_cut(ledger, 2);
    assert_int_equal(ledger_next(ledger), 2);
    assert_null(ledger_find(ledger, 2));
    assert_int_equal(ledger_count(ledger, STANDING_HELD), 1);
    assert_int_equal(ledger_count(ledger, STANDING_WAITING), 0);
    ledger_cut(ledger, 2);
    assert_int_equal(ledger_next(ledger), 2);
}

TEST_WITH(jobs_of_a_user_are_counted_until_they_are_over, set_up, tear_down)
{
    assert_int_equal(ledger_count_of(ledger, "alice").jobs, 2);
    assert_int_equal(ledger_count_of(ledger, "bob").jobs, 1);
    assert_int_equal(ledger_count_of(ledger, "nadia").jobs, 0);
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    assert_int_equal(ledger_count_of(ledger, "alice").jobs, 2);
    tell(OCCURRENCE_CANCELLED, 1, "its user cancelled it");
    assert_int_equal(ledger_count_of(ledger, "alice").jobs, 1);
    ledger_cut(ledger, 1);
    assert_int_equal(ledger_count_of(ledger, "alice").jobs, 0);
    assert_int_equal(ledger_count_of(ledger, "bob").jobs, 0);
}

/* The job in `row` is done, with a promise that ended so; its program had reached `reached`
 * iterations, -1 for all. */
static void retire(uint64_t row, enum promise_state promise, int64_t reached)
{
    const struct occurrence progress = {.kind = OCCURRENCE_PROGRESS,
                                        .job = RUN | row,
                                        .end = reached < 0 ? WORK_END_WHOLE : WORK_END_TOLD,
                                        .reached = reached};
    const struct job job = {.submission = &submissions[row - 1],
                            .number = RUN | row,
                            .end_s = 30,
                            .promise = {.state = promise, .deadline_s = 40}};
    const struct retirement retired = {.job = &job};
    const struct decision decision = {.now_s = 30, .retired = &retired, .retired_count = 1};

    tell(OCCURRENCE_SUBMITTED, row, NULL);
    ledger_told(ledger, 30, &progress, 1);
    ledger_decided(ledger, NULL, &decision);
}

TEST_WITH(a_program_that_ends_by_itself_has_not_done_all, set_up, tear_down)
{
    retire(1, PROMISE_KEPT, 0);
    retire(2, PROMISE_KEPT, -1);
    assert_true(entry_ended_early(ledger_find(ledger, 1)));
    assert_int_equal(ledger_find(ledger, 1)->iterations_done, 0);
    assert_false(entry_ended_early(ledger_find(ledger, 2)));
    assert_int_equal(ledger_find(ledger, 2)->iterations_done, submissions[1].iterations);
}

TEST_WITH(promises_are_counted_as_they_ended, set_up, tear_down)
{
    struct ledger_outcomes outcomes;

    retire(1, PROMISE_KEPT, 0);
    retire(2, PROMISE_KEPT, -1);
    retire(3, PROMISE_BROKEN, 5);
    for (int again = 0; again < 2; again++) {
        outcomes = ledger_outcomes(ledger);
        assert_int_equal(outcomes.kept, 1);
        assert_int_equal(outcomes.broken, 1);
        assert_int_equal(outcomes.withdrawn, 0);
        assert_int_equal(outcomes.early, 2);
        ledger_count_again(ledger);
    }
}

TEST_WITH(an_operators_hold_ends_with_the_release, set_up, tear_down)
{
    ledger_hold(ledger, ledger_find(ledger, 1), "operator root");
    assert_string_equal(ledger_find(ledger, 1)->holder, "operator root");
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    assert_null(ledger_find(ledger, 1)->holder);
}

/* The quote in row 3 is held, and becomes a job if it is taken. */
TEST_WITH(a_quote_is_a_job_once_it_is_taken, set_up, tear_down)
{
    struct submission taken = submissions[2];
    struct occurrence told = {.kind = OCCURRENCE_TAKEN, .submission = &taken};

    submissions[2].quoted_until_s = 50;
    tell(OCCURRENCE_SUBMITTED, 3, NULL);
    assert_int_equal(standing(3), STANDING_QUOTED);
    assert_int_equal(ledger_count_of(ledger, "alice").quotes, 1);
    assert_false(entry_is_over(ledger_find(ledger, 3)));
    ledger_told(ledger, 20, &told, 1);
    assert_int_equal(standing(3), STANDING_WAITING);
    assert_ptr_equal(ledger_find(ledger, 3)->submission, &taken);
    assert_int_equal(ledger_count_of(ledger, "alice").quotes, 0);
    submissions[2].quoted_until_s = 0;
}

TEST_WITH(a_quote_that_is_given_back_is_no_job_that_was_cancelled, set_up, tear_down)
{
    submissions[1].quoted_until_s = 50;
    tell(OCCURRENCE_SUBMITTED, 2, NULL);
    tell(OCCURRENCE_CANCELLED, 2, CAUSE_OF_RETURN "its user bob");
    assert_int_equal(standing(2), STANDING_LAPSED);
    assert_true(entry_is_over(ledger_find(ledger, 2)));
    assert_true(entry_is_quote(ledger_find(ledger, 2)));
    assert_int_equal(ledger_count(ledger, STANDING_CANCELLED), 0);
    assert_int_equal(ledger_count_of(ledger, "bob").jobs, 0);
    assert_int_equal(ledger_count_of(ledger, "bob").quotes, 0);
    submissions[1].quoted_until_s = 0;
}

TEST(every_standing_has_a_name)
{
    for (int i = 0; i < STANDINGS; i++)
        assert_non_null(standing_names[i]);
    assert_null(standing_names[STANDINGS]);
}

/* ---- written and read back ---- */

static const struct submission *find_submission(const void *owner, uint64_t number)
{
    const struct submission *all = owner;

    return (uint32_t)number <= COUNT(submissions) ? &all[(uint32_t)number - 1] : NULL;
}

static void assert_same(const struct entry *entry, const struct entry *other)
{
    assert_int_equal(entry->standing, other->standing);
    assert_int_equal(entry->untold, other->untold);
    assert_int_equal(entry->changes, other->changes);
    assert_int_equal(entry->decided, other->decided);
    assert_int_equal(entry->submitted_s, other->submitted_s);
    assert_int_equal(entry->started_s, other->started_s);
    assert_int_equal(entry->ended_s, other->ended_s);
    assert_int_equal(entry->end, other->end);
    assert_int_equal(entry->reached, other->reached);
    assert_int_equal(entry->outcome, other->outcome);
    assert_int_equal(entry->withdrawn, other->withdrawn);
    assert_memory_equal(entry->withdrawals, other->withdrawals, sizeof(entry->withdrawals));
    assert_float_equal(entry->verdict.seen.gpus, other->verdict.seen.gpus, 0);
    assert_int_equal(entry->verdict.seen.over_s, other->verdict.seen.over_s);
    assert_int_equal(!entry->verdict.share.of, !other->verdict.share.of);
    if (entry->verdict.share.of) {
        assert_string_equal(entry->verdict.share.of->name, other->verdict.share.of->name);
        assert_float_equal(entry->verdict.share.of->of, other->verdict.share.of->of, 0);
        assert_int_equal(entry->verdict.share.of->horizon_s, other->verdict.share.of->horizon_s);
        assert_float_equal(entry->verdict.share.may, other->verdict.share.may, 0);
        assert_float_equal(entry->verdict.share.is, other->verdict.share.is, 0);
        assert_float_equal(entry->verdict.share.more, other->verdict.share.more, 0);
        assert_int_equal(entry->verdict.share.free_s, other->verdict.share.free_s);
    }
    assert_ptr_equal(entry->submission, other->submission);
    assert_int_equal(!entry->cause, !other->cause);
    if (entry->cause)
        assert_string_equal(entry->cause, other->cause);
}

TEST_WITH(the_first_jobs_stand_as_they_were_written, set_up, tear_down)
{
    static const struct job_share share = {"@ml", 0.5, 3600};
    struct archive archive = archive_writing();
    struct archive reading;
    ledger_t *before = ledger;

    ledger_find(ledger, 1)->verdict.reason = REASON_PROMISE_SHARE;
    ledger_find(ledger, 1)->verdict.share = (struct share_seen){&share, 5, 4, 3, 2};
    ledger_find(ledger, 1)->withdrawn = true;
    ledger_find(ledger, 1)->withdrawals[WITHDRAWN_FOR_SPEED] = 3;
    ledger_find(ledger, 2)->verdict.reason = REASON_JOBS_TO_COME;
    ledger_find(ledger, 2)->verdict.seen = (struct demand_seen){.gpus = 0.5, .over_s = 60};
    ledger_find(ledger, 2)->end = WORK_END_GUESSED;
    ledger_find(ledger, 2)->reached = 7;
    ledger_find(ledger, 3)->outcome = PROMISE_BROKEN;
    tell(OCCURRENCE_SUBMITTED, 1, NULL);
    ledger_find(ledger, 1)->cause = "node 3 left";
    tell(OCCURRENCE_SUBMITTED, 2, NULL);
    tell(OCCURRENCE_SUSPENDED, 2, CAUSE_OF_CHANGE);
    ledger_cancel(ledger, ledger_find(ledger, 3), 15, "by its user");
    ledger_archive(before, &archive, NULL, NULL);

    ledger = ledger_new();
    add_jobs();
    (void)ledger_add(ledger, &(struct submission){.number = RUN | 4}, "carol");
    reading = archive_reading(archive.bytes, archive.used);
    ledger_archive(ledger, &reading, find_submission, submissions);
    assert_true(archive_is_over(&reading));
    for (uint64_t row = 1; row <= COUNT(submissions); row++)
        assert_same(ledger_find(ledger, row), ledger_find(before, row));
    assert_int_equal(standing(4), STANDING_HELD);
    assert_int_equal(ledger_count(ledger, STANDING_WAITING), 1);
    assert_int_equal(ledger_count(ledger, STANDING_HELD), 2);
    assert_int_equal(ledger_count(ledger, STANDING_CANCELLED), 1);

    ledger_cut(ledger, 3); /* fewer jobs than were written */
    reading = archive_reading(archive.bytes, archive.used);
    ledger_archive(ledger, &reading, find_submission, submissions);
    assert_true(reading.broken);
    archive_free(&archive);
    ledger_destroy(&before);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
