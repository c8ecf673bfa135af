/* shipped_tables_test.c - the clusters that are shipped are the artifact's and a mixed one, and the
 * throughput tables hold the figures of the public ones, cell by cell. */
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/throughput.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct size {
    const char *name;
    int switches;
    int nodes_per_switch;
    int gpus_per_node;
};

static const struct size sizes[] = {
    {"n1g1", 1, 1, 1},   {"n1g2", 1, 2, 1},     {"n1g4", 1, 1, 4},    {"n1g8", 1, 1, 8},
    {"n2g2", 1, 2, 2},   {"n4g8", 1, 4, 8},     {"n8g8", 1, 8, 8},    {"n16g4", 1, 16, 4},
    {"n16g8", 1, 16, 8}, {"n32g4", 1, 32, 4},   {"n32g8", 1, 32, 8},  {"n48g8", 1, 48, 8},
    {"n64g8", 2, 32, 8}, {"n128g8", 1, 128, 8}, {"n160g8", 5, 32, 8}, {"n256g8", 8, 32, 8},
};

#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void every_cluster_of_the_artifact_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        struct cluster_spec spec;
        struct error error;
        char path[64];

        (void)snprintf(path, sizeof(path), "cluster_specs/%s.csv", sizes[i].name);
        if (cluster_spec_read(path, &spec, &error) < 0)
            fail_msg("%s", error.text);
        assert_int_equal(spec.pools[0].switches, sizes[i].switches);
        assert_int_equal(spec.pools[0].nodes_per_switch, sizes[i].nodes_per_switch);
        assert_int_equal(spec.pools[0].gpus_per_node, sizes[i].gpus_per_node);
    }
}

static void a_mixed_cluster_is_there(void **state)
{
    struct cluster_spec spec;
    struct error error;

    (void)state;
    if (cluster_spec_read("cluster_specs/mixed.csv", &spec, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(spec.pool_count, 2);
    assert_string_equal(spec.pools[0].gpu_type, "A100");
    assert_int_equal(pool_spec_gpus(&spec.pools[0]), 64);
    assert_string_equal(spec.pools[1].gpu_type, "T4");
    assert_int_equal(pool_spec_gpus(&spec.pools[1]), 32);
}

static void no_other_cluster_is_there(void **state)
{
    DIR *folder = opendir("cluster_specs");
    size_t files = 0;

    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        files += strstr(entry->d_name, ".csv") != NULL;
    (void)closedir(folder);
    assert_int_equal(files, SIZE_COUNT + 1);
}

static bool same_rate(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static size_t compare_rows(const struct throughput_row *ours, const struct throughput_row *theirs)
{
    assert_int_equal(ours->level_count, theirs->level_count);
    for (int level = 0; level < ours->level_count; level++) {
        assert_int_equal(ours->gpus[level], theirs->gpus[level]);
        if (!same_rate(ours->iters_per_s[level], theirs->iters_per_s[level]))
            fail_msg("%s %d on %d GPUs: %.17g, not %.17g", ours->model, ours->batch_size,
                     ours->gpus[level], ours->iters_per_s[level], theirs->iters_per_s[level]);
    }
    return (size_t)ours->level_count;
}

static void compare_tables(const char *gpu_type, size_t cells_expected)
{
    const char *shared = getenv("RUBATO_SHARED");
    char folder[4096];
    struct error error;
    throughput_table_t *ours = throughput_read("throughputs", gpu_type, &error);
    throughput_table_t *theirs;
    size_t cells = 0;

    assert_non_null(ours);
    (void)snprintf(folder, sizeof(folder), "%s/throughputs", shared ? shared : "../shared");
    theirs = throughput_read(folder, gpu_type, &error);
    if (!theirs)
        fail_msg("%s", error.text);
    assert_int_equal(throughput_count(ours), throughput_count(theirs));
    for (size_t i = 0; i < throughput_count(theirs); i++) {
        const struct throughput_row *row = throughput_row_at(theirs, i);
        const struct throughput_row *found = throughput_find(ours, row->model, row->batch_size);

        assert_non_null(found);
        cells += compare_rows(found, row);
    }
    assert_int_equal(cells, cells_expected);
    throughput_destroy(&ours);
    throughput_destroy(&theirs);
}

static void the_a100_table_is_the_public_one(void **state)
{
    (void)state;
    compare_tables("A100", 119);
}

static void the_t4_table_is_the_public_one(void **state)
{
    (void)state;
    compare_tables("T4", 63);
}

static bool have_shared_tables(void)
{
    const char *shared = getenv("RUBATO_SHARED");
    char folder[4096];

    (void)snprintf(folder, sizeof(folder), "%s/throughputs", shared ? shared : "../shared");
    return access(folder, R_OK) == 0;
}

int main(void)
{
    const struct CMUnitTest clusters[] = {
        cmocka_unit_test(every_cluster_of_the_artifact_is_there),
        cmocka_unit_test(a_mixed_cluster_is_there),
        cmocka_unit_test(no_other_cluster_is_there),
    };
    const struct CMUnitTest tables[] = {
        cmocka_unit_test(the_a100_table_is_the_public_one),
        cmocka_unit_test(the_t4_table_is_the_public_one),
    };
    const int failed = cmocka_run_group_tests(clusters, NULL, NULL);

    if (failed > 0)
        return failed;
    if (!have_shared_tables()) {
        print_message("no public throughput tables\n");
        return 77;
    }
    return cmocka_run_group_tests(tables, NULL, NULL);
}
