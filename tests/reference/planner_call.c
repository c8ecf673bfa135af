/* planner_call.c - see planner_call.h. */
#include "tests/reference/planner_call.h"

#include "common/memory.h"
#include "scheduler/reference/deadline_planner.h"
#include "scheduler/reference/edf_planner.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t planner_steps(const char *text, struct oracle_step steps[CALL_STEPS_MAX])
{
    size_t count = 0;

    while (*text != '\0') {
        char *end;

        assert_true(count < CALL_STEPS_MAX);
        steps[count].time_s = strtod(text, &end);
        steps[count++].gpus = (int)strtol(end + 1, &end, 10);
        text = end + strspn(end, ", ");
    }
    return count;
}

static FILE *answer_open(char answer[ANSWER_CHARS])
{
    FILE *out = fmemopen(answer, ANSWER_CHARS, "w");

    assert_non_null(out);
    return out;
}

static void print_step(FILE *out, bool first, double at_s, int gpus)
{
    (void)fprintf(out, "%s%.17g:%d", first ? "" : ", ", at_s, gpus);
}

static void print_steps(FILE *out, const struct oracle_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_step(out, i == 0, steps[i].time_s, steps[i].gpus);
}

static void print_timeline(FILE *out, const struct timeline *timeline)
{
    for (int i = 0; i < timeline->count; i++)
        print_step(out, i == 0, timeline->entries[i].at_s, timeline->entries[i].free_gpus);
}

/* Memory of exactly the size that the headers ask for, so that a sanitizer sees what takes more. */
static struct timeline timeline_of(const struct planner_call *call, size_t room)
{
    struct timeline timeline = {xcalloc(room, sizeof(*timeline.entries)), (int)call->free_count};

    assert_true(room >= call->free_count);
    for (size_t i = 0; i < call->free_count; i++)
        timeline.entries[i] = timeline_entry(call->free[i].time_s, call->free[i].gpus);
    return timeline;
}

static int level_of(const struct scaling *scaling, int gpus)
{
    for (int level = 0; level <= scaling->top; level++)
        if (scaling->gpus[level] == gpus)
            return level;
    fail_msg("%d GPUs are no level", gpus);
    return -1;
}

static double held_gpu_seconds(const struct planner_call *call, const struct scaling *scaling)
{
    struct step steps[CALL_STEPS_MAX];
    const struct reservation held = {steps, (int)call->held_count, call->held_end_s};

    for (size_t i = 0; i < call->held_count; i++)
        steps[i] = (struct step){call->held[i].time_s, level_of(scaling, call->held[i].gpus)};
    return reservation_gpu_seconds(&held, scaling);
}

/* One call of ours. */
struct attempt {
    struct scaling scaling;
    struct planning_grid grid;
    struct deadline_demand demand;
    struct error error;
};

static void attempt_prepare(struct attempt *self, const struct planner_call *call)
{
    if (scaling_init(&self->scaling, call->row, call->gpus_max, call->gpu_count, &self->error) < 0)
        fail_msg("%s", self->error.text);
    self->grid = planning_grid(call->now_s, call->slot_s, call->gpu_count);
    if (call->rules)
        self->grid.rules = call->rules;
    self->demand = (struct deadline_demand){
        .scaling = &self->scaling, .iterations = call->iterations, .deadline_s = call->deadline_s};
    self->demand.deadline_slot_end_s = planning_slot_end(&self->grid, call->deadline_s);
}

static void print_answer(FILE *out, const struct planner_call *call, const struct attempt *attempt,
                         const struct timeline *free_before, const struct reservation *reservation,
                         const struct prospect *prospect)
{
    const struct scaling *scaling = &attempt->scaling;
    struct timeline after = timeline_of(call, (size_t)PLANNING_STEPS(free_before));

    planning_reserve(free_before, reservation, prospect, scaling, &after);
    (void)fprintf(out, "%s | ", prospect->met ? "yes" : "no");
    for (int i = 0; i < reservation->count; i++)
        print_step(out, i == 0, reservation->steps[i].at_s,
                   scaling->gpus[reservation->steps[i].level]);
    (void)fprintf(out, " | %.17g | %.17g | ", reservation->end_s, prospect->finish_s);
    print_timeline(out, &after);
    if (call->forced_gpus > 0)
        (void)fprintf(
            out, " | %.17g",
            (reservation_gpu_seconds(reservation, scaling) - held_gpu_seconds(call, scaling)) /
                (call->forced_gpus - call->held_gpus));
    free(after.entries);
}

void planner_answer(const struct planner_call *call, char answer[ANSWER_CHARS])
{
    FILE *out = answer_open(answer);
    struct timeline free_before = timeline_of(call, call->free_count);
    const size_t room = (size_t)PLANNING_STEPS(&free_before);
    struct reservation reservation = {.steps = xcalloc(room, sizeof(*reservation.steps))};
    struct prospect prospect;
    struct attempt attempt;
    int forced = 0;

    attempt_prepare(&attempt, call);
    if (call->forced_gpus > 0)
        forced = level_of(&attempt.scaling, call->forced_gpus);
    if (plan_deadline(&attempt.grid, &attempt.demand, &free_before, forced, &reservation, &prospect,
                      &attempt.error) < 0)
        (void)fputs("abort", out);
    else
        print_answer(out, call, &attempt, &free_before, &reservation, &prospect);
    free(reservation.steps);
    free(free_before.entries);
    (void)fclose(out);
}

void edf_answer(const struct planner_call *call, char answer[ANSWER_CHARS])
{
    FILE *out = answer_open(answer);
    struct timeline timeline = timeline_of(call, call->free_count + 2);
    struct edf_outcome outcome;
    struct attempt attempt;

    attempt_prepare(&attempt, call);
    if (edf_plan_job(&attempt.grid, &attempt.demand, &timeline, &outcome, &attempt.error) < 0) {
        (void)fputs("abort", out);
    } else {
        (void)fprintf(out, "%s | %d | %.17g | ", outcome.met ? "yes" : "no",
                      attempt.scaling.gpus[outcome.level], outcome.end_s);
        print_timeline(out, &timeline);
    }
    free(timeline.entries);
    (void)fclose(out);
}

/* The oracle derives the cap by itself, so that both ideas of it are compared as well. */
static struct oracle_plan_query query_of(const struct planner_call *call)
{
    return (struct oracle_plan_query){.tables = tables_for_oracle(call->tables),
                                      .gpu_type = tables_gpu_type(call->tables),
                                      .gpu_count = call->gpu_count,
                                      .slot_s = call->slot_s,
                                      .model = call->row->model,
                                      .batch_size = call->row->batch_size,
                                      .now_s = (double)call->now_s,
                                      .work_iters = call->iterations,
                                      .deadline_s = call->deadline_s,
                                      .timeline = call->free,
                                      .timeline_count = call->free_count,
                                      .forced_gpus = call->forced_gpus,
                                      .held_gpus = call->held_gpus,
                                      .held_plan = call->held,
                                      .held_plan_count = call->held_count,
                                      .held_end_s = call->held_end_s};
}

void planner_answer_of_oracle(const struct planner_call *call, char answer[ANSWER_CHARS])
{
    const struct oracle_plan_query query = query_of(call);
    FILE *out = answer_open(answer);
    struct oracle_plan_result result;

    oracle_plan(&query, &result);
    if (result.status.outcome != ORACLE_DONE) {
        (void)fputs("abort", out);
    } else {
        (void)fprintf(out, "%s | ", result.met ? "yes" : "no");
        print_steps(out, result.plan.at, result.plan.count);
        (void)fprintf(out, " | %.17g | %.17g | ", result.end_s, result.real_end_s);
        print_steps(out, result.timeline.at, result.timeline.count);
        if (call->forced_gpus > 0)
            (void)fprintf(out, " | %.17g", result.gain_s);
    }
    oracle_plan_result_clear(&result);
    (void)fclose(out);
}

void edf_answer_of_oracle(const struct planner_call *call, char answer[ANSWER_CHARS])
{
    const struct oracle_plan_query query = query_of(call);
    FILE *out = answer_open(answer);
    struct oracle_plan_result result;

    oracle_edf_plan(&query, &result);
    if (result.status.outcome != ORACLE_DONE) {
        (void)fputs("abort", out);
    } else {
        (void)fprintf(out, "%s | %d | %.17g | ", result.met ? "yes" : "no", result.plan.at[0].gpus,
                      result.end_s);
        print_steps(out, result.timeline.at, result.timeline.count);
    }
    oracle_plan_result_clear(&result);
    (void)fclose(out);
}

void planner_check(const struct planner_call *call, const char *expected)
{
    char answer[ANSWER_CHARS];

    planner_answer(call, answer);
    assert_string_equal(answer, expected);
    planner_answer_of_oracle(call, answer);
    assert_string_equal(answer, expected);
}

void edf_check(const struct planner_call *call, const char *expected)
{
    char answer[ANSWER_CHARS];

    edf_answer(call, answer);
    assert_string_equal(answer, expected);
    edf_answer_of_oracle(call, answer);
    assert_string_equal(answer, expected);
}

void planner_describe(const struct planner_call *call, char text[ANSWER_CHARS])
{
    FILE *out = answer_open(text);

    (void)fprintf(out,
                  "%s, batch size %d, on %s, at most %d of %d GPUs, slot %d s, now %lld s, %.17g "
                  "iterations by %.17g s, free ",
                  call->row->model, call->row->batch_size, tables_gpu_type(call->tables),
                  call->gpus_max, call->gpu_count, call->slot_s, (long long)call->now_s,
                  call->iterations, call->deadline_s);
    print_steps(out, call->free, call->free_count);
    if (call->forced_gpus > 0) {
        (void)fprintf(out, ", forced from %d to %d GPUs, held ", call->held_gpus,
                      call->forced_gpus);
        print_steps(out, call->held, call->held_count);
        (void)fprintf(out, " until %.17g", call->held_end_s);
    }
    (void)fclose(out);
}
