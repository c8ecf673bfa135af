/* verb.c - `rubato audit`: checks a result folder and prints the findings. */
#include "common/busy_line.h"
#include "common/data_file.h"
#include "common/json_text.h"
#include "common/options.h"
#include "common/plural.h"
#include "tools/audit/audit.h"
#include "tools/audit/same_inputs.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most findings of a kind that are shown. A broken engine breaks the same rule thousands of
 * times. */
#define SHOWN_MOST 20

struct config {
    struct audit_inputs inputs;
    bool strict;
    bool all;
    bool json;
};

static bool is_alike(const struct finding *a, const struct finding *b)
{
    if (strcmp(a->check, b->check) != 0 || !a->tag != !b->tag)
        return false;
    return !a->tag || !strcmp(a->tag, b->tag);
}

/* The rank of the finding at `index` among those of its kind, and, at the first of a kind, the
 * number of findings of that kind. */
struct rank {
    size_t before;
    size_t all;
};

static struct rank *rank_findings(const struct findings *findings)
{
    struct rank *ranks = xcalloc(findings->count + 1, sizeof(*ranks));
    size_t *firsts =
        xcalloc(findings->count + 1, sizeof(*firsts)); /* the first finding of each kind */
    size_t kinds = 0;

    for (size_t i = 0; i < findings->count; i++) {
        size_t kind = 0;

        while (kind < kinds && !is_alike(&findings->items[firsts[kind]], &findings->items[i]))
            kind++;
        if (kind == kinds)
            firsts[kinds++] = i;
        ranks[i].before = ranks[firsts[kind]].all++;
    }
    free(firsts);
    return ranks;
}

static const char *label(const struct finding *finding)
{
    if (finding->tag)
        return finding->tag;
    return finding_is_broken(finding) ? "BROKEN" : "VIOLATION";
}

static void print_finding(const struct finding *finding)
{
    printf("%s %s", label(finding), finding->check);
    if (finding->at_s != AUDIT_NO_TIME)
        printf(" at %" PRId64 " s", finding->at_s);
    if (finding->job)
        printf(", job %s", finding->job);
    printf(": %s\n", finding->text);
}

/* The tag of the quirk by which the policy breaks promises. NULL if no quirk explains the first
 * broken promise. */
static const char *broken_by(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (finding_is_broken(&findings->items[i]))
            return findings->items[i].tag;
    return NULL;
}

static void print_promises(const struct findings *findings, const struct audit_totals *totals)
{
    const char *tag = broken_by(findings);

    if (findings->broken == 0)
        return;
    printf("%zu of %zu promises are broken", findings->broken, totals->promised);
    if (tag)
        printf(", by %s: the rule of the published %s leaves out the overheads to come", tag,
               totals->policy);
    printf("\n");
}

static void print_findings(const struct config *config, const struct findings *findings,
                           const struct audit_totals *totals)
{
    struct rank *ranks = rank_findings(findings);

    for (size_t i = 0; i < findings->count; i++)
        if (config->all || ranks[i].before < SHOWN_MOST)
            print_finding(&findings->items[i]);
    for (size_t i = 0; i < findings->count; i++)
        if (!config->all && ranks[i].before == 0 && ranks[i].all > SHOWN_MOST)
            printf("%s %s: %zu more of this kind (--all shows them)\n", label(&findings->items[i]),
                   findings->items[i].check, ranks[i].all - SHOWN_MOST);
    print_promises(findings, totals);
    printf("%s: %zu job%s, %zu retired, %zu round%s: %zu promise%s broken, %zu violation%s, "
           "%zu effect%s of known quirks\n",
           totals->policy, totals->jobs, PLURAL(totals->jobs), totals->records, totals->rounds,
           PLURAL(totals->rounds), findings->broken, PLURAL(findings->broken), findings->violations,
           PLURAL(findings->violations), findings->quirks, PLURAL(findings->quirks));
    free(ranks);
}

static json_t *pack_finding(const struct finding *finding)
{
    json_t *object = json_pack("{s:s, s:s?, s:s?, s:s}", "check", finding->check, "tag",
                               finding->tag, "job", finding->job, "text", finding->text);

    json_object_set_new(object, "at_s",
                        finding->at_s == AUDIT_NO_TIME ? json_null() : json_integer(finding->at_s));
    return object;
}

static int print_json(const struct findings *findings, const struct audit_totals *totals)
{
    json_t *list = json_array();
    json_t *root;
    int status;

    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, pack_finding(&findings->items[i]));
    root = json_pack(
        "{s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:s?, s:I, s:I, s:o}", "schema_version", 1, "policy",
        totals->policy, "jobs", (json_int_t)totals->jobs, "retired", (json_int_t)totals->records,
        "rounds", (json_int_t)totals->rounds, "promised", (json_int_t)totals->promised, "broken",
        (json_int_t)findings->broken, "broken_by", broken_by(findings), "violations",
        (json_int_t)findings->violations, "quirks", (json_int_t)findings->quirks, "findings", list);
    status = json_print(root);
    json_decref(root);
    return status;
}

static int run(const struct command *command, const struct config *config)
{
    struct findings findings = {.items = NULL};
    struct audit_totals totals;
    struct error error;
    int status = 0;

    busy_line_begin(command->name, 0);
    status = audit_run(&config->inputs, &findings, &totals, &error);
    busy_line_end();
    if (status < 0)
        return options_fail(command, &error);
    if (totals.unchecked)
        same_inputs_remark(command->name, config->inputs.folder);
    if (config->json)
        status = print_json(&findings, &totals);
    else
        print_findings(config, &findings, &totals);
    if (findings.violations > 0 || findings.broken > 0 || (config->strict && findings.count > 0))
        status = 1;
    findings_clear(&findings);
    return status;
}

int verb_audit(int argc, char **argv)
{
    struct config config = {.strict = false};
    const struct option_spec options[] = {
        OPTION_TEXT("trace", "FILE", &config.inputs.trace,
                    "trace of the run, CSV or the name of one that came with Rubato"),
        OPTION_TEXT("cluster", "FILE", &config.inputs.cluster, "cluster of the run, likewise"),
        OPTION_TEXT("throughputs", "PATH", &config.inputs.throughputs,
                    "throughput tables of the run"),
        OPTION_TEXT("gpu-type", "TYPE", &config.inputs.gpu_type, "GPU type of the run"),
        OPTION_SWITCH("strict", &config.strict, "known quirks of the policies fail the audit, too"),
        OPTION_SWITCH("all", &config.all, "print all findings, not the first 20 of each kind"),
        OPTION_SWITCH("json", &config.json, "print all findings as JSON"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato audit",
        .summary = "Check a result folder against its inputs",
        .operands = "DIR",
        .text =
            "DIR is the result folder of a run: jobs.csv, outcomes.csv, rounds.csv, work.csv, "
            "summary.json and, unless an older version wrote the folder, timeline.csv and "
            "cluster.csv. The audit reads the inputs that summary.json names; options name inputs "
            "that have moved. Inputs with other checksums than those of the run are refused. The "
            "audit uses no code of the scheduler. The exit status is 0 if all results are right "
            "and every promise is kept, 1 if not, 2 if a file cannot be read.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    config.inputs.folder = operands.count == 1 ? operands.items[0] : NULL;
    free(operands.items);
    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (!config.inputs.folder) {
        error_set(&error, "expected one result folder, found %zu", operands.count);
        return options_fail(&command, &error);
    }
    config.inputs.trace = data_file(DATA_TRACES, config.inputs.trace);
    config.inputs.cluster = data_file(DATA_CLUSTERS, config.inputs.cluster);
    return run(&command, &config);
}
