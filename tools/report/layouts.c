/* layouts.c - reads from the rows of rounds.csv who sat where from when until when, which GPUs each
 * job held, and how full the cluster was. */
#include "tools/report/results.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* The GPUs of a job in the last round read. */
struct holding {
    int64_t gpus;
    uint64_t places; /* a digest of the job's runs */
    size_t round;    /* number of the round */
    size_t rank;     /* rank of the job's last GPUs, NONE if the job holds no GPU */
    bool began;
};

struct walk {
    struct results *results;
    struct holding *holdings; /* the holding of each job */
    size_t *jobs; /* jobs that held GPUs in the round before; next_jobs: in this round */
    size_t job_count;
    size_t *next_jobs;
    size_t next_count;
    size_t *seated; /* the seat that begins at each GPU, NONE for none */
    size_t *ranks;  /* the GPUs at which seats begin */
    size_t rank_count;
    size_t *next_ranks;
    size_t next_rank_count;
    size_t seat_capacity;
    size_t change_capacity;
    size_t moment_capacity;
};

/* ---- seats ---- */

static void open_seat(struct walk *self, const struct audit_run *run, int64_t at_s)
{
    struct results *results = self->results;

    results->seats = grow_array(results->seats, results->seat_count, &self->seat_capacity,
                                sizeof(*results->seats));
    self->seated[run->rank] = results->seat_count;
    results->seats[results->seat_count++] = (struct results_seat){
        .from_s = at_s, .until_s = -1, .rank = run->rank, .gpus = run->gpus, .job = run->job};
}

static bool stays(const struct walk *self, const struct audit_run *run)
{
    const size_t index = self->seated[run->rank];
    const struct results_seat *seat = index == NONE ? NULL : &self->results->seats[index];

    return seat && seat->job == run->job && seat->gpus == run->gpus;
}

/* Ends each seat of the round before that this round does not have. */
static void end_seats(struct walk *self, const struct audit_round *round)
{
    const struct audit_run *runs = &self->results->given->runs[round->first_run];

    for (size_t i = 0; i < round->run_count; i++)
        if (stays(self, &runs[i]))
            self->results->seats[self->seated[runs[i].rank]].until_s = -2;
    for (size_t i = 0; i < self->rank_count; i++) {
        struct results_seat *seat = &self->results->seats[self->seated[self->ranks[i]]];

        if (seat->until_s == -2) {
            seat->until_s = -1;
            continue;
        }
        seat->until_s = round->at_s;
        self->seated[self->ranks[i]] = NONE;
    }
}

static void swap(size_t **a, size_t **b)
{
    size_t *const kept = *a;

    *a = *b;
    *b = kept;
}

static void seat_jobs(struct walk *self, const struct audit_round *round)
{
    const struct audit_run *runs = &self->results->given->runs[round->first_run];

    end_seats(self, round);
    self->next_rank_count = 0;
    for (size_t i = 0; i < round->run_count; i++) {
        if (self->seated[runs[i].rank] == NONE)
            open_seat(self, &runs[i], round->at_s);
        self->next_ranks[self->next_rank_count++] = (size_t)runs[i].rank;
    }
    swap(&self->ranks, &self->next_ranks);
    self->rank_count = self->next_rank_count;
}

/* ---- changes of the GPUs of each job ---- */

static void note_change(struct walk *self, size_t job, int64_t at_s, int64_t gpus, int64_t rank,
                        enum audit_change_reason reason)
{
    struct results *results = self->results;

    if (results->given->has_timeline)
        return;
    results->changes = grow_array(results->changes, results->change_count, &self->change_capacity,
                                  sizeof(*results->changes));
    results->changes[results->change_count++] =
        (struct results_change){.at_s = at_s,
                                .gpus = gpus,
                                .job = job,
                                .pool = results_pool_of(results, rank),
                                .reason = reason};
}

static enum audit_change_reason why(const struct holding *before, bool held, int64_t gpus)
{
    if (!before->began)
        return AUDIT_START;
    if (!held)
        return AUDIT_RESTART;
    if (gpus > before->gpus)
        return AUDIT_GROW;
    return gpus < before->gpus ? AUDIT_SHRINK : AUDIT_MOVE;
}

/* Sums up all runs of each job in a round. */
static void sum_up(struct walk *self, const struct audit_round *round, size_t number,
                   struct holding sums[])
{
    const struct audit_run *runs = &self->results->given->runs[round->first_run];

    self->next_count = 0;
    for (size_t i = 0; i < round->run_count; i++) {
        struct holding *sum = &sums[runs[i].job];

        if (sum->round != number) {
            *sum = (struct holding){.round = number};
            self->next_jobs[self->next_count++] = runs[i].job;
        }
        sum->gpus += runs[i].gpus;
        sum->places =
            (sum->places * 1099511628211U + (uint64_t)runs[i].rank) * 31 + (uint64_t)runs[i].gpus;
        sum->rank = (size_t)runs[i].rank;
    }
}

static void compare(struct walk *self, const struct audit_round *round, size_t number,
                    const struct holding sums[])
{
    for (size_t i = 0; i < self->next_count; i++) {
        const size_t job = self->next_jobs[i];
        struct holding *before = &self->holdings[job];
        const bool held = before->rank != NONE;
        const struct holding *now = &sums[job];

        if (!held || before->gpus != now->gpus || before->places != now->places)
            note_change(self, job, round->at_s, now->gpus, (int64_t)now->rank,
                        why(before, held, now->gpus));
        *before = *now;
        before->began = true;
        before->round = number;
    }
}

static void release(struct walk *self, const struct audit_round *round, size_t number)
{
    for (size_t i = 0; i < self->job_count; i++) {
        const size_t job = self->jobs[i];
        struct holding *before = &self->holdings[job];
        const struct audit_record *record = self->results->records[job];

        if (before->round == number)
            continue;
        note_change(self, job, round->at_s, 0, (int64_t)before->rank,
                    record && record->retired_at_s <= round->at_s ? AUDIT_CHANGE_DONE
                                                                  : AUDIT_PREEMPTED);
        before->rank = NONE;
        before->gpus = 0;
    }
    swap(&self->jobs, &self->next_jobs);
    self->job_count = self->next_count;
}

static void note_moment(struct walk *self, const struct audit_round *round)
{
    struct results *results = self->results;
    struct results_moment moment = {.at_s = round->at_s,
                                    .gpus_up = results->gpus,
                                    .running = (int64_t)self->job_count,
                                    .efficiency_ppm = -1};

    if (results->given->has_timeline)
        return;
    for (size_t i = 0; i < self->job_count; i++)
        moment.gpus_used += self->holdings[self->jobs[i]].gpus;
    results->moments = grow_array(results->moments, results->moment_count, &self->moment_capacity,
                                  sizeof(*results->moments));
    results->moments[results->moment_count++] = moment;
}

/* ---- rounds ---- */

static int complain(const struct results *results, const struct audit_round *round,
                    const char *what, int64_t number, struct error *error)
{
    return results_complain(results, "rounds.csv", round->line, what, number, error);
}

/* Marks the GPUs of the run with the number of the round; no GPU may have this mark yet. */
static int check_run(const struct results *results, const struct audit_round *round,
                     const struct audit_run *run, size_t marks[], struct error *error)
{
    const size_t mark = (size_t)(round - results->given->rounds) + 1;

    if (run->job >= results->given->job_count)
        return complain(results, round, "--trace is not the trace of the run, it has no row",
                        (int64_t)run->job, error);
    if (run->gpus > results->gpus - run->rank)
        return complain(results, round, "a job holds a GPU after the last one, which is",
                        results->gpus - 1, error);
    for (int64_t rank = run->rank; rank < run->rank + run->gpus; rank++) {
        if (marks[rank] == mark)
            return complain(results, round, "two jobs hold GPU", rank, error);
        marks[rank] = mark;
    }
    return 0;
}

static int check_rounds(const struct results *results, size_t marks[], struct error *error)
{
    const struct audit_case *given = results->given;
    int64_t before_s = 0;

    for (size_t i = 0; i < given->round_count; i++) {
        const struct audit_round *round = &given->rounds[i];

        if (round->at_s < before_s)
            return complain(results, round, "the round is earlier than the one before it, at",
                            before_s, error);
        if (round->at_s > RESULTS_TIME_MAX_S)
            return complain(results, round, "the round is after the last possible time,",
                            RESULTS_TIME_MAX_S, error);
        before_s = round->at_s;
        for (size_t k = 0; k < round->run_count; k++)
            if (check_run(results, round, &given->runs[round->first_run + k], marks, error) < 0)
                return -1;
    }
    return 0;
}

static void walk_rounds(struct walk *self, struct holding sums[])
{
    const struct audit_case *given = self->results->given;

    for (size_t i = 0; i < given->round_count; i++) {
        const struct audit_round *round = &given->rounds[i];

        seat_jobs(self, round);
        sum_up(self, round, i, sums);
        compare(self, round, i, sums);
        release(self, round, i);
        note_moment(self, round);
    }
}

static void close_seats(struct results *self)
{
    const struct audit_case *given = self->given;
    const int64_t last_s = given->round_count > 0 ? given->rounds[given->round_count - 1].at_s : 0;

    if (last_s > self->end_s)
        self->end_s = last_s;
    for (size_t i = 0; i < self->seat_count; i++)
        if (self->seats[i].until_s < 0)
            self->seats[i].until_s = self->end_s;
}

/* Sorts the changes by job; the changes of one job stay in order of time. */
void results_sort_changes(struct results *self)
{
    const size_t jobs = self->given->job_count;
    size_t *places = xcalloc(jobs + 1, sizeof(*places));
    struct results_change *sorted = xcalloc(self->change_count + 1, sizeof(*sorted));

    for (size_t i = 0; i < self->change_count; i++)
        places[self->changes[i].job + 1]++;
    for (size_t i = 0; i < jobs; i++)
        places[i + 1] += places[i];
    for (size_t i = 0; i < self->change_count; i++)
        sorted[places[self->changes[i].job]++] = self->changes[i];
    free(self->changes);
    free(places);
    self->changes = sorted;
}

/* The largest number of runs in a round. */
static size_t runs_most(const struct audit_case *given)
{
    size_t most = 0;

    for (size_t i = 0; i < given->round_count; i++)
        if (given->rounds[i].run_count > most)
            most = given->rounds[i].run_count;
    return most;
}

static void walk(struct results *self)
{
    const size_t jobs = self->given->job_count;
    const size_t most = runs_most(self->given) + 1;
    struct walk walk = {.results = self,
                        .holdings = xcalloc(jobs, sizeof(*walk.holdings)),
                        .jobs = xcalloc(most, sizeof(size_t)),
                        .next_jobs = xcalloc(most, sizeof(size_t)),
                        .seated = xcalloc((size_t)self->gpus, sizeof(size_t)),
                        .ranks = xcalloc(most, sizeof(size_t)),
                        .next_ranks = xcalloc(most, sizeof(size_t))};
    struct holding *sums = xcalloc(jobs, sizeof(*sums));

    for (size_t i = 0; i < jobs; i++) {
        walk.holdings[i].rank = NONE;
        sums[i].round = NONE;
    }
    for (int64_t rank = 0; rank < self->gpus; rank++)
        walk.seated[rank] = NONE;
    walk_rounds(&walk, sums);
    free(walk.holdings);
    free(walk.jobs);
    free(walk.next_jobs);
    free(walk.seated);
    free(walk.ranks);
    free(walk.next_ranks);
    free(sums);
}

int results_read_layouts(struct results *self, struct error *error)
{
    size_t *marks = xcalloc((size_t)self->gpus, sizeof(*marks));
    const int checked = check_rounds(self, marks, error);

    free(marks);
    if (checked < 0)
        return -1;
    walk(self);
    close_seats(self);
    if (!self->given->has_timeline)
        results_sort_changes(self);
    return 0;
}
