/* signals.c - see signals.h. */
#include "executor/signals.h"

#include "common/log.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(const int numbers[])
{
    sigset_t set;
    int descriptor;

    (void)sigemptyset(&set);
    for (size_t i = 0; numbers[i] != 0; i++)
        (void)sigaddset(&set, numbers[i]);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    assert(descriptor >= 0);
    return descriptor;
}

int signals_open_service(bool children)
{
    const int numbers[] = {
        SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, children ? SIGCHLD : 0, 0};

    (void)signal(SIGPIPE, SIG_IGN);
    return signals_open(numbers);
}

bool signals_ask_end(int number)
{
    if (number == SIGTERM || number == SIGINT || number == SIGQUIT)
        return true;
    log_event(&LOG_ABOUT_NOTHING, "signal", "number=%d effect=none", number);
    return false;
}

int signals_next(int descriptor)
{
    struct signalfd_siginfo signal;

    return read(descriptor, &signal, sizeof(signal)) == sizeof(signal) ? (int)signal.ssi_signo : 0;
}
