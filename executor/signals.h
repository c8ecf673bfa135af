/* signals.h - the signals of a process that waits for everything in one loop: blocked, and read
 * from a descriptor. */
#ifndef EXECUTOR_SIGNALS_H
#define EXECUTOR_SIGNALS_H

/* Blocks `numbers`, ended with 0, and returns a descriptor from which they can be read. To be
 * called before anything starts threads, which inherit what is blocked. */
int signals_open(const int numbers[]);

/* The next signal that came, 0 if there is none. */
int signals_next(int descriptor);

#endif
