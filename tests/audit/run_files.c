/* run_files.c - see run_files.h. */
#include "tests/audit/run_files.h"

#include "common/memory.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FILE_COUNT] = {
    "trace.csv",  "spec.csv",     "rates.csv",    "jobs.csv",     "work.csv",
    "rounds.csv", "outcomes.csv", "summary.json", "timeline.csv", "cluster.csv"};

/* `text` with the edit made; the caller frees it. */
static char *edited(const char *text, const struct edit *edit)
{
    const char *at = strstr(text, edit->from);
    const size_t size = strlen(text) + strlen(edit->to) + 1;
    char *result = xmalloc(size);

    assert_non_null(at);
    (void)snprintf(result, size, "%.*s%s%s", (int)(at - text), text, edit->to,
                   at + strlen(edit->from));
    return result;
}

static const char *text_of(const struct run_files *run, int file)
{
    const char *const texts[FILE_COUNT] = {
        [TRACE] = run->trace,       [CLUSTER] = run->cluster, [RATES] = run->rates,
        [JOBS] = run->jobs,         [WORK] = run->work,       [ROUNDS] = run->rounds,
        [OUTCOMES] = run->outcomes, [SUMMARY] = run->summary, [TIMELINE] = run->timeline,
        [USE] = run->use,
    };

    return texts[file];
}

int audit_edited(const struct run_files *run, const struct edit *edit, struct findings *findings,
                 struct error *error)
{
    folder_t *folder = folder_new();
    struct audit_inputs inputs = {.folder = folder_path(folder)};
    struct audit_totals totals;
    int result;

    for (int i = 0; i < FILE_COUNT; i++) {
        const char *given = text_of(run, i);
        char *text = edit && edit->file == i ? edited(given, edit) : NULL;

        if (given)
            folder_write(folder, names[i], text ? text : given);
        free(text);
    }
    inputs.trace = folder_file(folder, names[TRACE]);
    inputs.cluster = folder_file(folder, names[CLUSTER]);
    inputs.throughputs = folder_file(folder, names[RATES]);
    *findings = (struct findings){.items = NULL};
    result = audit_run(&inputs, findings, &totals, error);
    folder_destroy(&folder);
    return result;
}

const struct finding *find_finding(const struct findings *findings, const char *check,
                                   const char *tag)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];

        if (!strcmp(finding->check, check) &&
            (tag ? finding->tag && !strcmp(finding->tag, tag) : !finding->tag))
            return finding;
    }
    return NULL;
}

static void print_all(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        print_message("%s %s %s: %s\n", findings->items[i].tag ? findings->items[i].tag : "-",
                      findings->items[i].check,
                      findings->items[i].job ? findings->items[i].job : "-",
                      findings->items[i].text);
}

void expect(const struct run_files *run, struct edit edit, const char *check, const char *job)
{
    struct findings findings;
    struct error error;
    const struct finding *finding;

    if (audit_edited(run, &edit, &findings, &error) < 0)
        fail_msg("%s", error.text);
    finding = find_finding(&findings, check, NULL);
    if (!finding || !finding->job != !job || (job && strcmp(finding->job, job) != 0)) {
        print_all(&findings);
        fail_msg("no violation of %s", check);
    }
    findings_clear(&findings);
}

void expect_quirk(const struct run_files *run, size_t count, const char *check, const char *tag)
{
    struct findings findings;
    struct error error;

    if (audit_edited(run, NULL, &findings, &error) < 0)
        fail_msg("%s", error.text);
    if (findings.violations > 0 || findings.count != count ||
        (tag && !find_finding(&findings, check, tag)))
        print_all(&findings);
    assert_int_equal(findings.violations, 0);
    assert_int_equal(findings.count, count);
    assert_true(!tag || find_finding(&findings, check, tag));
    findings_clear(&findings);
}
