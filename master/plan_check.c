/* plan_check.c - see plan_check.h. */
#include "master/plan_check.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct plan_check {
    uint64_t *taken; /* by rank: the check that last saw the rank */
    size_t taken_capacity;
    uint64_t checks;
};

plan_check_t *plan_check_new(void)
{
    return xcalloc(1, sizeof(plan_check_t));
}

void plan_check_destroy(plan_check_t **self)
{
    if (!*self)
        return;
    free((*self)->taken);
    free(*self);
    *self = NULL;
}

static void make_room_for(plan_check_t *self, size_t rank)
{
    while (rank >= self->taken_capacity) {
        const size_t before = self->taken_capacity;

        self->taken = grow_array(self->taken, before, &self->taken_capacity, sizeof(uint64_t));
        memset(self->taken + before, 0, (self->taken_capacity - before) * sizeof(*self->taken));
    }
}

static int check_job(plan_check_t *self, const struct msg_planned_job *job, struct error *error)
{
    for (size_t i = 0; i < job->rank_count; i++) {
        const int32_t rank = job->ranks[i];

        if (rank < 0 || rank >= RANKS_MAX || (i > 0 && rank <= job->ranks[i - 1]))
            return error_set(error, "plan: the GPUs of job %s do not rise",
                             job_number_name(job->job).text);
        make_room_for(self, (size_t)rank);
        if (self->taken[rank] == self->checks)
            return error_set(error, "plan: GPU %" PRId32 " is given to job %s and to another one",
                             rank, job_number_name(job->job).text);
        self->taken[rank] = self->checks;
    }
    if (job->rank_count == 0)
        return error_set(error, "plan: job %s has no GPU", job_number_name(job->job).text);
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Checks that no job is listed twice, to run or to stop. */
static int check_once(const struct msg_plan *plan, struct error *error)
{
    const size_t count = plan->job_count + plan->stop_count;
    uint64_t *numbers = xcalloc(count, sizeof(*numbers));
    int status = 0;

    for (size_t i = 0; i < plan->job_count; i++)
        numbers[i] = plan->jobs[i].job;
    for (size_t i = 0; i < plan->stop_count; i++)
        numbers[plan->job_count + i] = plan->stops[i].job;
    qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (size_t i = 1; i < count && status == 0; i++)
        if (numbers[i] == numbers[i - 1])
            status =
                error_set(error, "plan: job %s is listed twice", job_number_name(numbers[i]).text);
    free(numbers);
    return status;
}

int plan_check(plan_check_t *self, const struct msg_plan *plan, struct error *error)
{
    if (plan->round == 0)
        return error_set(error, "plan: rounds are counted from 1");
    if (check_once(plan, error) < 0)
        return -1;
    self->checks++;
    for (size_t i = 0; i < plan->job_count; i++)
        if (check_job(self, &plan->jobs[i], error) < 0)
            return -1;
    return 0;
}
