/* child.c - see child.h. */
#include "common/child.h"

#include "common/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The step at which the child failed, sent through a pipe that closes when the child runs its
 * program. */
struct failure {
    int number; /* errno */
    char what[256];
};

static _Noreturn void give_up(int report, const char *what)
{
    struct failure failure = {.number = errno};

    (void)strncpy(failure.what, what, sizeof(failure.what) - 1);
    if (write(report, &failure, sizeof(failure)) < 0)
        _exit(126);
    _exit(127);
}

static void reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limit(void)
{
    const struct rlimit no_core = {0, 0};
    struct rlimit files;

    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= CHILD_DESCRIPTORS_MIN)
        return;
    files.rlim_cur =
        files.rlim_max < CHILD_DESCRIPTORS_MIN ? files.rlim_max : CHILD_DESCRIPTORS_MIN;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

/* Moves `fd` to the number `to`, which exec and the closing of all other descriptors leave open. */
static void settle_descriptor(int fd, int to, int report)
{
    if (fd >= 0 && dup2(fd, to) < 0)
        give_up(report, "dup2");
}

/* Calls the kernel directly: the C library's functions tell threads, with which this memory is
 * shared. */
static void take_user(const struct child_user *user, int report)
{
    if (syscall(SYS_setgroups, user->group_count, user->groups) < 0)
        give_up(report, "groups of its user");
    if (syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0)
        give_up(report, "group of its user");
    if (syscall(SYS_setresuid, user->uid, user->uid, user->uid) < 0)
        give_up(report, "user");
}

/* A change of users takes capabilities away only where the parent is root. */
static void drop_capabilities(int report)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    if (geteuid() != 0 && syscall(SYS_capset, &head, none) < 0)
        give_up(report, "capabilities");
}

static int find_program(const struct child_setting *setting, char path[PATH_MAX])
{
    struct error error;

    for (char *const *word = setting->environment; *word; word++)
        if (!strncmp(*word, "PATH=", 5))
            return executable_find_in(*word + 5, setting->argv[0], path, &error);
    return executable_find(setting->argv[0], path, &error);
}

static _Noreturn void become(const struct child_setting *setting, pid_t parent, int report)
{
    const int nothing = open("/dev/null", O_RDONLY);
    char path[PATH_MAX];

    reset_signals();
    if (setting->session ? setsid() < 0 : setpgid(0, 0) < 0)
        give_up(report, "process group");
    if (setting->user) /* first, as it takes the parent-death signal away */
        take_user(setting->user, report);
    if (setting->unprivileged)
        drop_capabilities(report);
    if (setting->death_signal && prctl(PR_SET_PDEATHSIG, setting->death_signal) < 0)
        give_up(report, "parent-death signal");
    if (setting->death_signal && getppid() != parent) /* the parent ended before prctl */
        _exit(1);
    if (setting->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        give_up(report, "no new privileges");
    limit();
    settle_descriptor(setting->in > 0 ? setting->in : nothing, STDIN_FILENO, report);
    settle_descriptor(setting->out, STDOUT_FILENO, report);
    settle_descriptor(setting->err, STDERR_FILENO, report);
    /* `report` is closed by exec. */
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */) < 0)
        give_up(report, "close_range");
    if (setting->inherited > 0 && fcntl(setting->inherited, F_SETFD, 0) < 0)
        give_up(report, "inherited descriptor");
    if (setting->writes_to && faccessat(AT_FDCWD, setting->writes_to, W_OK | X_OK, AT_EACCESS) < 0)
        give_up(report, setting->writes_to);
    if (setting->folder && chdir(setting->folder) < 0)
        give_up(report, setting->folder);
    if (find_program(setting, path) == 0)
        (void)execve(path, setting->argv, setting->environment);
    give_up(report, "");
}

/* The child borrows this process's memory, and this thread waits, until the child runs its
 * program: a copy that is thrown away at once would be a tenth of the cost of starting a
 * trainer. So the child must allocate nothing, and no signal may run a handler of this process
 * in the child. */
static pid_t become_child(const struct child_setting *setting, int report)
{
    const pid_t parent = getpid();
    sigset_t all;
    sigset_t before;
    int number;
    pid_t pid;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid = vfork(); /* NOLINT: this thread is meant to wait */
    if (pid == 0)
        become(setting, parent, report); /* NOLINT: allocates nothing, takes no lock */
    number = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

pid_t child_start(const struct child_setting *setting, struct error *error)
{
    struct failure failure = {0};
    int report[2];
    pid_t pid;
    ssize_t got;

    if (pipe2(report, O_CLOEXEC) < 0)
        return error_set(error, "%s cannot be started: %s", setting->argv[0], strerror(errno));
    pid = become_child(setting, report[1]);
    (void)close(report[1]);
    if (pid < 0) {
        (void)close(report[0]);
        return error_set(error, "%s cannot be started: %s", setting->argv[0], strerror(errno));
    }
    do
        got = read(report[0], &failure, sizeof(failure));
    while (got < 0 && errno == EINTR);
    (void)close(report[0]);
    if (got == 0)
        return pid;
    (void)waitpid(pid, NULL, 0);
    failure.what[sizeof(failure.what) - 1] = '\0';
    (void)error_set(error, "%s cannot be started: %s%s%s", setting->argv[0], failure.what,
                    failure.what[0] ? ": " : "", strerror(failure.number));
    errno = failure.number;
    return -1;
}

int child_pidfd(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

const char *child_status_text(int status)
{
    static char text[32];

    if (WIFSIGNALED(status))
        (void)snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
    else
        (void)snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
    return text;
}
