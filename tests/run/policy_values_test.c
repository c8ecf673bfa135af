/* policy_values_test.c - an option of a policy is declared once, and given to each policy that has
 * it. */
#include "common/option_value.h"
#include "scheduler/policies/promising.h"
#include "scheduler/run/policy_values.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec *option_of(policy_values_t *values, const char *name)
{
    const struct option_spec *option = policy_values_table(values);

    while (option->kind && strcmp(option->name, name) != 0)
        option++;
    return option->kind ? option : NULL;
}

static struct promising promising_of(const policy_values_t *values)
{
    struct promising *copy = policy_values_copy(values, policy_find("rubato"));
    const struct promising promising = *copy;

    free(copy);
    return promising;
}

TEST(names_and_help_are_spelled_as_the_program_does)
{
    policy_values_t *hyphens = policy_values_new('-');
    policy_values_t *underscores = policy_values_new('_');

    assert_non_null(option_of(hyphens, "spare-nodes"));
    assert_null(option_of(hyphens, "spare_nodes"));
    assert_non_null(option_of(underscores, "spare_nodes"));
    assert_non_null(strstr(option_of(hyphens, "node-loss")->help, "with --spare-nodes: how"));
    assert_non_null(strstr(option_of(underscores, "node_loss")->help, "with --spare_nodes: how"));
    assert_non_null(strstr(option_of(underscores, "promise_share")->help, "GPU-hours"));
    policy_values_destroy(&hyphens);
    policy_values_destroy(&underscores);
}

TEST(a_value_that_is_given_is_that_of_the_policy)
{
    policy_values_t *values = policy_values_new('_');

    assert_null(policy_values_next(values, NULL));
    assert_int_equal(promising_of(values).node_loss_s, 700);
    assert_int_equal(promising_of(NULL).node_loss_s, 700);
    policy_values_set(values, "node-loss", "5");
    policy_values_set(values, "objective", "value");
    assert_int_equal(promising_of(values).node_loss_s, 5);
    assert_int_equal(promising_of(values).objective, PROMISE_VALUE);
    assert_ptr_equal(policy_values_next(values, NULL), option_of(values, "objective"));
    assert_null(policy_values_next(values, option_of(values, "node_loss")));
    policy_values_destroy(&values);
}

TEST(an_option_is_refused_only_where_no_policy_has_it)
{
    const struct policy *const policies[] = {policy_find("fifo"), policy_find("srtf"),
                                             policy_find("rubato")};
    policy_values_t *values = policy_values_new('-');
    struct error error;

    assert_int_equal(policy_values_check(values, policies, 1, &error), 0);
    policy_values_set(values, "objective", "value");
    assert_int_equal(policy_values_check(values, policies, 3, &error), 0);
    assert_int_equal(policy_values_check(values, policies, 2, &error), -1);
    assert_string_equal(error.text, "--objective value: no policy of --policies has such an "
                                    "option, which is of rubato");
    assert_int_equal(policy_values_check(values, policies, 1, &error), -1);
    assert_string_equal(error.text,
                        "--objective value: policy fifo has no such option, which is of rubato");
    policy_values_destroy(&values);
}

TEST(options_of_leases_are_passed_over_by_other_policies)
{
    const struct policy *const fifo = policy_find("fifo");
    policy_values_t *values = policy_values_new('_');
    struct error error;

    policy_values_set(values, "lease-term-interval", "60");
    assert_int_equal(policy_values_check(values, &fifo, 1, &error), 0);
    policy_values_destroy(&values);
}

TEST(a_service_has_usual_values_of_its_own)
{
    const struct policy *const fifo = policy_find("fifo");
    policy_values_t *values = policy_values_new_of_service('_');
    struct error error;

    assert_true(promising_of(values).confidence == 95);
    assert_null(policy_values_next(values, NULL));
    assert_int_equal(policy_values_check(values, &fifo, 1, &error), 0);
    policy_values_set(values, "confidence", "0"); /* as usual everywhere else */
    assert_int_equal(policy_values_check(values, &fifo, 1, &error), 0);
    policy_values_set(values, "confidence", "50");
    assert_int_equal(policy_values_check(values, &fifo, 1, &error), -1);
    policy_values_destroy(&values);
}

TEST(the_summary_has_what_is_not_as_usual)
{
    struct promising promising = PROMISING_DEFAULT;
    json_t *object;

    assert_null(policy_values_json(&promising_options, &promising));
    promising.spare_nodes = 2;
    promising.objective = PROMISE_GPU_HOURS;
    object = policy_values_json(&promising_options, &promising);
    assert_int_equal(json_object_size(object), 2);
    assert_int_equal(json_integer_value(json_object_get(object, "spare_nodes")), 2);
    assert_string_equal(json_string_value(json_object_get(object, "objective")), "gpu-hours");
    json_decref(object);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
