/* failpoint.h - named places at which a test ends the process or makes a call fail. They are
 * compiled into the programs of the tests alone; other programs have not even their names. */
#ifndef COMMON_FAILPOINT_H
#define COMMON_FAILPOINT_H

#include <stdbool.h>

#ifdef RUBATO_FAILPOINTS
/* RUBATO_FAILPOINT of the environment is NAME:NTH:ACTION, or up to four of them with commas
 * between, one for each place. The NTH time that place NAME is reached, "kill" ends the process as
 * SIGKILL does, "exit" with status 70, "wait" goes on after SIGCONT, and "error" returns true: the
 * place is to fail. */
bool failpoint_reach(const char *name);
#define FAILPOINT(name) failpoint_reach(name)
#else
#define FAILPOINT(name) false
#endif

#endif
