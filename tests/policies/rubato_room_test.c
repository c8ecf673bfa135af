/* rubato_room_test.c - jobs that no deadline drives make room, on GPUs that ran together, for one
 * that is in time only if its start costs no more than there. The runs are those of steady.h. */
#include "tests/policies/steady.h"
#include "tests/support/test.h"

static tables_t *a100;

FIXTURE(set_up)
{
    a100 = tables_new("A100");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&a100);
    return 0;
}

/* `late` holds all GPUs, which run together from its start on. Two seconds for its start are all
 * that `tight` has; on GPUs that never ran together it would take 8. */
TEST(a_late_job_leaves_its_gpus)
{
    static const struct steady_job jobs[] = {{"late", 0, 4, 300}, {"tight", 60, 4, 50}};
    struct steady_world steady;

    steady_world(&steady, "rubato", a100, jobs, COUNT(jobs));
    steady.jobs[0].deadline_s = 10;
    steady.jobs[1].deadline_s = 113;
    world_check_engine(&steady.world, 1, 1,
                       WORLD_JOBS("120,tight,4,60,60,112,113,0\n"
                                  "370,late,4,0,0,370,10,0\n"),
                       "time,layout\n"
                       "0,0@0x4\n"
                       "60,1@0x4\n"
                       "120,0@0x4\n"
                       "370,\n");
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
