/* decision_watch.c - see decision_watch.h. */
#include "tests/engine/decision_watch.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdlib.h>

/* The facts of a job so far. */
struct known {
    const struct submission *submission;
    bool told;  /* that it was cancelled, or failed */
    bool ended; /* so, in this step */
    bool decided;
    bool promised;
    bool over;
    bool live;    /* in the decision at hand */
    bool retired; /* so */
    int held;     /* GPUs in the last decision */
    int gpus;     /* in this one */
};

struct decision_watch {
    const struct engine_setting *setting;
    struct known *jobs;
    size_t job_count;
    size_t job_room;
    bool *down;          /* by node */
    int64_t *until_s;    /* by node: then the node is down */
    struct stays *again; /* by node: when it is up again */
    bool *is_back;       /* by node: the node was told of in this step, without an end */
    int *gpus;           /* by node: that it has */
    int *holder_of;      /* by rank: 1 + the place of the job that holds it, 0 for none */
    int *ranks;
    int64_t now_s;
    int64_t rounds;
};

decision_watch_t *decision_watch_new(const struct engine_setting *setting)
{
    decision_watch_t *self = xcalloc(1, sizeof(*self));
    const size_t gpus = (size_t)cluster_spec_gpus(&setting->cluster);
    const size_t nodes = (size_t)cluster_spec_nodes(&setting->cluster);

    self->setting = setting;
    self->down = xcalloc(nodes, sizeof(*self->down));
    self->until_s = xcalloc(nodes, sizeof(*self->until_s));
    self->again = xcalloc(nodes, sizeof(*self->again));
    self->is_back = xcalloc(nodes, sizeof(*self->is_back));
    self->gpus = xcalloc(nodes, sizeof(*self->gpus));
    for (size_t i = 0; i < nodes; i++) {
        self->until_s[i] = NEVER_S;
        self->gpus[i] = cluster_spec_node_gpus(&setting->cluster, (int)i);
    }
    self->holder_of = xcalloc(gpus, sizeof(*self->holder_of));
    self->ranks = xcalloc(gpus, sizeof(*self->ranks));
    self->now_s = INT64_MIN;
    return self;
}

void decision_watch_destroy(decision_watch_t **self)
{
    if (!*self)
        return;
    free((*self)->ranks);
    free((*self)->holder_of);
    free((*self)->gpus);
    free((*self)->is_back);
    free((*self)->until_s);
    free((*self)->again);
    free((*self)->down);
    free((*self)->jobs);
    free(*self);
    *self = NULL;
}

static void require(const decision_watch_t *self, const struct submission *submission, bool holds,
                    const char *what)
{
    if (!holds)
        fail_msg("%s at %" PRId64 " s%s%s: expected that %s", self->setting->policy->name,
                 self->now_s, submission ? ", job " : "", submission ? submission->id : "", what);
}

static struct known *find(const decision_watch_t *self, uint64_t number)
{
    for (size_t i = 0; i < self->job_count; i++)
        if (self->jobs[i].submission->number == number)
            return &self->jobs[i];
    return NULL;
}

static struct known *known_of(const decision_watch_t *self, const struct job *job)
{
    struct known *known = find(self, job->submission->number);

    require(self, job->submission, known != NULL, "only jobs that were submitted are spoken of");
    return known;
}

/* ---- what the engine is told ---- */

static void note_submission(decision_watch_t *self, const struct submission *submission)
{
    assert_null(find(self, submission->number));
    self->jobs = grow_array(self->jobs, self->job_count, &self->job_room, sizeof(*self->jobs));
    self->jobs[self->job_count++] = (struct known){.submission = submission};
}

static void note_end(decision_watch_t *self, uint64_t number)
{
    struct known *known = find(self, number);

    if (known && !known->over)
        known->told = known->ended = true;
}

/* A node that is gone is not known to come back. */
static void note_again(decision_watch_t *self, const struct occurrence *occurrence)
{
    struct stays *again = &self->again[occurrence->node];

    *again = occurrence->again ? *occurrence->again : (struct stays){.count = 0};
    if (occurrence->kind == OCCURRENCE_NODE_GONE)
        again->count = 0;
}

/* Policies that choose the nodes themselves have no use for one that is not whole. */
static void note_up(decision_watch_t *self, const struct occurrence *occurrence)
{
    const int node = occurrence->node;

    if (occurrence->gpus > 0)
        self->gpus[node] = occurrence->gpus;
    self->down[node] = self->setting->policy->stages.gain_node &&
                       self->gpus[node] < cluster_spec_node_gpus(&self->setting->cluster, node);
    if (self->down[node])
        return;
    self->is_back[node] = occurrence->until_s == 0;
    if (occurrence->until_s == 0)
        return;
    self->until_s[node] = occurrence->until_s;
    note_again(self, occurrence);
}

static void note_down(decision_watch_t *self, const struct occurrence *occurrence)
{
    self->down[occurrence->node] = true;
    note_again(self, occurrence);
}

static void let_node_return(decision_watch_t *self, int node, int64_t now_s)
{
    struct stays *again = &self->again[node];

    while (self->down[node] && again->count > 0 && again->items[0].from_s <= now_s) {
        self->until_s[node] = again->items[0].until_s;
        self->down[node] = self->until_s[node] <= now_s;
        *again = stays_after_first(again);
    }
}

/* An end that is known stands where a node is told of without one, unless that end is over. */
static void let_nodes_end(decision_watch_t *self, const cluster_t *cluster, int64_t now_s)
{
    for (int node = 0; node < cluster_node_count(cluster); node++) {
        if (self->until_s[node] <= now_s && self->is_back[node])
            self->until_s[node] = NEVER_S;
        else if (self->until_s[node] <= now_s)
            self->down[node] = true;
        self->is_back[node] = false;
        let_node_return(self, node, now_s);
    }
}

void decision_watch_hear(decision_watch_t *self, const struct occurrence occurrences[],
                         size_t count)
{
    for (size_t i = 0; i < self->job_count; i++)
        self->jobs[i].ended = false;
    for (size_t i = 0; i < count; i++) {
        const struct occurrence *occurrence = &occurrences[i];

        if (occurrence->kind == OCCURRENCE_SUBMITTED)
            note_submission(self, occurrence->submission);
        else if (occurrence->kind == OCCURRENCE_CANCELLED || occurrence->kind == OCCURRENCE_FAILED)
            note_end(self, occurrence->job);
        else if (occurrence->kind == OCCURRENCE_NODE_UP)
            note_up(self, occurrence);
        else if (occurrence->kind == OCCURRENCE_NODE_GONE ||
                 occurrence->kind == OCCURRENCE_NODE_DRAINING)
            note_down(self, occurrence);
    }
}

/* ---- what it decided ---- */

static void check_retired(decision_watch_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct retirement *retired = &decision->retired[i];
        const struct submission *submission = retired->job->submission;
        struct known *known = known_of(self, retired->job);

        require(self, submission, !known->over, "a job is done once, and is not over before");
        require(self, submission, known->decided, "a job that is done was admitted");
        require(self, submission, retired->job->state == JOB_DONE, "a job that is done says so");
        require(self, submission, retired->done_by != MEASURE_EITHER, "it is known what ended it");
        known->over = known->retired = true;
    }
    for (size_t i = 0; i < self->job_count; i++)
        self->jobs[i].over = self->jobs[i].over || self->jobs[i].ended;
}

/* A job that waits for others never starts where one of them did not do its work. */
static void check_orphans(decision_watch_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->disturbance_count; i++) {
        const struct disturbance *disturbance = &decision->disturbances[i];

        if (disturbance->kind != DISTURBANCE_ORPHANED)
            continue;
        require(self, disturbance->job->submission,
                disturbance->job->start_s == NOT_STARTED_S && disturbance->job->lost_parent > 0,
                "only a job that waits loses its parent");
        known_of(self, disturbance->job)->over = true;
    }
}

static void check_decided(decision_watch_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->decided_count; i++) {
        const struct decided *decided = &decision->decided[i];
        const struct submission *submission = decided->job->submission;
        struct known *known = known_of(self, decided->job);

        if (decided->verdict.kind == VERDICT_PROMISED_LATER) {
            require(self, submission, known->decided && !known->promised,
                    "a job without a promise that stands is promised its deadline");
            known->promised = true;
            continue;
        }
        require(self, submission, !known->decided, "a job gets one verdict");
        require(self, submission,
                !known->over || (known->told && decided->verdict.kind == VERDICT_DECLINED),
                "a job that is over gets none, but for one that fails before it is decided on");
        require(self, submission, submission->submit_s <= decision->now_s,
                "a job gets none before it arrives");
        known->decided = true;
        known->promised = decided->verdict.kind == VERDICT_PROMISED;
        known->over = decided->verdict.kind == VERDICT_DECLINED;
    }
}

static void note_risks(decision_watch_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->disturbance_count; i++)
        if (decision->disturbances[i].kind == DISTURBANCE_SLIPS)
            known_of(self, decision->disturbances[i].job)->promised = false;
}

static void check_record(const decision_watch_t *self, const struct job *job)
{
    const struct submission *submission = job->submission;

    require(self, submission, job_is_live(job), "a job that is live says so");
    require(self, submission, job->iterations_left >= 0, "no job has less than nothing to do");
    require(self, submission, job->iterations_left <= (double)submission->iterations,
            "no job has more to do than was asked");
    require(self, submission, job->attained_s >= 0 && job->gpu_seconds >= 0 && job->overhead_s >= 0,
            "no time is below 0");
}

static void check_live(decision_watch_t *self, const engine_t *engine,
                       const struct decision *decision)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        struct known *known = known_of(self, job);

        require(self, job->submission, !known->live, "a job is live once");
        require(self, job->submission, !known->over, "a job that is over stays so");
        require(self, job->submission, known->decided, "a job is live once it is admitted");
        require(self, job->submission, engine_job(engine, job->submission->number) == job,
                "the engine finds the job");
        check_record(self, job);
        known->live = true;
    }
    for (size_t i = 0; i < self->job_count; i++)
        require(self, self->jobs[i].submission,
                self->jobs[i].live == (self->jobs[i].decided && !self->jobs[i].over),
                "a job that is admitted and not over is live");
}

static void check_size(const decision_watch_t *self, const struct holding *holding)
{
    const struct policy *policy = self->setting->policy;
    const struct submission *submission = holding->job->submission;

    require(self, submission, holding->grant.gpus > 0, "a job that holds GPUs holds some");
    require(self, submission,
            holding->grant.gpus <= policy->gpus_max(holding->job, self->setting->gpu_type),
            "a job holds no more GPUs than it may use");
    require(self, submission,
            policy->gpus_max != policy_gpus_requested ||
                holding->grant.gpus == submission->gpus_requested,
            "a job of fixed size holds what it asks for");
    require(self, submission, holding->overhead_s >= 0, "no overhead is below 0");
    require(self, submission, holding->grant.rate > 0, "a job that holds GPUs gets on");
}

static bool is_rank_of(const struct decision *decision, const struct job *job, int rank)
{
    int *ranks = xcalloc((size_t)cluster_gpus(decision->cluster), sizeof(*ranks));
    const int count = cluster_ranks(decision->cluster, job, ranks);
    bool found = false;

    for (int i = 0; i < count; i++)
        found = found || ranks[i] == rank;
    free(ranks);
    return found;
}

static void check_ranks(decision_watch_t *self, const struct decision *decision, size_t index)
{
    const struct holding *holding = &decision->holdings[index];
    const struct submission *submission = holding->job->submission;
    const int per_node = cluster_gpus_per_node(decision->cluster);

    require(self, submission, holding->job->held >= 0, "a job that holds GPUs has its place");
    require(self, submission,
            cluster_ranks(decision->cluster, holding->job, self->ranks) == holding->grant.gpus,
            "the layout has as many GPUs for it");
    for (int i = 0; i < holding->grant.gpus; i++) {
        const int rank = self->ranks[i];

        if (holding->grant.partner) {
            require(self, submission, is_rank_of(decision, holding->grant.partner, rank),
                    "a job that shares GPUs has those of its partner");
            continue;
        }
        require(self, submission, self->holder_of[rank] == 0, "a GPU has one holder");
        require(self, submission, !self->down[rank / per_node], "a GPU that is held is up");
        require(self, submission, rank % per_node < self->gpus[rank / per_node],
                "a GPU that is held is there");
        self->holder_of[rank] = 1 + (int)index;
    }
}

static void check_holdings(decision_watch_t *self, const struct decision *decision)
{
    const int gpus = cluster_spec_gpus(&self->setting->cluster);

    for (int rank = 0; rank < gpus; rank++)
        self->holder_of[rank] = 0;
    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct holding *holding = &decision->holdings[i];
        struct known *known = known_of(self, holding->job);

        require(self, known->submission, known->live, "a job that holds GPUs is live");
        require(self, known->submission, known->gpus == 0, "a job holds GPUs once");
        check_size(self, holding);
        check_ranks(self, decision, i);
        known->gpus = holding->grant.gpus;
    }
}

static enum freed_why why_of(const struct known *known, const struct job *job)
{
    if (known->retired)
        return FREED_DONE;
    if (known->ended)
        return job->state == JOB_CANCELLED ? FREED_CANCELLED : FREED_FAILED;
    return FREED_PAUSED;
}

static void check_released(decision_watch_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->released_count; i++) {
        const struct release *release = &decision->released[i];
        struct known *known = known_of(self, release->job);

        require(self, known->submission, known->held > 0, "what is released was held");
        require(self, known->submission, known->gpus == 0, "what is released is held no more");
        require(self, known->submission, release->why == why_of(known, release->job),
                "it is said why");
        known->held = 0;
    }
    for (size_t i = 0; i < self->job_count; i++)
        require(self, self->jobs[i].submission, self->jobs[i].held == 0 || self->jobs[i].gpus > 0,
                "what was held is held on or released");
}

static void check_time(decision_watch_t *self, const struct decision *decision)
{
    require(self, NULL, decision->now_s >= self->now_s, "time never goes back");
    self->now_s = decision->now_s;
    require(self, NULL, decision->next_s > decision->now_s, "the next round is to come");
    require(self, NULL, decision->round == 0 || decision->round == self->rounds + 1,
            "rounds are counted");
    if (decision->round == 0)
        return;
    self->rounds = decision->round;
    let_nodes_end(self, decision->cluster, decision->now_s);
    for (int node = 0; node < cluster_node_count(decision->cluster); node++) {
        require(self, NULL, cluster_is_up(decision->cluster, node) == !self->down[node],
                "nodes are as they were told of");
    }
}

static void check_counts(const decision_watch_t *self, const engine_t *engine,
                         const struct decision *decision)
{
    const struct engine_status status = engine_status(engine);
    int64_t over = 0;

    for (size_t i = 0; i < self->job_count; i++)
        over += self->jobs[i].over;
    require(self, NULL, status.jobs == (int64_t)self->job_count, "all jobs are counted");
    require(self, NULL, status.settled == over, "all jobs that are over are counted");
    require(self, NULL, status.live == (int64_t)decision->live_count, "live jobs are counted");
    require(self, NULL, status.accepted >= 0 && status.declined >= 0, "no count is below 0");
}

void decision_watch_check(decision_watch_t *self, const engine_t *engine,
                          const struct decision *decision)
{
    for (size_t i = 0; i < self->job_count; i++) {
        self->jobs[i].held = self->jobs[i].gpus;
        self->jobs[i].gpus = 0;
        self->jobs[i].live = self->jobs[i].retired = false;
    }
    check_time(self, decision);
    check_retired(self, decision);
    check_decided(self, decision);
    check_orphans(self, decision);
    note_risks(self, decision);
    check_live(self, engine, decision);
    check_holdings(self, decision);
    check_released(self, decision);
    check_counts(self, engine, decision);
}

void decision_watch_check_end(const decision_watch_t *self)
{
    for (size_t i = 0; i < self->job_count; i++) {
        require(self, self->jobs[i].submission, self->jobs[i].over, "every job comes to its end");
        require(self, self->jobs[i].submission, self->jobs[i].decided || self->jobs[i].told,
                "every job that arrives gets a verdict");
    }
}

int decision_watch_gpus(const decision_watch_t *self, uint64_t job)
{
    const struct known *known = find(self, job);

    return known ? known->gpus : 0;
}
