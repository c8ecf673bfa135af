/* generator_test.c - what the generator of traces promises: the same jobs for the same seed, one
 * stream for each purpose, the distributions that were asked for, and no job that cannot run. */
#include "tools/trace_tools/generator.h"

#include "common/memory.h"
#include "tests/support/test.h"
#include "tools/trace_tools/gpu_mix.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE 100000

/* `slow` runs on 1 to 4 GPUs, `wide` on 4 and 8 alone; `broken` cannot run on 8. */
static const char table_text[] = "model,global_batch_size,gpus,iterations_per_s\n"
                                 "slow,64,1,0.001\n"
                                 "slow,64,2,0.002\n"
                                 "slow,64,4,0.003\n"
                                 "slow,128,1,1.5\n"
                                 "slow,128,2,2.5\n"
                                 "slow,128,4,\n"
                                 "wide,256,4,10\n"
                                 "wide,256,8,20\n"
                                 "broken,64,1,5\n"
                                 "broken,64,8,0\n";

static const struct generator_setting plain = {
    .seed = 7,
    .start_s = 1000,
    .arrival_interval_s = 60,
    .duration_s = {100, 10000},
    .tightness = {0.5, 1.5},
    .gpus_mix = "1:50,2:30,4:15,8:5",
    .best_effort_share = 0.25,
};

static int make_table(void **state)
{
    char folder[] = "/tmp/rubato-generator-XXXXXX";
    char path[64];
    struct error error;
    FILE *out;

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/X.csv", folder);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(table_text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    *state = throughput_read(folder, "X", &error);
    (void)unlink(path);
    (void)rmdir(folder);
    return *state ? 0 : -1;
}

static int drop_table(void **state)
{
    throughput_table_t *table = *state;

    throughput_destroy(&table);
    return 0;
}

/* `count` jobs of `setting`; the caller frees them. */
static struct generated_job *draw(void **state, const struct generator_setting *setting,
                                  size_t count)
{
    struct generated_job *jobs = xcalloc(count, sizeof(*jobs));
    struct error error = {.text = ""};
    generator_t *generator = generator_new(setting, *state, &error);

    assert_string_equal(error.text, "");
    assert_non_null(generator);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(generator_next(generator, &jobs[i], &error), 0);
    generator_destroy(&generator);
    return jobs;
}

static bool same_job(const struct generated_job *a, const struct generated_job *b)
{
    return a->number == b->number && a->submit_s == b->submit_s && a->deadline_s == b->deadline_s &&
           a->iterations == b->iterations && a->duration_s == b->duration_s && a->row == b->row &&
           a->gpus == b->gpus && a->best_effort == b->best_effort;
}

static size_t count_same(const struct generated_job a[], const struct generated_job b[],
                         size_t count)
{
    size_t same = 0;

    for (size_t i = 0; i < count; i++)
        same += same_job(&a[i], &b[i]);
    return same;
}

enum {
    ARRIVAL = 1 << 0,
    DURATION = 1 << 1,
    TIGHTNESS = 1 << 2,
    GPUS = 1 << 3,
    MODEL = 1 << 4,
    BEST_EFFORT = 1 << 5,
};

/* Which of its random properties differ in any of the jobs. The deadline is not drawn for itself:
 * how far off it is in durations tells the tightness, up to the rounding to seconds. */
static int differences(const struct generated_job a[], const struct generated_job b[], size_t count)
{
    int changed = 0;

    for (size_t i = 0; i < count; i++) {
        const double duration_a = (double)a[i].duration_s;
        const double duration_b = (double)b[i].duration_s;
        const double tightness_a = (double)(a[i].deadline_s - a[i].submit_s) / duration_a;
        const double tightness_b = (double)(b[i].deadline_s - b[i].submit_s) / duration_b;

        changed |= a[i].submit_s != b[i].submit_s ? ARRIVAL : 0;
        changed |= a[i].duration_s != b[i].duration_s ? DURATION : 0;
        changed |= fabs(tightness_a - tightness_b) > 0.5 / duration_a + 0.5 / duration_b + 1e-9
                       ? TIGHTNESS
                       : 0;
        changed |= a[i].gpus != b[i].gpus ? GPUS : 0;
        changed |= a[i].row != b[i].row ? MODEL : 0;
        changed |= a[i].best_effort != b[i].best_effort ? BEST_EFFORT : 0;
    }
    return changed;
}

TEST(the_same_seed_gives_the_same_jobs_and_another_seed_others)
{
    struct generator_setting other = plain;
    struct generated_job *first = draw(test_state, &plain, 200);
    struct generated_job *again = draw(test_state, &plain, 200);
    struct generated_job *changed;

    other.seed = 8;
    changed = draw(test_state, &other, 200);
    assert_int_equal(count_same(first, again, 200), 200);
    assert_int_equal(count_same(first, changed, 200), 0);
    assert_int_equal(differences(first, changed, 200),
                     ARRIVAL | DURATION | TIGHTNESS | GPUS | MODEL | BEST_EFFORT);
    free(first);
    free(again);
    free(changed);
}

TEST(more_jobs_begin_with_the_same_jobs)
{
    struct generated_job *few = draw(test_state, &plain, 50);
    struct generated_job *many = draw(test_state, &plain, 500);

    assert_int_equal(count_same(few, many, 50), 50);
    free(few);
    free(many);
}

TEST(a_parameter_changes_what_is_drawn_from_it_and_nothing_else)
{
    struct generator_setting settings[6] = {plain, plain, plain, plain, plain, plain};
    /* A model must run on the GPUs asked for, so other GPUs may mean another model. */
    static const int expected[6] = {ARRIVAL, DURATION, TIGHTNESS, GPUS | MODEL, MODEL, BEST_EFFORT};
    struct generated_job *base = draw(test_state, &plain, 500);

    settings[0].arrival_interval_s = 61;
    settings[1].duration_s.high = 20000;
    settings[2].tightness.low = 0.1;
    settings[3].gpus_mix = "1:10,2:10,4:10,8:10";
    settings[4].models = "broken,slow,wide";
    settings[5].best_effort_share = 0.5;
    for (size_t i = 0; i < 6; i++) {
        struct generated_job *jobs = draw(test_state, &settings[i], 500);

        assert_int_equal(differences(base, jobs, 500), expected[i]);
        free(jobs);
    }
    free(base);
}

/* Whether `value` is the expected mean within four standard errors over the sample. The seed is
 * fixed, and the answer with it. */
static void assert_mean(double value, double expected, double deviation)
{
    const double tolerance = 4 * deviation / sqrt(SAMPLE);

    if (fabs(value - expected) > tolerance)
        fail_msg("%g is not %g +- %g", value, expected, tolerance);
}

TEST(gaps_between_arrivals_are_exponential)
{
    struct generated_job *jobs = draw(test_state, &plain, SAMPLE);
    double gaps = (double)(jobs[SAMPLE - 1].submit_s - plain.start_s);
    double long_gaps = 0;

    for (size_t i = 1; i < SAMPLE; i++) {
        assert_true(jobs[i].submit_s >= jobs[i - 1].submit_s);
        long_gaps += jobs[i].submit_s - jobs[i - 1].submit_s > 120;
    }
    assert_mean(gaps / SAMPLE, 60, 60);
    assert_mean(long_gaps / SAMPLE, exp(-2.0),
                0.35); /* two means or more; rounded by half a second */
    free(jobs);
}

TEST(durations_are_log_uniform_and_tightness_is_uniform)
{
    struct generated_job *jobs = draw(test_state, &plain, SAMPLE);
    double log_sum = 0;
    double short_jobs = 0;
    double tightness_sum = 0;

    for (size_t i = 0; i < SAMPLE; i++) {
        const double tightness =
            (double)(jobs[i].deadline_s - jobs[i].submit_s) / (double)jobs[i].duration_s;

        assert_in_range(jobs[i].duration_s, 100, 10000);
        assert_true(tightness >= 0.494 && tightness <= 1.506); /* rounded, of 100 s at least */
        log_sum += log10((double)jobs[i].duration_s);
        short_jobs += jobs[i].duration_s < 1000;
        tightness_sum += tightness;
    }
    assert_mean(log_sum / SAMPLE, 3, 0.58);
    assert_mean(short_jobs / SAMPLE, 0.5, 0.5);
    assert_mean(tightness_sum / SAMPLE, 1, 0.29);
    free(jobs);
}

TEST(gpu_counts_and_best_effort_have_the_shares_asked_for)
{
    static const int gpus[4] = {1, 2, 4, 8};
    static const double shares[4] = {0.5, 0.3, 0.15, 0.05};
    struct generated_job *jobs = draw(test_state, &plain, SAMPLE);
    double found[4] = {0, 0, 0, 0};
    double best_effort = 0;

    for (size_t i = 0; i < SAMPLE; i++) {
        best_effort += jobs[i].best_effort;
        for (size_t k = 0; k < 4; k++)
            found[k] += jobs[i].gpus == gpus[k];
    }
    for (size_t k = 0; k < 4; k++)
        assert_mean(found[k] / SAMPLE, shares[k], sqrt(shares[k] * (1 - shares[k])));
    assert_mean(best_effort / SAMPLE, 0.25, 0.44);
    free(jobs);
}

/* What is drawn for a job, as numbers; the same index is the same purpose. */
enum { DRAWN_GAP, DRAWN_DURATION, DRAWN_TIGHTNESS, DRAWN_BEST_EFFORT, DRAWN_ROW, DRAWN_COUNT };

static void numbers_of(const struct generated_job *jobs, size_t i, double drawn[DRAWN_COUNT])
{
    const int64_t before_s = i > 0 ? jobs[i - 1].submit_s : plain.start_s;

    drawn[DRAWN_GAP] = (double)(jobs[i].submit_s - before_s);
    drawn[DRAWN_DURATION] = log((double)jobs[i].duration_s);
    drawn[DRAWN_TIGHTNESS] =
        (double)(jobs[i].deadline_s - jobs[i].submit_s) / (double)jobs[i].duration_s;
    drawn[DRAWN_BEST_EFFORT] = jobs[i].best_effort;
    drawn[DRAWN_ROW] = jobs[i].gpus + 0.1 * jobs[i].row->batch_size / 128;
}

static void assert_uncorrelated(const struct generated_job *jobs, int a, int b)
{
    double sums[5] = {0, 0, 0, 0, 0};
    double correlation;

    for (size_t i = 0; i < SAMPLE; i++) {
        double drawn[DRAWN_COUNT];

        numbers_of(jobs, i, drawn);
        sums[0] += drawn[a] / SAMPLE;
        sums[1] += drawn[b] / SAMPLE;
        sums[2] += drawn[a] * drawn[a] / SAMPLE;
        sums[3] += drawn[b] * drawn[b] / SAMPLE;
        sums[4] += drawn[a] * drawn[b] / SAMPLE;
    }
    correlation = (sums[4] - sums[0] * sums[1]) /
                  sqrt((sums[2] - sums[0] * sums[0]) * (sums[3] - sums[1] * sums[1]));
    if (!(fabs(correlation) < 4 / sqrt(SAMPLE)))
        fail_msg("%d and %d are correlated: %g", a, b, correlation);
}

TEST(what_is_drawn_for_one_purpose_tells_nothing_about_another)
{
    struct generator_setting setting = plain;
    struct generated_job *jobs;
    double both = 0;

    setting.gpus_mix = "1:1,2:1";
    setting.models = "slow";
    jobs = draw(test_state, &setting, SAMPLE);
    for (int a = 0; a < DRAWN_COUNT; a++)
        for (int b = a + 1; b < DRAWN_COUNT; b++)
            assert_uncorrelated(jobs, a, b);
    for (size_t i = 0; i < SAMPLE; i++)
        both += jobs[i].gpus == 2 && jobs[i].row->batch_size == 128;
    assert_mean(both / SAMPLE, 0.25, 0.44);
    free(jobs);
}

static double rate_of(const struct generated_job *job)
{
    for (int level = 0; level < job->row->level_count; level++)
        if (job->row->gpus[level] == job->gpus)
            return job->row->iters_per_s[level];
    return 0;
}

TEST(every_job_has_a_rate_on_its_gpus_and_the_iterations_of_its_duration)
{
    struct generator_setting setting = plain;
    size_t single = 0;
    struct generated_job *jobs;

    setting.models = "slow,wide,broken";
    jobs = draw(test_state, &setting, 5000);
    for (size_t i = 0; i < 5000; i++) {
        const double iterations = rate_of(&jobs[i]) * (double)jobs[i].duration_s;

        assert_true(rate_of(&jobs[i]) > 0);
        assert_true(jobs[i].iterations >= 1);
        assert_true(fabs((double)jobs[i].iterations - iterations) <= 0.5 ||
                    jobs[i].iterations == 1);
        single += iterations < 0.5;
    }
    assert_true(single > 0); /* the slow model on few GPUs does not finish one */
    free(jobs);
}

TEST(each_model_is_as_likely_as_the_others_that_run_on_the_gpus)
{
    struct generator_setting setting = plain;
    double slow = 0;
    double small_batch = 0;
    struct generated_job *jobs;

    setting.gpus_mix = "4:1";
    jobs = draw(test_state, &setting, SAMPLE);
    for (size_t i = 0; i < SAMPLE; i++)
        slow += !strcmp(jobs[i].row->model, "slow");
    free(jobs);
    assert_mean(slow / SAMPLE, 0.5, 0.5);

    setting.gpus_mix = "2:1";
    jobs = draw(test_state, &setting, SAMPLE);
    for (size_t i = 0; i < SAMPLE; i++)
        small_batch += jobs[i].row->batch_size == 64;
    free(jobs);
    assert_mean(small_batch / SAMPLE, 0.5, 0.5);
}

TEST(a_model_that_cannot_run_somewhere_is_drawn_only_by_name)
{
    struct generator_setting setting = plain;
    size_t broken = 0;
    struct generated_job *jobs = draw(test_state, &setting, 2000);

    for (size_t i = 0; i < 2000; i++)
        broken += !strcmp(jobs[i].row->model, "broken");
    free(jobs);
    assert_int_equal(broken, 0);

    setting.models = "broken";
    setting.gpus_mix = "1:1";
    jobs = draw(test_state, &setting, 10);
    assert_string_equal(jobs[9].row->model, "broken");
    free(jobs);
}

TEST(a_range_of_one_value_gives_that_value)
{
    struct generator_setting setting = plain;
    struct generated_job *jobs;

    setting.duration_s = (struct option_range){1000, 1000};
    setting.tightness = (struct option_range){2, 2};
    setting.arrival_interval_s = 0;
    jobs = draw(test_state, &setting, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(jobs[i].submit_s, 1000);
        assert_int_equal(jobs[i].duration_s, 1000);
        assert_int_equal(jobs[i].deadline_s, 3000);
    }
    free(jobs);
}

static void assert_refused(void **state, const struct generator_setting *setting, const char *word)
{
    struct error error = {.text = ""};
    generator_t *generator = generator_new(setting, *state, &error);

    assert_null(generator);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}

TEST(a_mix_that_is_none_is_refused)
{
    static const char *const mixes[] = {"",      "1",     ":",       "1:",      "1:0",
                                        "0:1",   "1:1,",  ",1:1",    "1:1,1:2", "1:-1",
                                        "1:nan", "one:1", "1:1;2:1", "65537:1"};
    struct generator_setting setting = plain;

    for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
        setting.gpus_mix = mixes[i];
        assert_refused(test_state, &setting, "--gpus-mix");
    }
    setting.gpus_mix = "1:1,3:1";
    assert_refused(test_state, &setting, "3 GPUs");
}

TEST(models_that_do_not_exist_or_repeat_are_refused)
{
    static const char *const lists[] = {"fast", "slow,", ",slow", "slow,fast", "slow,slow", "slo"};
    struct generator_setting setting = plain;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        setting.models = lists[i];
        assert_refused(test_state, &setting, "--models");
    }
    setting.models = "slow";
    assert_refused(test_state, &setting, "8 GPUs"); /* the mix asks for more than it runs on */
}

TEST(a_job_beyond_what_a_trace_may_hold_is_refused)
{
    struct generator_setting setting = plain;
    struct generated_job job;
    struct error error = {.text = ""};
    generator_t *generator;

    setting.duration_s = (struct option_range){1e9, 1e9};
    setting.tightness = (struct option_range){1001, 1001};
    generator = generator_new(&setting, *test_state, &error);
    assert_non_null(generator);
    assert_int_equal(generator_next(generator, &job, &error), -1);
    assert_non_null(strstr(error.text, "deadline"));
    generator_destroy(&generator);
}

TEST(a_mix_is_picked_by_weight_from_end_to_end)
{
    struct gpu_mix mix;
    struct error error;

    assert_int_equal(gpu_mix_parse("1:3,8:1", &mix, &error), 0);
    assert_int_equal(mix.gpus[gpu_mix_pick(&mix, 0)], 1);
    assert_int_equal(mix.gpus[gpu_mix_pick(&mix, 0.7499)], 1);
    assert_int_equal(mix.gpus[gpu_mix_pick(&mix, 0.75)], 8);
    assert_int_equal(mix.gpus[gpu_mix_pick(&mix, 1 - 0x1p-53)], 8);
}

int main(void)
{
    return tests_run(make_table, drop_table);
}
