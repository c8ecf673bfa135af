/* cluster_spec_test.c - the file that says how large a cluster is. */
#include "scheduler/state/cluster_spec.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static folder_t *folder;
static struct cluster_spec spec;
static struct error error;

static int set_up(void **state)
{
    (void)state;
    folder = folder_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
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

static void one_row_makes_a_cluster(void **state)
{
    (void)state;
    assert_int_equal(read_text("\n" HEADER "\n2,32,8,128,256\n\n"), 0);
    assert_int_equal(spec.switches, 2);
    assert_int_equal(spec.nodes_per_switch, 32);
    assert_int_equal(spec.gpus_per_node, 8);
    assert_int_equal(cluster_spec_nodes(&spec), 64);
    assert_int_equal(cluster_spec_gpus(&spec), 512);
}

static void columns_come_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(read_text("mem_p_node,num_gpu_p_node,rack,num_switch,num_node_p_switch,"
                               "num_cpu_p_node\n0,4,x,1,16,0\n"),
                     0);
    assert_int_equal(spec.gpus_per_node, 4);
    assert_int_equal(spec.nodes_per_switch, 16);
}

static void without_a_file_there_are_32_nodes_of_8_gpus(void **state)
{
    const struct cluster_spec usual = cluster_spec_default();

    (void)state;
    assert_int_equal(usual.switches, 1);
    assert_int_equal(cluster_spec_nodes(&usual), 32);
    assert_int_equal(cluster_spec_gpus(&usual), 256);
}

static void a_file_that_makes_no_cluster_is_refused_with_the_place(void **state)
{
    (void)state;
    check_refused(HEADER, "cluster.csv:");
    check_refused(HEADER "1,2,4,0,0\n1,2,4,0,0\n", ":3: ");
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

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(one_row_makes_a_cluster),
        IN_FOLDER(columns_come_in_any_order),
        IN_FOLDER(without_a_file_there_are_32_nodes_of_8_gpus),
        IN_FOLDER(a_file_that_makes_no_cluster_is_refused_with_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
