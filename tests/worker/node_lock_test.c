/* node_lock_test.c - a worker gets the lock when nothing of the worker before it lives, and only
 * then. */
#include "worker/node_lock.h"

#include "common/child.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static folder_t *folder;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static struct node_lock take(const char *name)
{
    struct node_lock lock;
    struct error error;

    assert_int_equal(node_lock_take(folder_path(folder), name, &lock, &error), 0);
    assert_true(lock.number > 0);
    return lock;
}

static void refuse(const char *name, const char *why)
{
    struct node_lock lock;
    struct error error;

    assert_int_equal(node_lock_take(folder_path(folder), name, &lock, &error), -1);
    assert_int_equal(lock.number, 0);
    assert_non_null(strstr(error.text, why));
    node_lock_drop(&lock);
}

/* A trainer that inherits the lock, as `argv`. */
static pid_t inherit(const struct node_lock *lock, const char *const argv[])
{
    static char *const environment[] = {(char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL};
    const struct child_setting child = {
        .argv = (char *const *)(uintptr_t)argv,
        .environment = environment,
        .out = -1,
        .err = -1,
        .inherited = lock->trainers_fd,
        .death_signal = SIGKILL,
    };
    struct error error;
    const pid_t pid = child_start(&child, &error);

    assert_true(pid > 0);
    return pid;
}

TEST_WITH(each_worker_has_its_own, set_up, tear_down)
{
    struct node_lock first = take("a");
    struct node_lock second = take("b");

    assert_int_not_equal(first.number, second.number);
    node_lock_drop(&first);
    node_lock_drop(&second);
}

TEST_WITH(one_number_for_a_boot, set_up, tear_down)
{
    struct node_lock lock = take("a");
    const uint32_t number = lock.number;

    node_lock_drop(&lock);
    lock = take("a");
    assert_int_equal(lock.number, number);
    node_lock_drop(&lock);
    (void)folder_write(folder, "workers/a.trainers", "another-boot 7\n");
    lock = take("a");
    assert_int_not_equal(lock.number, 7);
    node_lock_drop(&lock);
}

TEST_WITH(a_worker_that_lives_keeps_it, set_up, tear_down)
{
    struct node_lock lock = take("a");

    refuse("a", "worker a, or a process that it left, still runs");
    node_lock_drop(&lock);
}

/* The process ends when it is asked to, even if it is stopped. */
TEST_WITH(what_is_left_is_ended, set_up, tear_down)
{
    static const char *const trainer[] = {"sleep", "1000", NULL};
    struct node_lock lock = take("a");
    const uint32_t number = lock.number;
    const pid_t pid = inherit(&lock, trainer);
    int status;

    assert_int_equal(kill(pid, SIGSTOP), 0);
    node_lock_drop(&lock);
    lock = take("a");
    assert_int_equal(lock.number, number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    node_lock_drop(&lock);
}

TEST_WITH(what_does_not_end_keeps_it, set_up, tear_down)
{
    struct node_lock lock = take("a");
    void (*const before)(int) = signal(SIGTERM, SIG_IGN);
    pid_t pid;

    (void)close(lock.worker_fd); /* a trainer does not have it */
    lock.worker_fd = -1;
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    (void)signal(SIGTERM, before);
    assert_true(pid > 0);
    node_lock_drop(&lock);
    refuse("a", "a trainer of an earlier worker a still runs");
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    lock = take("a");
    node_lock_drop(&lock);
}

TEST_WITH(a_link_is_not_followed, set_up, tear_down)
{
    struct node_lock lock = take("a");

    node_lock_drop(&lock);
    assert_int_equal(unlink(folder_file(folder, "workers/a.trainers")), 0);
    assert_int_equal(symlink("elsewhere", folder_file(folder, "workers/a.trainers")), 0);
    refuse("a", "cannot be opened");
    assert_false(folder_has(folder, "workers/elsewhere"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
