/* paired_test.c - paired tests: p values as books have them, by hand, and by trying all signs. */
#include "tests/support/seed.h"
#include "tests/support/test.h"
#include "tools/statistics/paired.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void check_near(double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error))
        fail_msg("%.17g is not within %g of %.17g", found, error, expected);
}

/* Student's own ten patients (1908): hours of sleep gained by one drug less those by the other.
 * R has t = 4.0621, p = 0.002833 for t.test(paired = TRUE). */
TEST(the_t_test_is_students_own)
{
    const double sleep[] = {1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4};

    check_near(paired_test(sleep, 10).t_p, 0.002833, 5e-7);
}

/* Darwin's maize, which Fisher (The Design of Experiments, 1935) has as eighths of an inch: t is
 * 2.148 with 14 degrees of freedom, p 0.0497; the exact signed-rank p is 0.0413. */
TEST(darwins_maize_is_as_fisher_has_it)
{
    const double maize[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
    const struct paired found = paired_test(maize, 15);

    check_near(found.t_p, 0.0497, 5e-5);
    check_near(found.wilcoxon_p, 0.04126, 5e-6);
}

/* Published critical values (two sides, 5 %): a smaller sum of ranks of 0 for 6, 2 for 7, 8 for 10
 * differences; the sums one above are not significant. */
TEST(the_critical_values_are_those_of_the_tables)
{
    static const struct {
        size_t count;
        size_t critical;
    } rows[] = {{6, 0}, {7, 2}, {8, 3}, {9, 5}, {10, 8}};

    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t sum = rows[i].critical; sum <= rows[i].critical + 1; sum++) {
            double differences[10];
            size_t left = sum;

            for (size_t k = rows[i].count; k > 0; k--) {
                const int negative = left >= k;

                differences[k - 1] = negative ? -(double)k : (double)k;
                left -= negative ? k : 0;
            }
            assert_true(left == 0);
            if (sum == rows[i].critical)
                assert_true(paired_test(differences, rows[i].count).wilcoxon_p <= 0.05);
            else
                assert_true(paired_test(differences, rows[i].count).wilcoxon_p > 0.05);
        }
}

TEST(five_seeds_give_no_less_than_a_sixteenth)
{
    const double all_above[] = {1, 2, 3, 4, 5};
    const double same[] = {3, 3, 3};
    const double none[] = {0, 0, 0};
    const double one[] = {2};

    check_near(paired_test(all_above, 5).wilcoxon_p, 0.0625, 1e-15);
    assert_true(isnan(paired_test(same, 3).t_p));
    check_near(paired_test(same, 3).wilcoxon_p, 0.25, 1e-15);
    check_near(paired_test(none, 3).t_p, 1, 0);
    check_near(paired_test(none, 3).wilcoxon_p, 1, 0);
    assert_true(isnan(paired_test(one, 1).t_p));
    check_near(paired_test(one, 1).wilcoxon_p, 1, 0);
    assert_true(isnan(paired_test(one, 0).wilcoxon_p));
}

/* Twice the mean rank of `size` among the sizes. */
static int rank_of(const double sizes[], int count, double size)
{
    int below = 0;
    int equal = 0;

    for (int i = 0; i < count; i++) {
        below += sizes[i] < size;
        equal += sizes[i] == size;
    }
    return 2 * below + equal + 1;
}

/* By trying all signs of up to ten differences with ties and zeros. */
TEST(the_signed_rank_test_is_that_of_all_signs)
{
    uint64_t seed = test_seed();

    for (int round = 0; round < test_times(300); round++) {
        double differences[10];
        double sizes[10];
        int count;
        int kept = 0;
        int found = 0;
        int sum = 0;
        int beyond = 0;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        count = 1 + (int)(seed >> 33) % 10;
        for (int i = 0; i < count; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            differences[i] = (double)((int)(seed >> 33) % 9) - 4;
            if (differences[i] != 0)
                sizes[kept++] = fabs(differences[i]);
        }
        for (int i = 0; i < count; i++)
            if (differences[i] != 0) {
                sum += rank_of(sizes, kept, fabs(differences[i]));
                found += differences[i] > 0 ? rank_of(sizes, kept, differences[i]) : 0;
            }
        for (int signs = 0; signs < 1 << kept; signs++) {
            int tried = 0;

            for (int i = 0; i < kept; i++)
                tried += signs >> i & 1 ? rank_of(sizes, kept, sizes[i]) : 0;
            beyond += abs(2 * tried - sum) >= abs(2 * found - sum);
        }
        check_near(paired_test(differences, (size_t)count).wilcoxon_p,
                   (double)beyond / (double)(1 << kept), 1e-12);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
