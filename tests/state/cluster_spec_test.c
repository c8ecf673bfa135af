/* cluster_spec_test.c - the file that says how large a cluster is. */
#include "scheduler/state/cluster_spec.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static folder_t *folder;
static struct cluster_spec spec;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

#define HEADER "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"

static int read_text(const char *text)
{
    return cluster_spec_read(folder_write(folder, "cluster.csv", text), &spec, &error);
}

static void check_refused(const char *text, const char *what)
{
    assert_int_equal(read_text(text), -1);
    if (!strstr(error.text, "cluster.csv:") || !strstr(error.text, what))
        fail_msg("expected \"%s\", found \"%s\"", what, error.text);
}

static void check_pool(int pool, int switches, int nodes_per_switch, int gpus_per_node)
{
    assert_int_equal(spec.pools[pool].switches, switches);
    assert_int_equal(spec.pools[pool].nodes_per_switch, nodes_per_switch);
    assert_int_equal(spec.pools[pool].gpus_per_node, gpus_per_node);
}

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(one_row_makes_a_cluster)
{
    assert_int_equal(read_text("\n" HEADER "\n2,32,8,128,256\n\n"), 0);
    assert_int_equal(spec.pool_count, 1);
    check_pool(0, 2, 32, 8);
    assert_string_equal(spec.pools[0].gpu_type, "");
    assert_int_equal(cluster_spec_nodes(&spec), 64);
    assert_int_equal(cluster_spec_gpus(&spec), 512);
}

IN_FOLDER(columns_come_in_any_order)
{
    assert_int_equal(read_text("mem_p_node,num_gpu_p_node,rack,num_switch,num_node_p_switch,"
                               "num_cpu_p_node\n0,4,x,1,16,0\n"),
                     0);
    check_pool(0, 1, 16, 4);
}

#define TYPED "gpu_type,num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"

IN_FOLDER(each_row_with_a_gpu_type_is_a_pool)
{
    assert_int_equal(read_text(TYPED "A100,2,4,8,0,0\nT4,1,8,4,0,0\n"), 0);
    assert_int_equal(spec.pool_count, 2);
    check_pool(0, 2, 4, 8);
    check_pool(1, 1, 8, 4);
    assert_string_equal(spec.pools[1].gpu_type, "T4");
    assert_int_equal(cluster_spec_switches(&spec), 3);
    assert_int_equal(cluster_spec_nodes(&spec), 16);
    assert_int_equal(cluster_spec_gpus(&spec), 96);
    assert_int_equal(read_text(TYPED "A100,1,1,1,0,0\n"), 0);
    assert_int_equal(spec.pool_count, 1);
    assert_string_equal(spec.pools[0].gpu_type, "A100");
}

IN_FOLDER(pools_of_a_type_are_counted)
{
    static const char *const names[] = {"A100", "A100-2", "A100-2-2", "A100-3", "T4"};

    assert_int_equal(read_text(TYPED "A100,1,1,8,0,0\nA100,1,1,4,0,0\nA100-2,1,1,4,0,0\n"
                                     "A100,1,2,8,0,0\nT4,1,1,1,0,0\n"),
                     0);
    assert_int_equal(spec.pool_count, COUNT(names));
    for (int i = 0; i < spec.pool_count; i++)
        assert_string_equal(spec.pools[i].name, names[i]);
}

static void check_described(const char *rows, const char *expected)
{
    char text[200];
    char all[400];

    (void)snprintf(all, sizeof(all), TYPED "%s", rows);
    assert_int_equal(read_text(all), 0);
    assert_int_equal(cluster_spec_describe(&spec, text, sizeof(text)), !strstr(expected, "pools"));
    assert_string_equal(text, expected);
}

IN_FOLDER(a_cluster_is_described_by_its_types)
{
    check_described("A100,1,1,8,0,0\nT4,1,1,4,0,0\n", "A100 and T4");
    check_described("A100,1,1,8,0,0\nT4,1,1,4,0,0\nA100,1,1,4,0,0\nV100,1,1,1,0,0\n",
                    "A100, T4 and V100");
    check_described("T4,1,1,8,0,0\nT4,1,1,4,0,0\n", "2 pools of T4");
}

static void add_row(char *text, size_t size)
{
    const size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "T4,1,1,1,0,0\n");
}

IN_FOLDER(more_rows_than_pools_are_refused)
{
    char text[8000] = TYPED;

    for (int i = 0; i < CLUSTER_POOLS_MAX; i++)
        add_row(text, sizeof(text));
    assert_int_equal(read_text(text), 0);
    assert_string_equal(spec.pools[CLUSTER_POOLS_MAX - 1].name, "T4-64");
    add_row(text, sizeof(text));
    check_refused(text, ":66: expected at most 64 rows, each a pool");
}

IN_FOLDER(limits_hold_for_all_pools_together)
{
    check_refused(TYPED "T4,1,60000,1,0,0\nT4,1,60000,1,0,0\n",
                  ":3: column 3 (num_node_p_switch): expected at most 100000 nodes");
    check_refused(TYPED "T4,1,3000,256,0,0\nT4,1,3000,256,0,0\n",
                  ":3: column 4 (num_gpu_p_node): expected at most 1048576 GPUs");
    check_refused(TYPED "T4,1,1,8,0,0\n,1,1,8,0,0\n", ":3: column 1 (gpu_type): expected");
    check_refused(TYPED "T 4,1,1,8,0,0\n", ":2: column 1 (gpu_type): expected");
    check_refused(TYPED "../T4,1,1,8,0,0\n", ":2: column 1 (gpu_type): expected");
}

IN_FOLDER(without_a_file_there_are_32_nodes_of_8_gpus)
{
    const struct cluster_spec usual = cluster_spec_default();

    assert_int_equal(usual.pool_count, 1);
    assert_int_equal(cluster_spec_switches(&usual), 1);
    assert_int_equal(cluster_spec_nodes(&usual), 32);
    assert_int_equal(cluster_spec_gpus(&usual), 256);
}

IN_FOLDER(a_file_that_makes_no_cluster_is_refused_with_the_place)
{
    check_refused(HEADER, "cluster.csv:");
    check_refused(HEADER "1,2,4,0,0\n1,2,4,0,0\n",
                  ":3: expected the end of the file, found a second row: several pools need the "
                  "column gpu_type");
    check_refused(HEADER "0,2,4,0,0\n", ":2: column 1 (num_switch): expected");
    check_refused(HEADER "1,0,4,0,0\n", ":2: column 2 (num_node_p_switch): expected");
    check_refused(HEADER "1,2,0,0,0\n", ":2: column 3 (num_gpu_p_node): expected");
    check_refused(HEADER "1,2,257,0,0\n", ":2: column 3 (num_gpu_p_node): expected");
    check_refused(HEADER "1,2,4,x,0\n", ":2: column 4 (num_cpu_p_node): expected");
    check_refused(HEADER "1,2,4,0,\n", ":2: column 5 (mem_p_node): expected");
    check_refused(HEADER "1000,1000,4,0,0\n", "at most 100000 nodes");
    check_refused(HEADER "1,100000,256,0,0\n", "at most 1048576 GPUs");
    check_refused("num_switch\n1\n", "no column num_node_p_switch");
    assert_int_equal(cluster_spec_read(folder_file(folder, "none.csv"), &spec, &error), -1);
    assert_non_null(strstr(error.text, "none.csv: cannot be read"));
}

#define UNTIL                                                                                      \
    "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node,available_until\n"

static void check_end(int end, int first_node, int node_count, int64_t until_s)
{
    assert_int_equal(spec.ends[end].first_node, first_node);
    assert_int_equal(spec.ends[end].node_count, node_count);
    assert_int_equal(spec.ends[end].until_s, until_s);
}

IN_FOLDER(rows_of_like_nodes_that_leave_at_different_times_are_one_pool)
{
    assert_int_equal(read_text(UNTIL "1,4,8,0,0,\n1,2,8,0,0,86400\n1,1,8,0,0,1000\n"), 0);
    assert_int_equal(spec.pool_count, 1);
    check_pool(0, 1, 7, 8);
    assert_int_equal(spec.end_count, 2);
    check_end(0, 4, 2, 86400);
    check_end(1, 6, 1, 1000);
    assert_int_equal(read_text(UNTIL "2,3,8,0,0,5\n1,3,8,0,0,\n"), 0);
    check_pool(0, 3, 3, 8);
    check_end(0, 0, 6, 5);
    assert_int_equal(
        read_text("gpu_type," UNTIL "A100,1,4,8,0,0,7\nT4,1,2,8,0,0,\nT4,1,2,8,0,0,9\n"), 0);
    assert_int_equal(spec.pool_count, 2);
    check_pool(1, 1, 4, 8);
    check_end(1, 6, 2, 9);
    assert_int_equal(read_text(HEADER "1,4,8,0,0\n"), 0);
    assert_int_equal(spec.end_count, 0);
}

IN_FOLDER(an_end_that_is_none_is_refused_with_the_place)
{
    check_refused(UNTIL "1,2,4,0,0,0\n", ":2: column 6 (available_until): expected");
    check_refused(UNTIL "1,2,4,0,0,soon\n", ":2: column 6 (available_until): expected");
    check_refused(UNTIL "1,2,4,0,0,5\n1,2,8,0,0,\n",
                  ":3: expected the end of the file, found a second row: nodes with other numbers "
                  "of GPUs, or below other numbers of switches, need the column gpu_type");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
