/* questions_test.c - questions are answered by copies of the process, whatever becomes of these. */
#include "scheduler/service/questions.h"
#include "tests/support/test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 6

/* What copies tell each other. */
struct counts {
    atomic_int started;
    atomic_int running;
    atomic_int most;
    atomic_int last; /* process id of the copy that was asked last */
    atomic_int copies;
};

static zloop_t *loop;
static questions_t *questions;
static struct counts *counts;
static int state; /* of the process: a copy changes its own */
static int answered;
static json_int_t sum;
static json_int_t answers[QUESTIONS_MAX]; /* as they came */
static struct error last;

FIXTURE(set_up)
{
    loop = zloop_new();
    questions = questions_new(loop, &state);
    counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(counts, MAP_FAILED);
    state = answered = 0;
    sum = 0;
    last = (struct error){.text = ""};
    return 0;
}

FIXTURE(tear_down)
{
    questions_destroy(&questions);
    zloop_destroy(&loop);
    (void)munmap(counts, sizeof(*counts));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no copy is left */
    assert_int_equal(errno, ECHILD);
    return 0;
}

static void take(void *owner, void *subject, const json_t *answer, const struct error *error)
{
    assert_ptr_equal(owner, &state);
    assert_ptr_equal(subject, &sum);
    if (answer)
        sum += answers[answered] = json_integer_value(json_object_get(answer, "is"));
    else
        last = *error;
    answered++;
}

static int place_of(json_int_t answer)
{
    int place = 0;

    while (place < answered && answers[place] != answer)
        place++;
    return place;
}

typedef json_t *ask_fn(void *owner, const void *question, struct error *error);

/* Kinds last as long as their questions. */
static const struct question_kind *kind_of(ask_fn *ask, bool changes_copy)
{
    static struct question_kind kinds[QUESTIONS_MAX];
    static size_t count;
    struct question_kind *kind = &kinds[count++ % COUNT(kinds)];

    *kind = (struct question_kind){.ask = ask, .answer = take, .changes_copy = changes_copy};
    return kind;
}

static void put_of(const char *user, ask_fn *ask, int about)
{
    questions_put(questions, user, kind_of(ask, false), &about, sizeof(about), &sum);
}

static void put(ask_fn *ask, int about)
{
    put_of("ada", ask, about);
}

static void await(int count)
{
    while (answered < count)
        (void)zloop_start(loop);
}

static json_t *ask_double(void *owner, const void *question, struct error *error)
{
    (void)error;
    *(int *)owner = *(const int *)question;
    return json_pack("{s:i}", "is", 2 * *(int *)owner);
}

TEST_WITH(a_copy_answers_and_the_process_stays_as_it_was, set_up, tear_down)
{
    put(ask_double, 21);
    await(1);
    assert_int_equal(sum, 42);
    assert_int_equal(state, 0);
}

static json_t *ask_what_fails(void *owner, const void *question, struct error *error)
{
    (void)owner;
    (void)question;
    error_set(error, "there is no such thing");
    return NULL;
}

TEST_WITH(an_error_is_told, set_up, tear_down)
{
    put(ask_what_fails, 0);
    await(1);
    assert_string_equal(last.text, "there is no such thing");
}

static json_t *ask_to_die(void *owner, const void *question, struct error *error)
{
    (void)owner;
    (void)error;
    (void)signal(*(const int *)question, SIG_DFL); /* cmocka handles some */
    (void)raise(*(const int *)question);
    _exit(3);
}

/* The others are answered nevertheless. */
TEST_WITH(a_copy_that_dies_is_told_of, set_up, tear_down)
{
    static const int signals[] = {SIGKILL, SIGSEGV, SIGALRM, 0};

    for (size_t i = 0; i < COUNT(signals); i++)
        put(ask_to_die, signals[i]);
    put(ask_double, 4);
    await(COUNT(signals) + 1);
    assert_string_equal(last.text, "the question could not be answered in time");
    assert_int_equal(sum, 8);
}

static bool is_ended_by(int signal)
{
    struct sigaction action;
    sigset_t blocked;

    (void)sigaction(signal, NULL, &action);
    (void)sigprocmask(SIG_BLOCK, NULL, &blocked);
    return action.sa_handler == SIG_DFL && !sigismember(&blocked, signal);
}

/* What is left of its work, after which SIGPROF ends it; SIGALRM ends one that only waits. */
static json_t *ask_time_left(void *owner, const void *question, struct error *error)
{
    struct itimerval left = {{0, 0}, {0, 0}};
    const unsigned elapsed_left = alarm(0);

    (void)owner;
    (void)question;
    (void)error;
    (void)getitimer(ITIMER_PROF, &left);
    return is_ended_by(SIGPROF) && is_ended_by(SIGALRM) && elapsed_left > 20
               ? json_pack("{s:i}", "is", (int)left.it_value.tv_sec)
               : NULL;
}

TEST_WITH(a_copy_has_so_much_time, set_up, tear_down)
{
    put(ask_time_left, 0);
    await(1);
    assert_in_range(sum, 1, 20);
}

static json_t *ask_beside_another(void *owner, const void *question, struct error *error)
{
    const int running = atomic_fetch_add(&counts->running, 1) + 1;
    int most = atomic_load(&counts->most);

    (void)owner;
    (void)error;
    while (running > most && !atomic_compare_exchange_weak(&counts->most, &most, running))
        continue;
    atomic_fetch_add(&counts->started, 1);
    while (atomic_load(&counts->started) < 2)
        (void)sched_yield();
    atomic_fetch_sub(&counts->running, 1);
    return json_pack("{s:i}", "is", *(const int *)question);
}

TEST_WITH(two_are_put_at_a_time, set_up, tear_down)
{
    for (int i = 1; i <= MANY; i++)
        put_of(i % 2 ? "ada" : "ben", ask_beside_another, i);
    await(MANY);
    assert_int_equal(sum, MANY * (MANY + 1) / 2);
    assert_int_equal(atomic_load(&counts->started), MANY);
    assert_int_equal(atomic_load(&counts->most), 2);
}

/* A copy of ada waits for one of ben, and what ada puts meanwhile waits for her copy. */
TEST_WITH(one_is_of_the_same_user, set_up, tear_down)
{
    static const int about = 0;

    questions_put(questions, "ada", kind_of(ask_beside_another, true), &about, sizeof(about), &sum);
    put(ask_double, 21);
    put_of("ben", ask_beside_another, 1);
    await(3);
    assert_int_equal(sum, 43);
    assert_true(place_of(0) < place_of(42));
}

static json_t *ask_for_much(void *owner, const void *question, struct error *error)
{
    json_t *answer = json_pack("{s:i, s:o}", "is", *(const int *)question, "list", json_array());

    (void)owner;
    (void)error;
    for (int i = 0; i < 100000; i++)
        json_array_append_new(json_object_get(answer, "list"), json_integer(i));
    return answer;
}

TEST_WITH(a_long_answer_comes_whole, set_up, tear_down)
{
    put(ask_for_much, 5);
    await(1);
    assert_int_equal(sum, 5);
}

static json_t *ask_for_ever(void *owner, const void *question, struct error *error)
{
    (void)owner;
    (void)question;
    (void)error;
    while (getppid() > 0)
        (void)pause();
    return NULL;
}

/* tear_down looks for them. */
TEST_WITH(open_questions_end_with_the_process, set_up, tear_down)
{
    for (int i = 0; i < 3; i++)
        put(ask_for_ever, 0);
    assert_int_equal(answered, 0);
}

static json_t *ask_who_answers(void *owner, const void *question, struct error *error)
{
    (void)owner;
    (void)question;
    (void)error;
    if (atomic_exchange(&counts->last, (int)getpid()) != (int)getpid())
        atomic_fetch_add(&counts->copies, 1);
    return json_pack("{s:i}", "is", 1);
}

static bool is_never_wanted(const void *subject)
{
    (void)subject;
    return false;
}

/* Both copies are held up while the others gather: one copy answers these. */
TEST_WITH(those_that_wait_share_a_copy, set_up, tear_down)
{
    put(ask_beside_another, 0);
    put_of("ben", ask_beside_another, 0);
    for (int i = 0; i < 8; i++)
        put(ask_who_answers, i);
    await(10);
    assert_int_equal(sum, 8);
    assert_int_equal(atomic_load(&counts->copies), 1);
}

static json_t *ask_state(void *owner, const void *question, struct error *error)
{
    (void)question;
    (void)error;
    return json_pack("{s:i}", "is", *(int *)owner);
}

TEST_WITH(a_copy_that_was_changed_answers_no_more, set_up, tear_down)
{
    static const int about = 21;

    for (int i = 0; i < MANY; i++) {
        questions_put(questions, "ada", kind_of(ask_double, true), &about, sizeof(about), &sum);
        put(ask_state, 0);
    }
    await(2 * MANY);
    assert_int_equal(sum, MANY * 42);
}

TEST_WITH(there_are_so_many_at_most, set_up, tear_down)
{
    for (int i = 0; i < QUESTIONS_OF_USER_MAX; i++) {
        assert_int_equal(questions_retry_s(questions, "ada"), 0);
        put(ask_double, 1);
    }
    assert_true(questions_retry_s(questions, "ada") >= 1);
    for (int i = QUESTIONS_OF_USER_MAX; i < QUESTIONS_MAX; i++) {
        assert_int_equal(questions_retry_s(questions, "ben"), 0);
        put_of("ben", ask_double, 1);
    }
    assert_true(questions_retry_s(questions, "eve") >= 1);
    await(1);
    assert_int_equal(questions_retry_s(questions, "eve"), 0);
    await(QUESTIONS_MAX);
    assert_int_equal(sum, 2 * QUESTIONS_MAX);
}

TEST_WITH(what_no_client_waits_for_is_not_asked, set_up, tear_down)
{
    static const struct question_kind unwanted = {ask_double, take, is_never_wanted, false};
    static const int about = 21;

    questions_put(questions, "ada", &unwanted, &about, sizeof(about), &sum);
    await(1);
    assert_int_equal(sum, 0);
    assert_string_equal(last.text, "nothing waits for the answer");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
