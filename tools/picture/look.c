/* look.c - see look.h. */
#include "tools/picture/look.h"

#include "common/input.h"
#include "common/unicode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define COLUMNS_USUAL 80
#define COLUMNS_MIN   40
#define COLUMNS_MAX   240

static const char *const codes[] = {[COLOUR_NONE] = "",
                                    [COLOUR_GOOD] = "\033[32m",
                                    [COLOUR_BAD] = "\033[31m",
                                    [COLOUR_MIDDLING] = "\033[33m",
                                    [COLOUR_DIM] = "\033[2m"};

static int count_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return COLUMNS_USUAL;
    return size.ws_col < COLUMNS_MIN ? COLUMNS_MIN
                                     : (size.ws_col > COLUMNS_MAX ? COLUMNS_MAX : size.ws_col);
}

struct look look_of_stdout(void)
{
    const char *without = getenv("NO_COLOR");
    const char *name = getenv("TERM");
    const bool terminal = isatty(STDOUT_FILENO) == 1;

    return (struct look){.out = stdout,
                         .unicode = unicode_is_shown(),
                         .colours =
                             terminal && !(without && *without) && !(name && !strcmp(name, "dumb")),
                         .terminal = terminal,
                         .columns = count_columns()};
}

void look_print(const struct look *self, enum colour colour, const char *text)
{
    const bool coloured = self->colours && colour != COLOUR_NONE && *text;

    (void)fprintf(self->out, "%s%s%s", coloured ? codes[colour] : "", text,
                  coloured ? "\033[0m" : "");
}

void look_print_name(const struct look *self, const char *name, int cells)
{
    char shown[512];
    const char *at = shown;
    int used = 0;

    (void)input_printable(shown, sizeof(shown), name, strlen(name));
    while (*at) {
        mbstate_t state = {0};
        wchar_t character;
        const size_t bytes = mbrtowc(&character, at, strlen(at), &state);
        const int wide = bytes <= MB_CUR_MAX ? wcwidth(character) : -1;

        if (wide < 0 || used + wide > cells)
            break;
        used += wide;
        at += bytes;
    }
    (void)fprintf(self->out, "%.*s%*s", (int)(at - shown), shown, cells - used, "");
}
