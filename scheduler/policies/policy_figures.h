/* policy_figures.h - figures of a policy's own: a table beside the policy, of a struct that the
 * policy fills in when a run is over. They stand in summary.json, and are columns. */
#ifndef POLICIES_POLICY_FIGURES_H
#define POLICIES_POLICY_FIGURES_H

#include "common/error.h"
#include "common/figure.h"

#include <stdbool.h>
#include <stddef.h>

/* A struct of figures is as large as this at most. It goes from process to process as it is, so
 * that pointers in there are to what is in the program itself. */
#define POLICY_FIGURES_BYTES 2048

struct policy_figures {
    const struct figure *items; /* ended with FIGURES_END */
    size_t size;                /* of the struct */
    const char *object;         /* in summary.json that has them; NULL: "policy_figures" */

    /* Prints them for people, in lines like those of `rubato simulate`; NULL: a line each. */
    void (*tell)(const void *figures);

    /* Whether there is a sentence to warn of after a run, then in `warning`; NULL: never. */
    bool (*warn)(const void *figures, struct error *warning);
};

#endif
