/* clang-format off */
/* test_program.c - a user's program as tests want it: does what its arguments say, one after the
 * other.
 *
 *   env                 prints its environment, each variable ended with a NUL
 *   arguments           prints the arguments after this one, likewise, and skips them
 *   status              prints what it may do: privileges, limits, descriptors, standard input
 *   say=LINE            sends LINE as progress
 *   term=LINE           from now on SIGTERM sends LINE and ends it with status 143
 *   term-exit=N         from now on SIGTERM ends it with status N
 *   save=LINE           from now on SIGUSR1 sends LINE
 *   deaf                from now on SIGTERM is ignored
 *   fork                has a child in its group that ignores SIGTERM
 *   leave               has a grandchild in a session of its own that ignores SIGTERM, without a
 *                       parent
 *   flood=KIB           prints so much
 *   exit=N              ends
 *   wait                waits for signals for ever */
/* clang-format on */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name; /* of the progress socket */
static const char *last_words;
static int last_status;
static const char *saved_words;

static void say(const char *line)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    if (!name || fd < 0)
        _exit(99);
    /* Byte by byte: the checked copies of the library are not meant for handlers. */
    for (size_t i = 1; name[i] != '\0'; i++)
        address.sun_path[i] = name[i];
    if (sendto(fd, line, strlen(line), 0, (struct sockaddr *)&address,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))) < 0)
        _exit(98);
    (void)close(fd);
}

static void on_term(int number)
{
    (void)number;
    if (last_words)
        say(last_words);
    _exit(last_status);
}

static void on_term_exit(int status, const char *words)
{
    last_words = words;
    last_status = status;
    (void)signal(SIGTERM, on_term);
}

static void on_usr1(int number)
{
    (void)number;
    say(saved_words);
}

static void on_save(const char *words)
{
    saved_words = words;
    (void)signal(SIGUSR1, on_usr1);
}

static _Noreturn void wait_for_ever(void)
{
    for (;;)
        (void)pause();
}

/* Returns when there is no process between this one and those that stay. */
static void have_child(int leaves)
{
    const pid_t child = fork();

    if (child != 0) {
        if (leaves)
            (void)waitpid(child, NULL, 0);
        return;
    }
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    if (leaves) {
        (void)setsid();
        if (fork() != 0)
            _exit(0);
    }
    wait_for_ever();
}

static void print_status(void)
{
    struct rlimit core;
    char target[64] = "";

    (void)getrlimit(RLIMIT_CORE, &core);
    (void)!readlink("/proc/self/fd/0", target, sizeof(target) - 1);
    printf("no-new-privileges=%d core=%d stdin=%s leader=%d open=",
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), (int)core.rlim_max, target,
           getsid(0) == getpid());
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("%d,", fd);
    printf("\n");
}

static void flood(long kib)
{
    char line[1024];

    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (long i = 0; i < kib; i++)
        (void)fwrite(line, 1, sizeof(line), stdout);
}

static const char *after(const char *argument, const char *word)
{
    return strncmp(argument, word, strlen(word)) ? NULL : argument + strlen(word);
}

static void act(const char *argument)
{
    const char *value;

    if (!strcmp(argument, "env"))
        for (char **word = environ; *word; word++)
            (void)fwrite(*word, 1, strlen(*word) + 1, stdout);
    else if (!strcmp(argument, "status"))
        print_status();
    else if ((value = after(argument, "say=")))
        say(value);
    else if ((value = after(argument, "term=")))
        on_term_exit(143, value);
    else if ((value = after(argument, "term-exit=")))
        on_term_exit(atoi(value), NULL);
    else if ((value = after(argument, "save=")))
        on_save(value);
    else if (!strcmp(argument, "deaf"))
        (void)signal(SIGTERM, SIG_IGN);
    else if (!strcmp(argument, "fork"))
        have_child(0);
    else if (!strcmp(argument, "leave"))
        have_child(1);
    else if ((value = after(argument, "flood=")))
        flood(atol(value));
    else if ((value = after(argument, "exit=")))
        exit(atoi(value));
    else if (!strcmp(argument, "wait"))
        wait_for_ever();
    else
        exit(97);
}

int main(int argc, char **argv)
{
    name = getenv("RUBATO_PROGRESS");
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "arguments")) {
            while (++i < argc)
                (void)fwrite(argv[i], 1, strlen(argv[i]) + 1, stdout);
            break;
        }
        act(argv[i]);
        (void)fflush(stdout);
    }
    return 0;
}
