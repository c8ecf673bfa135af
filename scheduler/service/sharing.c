/* sharing.c - the shares of the cluster that a job counts for: the share of its user, and those of
 * the groups that the user has on this machine when the engine is told of the job. */
#include "scheduler/service/serving.h"

#include "common/user_group.h"

static bool is_member(const void *owner, const char *user, const char *group)
{
    (void)owner;
    return user_group_has_named(group, user);
}

void sharing_give(const struct serving *self, const char *user, struct submission *job)
{
    job->shares = NULL;
    job->share_count = 0;
    if (self->inputs.shares)
        promise_shares_give(self->inputs.shares, user, is_member, NULL, ledger_texts(self->ledger),
                            job);
}

static int check_groups(const promise_shares_t *shares, struct error *error)
{
    const char *group;
    gid_t number;

    for (size_t i = 0; (group = promise_shares_group(shares, i)); i++)
        if (user_group_find(group, &number, error) < 0)
            return -1;
    return 0;
}

int sharing_open(const struct serving *self, struct error *error)
{
    return self->inputs.shares ? check_groups(self->inputs.shares, error) : 0;
}

int sharing_renew(struct serving *self, const struct service_limits *limits, struct error *error)
{
    const struct promise_terms terms = {.shares = limits->shares, .horizon_s = limits->horizon_s};
    promise_shares_t *fresh = NULL;

    if (terms.shares &&
        (!(fresh = inputs_shares(&terms, error)) || check_groups(fresh, error) < 0)) {
        promise_shares_destroy(&fresh);
        return -1;
    }
    promise_shares_destroy(&self->inputs.shares);
    self->inputs.shares = fresh;
    return 0;
}
