/* rates_test.c - speeds that the master does not know come from the tables. */
#include "worker/rates.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <string.h>

TEST(rates_are_looked_up_in_the_table)
{
    folder_t *folder = folder_new();
    struct error error;
    rates_t *rates;

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

TEST(a_table_that_is_missing_is_named)
{
    folder_t *folder = folder_new();
    rates_t *rates = rates_new(folder_path(folder), "X2");
    struct error error;

    assert_true(rates_find(rates, "m", 8, 1, &error) < 0);
    assert_non_null(strstr(error.text, "X2"));
    assert_int_equal(rates_check(folder_path(folder), "X2", &error), -1);
    assert_non_null(strstr(error.text, "X2"));
    rates_destroy(&rates);
    folder_destroy(&folder);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
