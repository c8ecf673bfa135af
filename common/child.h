/* child.h - a program started as a child that cannot outlive its parent: argv without a shell, an
 * environment of its own, no descriptors but those that are meant for it. */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* A child may have at least this many descriptors open, if the machine allows so many. */
#define CHILD_DESCRIPTORS_MIN 4096

/* A user of this machine. */
struct child_user {
    uid_t uid;
    gid_t gid;
    size_t group_count;
    const gid_t *groups; /* all groups of the user */
};

struct child_setting {
    /* Ended with NULL; argv[0] is the file, looked for as executable.h says in the PATH of
     * `environment`, or of the parent if it has none. */
    char *const *argv;
    char *const *environment;      /* ended with NULL */
    const char *folder;            /* to run in, NULL: the parent's */
    const struct child_user *user; /* user to run as, which takes privileges; NULL: the parent's */
    int in;                        /* becomes standard input, 0: /dev/null */
    int out;                       /* becomes standard output, -1: the parent's */
    int err;                       /* becomes standard error, -1: the parent's */
    int inherited;                 /* a descriptor that stays open under its number, 0: none */
    bool session; /* the child gets a session of its own, not only a process group */
    bool no_new_privileges;
    bool unprivileged; /* drops privileges that the parent has beyond its user; root's are kept */
    const char *writes_to; /* folder that the child must be able to write to, or it is not started;
                              NULL for none */
    int death_signal; /* signal that the child gets when the thread that started it ends, 0: none */
};

/* Starts the child, in a process group of its own, without core files and without signals blocked
 * or ignored. Returns its process id once it runs the program; -1 with `error` and errno if it
 * cannot be run, in which case nothing is left of it. */
pid_t child_start(const struct child_setting *setting, struct error *error);

/* A descriptor that can be read from when process `pid` has ended, closed at exec; -1 with
 * errno. */
int child_pidfd(pid_t pid);

/* The text of a status that waitpid gave: "exit status 3" or "signal 9". Lent until the next
 * call. */
const char *child_status_text(int status);

#endif
