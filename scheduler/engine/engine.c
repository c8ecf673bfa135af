/* engine.c - see engine.h. */
#include "scheduler/engine/engine.h"

#include "scheduler/engine/stages.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- life ---- */

static void *open_policy(const engine_t *self)
{
    const struct policy *policy = self->setting.policy;
    const void *usual = policy->options ? policy->options->usual : NULL;
    const struct policy_setting setting = {.node_count = cluster_node_count(self->cluster),
                                           .gpus_per_node = cluster_gpus_per_node(self->cluster),
                                           .slot_s = self->setting.slot_s,
                                           .rules = policy->rules,
                                           .options = self->setting.options ? self->setting.options
                                                                            : usual,
                                           .stop = self->setting.stop,
                                           .command = policy->command};

    return policy->open ? policy->open(&setting) : NULL;
}

engine_t *engine_new(const struct engine_setting *setting, struct error *error)
{
    engine_t *self;

    if (policy_check_pools(setting->policy, &setting->cluster, setting->cluster_name, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->setting = *setting;
    self->stages = stages_complete(&setting->policy->stages);
    self->jobs = job_table_new();
    self->cluster = cluster_new(&setting->cluster);
    self->nodes_up = cluster_node_count(self->cluster);
    self->scalings =
        scalings_new(self->cluster, setting->policy->keeps_plan, setting->policy->needs_powers);
    self->pools = cluster_pools(self->cluster, &self->pool_count);
    self->prices = prices_new(cluster_gpus(self->cluster), self->stages.restart_rounds(self));
    self->plan = plan_new();
    self->next_s = NEVER_S;
    self->now_s = self->slot_end_s = INT64_MIN;
    self->findings.texts = arena_new();
    self->memory = open_policy(self);
    self->stage_memory = self->stages.open(self);
    return self;
}

static void free_lists(engine_t *self)
{
    struct jobs *const lists[] = {&self->live,     &self->running, &self->pending,
                                  &self->arrivals, &self->waiting, &self->due,
                                  &self->scratch,  &self->ready,   &self->quotes};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->items);
    places_close(&self->places);
    named_close(&self->named);
    awaited_close(&self->awaited);
    free(self->requests.items);
    free(self->expected.items);
    free(self->holdings.items);
}

static void free_findings(struct step_findings *findings)
{
    free(findings->decided.items);
    free(findings->retired.items);
    free(findings->released.items);
    free(findings->disturbances.items);
    free(findings->over.items);
    arena_destroy(&findings->texts);
}

void engine_destroy(engine_t **self)
{
    if (!*self)
        return;
    (*self)->stages.close((*self)->stage_memory);
    if ((*self)->setting.policy->close)
        (*self)->setting.policy->close((*self)->memory);
    free_findings(&(*self)->findings);
    free_lists(*self);
    plan_destroy(&(*self)->plan);
    prices_destroy(&(*self)->prices);
    scalings_destroy(&(*self)->scalings);
    cluster_destroy(&(*self)->cluster);
    job_table_destroy(&(*self)->jobs);
    free(*self);
    *self = NULL;
}

/* ---- one step ---- */

/* Releases all that the last decision lent. */
static void forget_findings(engine_t *self)
{
    struct step_findings *findings = &self->findings;

    round_free_rows(self);
    findings->decided.count = findings->retired.count = findings->released.count = 0;
    findings->disturbances.count = 0;
    arena_reset(findings->texts);
    self->steps++;
    self->disturbance[0] = '\0';
}

static enum freed_why why_released(const struct job *job)
{
    switch (job->state) {
    case JOB_DONE:
        return FREED_DONE;
    case JOB_FAILED:
        return FREED_FAILED;
    case JOB_CANCELLED:
        return FREED_CANCELLED;
    default:
        return FREED_PAUSED;
    }
}

static void note_releases(engine_t *self)
{
    for (size_t i = 0; i < self->holdings.count; i++) {
        const struct job *job = self->holdings.items[i].job;

        if (!job_is_live(job) || !job_holds(job))
            list_append(&self->findings.released, (struct release){job, why_released(job)});
    }
}

void round_note_holdings(engine_t *self)
{
    const struct jobs *holders = named_holders(&self->named, &self->live);

    self->holdings.count = 0;
    for (size_t i = 0; i < holders->count; i++) {
        const struct job *job = holders->items[i];

        if (!job_holds(job))
            continue;
        list_append(&self->holdings, (struct holding){job, job->grant, job->overhead_s});
        self->holdings.items[self->holdings.count - 1].grant.rate = engine_rate(self, job);
    }
}

/* Notes the slot of the round. Only the plain stages have rounds that come before their slot. */
static void note_slot(engine_t *self)
{
    self->is_early = self->stages.advance == plain_advance && self->now_s < self->slot_end_s;
    if (!self->is_early)
        self->slot_end_s = self->now_s + (self->setting.slot_s > 0 ? self->setting.slot_s : 1);
    prices_begin_round(self->prices, self->is_early);
}

static int hold_round(engine_t *self, const struct occurrence occurrences[], size_t count,
                      const struct news *news, struct error *error)
{
    self->status.rounds++;
    self->idle_rounds++;
    self->admitted = 0;
    if (self->stages.collect(self, error) < 0)
        return -1;
    if (self->arrivals.count > 0 || self->due.count > 0)
        self->event_s = self->now_s;
    if (self->stages.retire(self, error) < 0)
        return -1;
    self->early_ends = 0;
    if (news->changes)
        round_change_nodes(self, occurrences, count);
    lapses_end_due(self);
    chains_settle(self, true);
    if (round_admit(self, error) < 0 || round_allocate(self, error) < 0 ||
        self->stages.place(self, error) < 0)
        return -1;
    if (self->setting.lists_holdings)
        note_releases(self);
    self->stages.charge(self);
    if (self->setting.lists_holdings)
        round_note_holdings(self);
    round_mark_risks(self);
    self->late_start[0] = '\0';
    chains_settle(self, false);
    kept_quotes_forget(self);
    return 0;
}

/* Finds the time of the next round if all goes as planned. */
static int look_ahead(engine_t *self, bool was_round, struct error *error)
{
    if (was_round)
        prices_end_round(self->prices);
    if (self->stages.advance(self, error) < 0)
        return -1;
    if (cluster_change_s(self->cluster) < self->next_s &&
        round_live_count(self) + self->to_come > 0)
        self->next_s = cluster_change_s(self->cluster);
    if (chains_next_s(self) < self->next_s)
        self->next_s = chains_next_s(self);
    assert(self->next_s > self->now_s);
    return 0;
}

void engine_stands(const engine_t *self, struct decision *decision)
{
    const bool knows_places = self->named.few && self->places.known == self->live.count;

    *decision = (struct decision){
        .now_s = self->now_s,
        .next_s = self->next_s,
        .live_before = round_live_count(self),
        .live = self->aside > 0 ? NULL : (const struct job *const *)self->live.items,
        .live_numbers = knows_places ? self->places.numbers : NULL,
        .live_count = round_live_count(self),
        .holdings = self->holdings.items,
        .holding_count = self->holdings.count,
        .cluster = self->cluster};
}

static void add_findings(const struct step_findings *findings, struct decision *decision)
{
    decision->decided = findings->decided.items;
    decision->decided_count = findings->decided.count;
    decision->retired = findings->retired.items;
    decision->retired_count = findings->retired.count;
    decision->released = findings->released.items;
    decision->released_count = findings->released.count;
    decision->disturbances = findings->disturbances.items;
    decision->disturbance_count = findings->disturbances.count;
}

/* Whether an announced or planned event is due already: in the very first step, or in a second one
 * at the same time. */
static bool is_due_now(engine_t *self, bool *wants_round, struct error *error)
{
    if (self->stages.advance(self, error) < 0)
        return false;
    *wants_round = *wants_round || self->next_s <= self->now_s;
    return true;
}

int engine_step(engine_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count,
                struct decision *decision, struct error *error)
{
    const bool is_first = self->now_s == INT64_MIN;
    const int64_t before_s = is_first ? now_s : self->now_s;
    const size_t live_before = round_live_count(self);
    struct news news;
    bool wants_round = !is_first && now_s > before_s;
    bool restart = false;

    assert(now_s >= before_s);
    if (live_before > 0 && now_s != self->next_s)
        self->status.disturbed = true;
    forget_findings(self);
    news = round_news(self, occurrences, count, now_s);
    if (cluster_change_s(self->cluster) <= now_s)
        news.trouble = news.changes = wants_round = self->nodes_changed = true;
    if (self->aside > 0 && (self->status.disturbed || news.unplanned || news.trouble))
        self->stages.gather(self);
    if (news.trouble)
        round_note_risks(self);
    self->status.disturbed = self->status.disturbed || news.unplanned;
    self->now_s = now_s;
    self->elapsed_s = now_s - before_s;
    self->failures.node_s += (double)self->elapsed_s * self->nodes_up;
    if (round_hear(self, occurrences, count, &wants_round, error) < 0)
        return -1;
    if (!wants_round && !is_due_now(self, &wants_round, error))
        return -1;
    if (wants_round) {
        note_slot(self);
        restart = prices_restart(self->prices);
        if (hold_round(self, occurrences, count, &news, error) < 0)
            return -1;
    }
    if (look_ahead(self, wants_round, error) < 0)
        return -1;
    engine_stands(self, decision);
    add_findings(&self->findings, decision);
    decision->elapsed_s = self->elapsed_s;
    decision->round = wants_round ? self->status.rounds : 0;
    decision->restart = restart;
    decision->live_before = live_before;
    return 0;
}

/* ---- questions to the engine ---- */

struct failures engine_failures(const engine_t *self, int64_t now_s)
{
    struct failures failures = self->failures;

    if (now_s > self->now_s && self->now_s != INT64_MIN) /* since the last step, if there was one */
        failures.node_s += (double)(now_s - self->now_s) * self->nodes_up;
    return failures;
}

long engine_expect(engine_t *self, int64_t now_s, struct occurrence **progress, struct error *error)
{
    const struct interval interval = {now_s, now_s - self->now_s};
    const struct jobs *holders = named_holders(&self->named, &self->live);

    self->expected.count = 0;
    for (size_t i = 0; i < holders->count; i++) {
        const struct job *job = holders->items[i];
        struct occurrence own = {.kind = OCCURRENCE_PROGRESS,
                                 .row = job->row,
                                 .job = job->submission->number,
                                 .pace = 1};

        if (!job_holds(job))
            continue;
        if (self->stages.expect(self, job, interval, &own.progress, error) < 0)
            return -1;
        list_append(&self->expected, own);
    }
    *progress = self->expected.items;
    return (long)self->expected.count;
}

const struct job *engine_job(const engine_t *self, uint64_t number)
{
    return job_table_find(self->jobs, UINT32_MAX, number);
}

void engine_promise(engine_t *self, uint64_t number, int64_t deadline_s)
{
    struct job *job = job_table_find(self->jobs, UINT32_MAX, number);
    const struct policy *policy = self->setting.policy;

    assert(job);
    job->promise =
        (struct promise){.state = PROMISE_STANDS, .deadline_s = deadline_s, .made_s = self->now_s};
    if (policy->promise)
        policy->promise(self->memory, job);
}

enum work_measure engine_measure(const engine_t *self)
{
    return self->stages.measure;
}

double engine_rate(const engine_t *self, const struct job *job)
{
    const int64_t whole_s = job->submission->duration_s;

    if (self->stages.measure != MEASURE_SECONDS)
        return job->grant.rate;
    return (double)job->submission->iterations / (double)(whole_s > 0 ? whole_s : 1);
}

int64_t engine_iterations_done(const engine_t *self, const struct job *job)
{
    const int64_t whole_s = job->submission->duration_s;
    const double iterations = (double)job->submission->iterations;
    double done = iterations - job->iterations_left;

    if (self->stages.measure == MEASURE_SECONDS)
        done = whole_s > 0 ? iterations * (double)job->attained_s / (double)whole_s : iterations;
    if (job->state == JOB_DONE || done > iterations)
        done = iterations;
    return done > 0 ? (int64_t)floor(done) : 0;
}

int64_t engine_whole_s(const engine_t *self, const struct job *job)
{
    return self->stages.whole_s(self, job);
}

struct engine_status engine_status(const engine_t *self)
{
    struct engine_status status = self->status;

    status.now_s = self->now_s;
    status.live = (int64_t)round_live_count(self);
    return status;
}

void *engine_policy_memory(const engine_t *self)
{
    return self->memory;
}
