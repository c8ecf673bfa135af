/* nodes.c - jobs when nodes leave, drain or come back, and jobs that end before they are done. Only
 * jobs on a lost node move. */
#include "scheduler/engine/round.h"

#include <inttypes.h>
#include <stdio.h>

/* Takes all GPUs from each job that stood on the node beyond its first `gpus` GPUs, before the
 * policy plans. */
static void evict(engine_t *self, int node, int gpus)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (job->held >= 0 && job_holds(job) &&
            cluster_stands_beyond(self->cluster, job, node, gpus))
            round_let_go(self, job);
    }
}

static void write_cause(char *text, size_t size, const struct occurrence *occurrence,
                        const char *what)
{
    const char *cause = occurrence->cause ? occurrence->cause : "";

    (void)snprintf(text, size, "node %d %s%s%s", occurrence->node, what, *cause ? ": " : "", cause);
}

/* Notes when the node is known to be there again; NULL for never. */
static void know_again(engine_t *self, int node, const struct stays *again)
{
    const struct stays never = {.count = 0};

    cluster_set_node_again(self->cluster, node, again ? again : &never);
}

/* Takes a node as lost. Draining is an announced loss: the node takes no more jobs. Jobs on it keep
 * their progress, wait for the plan of this round, and go elsewhere at the price of a move. */
static void lose_node(engine_t *self, const struct occurrence *occurrence)
{
    const bool drains = occurrence->kind == OCCURRENCE_NODE_DRAINING;
    const enum node_state state = cluster_node_state(self->cluster, occurrence->node);
    char text[256];

    if (state == NODE_GONE)
        return;
    if (state == NODE_DRAINING && drains) {
        know_again(self, occurrence->node, occurrence->again);
        return;
    }
    if (state == NODE_UP && self->stages.lose_node)
        self->stages.lose_node(self, occurrence->node);
    else if (state == NODE_UP)
        evict(self, occurrence->node, 0);
    cluster_set_node(self->cluster, occurrence->node, drains ? NODE_DRAINING : NODE_GONE,
                     cluster_node_until_s(self->cluster, occurrence->node));
    know_again(self, occurrence->node, drains ? occurrence->again : NULL);
    write_cause(text, sizeof(text), occurrence, drains ? "drains" : "left");
    round_disturb(self, drains ? DISTURBANCE_NODE_DRAINING : DISTURBANCE_NODE_DOWN, NULL,
                  occurrence->node, text);
}

/* Drains the nodes whose known end has come. */
static void drain_due(engine_t *self)
{
    int node;

    while ((node = cluster_departing(self->cluster, self->now_s)) >= 0)
        lose_node(self, &(struct occurrence){.kind = OCCURRENCE_NODE_DRAINING,
                                             .node = node,
                                             .again = cluster_node_again(self->cluster, node),
                                             .cause = "its time is over"});
}

/* Changes the number of usable GPUs. A node with fewer loses its last ones. */
static void resize_node(engine_t *self, const struct occurrence *occurrence, int gpus)
{
    const int before = cluster_node_gpus(self->cluster, occurrence->node);
    const bool grows = gpus > before;
    char what[64];
    char text[256];

    if (!cluster_is_up(self->cluster, occurrence->node) || gpus == before) {
        cluster_set_node_gpus(self->cluster, occurrence->node, gpus);
        return;
    }
    if (!grows)
        evict(self, occurrence->node, gpus);
    cluster_set_node_gpus(self->cluster, occurrence->node, gpus);
    (void)snprintf(what, sizeof(what), "has %d GPU%s instead of %d", gpus, gpus == 1 ? "" : "s",
                   before);
    write_cause(text, sizeof(text), occurrence, what);
    round_disturb(self, grows ? DISTURBANCE_NODE_UP : DISTURBANCE_NODE_DOWN, NULL, occurrence->node,
                  text);
}

/* Whether the node is of use with that many GPUs: policies that choose nodes themselves give out
 * whole ones. */
static bool is_of_use(const engine_t *self, int node, int gpus)
{
    const struct pool *pool = pool_at(cluster_pools(self->cluster, NULL), node);

    return !self->stages.gain_node || gpus == pool->gpus_per_node;
}

/* The known end of a node that the occurrence is about. An earlier known end stands unless it is
 * over, or the occurrence names another. */
static int64_t known_until_s(const engine_t *self, const struct occurrence *occurrence)
{
    const int64_t before_s = cluster_node_until_s(self->cluster, occurrence->node);

    if (occurrence->until_s != 0)
        return occurrence->until_s;
    return before_s > self->now_s ? before_s : NEVER_S;
}

/* When a node that is up is known to be there, from now on. */
static struct stays known_stays(const engine_t *self, int node)
{
    const struct stays *again = cluster_node_again(self->cluster, node);
    struct stays stays = stays_whole(self->now_s, cluster_node_until_s(self->cluster, node));

    for (int i = 0; i < again->count && stays.count < STAYS_MAX; i++)
        stays.items[stays.count++] = again->items[i];
    return stays;
}

/* Notes a newly known end of an up node, or a return that is known no more, as a disturbance.
 * Before the first step no plan exists that it could disturb. */
static void note_end(engine_t *self, const struct occurrence *occurrence,
                     const struct stays *before)
{
    const int64_t until_s = cluster_node_until_s(self->cluster, occurrence->node);
    const struct stays stays = known_stays(self, occurrence->node);
    char what[64];
    char text[256];

    if (until_s <= self->now_s || self->steps == 1 || stays_cover(&stays, before))
        return;
    (void)snprintf(what, sizeof(what), "is there until %" PRId64 " s only", until_s);
    write_cause(text, sizeof(text), occurrence, what);
    round_disturb(self, DISTURBANCE_NODE_DRAINING, NULL, occurrence->node, text);
}

/* Known later times of the node stand where the occurrence says nothing of an end. */
static void know_stays(engine_t *self, const struct occurrence *occurrence)
{
    const int64_t until_s = known_until_s(self, occurrence);

    cluster_set_node(self->cluster, occurrence->node, NODE_UP, until_s);
    if (occurrence->until_s != 0 || until_s == NEVER_S)
        know_again(self, occurrence->node, until_s < NEVER_S ? occurrence->again : NULL);
}

static void gain_node(engine_t *self, const struct occurrence *occurrence)
{
    const bool was_up = cluster_is_up(self->cluster, occurrence->node);
    const struct stays before = known_stays(self, occurrence->node);
    const int gpus = occurrence->gpus > 0 ? occurrence->gpus
                                          : cluster_node_gpus(self->cluster, occurrence->node);
    char text[256];

    if (!is_of_use(self, occurrence->node, gpus)) {
        if (was_up)
            lose_node(self, occurrence);
        cluster_set_node_gpus(self->cluster, occurrence->node, gpus);
        return;
    }
    resize_node(self, occurrence, gpus);
    know_stays(self, occurrence);
    if (was_up) {
        note_end(self, occurrence, &before);
        return;
    }
    if (self->stages.gain_node)
        self->stages.gain_node(self, occurrence->node);
    write_cause(text, sizeof(text), occurrence, "joined");
    round_disturb(self, DISTURBANCE_NODE_UP, NULL, occurrence->node, text);
}

/* Nodes that are known to be there again from now on, or from a time before. */
static void return_due(engine_t *self)
{
    int node;

    while ((node = cluster_returning(self->cluster, self->now_s)) >= 0) {
        const struct stays stays = *cluster_node_again(self->cluster, node);
        const struct stays again = stays_after_first(&stays);

        gain_node(self, &(struct occurrence){.kind = OCCURRENCE_NODE_UP,
                                             .node = node,
                                             .until_s = stays.items[0].until_s,
                                             .again = &again,
                                             .cause = "its time begins again"});
    }
}

/* ---- jobs that end before they are done ---- */

static enum job_state state_after(enum occurrence_kind kind)
{
    if (kind == OCCURRENCE_FAILED)
        return JOB_FAILED;
    return kind == OCCURRENCE_SUSPENDED ? JOB_SUSPENDED : JOB_CANCELLED;
}

/* Whether the job arrived while no node was up, and was not decided on. */
static bool is_undecided(const engine_t *self, const struct job *job)
{
    return job->state == JOB_SUBMITTED && job->submission->submit_s <= self->now_s;
}

void round_end_early(engine_t *self, const struct occurrence *occurrence)
{
    const bool failed = occurrence->kind == OCCURRENCE_FAILED;
    const struct verdict declined = verdict_decline(REASON_FAILED);
    struct job *job = job_table_find(self->jobs, occurrence->row, occurrence->job);
    bool undecided;

    if (!job)
        chains_end(self, occurrence->job, state_after(occurrence->kind));
    if (!job || job_is_over(job))
        return;
    if (!chains_forget(self, job) || self->setting.policy->plans_chains)
        self->stages.forget(self, job);
    undecided = failed && is_undecided(self, job);
    if (undecided)
        round_note_verdict(self, job, &declined);
    if (job->state == JOB_RUNNING)
        self->status.accepted -= !job->submission->best_effort;
    self->to_come -= job->state == JOB_SUBMITTED && !round_arrives_now(self, job);
    self->status.declined += failed;
    self->status.settled++;
    if (job->promise.state == PROMISE_STANDS)
        job->promise.state = failed ? PROMISE_BROKEN : PROMISE_WITHDRAWN;
    round_let_go(self, job);
    job->state = state_after(occurrence->kind);
    round_is_over(self, job);
    if (failed && !undecided)
        round_disturb(self, DISTURBANCE_HELD, job, -1,
                      occurrence->cause ? occurrence->cause : "it failed");
}

static bool is_about_node(const struct occurrence *occurrence)
{
    return occurrence->kind >= OCCURRENCE_NODE_UP && occurrence->kind <= OCCURRENCE_NODE_GONE;
}

static bool is_early_end(const struct occurrence *occurrence)
{
    return occurrence->kind == OCCURRENCE_FAILED || occurrence->kind == OCCURRENCE_CANCELLED ||
           occurrence->kind == OCCURRENCE_SUSPENDED;
}

int round_nodes_up(const engine_t *self)
{
    int count = 0;

    for (int i = 0; i < cluster_node_count(self->cluster); i++)
        count += cluster_is_up(self->cluster, i);
    return count;
}

/* Counts `lost` nodes that were up before this step, unless all nodes went at once. */
static void note_failures(engine_t *self, int lost)
{
    const bool are_all = lost > 1 && lost >= self->nodes_up;
    const bool never_came = self->steps == 1;

    if (!are_all && !never_came)
        self->failures.count += lost;
    self->nodes_up = round_nodes_up(self);
}

void round_change_nodes(engine_t *self, const struct occurrence occurrences[], size_t count)
{
    size_t changes = cluster_change_s(self->cluster) <= self->now_s;
    int lost = 0;

    for (size_t i = 0; i < count; i++)
        if (is_about_node(&occurrences[i])) {
            lost += occurrences[i].kind == OCCURRENCE_NODE_GONE &&
                    cluster_is_up(self->cluster, occurrences[i].node);
            if (occurrences[i].kind == OCCURRENCE_NODE_UP)
                gain_node(self, &occurrences[i]);
            else
                lose_node(self, &occurrences[i]);
            changes++;
        }
    if (changes > 0) {
        while (cluster_change_s(self->cluster) <= self->now_s) {
            drain_due(self);
            return_due(self);
        }
        note_failures(self, lost);
        self->layout_is_old = true;
        scalings_renew(self->scalings);
    }
    for (size_t i = 0; i < count; i++)
        if (is_early_end(&occurrences[i])) {
            round_end_early(self, &occurrences[i]);
            self->early_ends++;
        }
    if (self->early_ends > 0)
        round_drop_ended(self);
}
