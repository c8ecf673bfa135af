/* signals.h - the signals of a process that waits for everything in one loop: blocked, and read
 * from a descriptor. */
#ifndef EXECUTOR_SIGNALS_H
#define EXECUTOR_SIGNALS_H

#include <stdbool.h>

/* Blocks `numbers`, ended with 0, and returns a descriptor from which they can be read. To be
 * called before anything starts threads, which inherit what is blocked. */
int signals_open(const int numbers[]);

/* Like signals_open, for a daemon, with SIGCHLD if it has `children`: blocks the signals that ask a
 * process to end, and harmless signals whose default would end it. SIGPIPE is ignored from here
 * on. */
int signals_open_service(bool children);

/* Whether `number` asks a daemon to end: SIGTERM, SIGINT, SIGQUIT. Others are logged. */
bool signals_ask_end(int number);

/* The next signal that came, 0 if there is none. */
int signals_next(int descriptor);

#endif
