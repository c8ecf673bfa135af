/* note.c - adds what a test does or sees to the log of a run: note FILE EVENT [WORD=VALUE...]
 *
 * The judge of the run reads it beside the logs of the processes, by the same clock. */
#include "common/log.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char words[4096] = "";
    size_t used = 0;

    if (argc < 3 || log_to_file(argv[1]) < 0) {
        (void)fprintf(stderr, "note: expected a file that can be written and an event\n");
        return 2;
    }
    for (int i = 3; i < argc && used < sizeof(words); i++)
        used +=
            (size_t)snprintf(words + used, sizeof(words) - used, "%s%s", i > 3 ? " " : "", argv[i]);
    log_open("harness", NULL);
    log_event(&LOG_ABOUT_NOTHING, argv[2], argc > 3 ? "%s" : NULL, words);
    return 0;
}
