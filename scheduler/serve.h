/* serve.h - `scheduler --serve`: the command line of the service. */
#ifndef SCHEDULER_SERVE_H
#define SCHEDULER_SERVE_H

#include <stdbool.h>

/* Whether the command line asks for it. */
bool serve_is_asked(int argc, char **argv);

/* Returns the exit status. */
int serve_main(int argc, char **argv);

#endif
