/* occurrence_log.c - see occurrence_log.h. */
#include "tests/engine/occurrence_log.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step {
    int64_t now_s;
    struct occurrence *occurrences;
    size_t count;
    char *decided; /* NULL if the engine could not go on */
    char *live;
};

struct occurrence_log {
    struct step *steps;
    size_t count;
    size_t room;
};

occurrence_log_t *occurrence_log_new(void)
{
    return xcalloc(1, sizeof(struct occurrence_log));
}

void occurrence_log_destroy(occurrence_log_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++) {
        free((*self)->steps[i].occurrences);
        free((*self)->steps[i].decided);
        free((*self)->steps[i].live);
    }
    free((*self)->steps);
    free(*self);
    *self = NULL;
}

static uint64_t number_of(const struct job *job)
{
    return job ? job->submission->number : UINT64_MAX;
}

static void print_jobs(const struct decision *decision, FILE *out)
{
    for (size_t i = 0; i < decision->decided_count; i++) {
        const struct decided *decided = &decision->decided[i];
        const struct verdict *verdict = &decided->verdict;

        (void)fprintf(out,
                      "decided %" PRIu64 " kind %d reason %d promised %" PRId64 " earliest %" PRId64
                      "\n",
                      number_of(decided->job), verdict->kind, verdict->reason, verdict->promised_s,
                      verdict->earliest_s);
    }
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct retirement *retired = &decision->retired[i];

        (void)fprintf(out, "retired %" PRIu64 " at %" PRId64 " by %d late %d\n",
                      number_of(retired->job), retired->on_record_s, retired->done_by,
                      retired->late);
    }
}

static void print_live(const struct decision *decision, FILE *out)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];

        (void)fprintf(out,
                      "live %" PRIu64 " state %d gpus %d left %a attained %" PRId64 " end %" PRId64
                      " finish %" PRId64 " promise %d at risk %d\n",
                      number_of(job), job->state, job_gpus(job), job->iterations_left,
                      job->attained_s, job->end_s, job->finish_s, job->promise.state, job->slips);
    }
}

static void print_gpus(const struct decision *decision, FILE *out)
{
    int ranks[1024];

    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct holding *holding = &decision->holdings[i];
        int count;

        assert_true(holding->grant.gpus <= (int)COUNT(ranks));
        count = cluster_ranks(decision->cluster, holding->job, ranks);
        (void)fprintf(out,
                      "holds %" PRIu64 " gpus %d overhead %d rate %a:", number_of(holding->job),
                      holding->grant.gpus, holding->overhead_s, holding->grant.rate);
        for (int k = 0; k < count; k++)
            (void)fprintf(out, " %d", ranks[k]);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < decision->released_count; i++)
        (void)fprintf(out, "released %" PRIu64 " why %d\n", number_of(decision->released[i].job),
                      decision->released[i].why);
}

static void print_trouble(const struct decision *decision, FILE *out)
{
    for (size_t i = 0; i < decision->disturbance_count; i++) {
        const struct disturbance *trouble = &decision->disturbances[i];

        (void)fprintf(out, "trouble %d job %" PRIu64 " node %d foreseen %" PRId64 ": %s\n",
                      trouble->kind, number_of(trouble->job), trouble->node, trouble->foreseen_s,
                      trouble->cause);
    }
}

static void print_all_but_live(const struct decision *decision, FILE *out)
{
    (void)fprintf(out,
                  "now %" PRId64 " elapsed %" PRId64 " next %" PRId64 " round %" PRId64
                  " restart %d live before %zu now %zu\n",
                  decision->now_s, decision->elapsed_s, decision->next_s, decision->round,
                  decision->restart, decision->live_before, decision->live_count);
    print_jobs(decision, out);
    print_gpus(decision, out);
    print_trouble(decision, out);
}

/* The caller frees it. */
static char *text_of(const struct decision *decision,
                     void (*print)(const struct decision *decision, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    print(decision, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

void occurrence_log_hear(occurrence_log_t *self, int64_t now_s,
                         const struct occurrence occurrences[], size_t count)
{
    struct occurrence *copy = xcalloc(count, sizeof(*copy));

    if (count > 0)
        memcpy(copy, occurrences, count * sizeof(*copy));
    self->steps = grow_array(self->steps, self->count, &self->room, sizeof(*self->steps));
    self->steps[self->count++] = (struct step){now_s, copy, count, NULL, NULL};
}

void occurrence_log_decide(occurrence_log_t *self, const struct decision *decision)
{
    struct step *step = &self->steps[self->count - 1];

    step->decided = text_of(decision, print_all_but_live);
    step->live = text_of(decision, print_live);
}

static void check_text(const char *decided, const char *expected, const struct error *error)
{
    if (!decided != !expected || (decided && strcmp(decided, expected) != 0))
        fail_msg("told the same, another engine decides:\n%sinstead of:\n%s",
                 decided ? decided : error->text, expected ? expected : "nothing");
}

/* Returns whether the live jobs are listed, if the engine can go on. */
static bool check_step(const struct step *step, engine_t *engine)
{
    struct decision decision;
    struct error error;
    char *decided = NULL;
    char *live = NULL;

    if (engine_step(engine, step->now_s, step->occurrences, step->count, &decision, &error) == 0)
        decided = text_of(&decision, print_all_but_live);
    check_text(decided, step->decided, &error);
    if (decided && (decision.live || decision.live_count == 0)) {
        live = text_of(&decision, print_live);
        check_text(live, step->live, &error);
    }
    free(decided);
    free(live);
    return !decided || live;
}

size_t occurrence_log_check_some(const occurrence_log_t *self, engine_t *engine, size_t first,
                                 size_t end)
{
    size_t unlisted = 0;

    for (size_t i = first; i < end; i++)
        unlisted += !check_step(&self->steps[i], engine);
    return unlisted;
}

size_t occurrence_log_check(const occurrence_log_t *self, engine_t *engine)
{
    return occurrence_log_check_some(self, engine, 0, self->count);
}

size_t occurrence_log_steps(const occurrence_log_t *self)
{
    return self->count;
}
