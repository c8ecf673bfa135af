/* descendants_test.c - what is below a process is found and killed, wherever it has put itself. */
#include "common/descendants.h"

#include "tests/support/test.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits for ever, ignoring what can be ignored; with a child of its own in another
 * session. With `orphan` it ends once that is there. The inner child writes a byte when it is
 * there. */
static pid_t have_family(bool orphan)
{
    int there[2];
    pid_t pid;
    char byte;

    assert_int_equal(pipe(there), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)signal(SIGTERM, SIG_IGN);
        if (fork() == 0) {
            (void)setsid();
            (void)!write(there[1], "x", 1);
            for (;;)
                (void)pause();
        }
        if (orphan)
            _exit(0);
        for (;;)
            (void)pause();
    }
    (void)close(there[1]);
    assert_int_equal(read(there[0], &byte, 1), 1);
    (void)close(there[0]);
    return pid;
}

static size_t count_below(pid_t root)
{
    struct descendant *found;
    size_t living = 0;
    const size_t count = descendants_of(root, &found);

    for (size_t i = 0; i < count; i++)
        living += !found[i].ended;
    free(found);
    return living;
}

static void kill_all(void)
{
    while (descendants_kill(getpid(), NULL, 0) > 0)
        descendants_reap(NULL, 0);
    descendants_reap(NULL, 0);
}

TEST(children_of_children_are_found)
{
    const pid_t child = have_family(false);

    assert_int_equal(count_below(getpid()), 2);
    assert_int_equal(count_below(child), 1);
    kill_all();
    assert_int_equal(count_below(getpid()), 0);
}

/* A process that loses its parent comes to the subreaper. */
TEST(orphans_are_found)
{
    const pid_t child = have_family(true);

    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count_below(getpid()), 1);
    kill_all();
    assert_int_equal(count_below(getpid()), 0);
}

TEST(the_spared_live_with_what_is_below_them)
{
    const pid_t spared = have_family(false);
    const pid_t other = have_family(false);

    assert_int_equal(count_below(getpid()), 4);
    while (descendants_kill(getpid(), &spared, 1) > 0)
        descendants_reap(&spared, 1);
    descendants_reap(&spared, 1);
    assert_int_equal(count_below(getpid()), 2);
    assert_int_equal(count_below(spared), 1);
    assert_int_equal(kill(other, 0), -1);
    kill_all();
}

TEST(only_what_is_below_is_killed)
{
    const pid_t roots[] = {have_family(false), have_family(false)};

    descendants_kill_below(roots, COUNT(roots));
    while (count_below(getpid()) > COUNT(roots))
        continue; /* a signal takes its time */
    for (size_t i = 0; i < COUNT(roots); i++)
        assert_int_equal(kill(roots[i], 0), 0);
    kill_all();
}

TEST(what_ended_is_reaped_unless_it_is_spared)
{
    const pid_t child = fork();
    siginfo_t end;

    if (child == 0)
        _exit(5);
    assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
    descendants_reap(&child, 1);
    assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
    descendants_reap(NULL, 0);
    assert_int_equal(waitpid(child, NULL, 0), -1);
}

int main(void)
{
    descendants_adopt();
    return tests_run(NULL, NULL);
}
