/* lease_watch.c - see lease_watch.h. */
#include "tests/engine/lease_watch.h"

#include "tests/support/capacity.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A run that is looked at. */
struct watch {
    const struct random_leases *random;
    walk_t *walk;
    lease_watcher *watcher;
    const void *context;
    bool settled[RANDOM_LEASES_JOBS];
    bool planned[RANDOM_LEASES_JOBS]; /* once: it had a promise */
};

static _Noreturn void complain(const struct watch *self, const struct lease *lease,
                               const char *promise)
{
    random_leases_print(self->random);
    printf("%s\n", lease_walk_show(self->walk));
    fail_msg("at %" PRId64 " s, job %s: %s", walk_now_s(self->walk),
             lease ? lease->job->submission->id : "-", promise);
    abort();
}

static void require(const struct watch *self, const struct lease *lease, bool holds,
                    const char *promise)
{
    if (!holds)
        complain(self, lease, promise);
}

static int64_t lease_s_of(const struct watch *self)
{
    return self->random->setting.leasing.lease_s;
}

/* The slot that is given out next. */
static int64_t next_slot(const struct watch *self)
{
    return walk_now_s(self->walk) / lease_s_of(self) + 1;
}

static bool just_arrived(const struct watch *self, const struct job *job)
{
    return walk_now_s(self->walk) - job->submission->submit_s <
               self->random->setting.leasing.admission_s &&
           walk_now_s(self->walk) % self->random->setting.leasing.admission_s == 0;
}

/* Where leases are short and admissions far apart, a start at an odd time (CH-Q6) may credit more
 * than a lease at once; one slot is given up for it all the same. */
static bool may_have_too_many(const struct watch *self)
{
    const struct leasing *leasing = &self->random->setting.leasing;

    return leasing->lease_s <= SHORT_LEASE_S && leasing->admission_s > leasing->lease_s;
}

static void check_plan(const struct watch *self, const struct lease *lease,
                       struct lease_tally *tally)
{
    const int64_t last_s = lease->job->submission->levels[lease->last_level].deadline_s;
    const struct slot_runs *plan = &lease->plan;

    require(self, lease, lease->class == LEASE_ACCEPTED, "only the accepted have plans");
    require(self, lease,
            slot_runs_total(plan) == lease->need ||
                (may_have_too_many(self) && slot_runs_total(plan) > lease->need),
            "a plan has the leases that are due");
    require(self, lease, plan->count == 0 || plan->items[0].from >= next_slot(self),
            "a plan is for slots to come");
    require(self, lease, slot_runs_end(plan) <= last_s / lease_s_of(self),
            "a plan ends by the deadline");
    tally->soft_plans += lease->job->submission->level_count > 1;
}

static void check_lease(const struct watch *self, const struct lease *lease,
                        struct lease_tally *tally)
{
    const bool at_round = walk_now_s(self->walk) % lease_s_of(self) == 0;

    if (lease->planned)
        check_plan(self, lease, tally);
    else if (at_round && lease_is_active(lease))
        require(self, lease, just_arrived(self, lease->job),
                "behind a round all accepted have plans");
    require(self, lease, !lease->held || lease->running, "a job that has a lease runs");
    require(self, lease, lease->since_s <= walk_now_s(self->walk), "no time to come is credited");
    require(self, lease, lease->waited_s >= 0 && lease->starts >= 0 && lease->leases >= 0,
            "counts are no less than 0");
}

static void check_lists(const struct watch *self, const lease_book_t *book, size_t live,
                        struct lease_tally *tally)
{
    int64_t held = 0;

    for (size_t i = 0; i < book->running.count; i++) {
        require(self, book->running.items[i], book->running.items[i]->running, "the list is right");
        held += book->running.items[i]->job->submission->gpus_requested;
        check_lease(self, book->running.items[i], tally);
    }
    for (size_t i = 0; i < book->pending.count; i++) {
        require(self, book->pending.items[i], !book->pending.items[i]->running,
                "the list is right");
        check_lease(self, book->pending.items[i], tally);
    }
    require(self, NULL, book->running.count + book->pending.count == live,
            "each job runs or waits");
    require(self, NULL, book->gpu_count == walk_gpus_up(self->walk), "the book knows what is up");
    require(self, NULL, held <= book->gpu_count, "GPUs that run are there");
}

static int64_t last_slot(const lease_book_t *book)
{
    int64_t last = 0;

    for (size_t i = 0; i < book->all.count; i++) {
        const int64_t end = slot_runs_end(&book->all.items[i]->plan);

        last = end > last ? end : last;
    }
    return last;
}

static void check_capacity(const struct watch *self, const lease_book_t *book)
{
    for (int64_t slot = next_slot(self); slot <= last_slot(book); slot++) {
        int64_t free_gpus = book->gpu_count;

        for (size_t i = 0; i < book->all.count; i++) {
            const struct lease *lease = book->all.items[i];

            if (lease->planned && slot_runs_has(&lease->plan, slot))
                free_gpus -= lease->job->submission->gpus_requested;
        }
        require(self, NULL, capacity_at(&book->capacity, slot) == free_gpus,
                "free is what no plan has taken");
        require(self, NULL, free_gpus >= 0 || !self->random->plain_sizes,
                "plans leave no less than nothing");
    }
}

/* A job that was forced to an end on short leases was promised nothing. */
static void check_end(struct watch *self, size_t row, struct lease_tally *tally)
{
    const struct lease *lease = lease_walk_lease(self->walk, row);
    const bool promised = lease->class == LEASE_ACCEPTED && !lease->out_of_plan;

    if (!self->random->setting.cluster)
        lease_walk_check_account(lease, walk_now_s(self->walk));
    require(self, lease, !promised || job_ended_s(lease->job) <= (double)lease->deadline_s,
            "a promise is kept");
    require(self, lease, !promised || !lease_walk_missed(lease), "and it is not called broken");
    require(self, lease,
            !self->planned[row] || !lease_walk_missed(lease) || lease->withdrawn ||
                lease->out_of_plan,
            "what cannot be kept is withdrawn");
    tally->kept += promised;
    tally->late += lease_walk_missed(lease);
    tally->withdrawn += lease->withdrawn;
}

static void note_lease_round(const struct watch *self, const struct lease_round *round,
                             struct lease_tally *tally)
{
    tally->by_method[round->method]++;
    tally->fallbacks += round->answer != LEASE_UNASKED && round->method == LEASE_BY_PLAN;
    if (self->watcher)
        self->watcher(round, self->context);
}

static void check_round(struct watch *self, struct lease_tally *tally)
{
    lease_book_t *book = walk_leases(self->walk);
    size_t live = 0;

    for (size_t row = 0; row < self->random->setting.job_count; row++) {
        const struct job *job = walk_job(self->walk, row);

        live += job->state == JOB_PENDING || job->state == JOB_RUNNING;
        if (job->state == JOB_DONE && !self->settled[row])
            check_end(self, row, tally);
        self->planned[row] |= lease_of(book, job)->planned;
        self->settled[row] = job->state == JOB_DONE || job->state == JOB_FAILED;
    }
    check_lists(self, book, live, tally);
    check_capacity(self, book);
    if (book->round_held)
        note_lease_round(self, &book->round, tally);
    tally->rounds++;
}

void lease_watch_run(const struct random_leases *random, lease_watcher *watcher,
                     const void *context, struct lease_tally *tally)
{
    struct watch watch = {.random = random,
                          .watcher = watcher,
                          .context = context,
                          .walk = lease_walk_new(&random->setting)};
    bool more = true;

    while (more) {
        more = walk_round(watch.walk);
        check_round(&watch, tally);
    }
    for (size_t row = 0; row < random->setting.job_count; row++)
        require(&watch, NULL, watch.settled[row], "every job ends");
    walk_destroy(&watch.walk);
    tally->runs++;
}

void lease_tally_print(const struct lease_tally *tally, const char *what)
{
    printf("%s: %ld runs of %ld rounds, %ld promises kept, %ld withdrawn, %ld jobs late without "
           "one; leases by plan %ld (%ld instead of a solver), closed form %ld, compacted model "
           "%ld, full model %ld\n",
           what, tally->runs, tally->rounds, tally->kept, tally->withdrawn, tally->late,
           tally->by_method[LEASE_BY_PLAN], tally->fallbacks,
           tally->by_method[LEASE_BY_CLOSED_FORM], tally->by_method[LEASE_BY_COMPACTED],
           tally->by_method[LEASE_BY_FULL]);
}
