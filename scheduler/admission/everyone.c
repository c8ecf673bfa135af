/* everyone.c - no admission control: whoever arrives is in. */
#include "scheduler/admission/admission.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, bool admitted[],
                  struct error *error)
{
    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++)
        admitted[k] = true;
    return 0;
}

const struct admission admission_everyone = {.name = "everyone", .decide = decide};
