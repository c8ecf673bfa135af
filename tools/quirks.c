/* quirks.c - `rubato quirks`: lists the quirks that --rules can put right. */
#include "scheduler/reference/quirks.h"
#include "common/json_text.h"
#include "common/options.h"
#include "scheduler/policies/policy.h"
#include "tools/verbs.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_shown(const struct quirk *quirk, const char *policy)
{
    return !strcmp(policy, "all") || quirk_is_of(quirk, policy_find(policy)->name);
}

static void print_for_users(const struct quirk *quirk)
{
    printf("%s  %s%s\n  reference: %s\n  clean:     %s\n", quirk->tag, quirk->policies,
           quirk->defect ? "" : " (not part of clean)", quirk->summary, quirk->instead);
}

/* Prints a row of CSV. The texts of the table have no quotes to escape. */
static void print_csv_row(const struct quirk *quirk)
{
    printf("%s,%s,%d,\"%s\",\"%s\"\n", quirk->tag, quirk->policies, quirk->defect, quirk->summary,
           quirk->instead);
}

static int print_json(const char *policy)
{
    json_t *list = json_array();
    json_t *root = json_pack("{s:i, s:o}", "schema_version", 1, "quirks", list);
    const struct quirk *quirk;
    int status;

    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (is_shown(quirk, policy))
            json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:s, s:s}", "tag", quirk->tag,
                                                  "policies", quirk->policies, "clean",
                                                  quirk->defect, "reference_does", quirk->summary,
                                                  "clean_does", quirk->instead));
    status = json_print(root);
    json_decref(root);
    return status;
}

static void print(const char *policy, bool csv)
{
    const struct quirk *quirk;

    if (csv)
        printf("tag,policies,clean,reference_does,clean_does\n");
    for (size_t i = 0; (quirk = quirk_at(i)); i++) {
        if (!is_shown(quirk, policy))
            continue;
        if (csv)
            print_csv_row(quirk);
        else
            print_for_users(quirk);
    }
}

/* Lists "all" and the names of all policies, ended by NULL. */
static void list_choices(const char *choices[], size_t room)
{
    size_t count = 0;

    choices[count++] = "all";
    for (const char *const *name = policy_names(); *name; name++) {
        assert(count + 1 < room);
        choices[count++] = *name;
    }
    choices[count] = NULL;
}

int verb_quirks(int argc, char **argv)
{
    const char *choices[64];
    const char *policy = "all";
    bool json = false;
    bool csv = false;
    const struct option_spec options[] = {
        OPTION_CHOICE("policy", "POLICY", &policy, choices, "only the quirks that it has"),
        OPTION_SWITCH("json", &json, "print JSON"),
        OPTION_SWITCH("csv", &csv, "print CSV"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato quirks",
        .summary = "List the quirks of the published policies that --rules can put right",
        .text =
            "Every policy that was published follows its reference, quirk for quirk, unless "
            "--rules of rubato simulate, rubato compare or scheduler names quirks to put right, "
            "or \"clean\" for all that are defects.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int parsed;

    list_choices(choices, sizeof(choices) / sizeof(choices[0]));
    parsed = options_parse(&command, argc, argv, &operands, &error);
    free(operands.items);
    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (json)
        return print_json(policy);
    print(policy, csv);
    return 0;
}
