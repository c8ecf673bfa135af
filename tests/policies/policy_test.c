/* policy_test.c - policies are found by name, and each knows how many GPUs a job may use (section
 * 3.6 of the behavioural specification). */
#include "scheduler/policies/policy.h"
#include "scheduler/reference/reservation_book.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <string.h>

/* Of every model and batch size that was measured. */
struct cap {
    const char *gpu_type;
    const char *model;
    int batch_size;
    int ef;
    int edf;
};

static const struct cap caps[] = {
    {"A100", "bert", 64, 8, 64},
    {"A100", "bert", 128, 16, 64},
    {"A100", "deepspeech2", 32, 32, 32},
    {"A100", "deepspeech2", 64, 64, 64},
    {"A100", "gpt2", 128, 16, 64},
    {"A100", "gpt2", 256, 32, 64},
    {"A100", "inception3", 64, 16, 64},
    {"A100", "inception3", 128, 32, 64},
    {"A100", "resnet50", 64, 32, 64},
    {"A100", "resnet50", 128, 64, 64},
    {"A100", "resnet50", 256, 64, 64},
    {"A100", "resnet50_cifar10", 64, 64, 64},
    {"A100", "resnet50_cifar10", 128, 64, 64},
    {"A100", "resnet50_cifar10", 256, 64, 64},
    {"A100", "vgg16", 64, 32, 64},
    {"A100", "vgg16", 128, 64, 64},
    {"A100", "vgg16", 256, 64, 64},
    {"T4", "bert", 384, 16, 64},
    {"T4", "cifar10", 2048, 16, 64},
    {"T4", "cifar10", 4096, 16, 64},
    {"T4", "deepspeech2", 320, 32, 32},
    {"T4", "deepspeech2", 640, 64, 64},
    {"T4", "imagenet", 3200, 64, 64},
    {"T4", "imagenet", 6400, 64, 64},
    {"T4", "ncf", 32768, 1, 64},
    {"T4", "yolov3", 64, 4, 16},
};

static int cap_of(const char *policy, const char *gpu_type, const struct throughput_row *row)
{
    const struct job job = {
        .submission = &(const struct submission){
            .id = "job", .throughput = row, .model = row->model, .batch_size = row->batch_size}};

    return policy_find(policy)->gpus_max(&job, gpu_type);
}

static void check_caps(const tables_t *tables)
{
    const char *gpu_type = tables_gpu_type(tables);
    size_t checked = 0;

    for (size_t i = 0; i < COUNT(caps); i++) {
        const struct throughput_row *row;

        if (strcmp(caps[i].gpu_type, gpu_type) != 0)
            continue;
        row = tables_row(tables, caps[i].model, caps[i].batch_size);
        assert_int_equal(cap_of("ef", gpu_type, row), caps[i].ef);
        assert_int_equal(cap_of("ef-accessctrl", gpu_type, row), caps[i].ef);
        assert_int_equal(cap_of("edf", gpu_type, row), caps[i].edf);
        assert_int_equal(cap_of("edf-accessctrl", gpu_type, row), caps[i].edf);
        checked++;
    }
    assert_int_equal(checked, throughput_count(tables_for_engine(tables)));
}

TEST(every_measured_model_has_the_cap_of_the_artifact)
{
    tables_t *a100 = tables_new("A100");
    tables_t *t4 = tables_new("T4");

    check_caps(a100);
    check_caps(t4);
    tables_destroy(&a100);
    tables_destroy(&t4);
}

static int ef_cap(const char *gpu_type, const char *model, int batch_size)
{
    const struct throughput_row row = {.model = model, .batch_size = batch_size};

    return cap_of("ef", gpu_type, &row);
}

TEST(a_model_without_a_rule_may_use_its_batch_size_up_to_64)
{
    assert_int_equal(ef_cap("A100", "alexnet", 24), 24);
    assert_int_equal(ef_cap("A100", "alexnet", 256), 64);
    assert_int_equal(ef_cap("A100", "gpt2", 32), 32);
    assert_int_equal(ef_cap("A100", "inception3", 512), 64);
    assert_int_equal(ef_cap("A100", "deepspeech2", 96), 96);
    assert_int_equal(ef_cap("T4", "alexnet", 24), 64);
    assert_int_equal(ef_cap("T4", "deepspeech2", 24), 64);
}

TEST(a_gpu_type_that_is_no_t4_has_the_caps_of_an_a100)
{
    /* EF-Q5 */
    assert_int_equal(ef_cap("H100", "bert", 64), 8);
    assert_int_equal(ef_cap("H100", "ncf", 32768), 64);
}

TEST(a_cap_by_measurement_is_the_widest_rate_that_was_measured)
{
    const struct throughput_row row = {.model = "alexnet",
                                       .batch_size = 64,
                                       .level_count = 4,
                                       .gpus = {1, 2, 4, 8},
                                       .iters_per_s = {1, 2, 3, 0}};
    const struct job job = {.submission =
                                &(const struct submission){.id = "job", .throughput = &row}};

    assert_int_equal(policy_gpus_measured(&job, "A100"), 4);
}

TEST(a_cap_by_speed_is_the_smallest_size_with_the_highest_rate)
{
    const struct throughput_row row = {.model = "alexnet",
                                       .batch_size = 64,
                                       .level_count = 6,
                                       .gpus = {1, 2, 4, 8, 16, 128},
                                       .iters_per_s = {1, 3, 5, 5, 4, 9}};
    const struct job job = {.submission = &(const struct submission){
                                .id = "job", .throughput = &row, .batch_size = 64}};
    const struct job small = {.submission = &(const struct submission){
                                  .id = "small", .throughput = &row, .batch_size = 2}};

    /* EF-Q10 */
    assert_int_equal(policy_gpus_fastest(&job, "A100"), 4);
    assert_int_equal(policy_gpus_fastest(&small, "A100"), 2);
}

TEST(policies_are_found_by_their_names)
{
    const char *const *names = policy_names();
    size_t count = 0;

    for (; names[count]; count++) {
        const struct policy *policy = policy_find(names[count]);

        assert_true(!strcmp(policy->name, names[count]) || !strcmp(policy->alias, names[count]));
        assert_true(strlen(policy_find(names[count])->summary) > 0);
    }
    assert_true(count >= 4);
    assert_string_equal(policy_find("tiresias")->name, "dlas-gpu");
    assert_null(policy_find("shortest-job-first"));
}

/* A view of two jobs that fit side by side. */
TEST(a_book_says_when_a_booking_first_holds_gpus_and_when_it_changes)
{
    tables_t *a100 = tables_new("A100");
    struct scaling scaling;
    struct error error;
    const struct job urgent = {.submission =
                                   &(const struct submission){.id = "urgent", .deadline_s = 240},
                               .scaling = &scaling,
                               .iterations_left = 2400};
    const struct job idle = {.submission = &(const struct submission){.id = "idle",
                                                                      .deadline_s = DEADLINE_NONE_S,
                                                                      .best_effort = true},
                             .scaling = &scaling,
                             .iterations_left = 1000};
    const struct view view = {.slot_s = 60,
                              .gpu_count = 8,
                              .jobs = (const struct job *const[]){&idle, &urgent},
                              .job_count = 2};
    plan_t *plan = plan_new();
    struct reservation_book book;

    assert_int_equal(scaling_init(&scaling, tables_row(a100, "vgg16", 128), 64, 8, &error), 0);
    plan_reset(plan, &view);
    plan_order_by_deadline(plan, &view);
    book = reservation_book_new(&view, plan->scratch);
    assert_int_equal(reservation_book_fill(&book, &view, plan->order, false, &error), 1);
    reservation_book_share(&book, plan);
    assert_int_equal(plan->shares[1].grant.gpus, 8);
    assert_int_equal(plan->shares[1].start_s, 0);
    assert_int_equal(plan->shares[1].change_s, NEVER_S);
    assert_int_equal(plan->shares[0].grant.gpus, 0);
    assert_int_equal(plan->shares[0].start_s, 180);
    assert_int_equal(plan->shares[0].change_s, 180);
    plan_destroy(&plan);
    tables_destroy(&a100);
}

TEST(a_real_cluster_is_told_no_grants_of_a_policys_own)
{
    const struct policy own = {.name = "own", .own_grants = true};
    struct error error;

    assert_int_equal(policy_check_real(policy_find("rubato"), &error), 0);
    assert_int_equal(policy_check_real(&own, &error), -1);
    assert_non_null(strstr(error.text, "policy own gives grants of its own"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
