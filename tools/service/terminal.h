/* terminal.h - takes over the whole screen of a terminal. The earlier content returns at the end,
 * even if a signal ends the process. */
#ifndef SERVICE_TERMINAL_H
#define SERVICE_TERMINAL_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether standard input and output are a terminal. */
bool terminal_is_there(void);

/* Takes over the screen, and reads keys one by one without echo. -1 with `error`. */
int terminal_open(struct error *error);
void terminal_close(void); /* does nothing if the terminal is not open */

/* Shows the lines of `text` that fit. */
void terminal_show(const char *text);

/* The number of lines of the terminal. */
int terminal_rows(void);

/* Waits for a key for at most `wait_ms`. False once the user wants to leave: by q, Escape or the
 * end of the input. */
bool terminal_wait(int wait_ms);

#endif
