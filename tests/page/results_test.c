/* results_test.c - what a result folder tells of time: seats, changes, moments and curves, on a run
 * of three jobs that was worked out by hand, and the columns in which a page keeps numbers. */
#include "tests/support/test.h"
#include "tools/report/column.h"
#include "tools/report/curves.h"
#include "tools/report/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "a" is promised and grows, "b" waits, moves and is late, "c" is declined. */
static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"trace.csv", "job_id,submit_time,iterations,deadline,model_name,batch_size,num_gpu\n"
                  "a,0,100,100,m,8,1\nb,10,100,60,m,8,2\nc,20,100,30,m,8,4\n"},
    {"summary.json", "{\"schema_version\": 1, \"policy\": \"p\", \"trace\": \"-\", \"gpu_type\": "
                     "\"A100\", \"nodes\": 2, \"gpus\": 8}\n"},
    {"jobs.csv",
     "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n"
     "90,a,4,0,0,80,100,0\n120,b,2,10,30,110,60,0\n"},
    {"outcomes.csv", "decided_at,job_id,verdict,reason,promised,outcome\n"
                     "0,a,promised,fits,100,on-time\n10,b,best-effort,no-room,,late\n"
                     "20,c,declined,no-room,,\n"},
    {"work.csv", "job_id,measure,asked,credited,gpu_seconds\na,iterations,100,100,300\n"},
    {"rounds.csv", "time,layout\n0,0@0x2\n10,0@0x2\n30,0@0x4 1@4x2\n60,0@0x4 1@6x2\n"
                   "70,0@0x4\n90,1@0x2\n120,\n"},
};

struct state {
    char folder[64];
    char trace[80];
    struct results run;
};

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    struct state *self = calloc(1, sizeof(*self));
    struct error error;

    assert_non_null(self);
    (void)snprintf(self->folder, sizeof(self->folder), "/tmp/results_test_XXXXXX");
    assert_non_null(mkdtemp(self->folder));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        write_file(self->folder, files[i].name, files[i].text);
    (void)snprintf(self->trace, sizeof(self->trace), "%s/trace.csv", self->folder);
    if (results_read(&self->run, self->folder, self->trace, &error) < 0)
        fail_msg("%s", error.text);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    struct state *self = *state;
    char path[128];

    results_close(&self->run);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", self->folder, files[i].name);
        (void)unlink(path);
    }
    (void)rmdir(self->folder);
    free(self);
    return 0;
}

TEST_WITH(a_seat_lasts_until_job_or_size_differ, set_up, tear_down)
{
    static const struct results_seat wanted[] = {
        {0, 30, 0, 2, 0},  {30, 90, 0, 4, 0},  {30, 60, 4, 2, 1},
        {60, 70, 6, 2, 1}, {90, 120, 0, 2, 1},
    };
    const struct results *run = &((struct state *)*test_state)->run;

    assert_int_equal(run->seat_count, 5);
    for (size_t i = 0; i < run->seat_count; i++)
        assert_memory_equal(&run->seats[i], &wanted[i], sizeof(wanted[i]));
    assert_int_equal(run->end_s, 120);
}

TEST_WITH(a_change_says_what_became_of_the_allocation, set_up, tear_down)
{
    static const struct {
        int64_t at_s;
        int64_t gpus;
        size_t job;
        enum audit_change_reason reason;
    } wanted[] = {
        {0, 2, 0, AUDIT_START},    {30, 4, 0, AUDIT_GROW},         {90, 0, 0, AUDIT_CHANGE_DONE},
        {30, 2, 1, AUDIT_START},   {60, 2, 1, AUDIT_MOVE},         {70, 0, 1, AUDIT_PREEMPTED},
        {90, 2, 1, AUDIT_RESTART}, {120, 0, 1, AUDIT_CHANGE_DONE},
    };
    const struct results *run = &((struct state *)*test_state)->run;

    assert_int_equal(run->change_count, 8);
    for (size_t i = 0; i < run->change_count; i++) {
        const struct results_change *change = &run->changes[i];

        assert_int_equal(change->at_s, wanted[i].at_s);
        assert_int_equal(change->gpus, wanted[i].gpus);
        assert_int_equal(change->job, wanted[i].job);
        assert_int_equal(change->reason, wanted[i].reason);
    }
}

TEST_WITH(jobs_wait_that_were_let_in_and_hold_nothing, set_up, tear_down)
{
    static const int64_t waiting[] = {0, 1, 0, 0, 1, 0, 0};
    static const int64_t used[] = {2, 2, 6, 6, 4, 2, 0};
    struct results *run = &((struct state *)*test_state)->run;

    curves_wait(run);
    assert_int_equal(run->moment_count, 7);
    for (size_t i = 0; i < run->moment_count; i++) {
        assert_int_equal(run->moments[i].waiting, waiting[i]);
        assert_int_equal(run->moments[i].gpus_used, used[i]);
        assert_int_equal(run->moments[i].efficiency_ppm, -1);
    }
}

static void check_curve(const struct curves *curves, enum curve_kind kind, size_t count,
                        const double wanted[])
{
    assert_int_equal(curves->of[kind].count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(curves->of[kind].items[i] == wanted[i]);
}

TEST_WITH(curves_are_sorted_times, set_up, tear_down)
{
    const struct results *run = &((struct state *)*test_state)->run;
    struct curves curves;

    curves_find(run, &curves);
    check_curve(&curves, CURVE_JCT, 2, (const double[]){80, 100});
    check_curve(&curves, CURVE_QUEUEING, 2, (const double[]){0, 20});
    check_curve(&curves, CURVE_SLACK, 2, (const double[]){-SLACK_PARTS, 0.2 * SLACK_PARTS});
    check_curve(&curves, CURVE_ADMITTED, 2, (const double[]){0, 10});
    check_curve(&curves, CURVE_DECLINED, 1, (const double[]){20});
    check_curve(&curves, CURVE_MISSED, 1, (const double[]){60});
    curves_clear(&curves);
    assert_int_equal(fate_of(run, 0), FATE_KEPT);
    assert_int_equal(fate_of(run, 1), FATE_LATE);
    assert_int_equal(fate_of(run, 2), FATE_DECLINED);
}

/* Differences 0, 1, -1, 63, -64 and 128 are the bytes 0, 2, 1, 126, 127 and 128 2. */
TEST(a_column_keeps_differences)
{
    static const int64_t numbers[] = {0, 1, 0, 63, -1, 127};
    char path[] = "/tmp/column_test_XXXXXX";
    const int fd = mkstemp(path);
    char read_back[256] = "";
    struct page_column column;
    struct error error;
    output_t *out = output_on(fd, path);

    column_begin(&column, out, 3, "numbers", 6);
    for (size_t i = 0; i < 6; i++)
        column_add(&column, numbers[i]);
    column_end(&column);
    assert_int_equal(output_commit(&out, &error), 0);
    assert_true(pread(fd, read_back, sizeof(read_back) - 1, 0) > 0);
    assert_string_equal(read_back,
                        "<script type=\"text/plain\" data-run=\"3\" data-column=\"numbers\" "
                        "data-count=\"6\">AAIBfn+AAg==</script>\n");
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
