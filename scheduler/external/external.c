/* external.c - see external.h. */
#include "scheduler/external/external.h"

#include "common/memory.h"
#include "scheduler/external/answer.h"
#include "scheduler/external/program.h"
#include "scheduler/external/question.h"

#include <stdlib.h>
#include <string.h>

struct external {
    struct policy policy;
    struct external *next;
};

/* The external policies that were asked for. A user names few of them. */
static struct external *externals;

/* Asks the program a question about the round. The answer, NULL with `error`. */
static json_t *ask(const struct view *view, const char *what, struct error *error)
{
    char *line = question_text(view, what);
    json_t *answer = program_ask(view->memory, line, error);

    free(line);
    return answer;
}

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    struct error cause;
    json_t *answer = ask(view, "admit", error);
    int result = answer ? answer_verdicts(answer, view, verdicts, &cause) : -1;

    (void)prove;
    (void)plan;
    if (answer && result < 0)
        result = program_complain(view->memory, &cause, error);
    json_decref(answer);
    return result;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct error cause;
    json_t *answer = ask(view, "allocate", error);
    int result = answer ? answer_plan(answer, view, plan, &cause) : -1;

    if (answer && result < 0)
        result = program_complain(view->memory, &cause, error);
    json_decref(answer);
    return result;
}

static void *open_external(const struct policy_setting *setting)
{
    return program_new(setting->command, setting->stop);
}

static void close_external(void *memory)
{
    program_t *program = memory;

    program_destroy(&program);
}

static const struct admission admission_external = {
    .name = "external",
    .promises = true,
    .decide = decide,
};

static struct external *make(const char *name)
{
    struct external *self = xcalloc(1, sizeof(*self));
    const char *kept = xstrdup(name);

    self->policy = (struct policy){
        .name = kept,
        .summary = "a program of its own",
        .admission = &admission_external,
        .gpus_max = policy_gpus_measured,
        .allocate = allocate,
        .open = open_external,
        .close = close_external,
        .mixes_types = true,
        .command = kept + strlen(EXTERNAL_PREFIX),
    };
    self->next = externals;
    externals = self;
    return self;
}

const struct policy *external_policy(const char *name)
{
    const size_t length = strlen(EXTERNAL_PREFIX);

    if (strncmp(name, EXTERNAL_PREFIX, length) != 0 ||
        name[length + strspn(name + length, " ")] == '\0')
        return NULL;
    for (struct external *self = externals; self; self = self->next)
        if (!strcmp(self->policy.name, name))
            return &self->policy;
    return &make(name)->policy;
}
