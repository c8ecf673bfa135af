/* stand_test.c - how a job stands goes from a round to the next one and through an archive, and
 * says what the job is told. */
#include "scheduler/planner/stand.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

#include <limits.h>
#include <string.h>

static struct small_round small;
static struct stand stand;
static struct task *task;

/* A promised job that holds a GPU. */
FIXTURE(prepare)
{
    static struct piece piece;

    small_round_open(&small);
    task = &small.tasks[small_round_add(&small, 100, 500)];
    piece = (struct piece){SMALL_NOW_S, 1, 3};
    stand = (struct stand){.course = {&piece, 1, SMALL_NOW_S + 100, 100}};
    task->stand = &stand;
    task->promised = true;
    task->losses = 1;
    task->margin = 0.1;
    task->start_margin = 0.2;
    task->now = piece;
    task->is_charged = true;
    task->charge_s = 7;
    return 0;
}

FIXTURE(clean_up)
{
    small_round_close(&small);
    return 0;
}

TEST_WITH(what_a_round_notes_the_next_round_enters, prepare, clean_up)
{
    struct task next = {.job = task->job, .stand = &stand, .scaling = task->scaling};

    stand_enter(&next);
    assert_false(next.known || next.promised);
    stand_note(task, false);
    stand_enter(&next);
    assert_true(next.known && next.promised);
    assert_true(next.margin == 0.1 && next.start_margin == 0.2);
    assert_int_equal(stand.rank, 3);
    assert_int_equal(stand.charged_s, 7);
    assert_int_equal(stand.reserve.losses, 1);
    assert_true(stand.runs && !stand.best_effort && !stand.quoted);
}

TEST_WITH(a_deadline_in_a_chain_is_noted_only_while_jobs_wait, prepare, clean_up)
{
    stand_note(task, true);
    assert_int_equal(stand.due_s, SMALL_NOW_S + 500);
    stand_note(task, false);
    assert_int_equal(stand.due_s, 0);
    task->promised = false;
    stand_note(task, true);
    assert_int_equal(stand.due_s, 0);
}

TEST_WITH(a_charge_is_remembered_until_it_was_told, prepare, clean_up)
{
    stand_note(task, false);
    task->is_charged = false;
    task->charge_s = 0;
    stand_note(task, false);
    assert_int_equal(stand.charged_s, 7);
}

static void write_stand(struct archive *archive)
{
    *archive = archive_writing();
    stand_archive(&stand, archive, task->job, small.arena);
}

/* Reads the stand back into `other`, of that version. */
static bool read_stand(const struct archive *written, struct stand *other, int version)
{
    struct archive archive = archive_reading(written->bytes, strlen(written->bytes));

    archive.version = version;
    *other = (struct stand){0};
    stand_archive(other, &archive, task->job, small.arena);
    return archive_is_over(&archive);
}

TEST_WITH(an_archive_gives_back_all_that_is_kept, prepare, clean_up)
{
    struct archive archive;
    struct stand other;

    stand_note(task, true);
    stand.turn = (struct turn){5, 6};
    stand.margin_wanted = 0.3;
    stand.told_speed = true;
    write_stand(&archive);
    assert_true(read_stand(&archive, &other, INT_MAX));
    assert_int_equal(other.course.count, 1);
    assert_memory_equal(other.course.pieces, stand.course.pieces, sizeof(struct piece));
    other.course.pieces = stand.course.pieces;
    assert_memory_equal(&other.turn, &stand.turn, sizeof(stand.turn));
    assert_memory_equal(&other.reserve, &stand.reserve, sizeof(stand.reserve));
    assert_true(other.known && other.runs && other.promised && other.told_speed);
    assert_true(other.margin == 0.1 && other.margin_wanted == 0.3 && other.start_margin == 0.2);
    assert_int_equal(other.due_s, SMALL_NOW_S + 500);
    assert_int_equal(other.rank, 3);
    assert_int_equal(other.charged_s, 7);
    archive_free(&archive);
}

/* Text of a version before the ninth has none of the last three values. */
TEST_WITH(an_archive_of_before_has_fewer_values, prepare, clean_up)
{
    struct archive archive;
    struct stand other;

    stand_note(task, false);
    write_stand(&archive);
    assert_false(read_stand(&archive, &other, 8));
    archive_free(&archive);
}

TEST_WITH(a_course_without_a_promise_is_not_kept, prepare, clean_up)
{
    struct archive archive;
    struct stand other;

    task->promised = false;
    stand_note(task, false);
    write_stand(&archive);
    assert_true(read_stand(&archive, &other, INT_MAX));
    assert_int_equal(other.course.count, 0);
    archive_free(&archive);
}

TEST_WITH(a_job_is_told_its_step_or_why_there_is_none, prepare, clean_up)
{
    const struct job_share share = {0};
    struct verdict verdict = stand_verdict(&stand, task->job, true, 0);

    assert_int_equal(verdict.kind, VERDICT_PROMISED);
    assert_int_equal(verdict.promised_s, SMALL_NOW_S + 500);
    verdict = stand_verdict(&stand, task->job, false, -1);
    assert_int_equal(verdict.kind, VERDICT_DECLINED);
    assert_int_equal(verdict.reason, REASON_TOO_LARGE);
    assert_int_equal(stand_verdict(&stand, task->job, true, -1).reason, REASON_NO_ROOM);
    stand.denied.rate.over_s = 60;
    verdict = stand_verdict(&stand, task->job, true, -1);
    assert_int_equal(verdict.reason, REASON_JOBS_TO_COME);
    assert_int_equal(verdict.seen.over_s, 60);
    stand.denied.share.of = &share;
    verdict = stand_verdict(&stand, task->job, true, -1);
    assert_int_equal(verdict.kind, VERDICT_BEST_EFFORT);
    assert_int_equal(verdict.reason, REASON_PROMISE_SHARE);
    assert_ptr_equal(verdict.share.of, &share);
    small.submissions[0].promise_or_decline = true;
    assert_int_equal(stand_verdict(&stand, task->job, true, -1).kind, VERDICT_DECLINED);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
