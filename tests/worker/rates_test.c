/* rates_test.c - speeds that the master does not know come from the tables. */
#include "worker/rates.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <string.h>

static void rates_are_looked_up_in_the_table(void **state)
{
    folder_t *folder = folder_new();
    struct error error;
    rates_t *rates;

    (void)state;
    (void)folder_write(folder, "X1.csv",
                       "model,global_batch_size,gpus,iterations_per_s\nm,8,1,1.5\nm,8,2,0\n");
    rates = rates_new(folder_path(folder), "X1");
    assert_true(rates_find(rates, "m", 8, 1, &error) == 1.5);
    assert_true(rates_find(rates, "m", 8, 2, &error) < 0); /* it cannot run on two */
    assert_non_null(strstr(error.text, "X1.csv: no rate of m with 8 samples on 2 GPUs"));
    assert_true(rates_find(rates, "m", 16, 1, &error) < 0);
    assert_true(rates_find(rates, "n", 8, 1, &error) < 0);
    assert_int_equal(rates_check(folder_path(folder), "X1", &error), 0);
    rates_destroy(&rates);
    folder_destroy(&folder);
}

static void a_table_that_is_missing_is_named(void **state)
{
    folder_t *folder = folder_new();
    rates_t *rates = rates_new(folder_path(folder), "X2");
    struct error error;

    (void)state;
    assert_true(rates_find(rates, "m", 8, 1, &error) < 0);
    assert_non_null(strstr(error.text, "X2"));
    assert_int_equal(rates_check(folder_path(folder), "X2", &error), -1);
    assert_non_null(strstr(error.text, "X2"));
    rates_destroy(&rates);
    folder_destroy(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_looked_up_in_the_table),
        cmocka_unit_test(a_table_that_is_missing_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
