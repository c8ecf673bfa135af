/* busy_line.h - a line on stderr for work that cannot measure its progress: how long the work has
 * taken, and how long it may take. The line appears after a second, and on a terminal only.
 *
 * SIGALRM draws it; calls that it interrupts go on. */
#ifndef COMMON_BUSY_LINE_H
#define COMMON_BUSY_LINE_H

/* `label` is lent until busy_line_end; a `most_s` of 0 is no limit. Only one line at a time. */
void busy_line_begin(const char *label, double most_s);

/* Removes the line from the terminal. */
void busy_line_end(void);

#endif
