/* busy_line.h - a line on stderr for work that cannot count how far it is: for how long it works,
 * and for how long it may. It appears after a second, and on a terminal only.
 *
 * SIGALRM draws it; calls that it interrupts go on. */
#ifndef COMMON_BUSY_LINE_H
#define COMMON_BUSY_LINE_H

/* `label` is lent until the end; `most_s` of 0 is no limit. One at a time. */
void busy_line_begin(const char *label, double most_s);

/* Takes the line away. */
void busy_line_end(void);

#endif
