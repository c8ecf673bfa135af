/* look.h - the look of terminal output: Unicode or ASCII, with colours or without. */
#ifndef PICTURE_LOOK_H
#define PICTURE_LOOK_H

#include <stdbool.h>
#include <stdio.h>

struct look {
    FILE *out;
    bool unicode; /* whether the user's locale is one of UTF-8 */
    bool colours; /* whether the terminal has colours, and NO_COLOR is not set */
    bool terminal;
    int columns; /* width of a line */
};

enum colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_BAD, COLOUR_MIDDLING, COLOUR_DIM };

struct look look_of_stdout(void);

/* Prints `text` in a colour, if colours are on. */
void look_print(const struct look *self, enum colour colour, const char *text);

/* Prints the beginning of a name that fits into `cells` cells of a terminal, even of wide
 * characters, and fills the cells with blanks. */
void look_print_name(const struct look *self, const char *name, int cells);

#endif
