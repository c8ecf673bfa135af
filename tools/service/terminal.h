/* terminal.h - a whole screen of a terminal: what stood there comes back at the end, however the
 * process ends. */
#ifndef SERVICE_TERMINAL_H
#define SERVICE_TERMINAL_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether standard input and output are one. */
bool terminal_is_there(void);

/* Takes the screen, and keys one by one without echo. -1 with `error`. */
int terminal_open(struct error *error);
void terminal_close(void); /* does nothing where it is not open */

/* Shows the lines of `text` that fit. */
void terminal_show(const char *text);

/* How many lines it has. */
int terminal_rows(void);

/* Waits so long at most; false once the user wants to leave: by q, Escape or the end of the
 * input. */
bool terminal_wait(int wait_ms);

#endif
