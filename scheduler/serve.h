/* serve.h - `scheduler --serve`: the command line of the service. */
#ifndef SCHEDULER_SERVE_H
#define SCHEDULER_SERVE_H

/* Returns the exit status. */
int serve_main(int argc, char **argv);

#endif
