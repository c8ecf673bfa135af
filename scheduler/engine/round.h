/* round.h - the engine's insides, for the functions that are stages of a round and for no
 * others. */
#ifndef ENGINE_ROUND_H
#define ENGINE_ROUND_H

#include "common/list.h"
#include "common/memory.h"
#include "scheduler/engine/awaited.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plan/named.h"
#include "scheduler/plan/prices.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/job_table.h"
#include "scheduler/state/places.h"
#include "scheduler/state/scalings.h"

struct requests {
    struct placement_request *items;
    size_t count;
    size_t capacity;
};

/* The parts of a decision that grow while a step goes on. */
struct step_findings {
    LIST(struct decided) decided;
    LIST(struct retirement) retired;
    LIST(struct release) released;
    LIST(struct disturbance) disturbances;
    struct jobs over; /* their rows are free after the next step begins */
    arena_t *texts;
};

/* Questions at the arrival of a job. */
struct asking {
    uint64_t number;
    engine_ask_fn *ask; /* NULL for none */
    void *owner;
    struct job *job;      /* while they are asked: of the arrivals, */
    size_t arrival_count; /* which are so many */
};

struct engine {
    struct engine_setting setting;
    struct stages stages; /* none left out */
    void *memory;         /* of the policy */
    void *stage_memory;
    job_table_t *jobs;
    cluster_t *cluster;
    prices_t *prices;
    plan_t *plan;
    scalings_t *scalings;
    const struct pool *pools;
    int pool_count;

    int64_t now_s;
    int64_t elapsed_s;  /* since the round before */
    int64_t next_s;     /* when the next round is due, NEVER_S if nothing is */
    int64_t slot_end_s; /* of the last round that came at its time: the next one is not before */
    bool is_early;      /* the round at hand, which something calls for before the slot is over */
    struct failures failures; /* of nodes, up to the last step */
    int nodes_up;             /* after it */
    int64_t event_s;          /* when a job last arrived or ended */
    int64_t idle_rounds;      /* since any job last did something */
    struct engine_status status;

    struct jobs live;       /* in the order of service, but for those that were set aside */
    size_t aside;           /* so many live jobs more are kept by a stage: they wait for GPUs */
    struct jobs running;    /* in the order of start; also those that hold no GPU at the moment */
    struct jobs pending;    /* in the order of admission */
    struct jobs arrivals;   /* of this round */
    struct jobs waiting;    /* that arrived while no node was there */
    size_t child_count;     /* jobs that wait for others to end, the ready ones among them */
    struct awaited awaited; /* for which they wait */
    struct jobs ready;  /* children that are to be told that they wait no more, or wait in vain */
    struct jobs quotes; /* that are held; one that is over may be among them in a round */
    size_t heard_over;  /* so many of findings.over were told to the children */
    struct jobs due;    /* that are due to end in this round */
    struct jobs scratch;
    struct places places; /* of the live jobs: what reorders or drops some has to forget them */
    struct named named;   /* by the plan */
    int held_gpus;        /* by all live jobs */
    size_t to_come;       /* announced and not yet arrived */
    size_t admitted;      /* in this round */
    size_t early_ends;    /* jobs that failed or were cancelled, in this round */

    bool layout_is_old;            /* some job got or lost GPUs since the last placement */
    bool nodes_changed;            /* since the last placement */
    bool notes_risks;              /* jobs are noted as being in time */
    LIST(struct holding) holdings; /* of the last decision */
    struct requests requests;

    struct step_findings findings;
    LIST(struct occurrence) expected; /* by engine_expect */
    struct asking asking;             /* of an arrival that is waited for */
    uint64_t steps;
    char disturbance[256]; /* what went otherwise than planned in this step, "" for nothing */
    enum withdrawal_cause disturbed_for; /* where something did */
    char late_start[256];                /* since the last round, "" for none */
};

static inline size_t round_live_count(const engine_t *self)
{
    return self->live.count + self->aside;
}

/* A live job, of which there is one at least: the first in the order of service, or the first that
 * waits where all were set aside. */
static inline const struct job *round_any_live(const engine_t *self)
{
    return self->live.count > 0 ? self->live.items[0] : self->pending.items[0];
}

/* `job` holds no GPU from now on. */
void round_let_go(engine_t *self, struct job *job);

/* `job` holds so much, which is other than what it held. */
void round_give(engine_t *self, struct job *job, const struct grant *grant);

/* `job` holds so much from now on, in its pool. Most jobs hold as much as before. Only a policy
 * with grants of its own changes its batch size or partner. */
__attribute__((nonnull)) static inline void round_hold(engine_t *self, struct job *job,
                                                       const struct grant *grant)
{
    if (grant->gpus != job->grant.gpus || (grant_holds(grant) && self->setting.policy->own_grants &&
                                           !grant_is_alike(grant, &job->grant))) {
        round_give(self, job, grant);
    } else if (grant_holds(grant)) {
        job->grant.nodes = grant->nodes;
        job->grant.rate = grant->rate;
    }
}

/* Lists what jobs hold now, for the decision. */
void round_note_holdings(engine_t *self);

/* ---- parts of stages, for stages put together otherwise ---- */

/* The scaling of `job` in a cluster of one pool for a row of its table; without a row it holds
 * `gpus_max` GPUs or none. -1 with `error`. */
int round_scale(engine_t *self, struct job *job, const struct throughput_row *row, int gpus_max,
                struct error *error);

/* -1, with `error`, if `job` does not say how many GPUs it wants; or if its table has no rate for
 * as many. */
int round_check_asked(const engine_t *self, const struct job *job, struct error *error);
int round_check_column(const struct job *job, struct error *error);

/* The GPU type of a pool. */
const char *round_gpu_type(const engine_t *self, int pool);

/* The view of the live jobs, the last `arrival_count` of which just arrived. Each learns its
 * place. */
struct view round_look(engine_t *self, size_t arrival_count);

/* `job` is told `verdict`. */
void round_note_verdict(engine_t *self, struct job *job, const struct verdict *verdict);

/* `job`, which is admitted, starts, or starts again. */
void round_start(engine_t *self, struct job *job);

/* `job` lost its place without its doing: it waits for another. */
void round_unseat(engine_t *self, struct job *job);

/* Declines `job`, which is in no list. */
void round_decline(engine_t *self, struct job *job);

/* `job` is over: its record lasts until the next step begins. */
void round_is_over(engine_t *self, struct job *job);

/* `job` is done: engine->due without it, but for jobs_keep. */
void round_retire(engine_t *self, struct job *job, const struct retirement *retirement);

/* Jobs that started leave the pending; live jobs come in the plan's order of service. */
void round_drop_started(engine_t *self);
void round_serve_in_order(engine_t *self);

/* Adds `job` to engine->requests; there: the jobs of `jobs` that hold from `least` to `most` GPUs,
 * in their order. */
static inline void round_request(engine_t *self, struct job *job)
{
    list_append(&self->requests, (struct placement_request){.job = job, .gpus = job_gpus(job)});
}

void round_request_between(engine_t *self, const struct jobs *jobs, int least, int most);

/* -1, with `error`, if no job gets anything done any more although all have arrived. */
int round_check_endless(const engine_t *self, struct error *error);

/* Notes what went otherwise than planned. `job` or `node` is NULL or -1. */
void round_disturb(engine_t *self, enum disturbance_kind kind, const struct job *job, int node,
                   const char *cause);

/* `job`, which is to arrive or arrives in this round, does not; and `job`, which is admitted and
 * never started, is over. round_arrives_now: whether `job` is among the arrivals of this round.
 * round_drop_ended takes jobs that are over out of all lists. */
bool round_arrives_now(const engine_t *self, const struct job *job);
void round_withdraw_arrival(engine_t *self, struct job *job);
void round_give_up(engine_t *self, struct job *job);
void round_drop_ended(engine_t *self);

/* The job of `occurrence`, which is known, ends as that says. */
void round_end_early(engine_t *self, const struct occurrence *occurrence);

/* `job`, which is over, never starts, for that cause. */
void round_note_orphan(engine_t *self, const struct job *job, const char *cause);

/* ---- files of the engine among themselves ---- */

int round_admit(engine_t *self, struct error *error);
int round_allocate(engine_t *self, struct error *error);

/* The findings of one look at the occurrences of a step. */
struct news {
    bool trouble;   /* a job may be late for it */
    bool changes;   /* nodes change, or jobs end before they are done */
    bool unplanned; /* the plan does not have it */
};

struct news round_news(const engine_t *self, const struct occurrence occurrences[], size_t count,
                       int64_t now_s);

/* Enters occurrences into the books; see occurrences.c. -1 with `error`. `*wants_round` if they
 * call for a round. */
int round_hear(engine_t *self, const struct occurrence occurrences[], size_t count,
               bool *wants_round, struct error *error);

/* Nodes that left, came back or drain; see nodes.c. */
/* Nodes that are up. */
int round_nodes_up(const engine_t *self);

void round_change_nodes(engine_t *self, const struct occurrence occurrences[], size_t count);

/* ---- chains.c: jobs that wait for others to end ---- */

/* Whether `job`, of which the engine is told, has to wait: then it is not announced yet. */
bool chains_hold(engine_t *self, struct job *job);

/* `job` is over; returns whether it was one that waits. */
bool chains_forget(engine_t *self, const struct job *job);

/* The job with that number ended so. */
void chains_end(engine_t *self, uint64_t number, enum job_state state);

/* Jobs whose parents all ended arrive, in this round if they `may_arrive`; those with a parent that
 * did not end as it has to are declined. */
void chains_settle(engine_t *self, bool may_arrive);

/* Whether a round is wanted to decline one; and when the next one is to be, NEVER_S for none: one
 * that its trace submits later is declined then. */
bool chains_are_due(const engine_t *self);
int64_t chains_next_s(const engine_t *self);

/* ---- kept_quotes.c and lapses.c: quotes that are held ---- */

/* Whether `job` is such a quote, and is not over. */
bool kept_quotes_has(const struct job *job);

/* Knows `job`, of which the engine is told, if it is one; those that are over, or were taken, are
 * known no more. */
void kept_quotes_enter(engine_t *self, struct job *job);
void kept_quotes_forget(engine_t *self);

/* When the next one lapses, NEVER_S for none; and ends those whose time is over. */
int64_t kept_quotes_next_s(const engine_t *self);
void lapses_end_due(engine_t *self);

/* The quote with the number of `submission` becomes the job that this one is, which has at most the
 * work of the quote, on the same numbers of GPUs, and no earlier deadline. False if there is none.
 */
bool kept_quotes_take(engine_t *self, const struct submission *submission);

/* Frees the rows of jobs that are over. */
void round_free_rows(engine_t *self);

/* The promise of `job` falls to a later step of its deadline. */
void round_fall(engine_t *self, struct job *job, int64_t deadline_s);

/* Which jobs are in time, before anything is heard; and which of them are not after all. */
void round_note_risks(engine_t *self);
void round_mark_risks(engine_t *self);

#endif
