/* more.c - `rubato-more`: the verbs of `rubato` that need the large libraries cairo or libzmq.
 * `rubato` executes this program for such a verb, so that the other verbs need not load the
 * libraries. */
#include "tools/verb_process.h"
#include "tools/verbs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"figure", verb_figure},
    {"keys", verb_keys},
    {"report", verb_report},
    {"state", verb_state},
};

int main(int argc, char **argv)
{
    verb_process_begin();
    (void)prctl(PR_SET_NAME, "rubato"); /* the name that the user called */
    for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verb_process_end(verbs[i].run(argc - 1, argv + 1));
    (void)fputs("rubato-more: `rubato VERB` starts this program\n", stderr);
    return 2;
}
