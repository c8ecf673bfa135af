/* policies.c - `rubato policies`: the names that --policy and --schedule take. */
#include "common/json_text.h"
#include "common/options.h"
#include "scheduler/policies/policy.h"
#include "tools/verbs.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static int print_json(void)
{
    json_t *list = json_array();
    json_t *root = json_pack("{s:i, s:o}", "schema_version", 1, "policies", list);
    const struct policy *policy;
    int status;

    for (size_t i = 0; (policy = policy_at(i)); i++)
        json_array_append_new(list, json_pack("{s:s, s:s?, s:s}", "name", policy->name, "alias",
                                              policy->alias, "summary", policy->summary));
    status = json_print(root);
    json_decref(root);
    return status;
}

static void print(void)
{
    const struct policy *policy;

    for (size_t i = 0; (policy = policy_at(i)); i++)
        printf("%-16s  %s%s%s%s\n", policy->name, policy->summary, policy->alias ? " (also " : "",
               policy->alias ? policy->alias : "", policy->alias ? ")" : "");
}

int verb_policies(int argc, char **argv)
{
    bool json = false;
    const struct option_spec options[] = {
        OPTION_SWITCH("json", &json, "print JSON"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato policies",
        .summary = "List the policies",
        .text = "Each is a name for --policy of rubato simulate, rubato up and others, and for "
                "--schedule of scheduler. docs/policies.md says where each comes from and what it "
                "asks of a job.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    free(operands.items);
    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (json)
        return print_json();
    print();
    return 0;
}
