/* throughput_test.c - throughput figures from the project's own layout and from the published one.
 */
#include "scheduler/state/throughput.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static folder_t *folder;
static throughput_table_t *table;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    throughput_destroy(&table);
    folder_destroy(&folder);
    return 0;
}

static void read_table(const char *gpu_type)
{
    throughput_destroy(&table);
    table = throughput_read(folder_path(folder), gpu_type, &error);
    if (!table)
        fail_msg("%s", error.text);
}

static void check_refused(const char *what)
{
    throughput_destroy(&table);
    table = throughput_read(folder_path(folder), "A100", &error);
    assert_null(table);
    if (!strstr(error.text, what))
        fail_msg("expected \"%s\", found \"%s\"", what, error.text);
}

static const char *in_folder(const char *name)
{
    const char *path = folder_file(folder, name);

    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

#define OWN_HEADER "model,global_batch_size,gpus,iterations_per_s\n"

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(the_own_layout_is_a_measurement_a_row)
{
    const struct throughput_row *row;

    (void)folder_write(folder, "A100.csv",
                       OWN_HEADER "bert,64,1,6.03\nvgg16,64,1,5\nbert,64,4,10.25\nbert,128,1,3.5\n"
                                  "bert,64,8,0\nbert,64,16,\n");
    read_table("A100");
    assert_int_equal(throughput_count(table), 3);
    row = throughput_find(table, "bert", 64);
    assert_non_null(row);
    assert_int_equal(row->level_count, 4);
    assert_int_equal(row->gpus[1], 4);
    assert_true(row->iters_per_s[0] == 6.03 && row->iters_per_s[1] == 10.25);
    assert_true(row->iters_per_s[2] == 0);
    assert_true(isnan(row->iters_per_s[3]) && row->marked_nan[3]);
    assert_ptr_equal(throughput_row_at(table, 0), row);
    assert_null(throughput_find(table, "bert", 256));
    assert_true(throughput_has_model(table, "vgg16"));
    assert_false(throughput_has_model(table, "gpt2"));
    assert_string_equal(throughput_source(table), folder_file(folder, "A100.csv"));
}

#define BERT                                                                                       \
    "global_batch_size,1,2,4\r\n"                                                                  \
    "64,6.03,8.5,10.25\r\n"                                                                        \
    "2,3.5,nan,\r\n"                                                                               \
    "1024,0,1e-2,0.0"

static void check_bert(void)
{
    const struct throughput_row *row = throughput_find(table, "bert", 2);

    assert_int_equal(throughput_count(table), 3);
    assert_non_null(row);
    assert_true(row->iters_per_s[0] == 3.5);
    assert_true(isnan(row->iters_per_s[1]) && row->marked_nan[1]);
    assert_true(isnan(row->iters_per_s[2]) && !row->marked_nan[2]);
    row = throughput_find(table, "bert", 1024);
    assert_true(row->iters_per_s[0] == 0 && row->iters_per_s[1] == 0.01);
}

IN_FOLDER(the_published_layout_is_a_file_a_model)
{
    (void)in_folder("A100");
    (void)folder_write(folder, "A100/bert.csv", BERT);
    read_table("A100");
    check_bert();
}

IN_FOLDER(the_published_folder_may_have_its_published_name)
{
    (void)in_folder("throughputs_T4");
    (void)folder_write(folder, "throughputs_T4/bert.csv", BERT);
    (void)folder_write(folder, "throughputs_T4/README", "no table");
    read_table("T4");
    check_bert();
}

IN_FOLDER(the_tables_may_lie_in_the_folder_itself)
{
    (void)folder_write(folder, "bert.csv", BERT);
    read_table("A100");
    check_bert();
}

IN_FOLDER(a_type_without_a_table_is_refused)
{
    /* EF-Q5: the artifact would take it for a T4 */
    check_refused("no throughput table for GPU type A100");
    (void)folder_write(folder, "T4.csv", OWN_HEADER "bert,64,1,6.03\n");
    (void)folder_write(folder, "A100.csv", OWN_HEADER "bert,64,1,6.03\n");
    table = throughput_read(folder_path(folder), "H100", &error);
    assert_null(table);
    assert_non_null(strstr(error.text, "no throughput table for GPU type H100"));
    assert_null(throughput_read(folder_path(folder), "../A100", &error));
    assert_non_null(strstr(error.text, "is not a GPU type"));
    assert_null(throughput_read(folder_file(folder, "none"), "A100", &error));
    assert_non_null(strstr(error.text, "no such folder"));
}

IN_FOLDER(an_empty_folder_of_a_type_is_refused)
{
    (void)in_folder("A100");
    check_refused("no throughput table (MODEL.csv) in this folder");
}

static void check_own_refused(const char *rows, const char *what)
{
    char text[800];

    (void)snprintf(text, sizeof(text), OWN_HEADER "%s", rows);
    (void)folder_write(folder, "A100.csv", text);
    check_refused(what);
}

IN_FOLDER(a_bad_measurement_is_named_with_its_place)
{
    char rows[600] = "";

    check_own_refused("", "A100.csv:");
    check_own_refused("bert,64,1,fast\n", ":2: column 4 (iterations_per_s): expected");
    check_own_refused("bert,64,1,-1\n", ":2: column 4 (iterations_per_s): expected");
    check_own_refused("bert,64,1,nan\n", ":2: column 4 (iterations_per_s): expected");
    check_own_refused("bert,64,1,1e-999\n", ":2: column 4 (iterations_per_s): expected");
    check_own_refused("bert,64,1,1e10\n", ":2: column 4 (iterations_per_s): expected");
    check_own_refused("bert,0,1,5\n", ":2: column 2 (global_batch_size): expected");
    check_own_refused("bert,64,0,5\n", ":2: column 3 (gpus): expected");
    check_own_refused(",64,1,5\n", ":2: column 1 (model): expected");
    check_own_refused("bert,64,2,5\nbert,64,1,4\n", ":3: column 3 (gpus): expected");
    check_own_refused("bert,64,2,5\nbert,64,2,4\n", ":3: column 3 (gpus): expected");
    for (int gpus = 1; gpus <= 17; gpus++) {
        const size_t length = strlen(rows);

        (void)snprintf(rows + length, sizeof(rows) - length, "bert,12252240,%d,5\n", gpus);
    }
    check_own_refused(rows, ":18: column 3 (gpus): expected at most 16");
}

IN_FOLDER(a_batch_that_gpus_cannot_share_has_no_rate)
{
    check_own_refused("bert,6,4,5\n", ":2: column 3 (gpus): expected");
    check_own_refused("bert,6,4,5\n", "divides the batch size");
    (void)folder_write(folder, "A100.csv", OWN_HEADER "bert,6,2,5\nbert,6,4,\n");
    read_table("A100");
    (void)remove(folder_file(folder, "A100.csv"));
    (void)folder_write(folder, "bert.csv", "global_batch_size,2,4\n6,5,4\n");
    check_refused(":2: column 3 (4): expected nothing, since a global batch of 6 cannot be shared");
}

static void check_model_refused(const char *text, const char *what)
{
    (void)folder_write(folder, "bert.csv", text);
    check_refused(what);
}

IN_FOLDER(a_bad_model_file_is_named_with_its_place)
{
    check_model_refused("batch,1,2\n64,5,6\n", "bert.csv:1: column 1");
    check_model_refused("global_batch_size\n64\n", "bert.csv:1: ");
    check_model_refused("global_batch_size,1,two\n64,5,6\n", "bert.csv:1: column 3");
    check_model_refused("global_batch_size,2,1\n64,5,6\n", "bert.csv:1: column 3");
    check_model_refused("global_batch_size,1,2\n", "bert.csv:");
    check_model_refused("global_batch_size,1,2\n64,5,6\n64,5,6\n", "bert.csv:3: column 1");
    check_model_refused("global_batch_size,1,2\nx,5,6\n", "bert.csv:2: column 1");
    check_model_refused("global_batch_size,1,2\n64,5,fast\n", "bert.csv:2: column 3 (2)");
    check_model_refused("global_batch_size,1,2\n64,5\n", "bert.csv:2: ");
    check_model_refused("global_batch_size,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n",
                        "bert.csv:1: ");
}

IN_FOLDER(a_file_whose_name_is_no_model_is_refused)
{
    (void)folder_write(folder, "be\x1brt.csv", "global_batch_size,1\n64,5\n");
    check_refused("model name");
    assert_null(strchr(error.text, '\x1b'));
}

IN_FOLDER(a_model_is_called_by_what_can_be_shown)
{
    char longest[65];

    memset(longest, 'x', sizeof(longest));
    assert_true(throughput_is_model_name("GPT-2 (large)", 13));
    assert_true(throughput_is_model_name(longest, 64));
    assert_false(throughput_is_model_name(longest, 65));
    assert_false(throughput_is_model_name("", 0));
    assert_false(throughput_is_model_name("a\nb", 3));
}

IN_FOLDER(the_figures_that_came_with_the_project_are_found)
{
    char *found = throughput_default_folder();

    /* Only if the test was built below the project, as a program would be. */
    if (found)
        assert_non_null(strstr(found, "throughputs"));
    free(found);
    table = throughput_read("throughputs", "A100", &error);
    assert_non_null(table);
    assert_int_equal(throughput_count(table), 17);
    throughput_destroy(&table);
    table = throughput_read("throughputs", "T4", &error);
    assert_non_null(table);
    assert_int_equal(throughput_count(table), 9);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
