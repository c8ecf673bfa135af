/* rubato.c - the front end: finds the verb and hands it the rest of the command line. */
#include "common/descriptors.h"
#include "common/output.h"
#include "tools/verbs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct verb {
    const char *words[2]; /* "trace", "info"; the second may be NULL */
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
    {{"up", NULL}, "start a service on this machine", verb_up},
    {{"down", NULL}, "end the service of this machine", verb_down},
    {{"submit", NULL}, "submit a job to the service", verb_submit},
    {{"list", NULL}, "list the jobs of the service", verb_list},
    {{"show", NULL}, "show all about jobs", verb_show},
    {{"explain", NULL}, "say why jobs wait or run", verb_explain},
    {{"wait", NULL}, "wait until jobs are over", verb_wait},
    {{"cancel", NULL}, "cancel jobs", verb_cancel},
    {{"hold", NULL}, "keep jobs from running", verb_hold},
    {{"release", NULL}, "let held jobs run", verb_release},
    {{"change", NULL}, "change the deadline of jobs", verb_change},
    {{"logs", NULL}, "print what a job wrote", verb_logs},
    {{"history", NULL}, "tell what happened to jobs", verb_history},
    {{"whatif", NULL}, "say which promises would stand if something were different", verb_whatif},
    {{"profile", NULL}, "measure how fast a command trains", verb_profile},
    {{"learn", NULL}, "tell the service how fast a model trains", verb_learn},
    {{"top", NULL}, "watch the cluster and its jobs", verb_top},
    {{"status", NULL}, "show how the service stands", verb_status},
    {{"nodes", NULL}, "list the nodes of the cluster", verb_nodes},
    {{"drain", NULL}, "take nodes out of use", verb_drain},
    {{"resume", NULL}, "take nodes into use again", verb_resume},
    {{"simulate", NULL}, "run one policy on a trace", verb_simulate},
    {{"compare", NULL}, "run policies on traces and print them side by side", verb_compare},
    {{"bound", NULL}, "bound how many jobs of a trace can end on time", verb_bound},
    {{"quote", NULL}, "quote the earliest deadline that a job would be promised", verb_quote},
    {{"local", NULL}, "run a trace with real processes on this machine", verb_local},
    {{"replay", NULL},
     "check that the decisions of a recorded run are still the same",
     verb_replay},
    {{"audit", NULL}, "check a result folder against its inputs", verb_audit},
    {{"quirks", NULL}, "list the quirks that --rules can put right", verb_quirks},
    {{"keys", NULL}, "make keys for processes on several machines", verb_keys},
    {{"trace", "info"}, "say what is in a trace", verb_trace_info},
    {{"trace", "validate"}, "check a trace", verb_trace_validate},
    {{"trace", "convert"}, "write a trace in another dialect", verb_trace_convert},
    {{"trace", "generate"}, "make a trace from a seed", verb_trace_generate},
    {{"trace", "overhead"}, "write commands that time starts and moves", verb_trace_overhead},
    {{"trace", "search"}, "look for a seed whose trace gives wanted counts", verb_trace_search},
};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static void print_help(FILE *out)
{
    (void)fputs("Usage: rubato VERB [OPTION...]\n"
                "Deadline-aware elastic scheduling of training jobs on GPU clusters.\n\n",
                out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "%s%s%s", verbs[i].words[0],
                       verbs[i].words[1] ? " " : "", verbs[i].words[1] ? verbs[i].words[1] : "");
        (void)fprintf(out, "  %-16s  %s\n", name, verbs[i].summary);
    }
    (void)fputs("\n`rubato VERB --help` lists the options of a verb.\n", out);
}

/* How many words of the command line name the verb; 0 if they do not. */
static int matches(const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], verb->words[0]) != 0)
        return 0;
    if (!verb->words[1])
        return 1;
    return argc > 2 && !strcmp(argv[2], verb->words[1]) ? 2 : 0;
}

/* What a verb printed may still be on its way. */
static int check_output(int status)
{
    struct error error;

    if (output_check_stdout(&error) == 0)
        return status;
    (void)fprintf(stderr, "rubato: %s\n", error.text);
    return status == 0 ? 2 : status;
}

int main(int argc, char **argv)
{
    descriptors_open_standard();
    for (size_t i = 0; i < VERB_COUNT; i++) {
        const int words = matches(&verbs[i], argc, argv);

        if (words > 0)
            return check_output(verbs[i].run(argc - words, argv + words));
    }
    if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("rubato %s\n", RUBATO_VERSION);
        return check_output(0);
    }
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))) {
        print_help(stdout);
        return check_output(0);
    }
    if (argc > 1 && !strcmp(argv[1], "trace"))
        (void)fputs(
            "rubato: trace is followed by info, validate, convert, generate, overhead or search\n",
            stderr);
    else if (argc > 1)
        (void)fprintf(stderr, "rubato: there is no verb \"%s%s%s\"; `rubato --help` lists them\n",
                      argv[1], argc > 2 ? " " : "", argc > 2 ? argv[2] : "");
    else
        print_help(stderr);
    return 2;
}
