/* policy_solver.c - see policy_solver.h. */
#include "scheduler/policies/policy_solver.h"

#include "common/memory.h"
#include "scheduler/solver/milp_server.h"
#include "scheduler/solver/milp_solver.h"

#include <stdlib.h>

#define BACK_END "cbc"

struct policy_solver {
    const struct milp_solver *back_end; /* NULL before the first solve */
    milp_server_t *server;
    milp_t *model;
    const struct stop *stop;
};

policy_solver_t *policy_solver_new(const struct stop *stop)
{
    policy_solver_t *self = xcalloc(1, sizeof(*self));

    self->server = milp_server_new();
    self->model = milp_new();
    self->stop = stop;
    milp_use_server(self->model, self->server);
    return self;
}

void policy_solver_destroy(policy_solver_t **self)
{
    if (!*self)
        return;
    milp_destroy(&(*self)->model);
    milp_server_destroy(&(*self)->server);
    free(*self);
    *self = NULL;
}

milp_t *policy_solver_begin(policy_solver_t *self)
{
    milp_clear(self->model);
    return self->model;
}

int policy_solver_solve(policy_solver_t *self, struct milp_result *result, struct error *error)
{
    const struct milp_limits limits = {.stop = self->stop};

    if (!self->back_end)
        self->back_end = milp_find_solver(BACK_END, error);
    if (!self->back_end)
        return -1;
    milp_set_basis(self->model, NULL);
    milp_solve(self->back_end, self->model, &limits, result);
    if (result->answer == MILP_OPTIMAL)
        return 0;
    return error_set(error, "the solver %s finds no optimum: %s%s%s", self->back_end->name,
                     milp_answer_name(result->answer), result->error.text[0] ? ": " : "",
                     result->error.text);
}
