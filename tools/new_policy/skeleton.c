/* skeleton.c - see skeleton.h. */
#include "tools/new_policy/skeleton.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

const char skeleton_c[] =
    "/* @FILE@.c - TODO: say in a line how this policy shares GPUs, and after whom.\n"
    " *\n"
    " * It begins as: every job, in order of service, as large as fits. docs/adding-a-policy.md "
    "says\n"
    " * what a policy sees and what it may decide. */\n"
    "#include \"scheduler/policies/policy.h\"\n"
    "\n"
    "static int allocate(const struct view *view, plan_t *plan, struct error *error)\n"
    "{\n"
    "    int free_gpus = view->gpu_count;\n"
    "\n"
    "    (void)error;\n"
    "    plan_reset(plan, view);\n"
    "    for (size_t i = 0; i < view->job_count; i++) {\n"
    "        const struct scaling *scaling = view->jobs[i]->scaling;\n"
    "        const int level = scaling_fit(scaling, free_gpus);\n"
    "\n"
    "        plan_allocate(plan, view, i, level);\n"
    "        free_gpus -= scaling->gpus[level];\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "const struct policy policy_@FILE@ = {\n"
    "    .name = \"@NAME@\",\n"
    "    .summary = \"TODO: how it shares GPUs, in a few words\",\n"
    "    .needs_powers = true,\n"
    "    .admission = &admission_everyone,\n"
    "    .gpus_max = policy_gpus_measured,\n"
    "    .allocate = allocate,\n"
    "};\n";

const char skeleton_test[] =
    "/* @FILE@_test.c - TODO: what must hold of the policy @NAME@. The runs are those of steady.h. "
    "*/\n"
    "#include \"tests/policies/steady.h\"\n"
    "#include \"tests/support/test.h\"\n"
    "\n"
    "static tables_t *a100;\n"
    "\n"
    "FIXTURE(set_up)\n"
    "{\n"
    "    a100 = tables_new(\"A100\");\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "FIXTURE(tear_down)\n"
    "{\n"
    "    tables_destroy(&a100);\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "/* A start on 4 GPUs costs 8 s. */\n"
    "TEST(a_job_alone_has_all_gpus)\n"
    "{\n"
    "    static const struct steady_job jobs[] = {{\"alone\", 0, 4, 300}};\n"
    "    struct steady_world steady;\n"
    "\n"
    "    steady_world(&steady, \"@NAME@\", a100, jobs, COUNT(jobs));\n"
    "    world_check_engine(&steady.world, 1, 0, "
    "WORLD_JOBS(\"308,alone,4,0,0,308,1000000,0\\n\"),\n"
    "                       \"time,layout\\n0,0@0x4\\n308,\\n\");\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    return tests_run(set_up, tear_down);\n"
    "}\n";

const char skeleton_python[] =
    "#!/usr/bin/env python3\n"
    "\"\"\"@NAME@. TODO: say in a line how this policy shares GPUs.\n"
    "\n"
    "    rubato simulate --policy exec:./@FILE@.py TRACE\n"
    "\n"
    "It begins as: every job, in order of service, as large as fits. rubato-policy(5) says what "
    "it\n"
    "is asked and what it may answer.\n"
    "\"\"\"\n"
    "import json\n"
    "import sys\n"
    "\n"
    "\n"
    "def admit(view):\n"
    "    \"\"\"Each new job is promised its deadline, tried, or declined; those left out are "
    "tried.\"\"\"\n"
    "    return {\"verdicts\": []}\n"
    "\n"
    "\n"
    "def allocate(view):\n"
    "    \"\"\"The GPUs of each job from now on; jobs left out hold none.\"\"\"\n"
    "    free = view[\"pools\"][0][\"gpus\"]\n"
    "    jobs = []\n"
    "    for job in view[\"jobs\"]:\n"
    "        gpus = max((g for g in job[\"scaling\"][0][\"gpus\"] if g <= free), default=0)\n"
    "        jobs.append({\"number\": job[\"number\"], \"gpus\": gpus})\n"
    "        free -= gpus\n"
    "    return {\"jobs\": jobs}\n"
    "\n"
    "\n"
    "for line in sys.stdin:\n"
    "    view = json.loads(line)\n"
    "    print(json.dumps(admit(view) if view[\"ask\"] == \"admit\" else allocate(view)), "
    "flush=True)\n";

char *skeleton_file(const char *name)
{
    char *file = xstrdup(name);

    for (char *at = file; *at; at++)
        if (*at == '-')
            *at = '_';
    return file;
}

void skeleton_write(const char *skeleton, const char *name, output_t *output)
{
    char *file = skeleton_file(name);

    for (const char *at = skeleton; *at;) {
        const size_t plain = strcspn(at, "@");

        output_bytes(output, at, plain);
        at += plain;
        if (!strncmp(at, "@NAME@", 6) || !strncmp(at, "@FILE@", 6)) {
            output_text(output, at[1] == 'N' ? name : file);
            at += 6;
        } else if (*at) {
            output_char(output, *at++);
        }
    }
    free(file);
}
