/* one_program_test.c - scheduler, master, worker and trainer are linked into this program as a
 * whole.
 *
 * The linker refuses a second function of one name. The functions that are called here had the same
 * names in two processes once. */
#include "tests/support/test.h"

#include "master/settings.h"
#include "worker/settings.h"

TEST(each_process_reads_a_command_line_of_its_own)
{
    char *master_words[] = {"master", "--workers=7", NULL};
    char *worker_words[] = {"worker", "--gpus=5", "--list-gpus", NULL};
    struct master_settings master = {.listen = "127.0.0.1", .heartbeat_s = 1, .lease_s = 10};
    struct worker_settings worker = {.gpu_count = 0};
    int status = -1;

    assert_int_equal(master_settings_parse(&master, 2, master_words, &status), 0);
    assert_int_equal(master.workers, 7);
    assert_int_equal(worker_settings_parse(&worker, 3, worker_words, &status), 0);
    assert_int_equal(worker.gpu_count, 5);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
