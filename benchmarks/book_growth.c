/* book_growth.c - how the cost of planning a book of reservations grows with jobs x timeline
 * entries: ElasticFlow's planner alone, without engine, admission and placement.
 *
 * A book is filled for the first jobs of a trace as if all were live at one moment. Their deadlines
 * are spread over a horizon; the horizon settles how many entries the timeline gets, whatever the
 * number of jobs. */
#include "benchmarks/clock.h"
#include "benchmarks/growth_report.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/rng.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/reservation_book.h"
#include "scheduler/state/trace.h"

#include <stdio.h>
#include <stdlib.h>

#define SLOT_S ((int64_t)60)

struct config {
    const char *throughputs;
    const char *gpu_type;
    int64_t gpus;
    int64_t seconds_max;
    int64_t memory_mib_max;
};

/* Live jobs, and the scalings that the jobs share. */
struct crowd {
    struct job *records;
    const struct job **jobs; /* pointers to the jobs */
    size_t count;
    struct scaling **scalings;
    size_t scaling_count;
    size_t scaling_capacity;
};

static const struct scaling *find_scaling(struct crowd *crowd, const struct throughput_row *row,
                                          int gpus_max, int gpu_count, struct error *error)
{
    struct scaling *scaling;

    for (size_t i = 0; i < crowd->scaling_count; i++)
        if (crowd->scalings[i]->row == row && crowd->scalings[i]->gpus_max == gpus_max)
            return crowd->scalings[i];
    scaling = xmalloc(sizeof(*scaling));
    if (scaling_init(scaling, row, gpus_max, gpu_count, error) < 0) {
        free(scaling);
        return NULL;
    }
    crowd->scalings = grow_array(crowd->scalings, crowd->scaling_count, &crowd->scaling_capacity,
                                 sizeof(struct scaling *));
    crowd->scalings[crowd->scaling_count++] = scaling;
    return scaling;
}

/* Sets every job to its start: nothing is done yet, and no GPU is held. */
static int prepare(struct crowd *crowd, submissions_t *submissions, const struct config *config,
                   struct error *error)
{
    const struct policy *policy = policy_find("ef");

    crowd->count = submissions_count(submissions);
    crowd->records = xcalloc(crowd->count, sizeof(struct job));
    crowd->jobs = xcalloc(crowd->count, sizeof(struct job *));
    for (size_t i = 0; i < crowd->count; i++) {
        const struct submission *submission = submissions_at(submissions, i);
        struct job *job = &crowd->records[i];

        job->submission = submission;
        job->scaling =
            find_scaling(crowd, submission->throughput, policy->gpus_max(job, config->gpu_type),
                         (int)config->gpus, error);
        if (!job->scaling)
            return -1;
        job->state = JOB_PENDING;
        job->iterations_left = (double)submission->iterations;
        crowd->jobs[i] = job;
    }
    return 0;
}

static void crowd_free(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->scaling_count; i++)
        free(crowd->scalings[i]);
    free(crowd->scalings);
    free(crowd->jobs);
    free(crowd->records);
}

/* Draws deadlines anywhere in the next `slots` slots. */
static void spread_deadlines(submissions_t *jobs, size_t count, int64_t slots)
{
    rng_t rng = rng_new(1, "deadlines");

    for (size_t i = 0; i < count; i++)
        submissions_at(jobs, i)->deadline_s =
            1 + (int64_t)rng_below(&rng, (uint64_t)(slots * SLOT_S));
}

/* Fills one book. Returns the entries that its timeline ends with, -1 with `error`. */
static long fill(const struct view *view, plan_t *plan, double *took_s, struct error *error)
{
    struct reservation_book book;
    double started_s;

    plan_reset(plan, view);
    plan_order_by_deadline(plan, view);
    started_s = clock_cpu_s();
    book = reservation_book_new(view, plan->scratch);
    if (reservation_book_fill(&book, view, plan->order, false, error) < 0)
        return -1;
    *took_s = clock_cpu_s() - started_s;
    return book.free.count;
}

/* Fills all books of `count` jobs whose steps fit into the memory. */
static int measure_count(const struct config *config, submissions_t *jobs,
                         const struct crowd *crowd, size_t count, growth_t *growth,
                         struct error *error)
{
    const struct view view = {.now_s = 0,
                              .slot_s = SLOT_S,
                              .gpu_count = (int)config->gpus,
                              .jobs = crowd->jobs,
                              .job_count = count};
    const double room = (double)config->memory_mib_max * 1048576 / sizeof(struct step);

    for (int64_t slots = 64; slots <= 16384; slots *= 4) {
        const size_t entries_max = 2 * count < (size_t)slots * 2 ? 2 * count : (size_t)slots * 2;
        plan_t *plan = plan_new();

        if ((double)count * (double)entries_max > room) {
            plan_destroy(&plan);
            break;
        }
        spread_deadlines(jobs, count, slots);
        for (int run = 0; run < 3; run++) {
            double took_s;
            const long entries = fill(&view, plan, &took_s, error);

            if (entries < 0) {
                plan_destroy(&plan);
                return -1;
            }
            growth_add(growth, (double)count * (double)entries, took_s);
        }
        plan_destroy(&plan);
    }
    return 0;
}

static int measure(const struct config *config, const char *trace, struct error *error)
{
    throughput_table_t *table = throughput_read(config->throughputs, config->gpu_type, error);
    const struct trace_rules rules = {.throughputs = table, .unknown_model = UNKNOWN_MODEL_REFUSED};
    submissions_t *jobs = table ? trace_read(trace, &rules, error) : NULL;
    struct crowd crowd = {.records = NULL};
    growth_t *growth = growth_new();
    const double until_s = clock_now_s() + (double)config->seconds_max;
    const char *ended = "all sizes";
    int status = jobs ? prepare(&crowd, jobs, config, error) : -1;

    for (size_t count = 64; count <= crowd.count && status == 0; count *= 2) {
        if (clock_now_s() > until_s) {
            ended = "time";
            break;
        }
        status = measure_count(config, jobs, &crowd, count, growth, error);
    }
    if (status == 0)
        growth_report(growth, &(struct growth_subject){.name = "ef planner",
                                                       .size = "live jobs x entries",
                                                       .ended = ended,
                                                       .gpus = (int)config->gpus,
                                                       .samples_min = 3,
                                                       .size_min = 1024});
    growth_destroy(&growth);
    crowd_free(&crowd);
    submissions_destroy(&jobs);
    throughput_destroy(&table);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.throughputs = "throughputs",
                            .gpu_type = "A100",
                            .gpus = 128,
                            .seconds_max = 10,
                            .memory_mib_max = 1024};
    const struct option_spec options[] = {
        OPTION_WHOLE("gpus", "N", &config.gpus, 1, 1048576, "GPUs of the cluster"),
        OPTION_TEXT("throughputs", "DIR", &config.throughputs, "folder of throughput tables"),
        OPTION_TEXT("gpu-type", "TYPE", &config.gpu_type, "which throughput table to use"),
        OPTION_WHOLE("seconds", "SECONDS", &config.seconds_max, 1, 1000000,
                     "no larger book is begun after that"),
        OPTION_WHOLE("memory", "MIB", &config.memory_mib_max, 16, 1000000,
                     "what the steps of a book may take"),
        OPTION_END,
    };
    const struct command command = {
        .name = "book_growth",
        .summary = "Measure how planning grows with jobs x timeline entries",
        .operands = "TRACE",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one trace, found %zu", operands.count);
    if (status == 0)
        status = measure(&config, operands.items[0], &error);
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : 0;
}
