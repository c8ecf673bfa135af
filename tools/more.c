/* more.c - `rubato-more`: the verbs of `rubato` that need large libraries, of messages (czmq) or of
 * pictures (cairo). `rubato` becomes this program for them, so that the other verbs do not pay. */
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
    {"up", verb_up},           {"down", verb_down},     {"submit", verb_submit},
    {"list", verb_list},       {"show", verb_show},     {"explain", verb_explain},
    {"wait", verb_wait},       {"cancel", verb_cancel}, {"hold", verb_hold},
    {"release", verb_release}, {"change", verb_change}, {"logs", verb_logs},
    {"history", verb_history}, {"whatif", verb_whatif}, {"profile", verb_profile},
    {"learn", verb_learn},     {"top", verb_top},       {"status", verb_status},
    {"nodes", verb_nodes},     {"drain", verb_drain},   {"resume", verb_resume},
    {"quote", verb_quote},     {"figure", verb_figure}, {"keys", verb_keys},
};

int main(int argc, char **argv)
{
    verb_process_begin();
    (void)prctl(PR_SET_NAME, "rubato"); /* as the user called it */
    for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verb_process_end(verbs[i].run(argc - 1, argv + 1));
    (void)fputs("rubato-more: `rubato VERB` starts this program\n", stderr);
    return 2;
}
