/* rubato.c - the front end: finds the verb and calls it with the rest of the command line. */
#include "common/executable.h"
#include "common/input.h"
#include "common/suggestion.h"
#include "common/version.h"
#include "tools/verb_process.h"
#include "tools/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MORE "rubato-more" /* program beside this one that has the other verbs */

struct verb {
    const char *words[2]; /* such as "trace", "info"; the second word may be NULL */
    const char *summary;
    int (*run)(int argc, char **argv); /* NULL for a verb of MORE */
};

static const struct verb verbs[] = {
    {{"up", NULL}, "start a service on this machine", verb_up},
    {{"down", NULL}, "end the service of this machine", verb_down},
    {{"submit", NULL}, "submit a job to the service", verb_submit},
    {{"list", NULL}, "list the jobs of the service", verb_list},
    {{"show", NULL}, "show all about jobs of the service, or about a run", verb_show},
    {{"explain", NULL}, "say why jobs wait or run", verb_explain},
    {{"wait", NULL}, "wait until jobs are over", verb_wait},
    {{"cancel", NULL}, "cancel jobs", verb_cancel},
    {{"hold", NULL}, "keep jobs from running", verb_hold},
    {{"release", NULL}, "let held jobs run", verb_release},
    {{"change", NULL}, "change the deadline of jobs", verb_change},
    {{"logs", NULL}, "print what a job wrote", verb_logs},
    {{"history", NULL}, "tell what happened to jobs", verb_history},
    {{"promises", NULL}, "count promises that were kept, late or withdrawn", verb_promises},
    {{"whatif", NULL}, "say which promises would stand if something were different", verb_whatif},
    {{"profile", NULL}, "measure how fast a command trains", verb_profile},
    {{"learn", NULL}, "tell the service how fast a model trains", verb_learn},
    {{"profiles", NULL}, "list how fast models train that no table knows", verb_profiles},
    {{"top", NULL}, "watch the cluster and its jobs", verb_top},
    {{"status", NULL}, "show how the service stands", verb_status},
    {{"nodes", NULL}, "list the nodes of the cluster", verb_nodes},
    {{"drain", NULL}, "take nodes out of use", verb_drain},
    {{"resume", NULL}, "take nodes into use again", verb_resume},
    {{"reserve", NULL}, "keep jobs off nodes for a time", verb_reserve},
    {{"reservations", NULL}, "list the reservations of nodes", verb_reservations},
    {{"state", NULL}, "check, copy and restore the state of a service", NULL},
    {{"simulate", NULL}, "run one policy on a trace", verb_simulate},
    {{"compare", NULL}, "run policies on traces and print them side by side", verb_compare},
    {{"sweep", NULL}, "run policies on traces with all values of the parameters", verb_sweep},
    {{"bound", NULL}, "bound how many jobs of a trace can end on time", verb_bound},
    {{"quote", NULL}, "quote the earliest deadline that a job would be promised", verb_quote},
    {{"local", NULL}, "run a trace with real processes on this machine", verb_local},
    {{"replay", NULL},
     "check that the decisions of a recorded run are still the same",
     verb_replay},
    {{"audit", NULL}, "check a result folder against its inputs", verb_audit},
    {{"report", NULL}, "write a page about one run or several, or about a sweep", NULL},
    {{"figure", NULL}, "reproduce the figures of ElasticFlow, or draw those of a sweep", NULL},
    {{"export", NULL}, "write the results of a run for other programs", verb_export},
    {{"policies", NULL}, "list the policies", verb_policies},
    {{"quirks", NULL}, "list the quirks that --rules can put right", verb_quirks},
    {{"keys", NULL}, "make keys for processes on several machines", NULL},
    {{"new-policy", NULL}, "begin a policy of one's own", verb_new_policy},
    {{"trace", "info"}, "say what is in a trace", verb_trace_info},
    {{"trace", "validate"}, "check a trace", verb_trace_validate},
    {{"trace", "convert"}, "write a trace in another dialect", verb_trace_convert},
    {{"trace", "generate"}, "make a trace from a seed", verb_trace_generate},
    {{"trace", "import"}, "make a trace out of another system's job log", verb_trace_import},
    {{"trace", "overhead"}, "write commands that time starts and moves", verb_trace_overhead},
    {{"trace", "search"}, "look for a seed whose trace gives wanted counts", verb_trace_search},
};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

#define NAME_BYTES 32

static void put_name(const struct verb *verb, char name[NAME_BYTES])
{
    (void)snprintf(name, NAME_BYTES, "%s%s%s", verb->words[0], verb->words[1] ? " " : "",
                   verb->words[1] ? verb->words[1] : "");
}

/* Prints the help of all verbs, or of the verbs whose first of two words is `first`. */
static void print_help(FILE *out, const char *first)
{
    (void)fprintf(out,
                  "Usage: rubato %s%sVERB [OPTION...]\n"
                  "Deadline-aware elastic scheduling of training jobs on GPU clusters.\n\n",
                  first ? first : "", first ? " " : "");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        char name[NAME_BYTES];

        if (first && strcmp(verbs[i].words[0], first) != 0)
            continue;
        put_name(&verbs[i], name);
        (void)fprintf(out, "  %-16s  %s\n", name, verbs[i].summary);
    }
    (void)fputs("\n`rubato help VERB` and `rubato VERB --help` list the options of a verb.\n", out);
}

/* How many words of the command line name the verb, 0 if it names another. */
static int matches(const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], verb->words[0]) != 0)
        return 0;
    if (!verb->words[1])
        return 1;
    return argc > 2 && !strcmp(argv[2], verb->words[1]) ? 2 : 0;
}

/* Whether `word` is the first word of a verb of two words. */
static bool is_first_word(const char *word)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (verbs[i].words[1] && !strcmp(verbs[i].words[0], word))
            return true;
    return false;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

/* Whether the user means a verb of two words: the first word begins such a verb, or both words
 * resemble one. */
static bool is_of_two(int argc, char **argv, const char *const *names)
{
    char words[128];
    const char *near;

    if (argc < 3 || argv[2][0] == '-' || strchr(argv[2], '.'))
        return false;
    (void)snprintf(words, sizeof(words), "%s %s", argv[1], argv[2]);
    near = suggestion(words, names);
    return is_first_word(argv[1]) || (near && strchr(near, ' '));
}

/* Suggests a verb whose second word is `word`, else a verb that resembles `words`, else one that
 * resembles `word`. */
static void suggest_verb(const char *word, const char *words, const char *const *names, char *hint,
                         size_t size)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (verbs[i].words[1] && !strcmp(verbs[i].words[1], word)) {
            (void)snprintf(hint, size, "; did you mean \"%s\"?", names[i]);
            return;
        }
    suggestion_print(words, names, "\"", "\"", hint, size);
    if (!*hint)
        suggestion_print(word, names, "\"", "\"", hint, size);
}

/* Prints that the verb is unknown, and the verb that resembles it most. */
static int complain_unknown(int argc, char **argv)
{
    char names[VERB_COUNT][NAME_BYTES];
    const char *list[VERB_COUNT + 3] = {NULL};
    char words[128];
    char shown[512];
    char hint[64];
    bool two;

    for (size_t i = 0; i < VERB_COUNT; i++) {
        put_name(&verbs[i], names[i]);
        list[i] = names[i];
    }
    list[VERB_COUNT] = "--help";
    list[VERB_COUNT + 1] = "--version";
    two = is_of_two(argc, argv, list);
    (void)snprintf(words, sizeof(words), "%s%s%s", argv[1], two ? " " : "", two ? argv[2] : "");
    suggest_verb(argv[1], words, list, hint, sizeof(hint));
    (void)input_printable(shown, sizeof(shown), words, strlen(words));
    (void)fprintf(stderr, "rubato: there is no verb \"%s\"%s\n", shown,
                  *hint ? hint : "; `rubato --help` lists them");
    return 2;
}

/* The verb at the start of the command line, with its number of words in `*words`. NULL for
 * none. */
static const struct verb *find_verb(int argc, char **argv, int *words)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        *words = matches(&verbs[i], argc, argv);
        if (*words > 0)
            return &verbs[i];
    }
    return NULL;
}

/* Executes MORE with the same command line. Returns the exit status if that fails. */
static int hand_over(char **argv)
{
    char path[PATH_MAX];
    struct error error;

    if (executable_beside(MORE, path, &error) == 0) {
        (void)execv(path, argv);
        (void)error_set(&error, "%s, which has this verb, cannot be started: %s", path,
                        strerror(errno));
    }
    (void)fprintf(stderr, "rubato %s: %s\n", argv[1], error.text);
    return 2;
}

/* Runs the verb of the command line. Returns the exit status. */
static int run_verb(int argc, char **argv)
{
    int words;
    const struct verb *verb = find_verb(argc, argv, &words);

    if (verb)
        return verb->run ? verb->run(argc - words, argv + words) : hand_over(argv);
    if (argc == 2 && is_first_word(argv[1])) {
        print_help(stderr, argv[1]);
        return 2;
    }
    return complain_unknown(argc, argv);
}

static int complain_extra(const char *word)
{
    char shown[512];

    (void)input_printable(shown, sizeof(shown), word, strlen(word));
    (void)fprintf(stderr, "rubato: help: expected one verb, found \"%s\" after it\n", shown);
    return 2;
}

/* Runs "help VERB" and "--help VERB" as "VERB --help". */
static int help_with(int argc, char **argv)
{
    char *line[] = {argv[0], argv[2], argc > 3 ? argv[3] : "--help", argc > 3 ? "--help" : NULL,
                    NULL};
    int words;

    if (argc == 3 && (is_help(argv[2]) || is_first_word(argv[2]))) {
        print_help(stdout, is_help(argv[2]) ? NULL : argv[2]);
        return 0;
    }
    if (find_verb(argc - 1, argv + 1, &words) && argc > 2 + words)
        return complain_extra(argv[2 + words]);
    return run_verb(argc > 3 ? 4 : 3, line);
}

int main(int argc, char **argv)
{
    int status = 2;

    verb_process_begin();
    if (argc < 2) {
        print_help(stderr, NULL);
    } else if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("rubato %s\n", version_text);
        status = 0;
    } else if (argc == 2 && is_help(argv[1])) {
        print_help(stdout, NULL);
        status = 0;
    } else if (argc == 3 && is_first_word(argv[1]) && is_help(argv[2])) {
        print_help(stdout, argv[1]);
        status = 0;
    } else {
        status = is_help(argv[1]) ? help_with(argc, argv) : run_verb(argc, argv);
    }
    return verb_process_end(status);
}
